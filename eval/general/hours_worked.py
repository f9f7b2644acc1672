"""Times of day: hours between start and end, summed for each person."""
import csv

MESSAGES = [
    "shifts.csv has the start and end time of each shift. Write hours.csv with the total hours of each person, columns person,hours.",
    "Compute from shifts.csv how many hours each person worked in total and save it in hours.csv (person,hours).",
]

SHIFTS = [("2026-03-02", "Anna", "08:00", "12:30"), ("2026-03-02", "Ben", "09:15", "17:00"), ("2026-03-03", "Anna", "13:00", "18:00"),
          ("2026-03-03", "Cleo", "07:30", "11:00"), ("2026-03-04", "Ben", "10:00", "14:15"), ("2026-03-04", "Cleo", "12:00", "12:45")]
HOURS = {"Anna": 9.5, "Ben": 12.0, "Cleo": 4.25}


def prepare(folder):
    (folder / "shifts.csv").write_text("\n".join(["date,person,start,end"] + [",".join(row) for row in SHIFTS]) + "\n")


def hours(text):
    """Hours as a number, or as hours and minutes."""
    if ":" in text:
        parts = [float(part) for part in text.split(":")]
        return parts[0] + parts[1] / 60
    return float(text.removesuffix("h").strip())


def check(folder, _answer):
    path = folder / "hours.csv"
    if not path.exists():
        return "there is no hours.csv"
    with path.open(newline="") as file:
        rows = [[cell.strip() for cell in row] for row in csv.reader(file) if row]
    found = {row[0]: round(hours(row[1]), 2) for row in rows[1:]}
    return None if found == HOURS else f"{found} instead of {HOURS}"
