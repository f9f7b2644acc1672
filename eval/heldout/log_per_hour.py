"""A log becomes a small table: what happened in which hour."""
import csv
import random
import re

MESSAGES = [
    "Zähle in server.log die Einträge der Stufe ERROR je Stunde und schreibe das Ergebnis nach errors.csv mit der Kopfzeile hour,errors.",
    "Turn server.log into a table of errors per hour: errors.csv with the header hour,errors and one line for every hour of the day in which something was logged at level ERROR.",
]

# A single hour, in one of the ways it may be written: 7, 07, 07:00, 07:00-08:00, 07 Uhr, 2026-03-14 07:00.
HOUR = re.compile(r"(?:2026-03-14[ T])?(\d{1,2})(?:[:.h]00)?(?::00)?(?:\s*(?:-|–|to|bis)\s*\d{1,2}(?::(?:00|59))?(?::(?:00|59))?)?\s*(?:h|Uhr)?")


def entries():
    chance = random.Random(5)
    weights = {6: 4, 7: 9, 8: 22, 9: 25, 10: 18, 11: 6, 13: 14, 14: 20, 15: 21, 16: 17, 18: 8, 21: 6}
    quiet = {7, 11, 18}
    said = {
        "INFO": ["request done in {} ms", "import finished, no errors in {} rows", "session {} opened", "next backup at 23:{}"],
        "WARN": ["slow answer: {} ms", "retry {} after connection error", "queue holds {} jobs"],
        "ERROR": ["cannot reach the database, attempt {}", "upload {} was cut off", "job {} failed at 03:15 and again now"],
    }
    for hour, count in weights.items():
        for minute, second in sorted((chance.randint(0, 59), chance.randint(0, 59)) for _ in range(count)):
            level = chance.choice(["INFO", "INFO", "INFO", "WARN"] + ([] if hour in quiet else ["ERROR", "ERROR"]))
            yield hour, level, f"2026-03-14 {hour:02}:{minute:02}:{second:02} {level:<5} {chance.choice(said[level]).format(chance.randint(10, 59))}"


def text():
    return "\n".join(line for _, _, line in entries()) + "\n"


def prepare(folder):
    (folder / "server.log").write_text(text())


def check(folder, _answer):
    if (folder / "server.log").read_text() != text():
        return "server.log was changed"
    path = folder / "errors.csv"
    if not path.exists():
        return "there is no errors.csv"
    expected = {}
    for hour, level, _ in entries():
        if level == "ERROR":
            expected[hour] = expected.get(hour, 0) + 1
    lines = [line for line in path.read_text(encoding="utf-8-sig").splitlines() if line.strip()]
    if not lines:
        return "errors.csv is empty"
    delimiter = max(",;\t", key=lines[0].count)
    header, *rows = [[cell.strip() for cell in row] for row in csv.reader(lines, delimiter=delimiter)]
    if [cell.lower() for cell in header] != ["hour", "errors"]:
        return f"the header is {header}"
    found = {}
    for row in rows:
        hour = HOUR.fullmatch(row[0])
        if len(row) != 2 or not hour or not row[1].isdigit() or int(hour[1]) > 23 or int(hour[1]) in found:
            return f"a row that is not one hour and its number: {row}"
        found[int(hour[1])] = int(row[1])
    # Hours without an error may be there, as zero.
    found = {hour: number for hour, number in found.items() if number or hour in expected}
    return None if found == expected else f"{found} instead of {expected}"
