"""CSV: sums by a column."""
import csv
import io
import random

MESSAGES = [
    "Add up the amounts in sales.csv for each region and write the result to totals.csv with the columns region and total.",
    "sales.csv has one sale per line. I want the sum of amount by region in a new file totals.csv (header: region,total).",
    "Make totals.csv from sales.csv: one line per region with its total amount, columns region,total.",
]


def rows():
    chance = random.Random(7)
    products = ["lamp", "desk", "chair", "shelf"]
    for number in range(120):
        yield (f"2026-{1 + number // 12:02}-{1 + number % 28:02}", chance.choice(["North", "South", "East", "West"]),
               chance.choice(products), chance.randint(1, 9), chance.randint(10, 900))


def sales():
    text = io.StringIO(newline="")
    writer = csv.writer(text)
    writer.writerow(["date", "region", "product", "quantity", "amount"])
    writer.writerows(rows())
    return text.getvalue().encode()


def prepare(folder):
    (folder / "sales.csv").write_bytes(sales())


def check(folder, _answer):
    expected = {}
    for _, region, _, _, amount in rows():
        expected[region] = expected.get(region, 0) + amount
    if (folder / "sales.csv").read_bytes() != sales():
        return "sales.csv was changed"
    path = folder / "totals.csv"
    if not path.exists():
        return "there is no totals.csv"
    with path.open(newline="") as file:
        header, *lines = [[cell.strip() for cell in row] for row in csv.reader(file) if row] or [[]]
    if header != ["region", "total"]:
        return f"the header is not region,total: {header}"
    found = {row[0]: float(row[1]) for row in lines}
    return None if found == expected else f"{found} instead of {expected}"
