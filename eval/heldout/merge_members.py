"""Two CSV files joined by a key that both have, and only what both have."""
import csv
import random

MESSAGES = [
    "Merge members.csv and fees.csv by member_id into merged.csv with the header member_id,name,town,fee,paid_on. Only members that are in both files.",
    "Hello, our members are in members.csv and what they have paid is in fees.csv; both files have the column member_id. Could you please bring the two together in a new file merged.csv with the columns member_id, name, town, fee and paid_on (with a header line)? Whoever is in only one of the two files should be left out.",
]

COLUMNS = ["member_id", "name", "town", "fee", "paid_on"]


def members():
    chance = random.Random(21)
    first = ["Anna", "Boris", "Clara", "David", "Edith", "Felix", "Greta", "Henry", "Irene", "Jonas"]
    last = ["Adler", "Brooks", "Castro", "Dupont", "Eriksen", "Fischer"]
    names = [f"{one} {other}" for one in first for other in last]
    chance.shuffle(names)
    return [(f"M{number:03}", name, chance.choice(["Lübeck", "Odense", "Leeds", "Lyon", "Turin"]))
            for number, name in enumerate(names, 101)]


def fees():
    chance = random.Random(22)
    paid = chance.sample([member[0] for member in members()], 46) + ["M090", "M177", "M203", "M204"]
    chance.shuffle(paid)
    return [(member, f"{chance.choice([25, 40, 60])}.{chance.choice(['00', '50'])}",
             f"2026-{chance.randint(1, 6):02}-{chance.randint(1, 28):02}") for member in paid]


def sources():
    for name, header, rows in [("members.csv", COLUMNS[:3], members()), ("fees.csv", [COLUMNS[0], *COLUMNS[3:]], fees())]:
        yield name, "\n".join(",".join(row) for row in [header, *rows]) + "\n"


def prepare(folder):
    for name, text in sources():
        (folder / name).write_text(text, encoding="utf-8")


def check(folder, _answer):
    for name, text in sources():
        if not (folder / name).exists() or (folder / name).read_text(encoding="utf-8") != text:
            return f"{name} was changed or removed"
    path = folder / "merged.csv"
    if not path.exists():
        return "there is no merged.csv"
    lines = [line for line in path.read_text(encoding="utf-8-sig").splitlines() if line.strip()]
    if not lines:
        return "merged.csv is empty"
    delimiter = max(",;\t", key=lines[0].count)
    header, *rows = [[cell.strip() for cell in row] for row in csv.reader(lines, delimiter=delimiter, skipinitialspace=True)]
    header = [cell.lower() for cell in header]
    if sorted(header) != sorted(COLUMNS):
        return f"the header is {header}"
    found = []
    for row in rows:
        if len(row) != len(header):
            return f"a row with {len(row)} cells: {row}"
        one = dict(zip(header, row))
        found.append((*(one[column] for column in COLUMNS[:3]), float(one["fee"]), one["paid_on"]))
    known = {member[0]: member for member in members()}
    expected = [(*known[member], float(fee), day) for member, fee, day in fees() if member in known]
    if sorted(found) == sorted(expected):
        return None
    return (f"{len(found)} rows instead of {len(expected)}; missing or wrong: {sorted(set(expected) - set(found))[:3]}; "
            f"too much: {sorted(set(found) - set(expected))[:3]}")
