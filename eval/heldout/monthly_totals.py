"""JSON lines: sums by month, over more than one year."""
import csv
import json
import random
import re

MESSAGES = [
    "Sum up the amounts in payments.jsonl per month and write them to months.csv with the header month,total. A month looks like 2025-11.",
    "payments.jsonl has one payment per line, as JSON. I would like to know how much came in in each month (refunds are negative and simply count as such): please make months.csv with a header line and the columns month and total, the month as YYYY-MM.",
]


def payments():
    chance = random.Random(44)
    for number in range(150):
        year, month = chance.choice([(2025, 10), (2025, 11), (2025, 12), (2026, 1), (2026, 2), (2026, 3), (2026, 10)])
        cents = chance.randint(350, 48_000) * (-1 if number % 23 == 7 else 1)
        yield {"id": 7000 + number, "date": f"{year}-{month:02}-{chance.randint(1, 28):02}", "amount": cents / 100,
               "method": chance.choice(["card", "transfer", "cash"]), "customer": {"id": chance.randint(1, 40)}}


def text():
    return "".join(json.dumps(payment) + "\n" for payment in payments())


def prepare(folder):
    (folder / "payments.jsonl").write_text(text())


def check(folder, _answer):
    if (folder / "payments.jsonl").read_text() != text():
        return "payments.jsonl was changed"
    path = folder / "months.csv"
    if not path.exists():
        return "there is no months.csv"
    expected = {}
    for payment in payments():
        month = payment["date"][:7]
        expected[month] = expected.get(month, 0) + round(payment["amount"] * 100)
    lines = [line for line in path.read_text(encoding="utf-8-sig").splitlines() if line.strip()]
    if not lines:
        return "months.csv is empty"
    delimiter = max(",;\t", key=lines[0].count)
    header, *rows = [[cell.strip() for cell in row] for row in csv.reader(lines, delimiter=delimiter, skipinitialspace=True)]
    if [cell.lower() for cell in header] != ["month", "total"]:
        return f"the header is {header}"
    found = {}
    for row in rows:
        if len(row) != 2 or not re.fullmatch(r"\d{4}-\d\d", row[0]) or row[0] in found:
            return f"a row that is not one month and its total: {row}"
        total = float(row[1].replace(",", "")) * 100
        if abs(total - round(total)) > 0.01:
            return f"not an amount in cents: {row}"
        found[row[0]] = round(total)
    return None if found == expected else f"{found} instead of {expected} (in cents)"
