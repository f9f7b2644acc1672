"""Rows of CSV by a date, sorted."""
import csv

MESSAGES = [
    "Which contracts in contracts.csv end in 2026? Write them to expiring.csv with the columns name,end, the earliest first.",
    "Write expiring.csv (columns name,end) with all contracts from contracts.csv whose end date is in 2026, sorted by the end date.",
]

ROWS = [("Phone", "2022-03-01", "2026-09-30", "29.90"), ("Gym", "2024-01-15", "2025-12-31", "45.00"), ("Water", "2020-05-01", "2026-02-28", "12.40"),
        ("Rent", "2019-08-01", "2028-07-31", "890.00"), ("Storage", "2026-01-01", "2027-01-01", "60.00"), ("Licence", "2025-06-15", "2026-06-14", "99.00")]


def prepare(folder):
    (folder / "contracts.csv").write_text("\n".join(["name,start,end,monthly"] + [",".join(row) for row in ROWS]) + "\n")


def check(folder, _answer):
    path = folder / "expiring.csv"
    if not path.exists():
        return "there is no expiring.csv"
    with path.open(newline="") as file:
        rows = [[cell.strip() for cell in row] for row in csv.reader(file) if row]
    expected = [["name", "end"]] + sorted(([name, end] for name, _, end, _ in ROWS if end.startswith("2026")), key=lambda row: row[1])
    return None if rows == expected else f"{rows} instead of {expected}"
