#!/usr/bin/env python3
"""Proves the checkers of eval/general: right results pass, in several forms; wrong ones are refused.

Usage: selftest.py [-v]   (-v: why each wrong result was refused)
"""
import importlib.util
import json
import pathlib
import sys
import tempfile

TASKS = pathlib.Path(__file__).resolve().parent / "general"


def file(name, *lines):
    """A result that is one file of these lines."""
    def solve(folder):
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text("\n".join(lines) + "\n")
        return "Done."
    return solve


def said(text):
    """A result that is an answer."""
    return lambda _folder: text


def replaced(name, old, new):
    """A result that is a changed text."""
    def solve(folder):
        text = (folder / name).read_text()
        assert old in text, old
        (folder / name).write_text(text.replace(old, new, 1))
        return "Done."
    return solve


def renamed(new_name):
    def solve(folder):
        for path in sorted((folder / "scans").iterdir()):
            path.rename(path.with_name(new_name(*path.stem.removeprefix("scan_").split("-"))))
        return "Done."
    return solve


def letters(change=lambda text: text, name="{}.txt", leave_out=()):
    def solve(folder):
        (folder / "letters").mkdir()
        for line in (folder / "people.csv").read_text().splitlines()[1:]:
            person, amount = line.split(",")
            if person not in leave_out:
                text = (folder / "template.txt").read_text().replace("{name}", person).replace("{amount}", amount)
                (folder / "letters" / name.format(person)).write_text(change(text))
        return "Done."
    return solve


PARTS = [["A-17", "Bolt, long", 340], ["A-18", "Nut", 1200], ["B-02", 'Hinge "soft"', 58], ["C-11", "Gasket", 0]]


def parts(rows, keys=("sku", "name", "stock"), **form):
    return file("parts.json", json.dumps([dict(zip(keys, row)) for row in rows], **form))


TABLE = ["| id | title | priority |", "| --- | --- | --- |"]
BUGS = ["| 101 | Crash on start | high |", "| 103 | Slow search | medium |", "| 104 | Typo in help | low |", "| 106 | Print is cut off | high |"]
UNIQUE = ["tent", "stove", "lamp", "rope", "axe", "blanket", "kettle", "map"]
GONE = ["Ruth Adler", "Sam Boone", "Paul Novak", "Eva Roth"]
INVOICES = ["2031,120.50", "2032,89.00", "2047,1340.75", "2050,15.20"]
OPEN = ["Harbour,2", "Library,0", "Orchard,4", "Tower,1"]
EXPIRING = ["Water,2026-02-28", "Licence,2026-06-14", "Phone,2026-09-30"]

# For each task the right results and the wrong ones.
CASES = {
    "appointment": (
        [said("Tuesday at 16:45; bring the vaccination card."), said("At 4:45 pm. Take the Vaccination card with you.")],
        [said("At 9:30, bring the insurance number."), said("16:45"), said("Bring the vaccination card."), said("At 9:30 or 16:45, bring the vaccination card.")]),
    "bugs_table": (
        [file("open-bugs.md", *TABLE, *BUGS), file("open-bugs.md", "# Open bugs", "", "ID | Title | Priority", "---|:---|---", *reversed(BUGS))],
        [said("Done."), file("open-bugs.md", *TABLE, *BUGS[1:]), file("open-bugs.md", *TABLE, *BUGS, "| 107 | Menu flickers | low |"),
         file("open-bugs.md", TABLE[0], *BUGS), file("open-bugs.md", "id,title,priority", "101,Crash on start,high"),
         file("open-bugs.md", "| id | title | state | priority |", "| - | - | - | - |", *BUGS)]),
    "busiest_month": (
        [said("June 2025, with 9 loans."), said("2025-06|9")],
        [said("November 2024"), said("2025-08"), said("2025-06, 2025-08, 2025-03"), said("There were 52 loans.")]),
    "expiring": (
        [file("expiring.csv", "name,end", *EXPIRING), file("expiring.csv", "name,end", *(row.replace("Water", '"Water"') for row in EXPIRING))],
        [said("Done."), file("expiring.csv", "name,end", *reversed(EXPIRING)), file("expiring.csv", *EXPIRING),
         file("expiring.csv", "name,end", *EXPIRING, "Storage,2027-01-01"), file("expiring.csv", "name,end", *EXPIRING[1:])]),
    "gone_guests": (
        [file("gone.txt", *GONE), file("gone.txt", *(f"- {name}" for name in sorted(GONE)), "")],
        [said("Done."), file("gone.txt", *GONE[:3]), file("gone.txt", *GONE, "Carl Weber"), file("gone.txt", "Ruth Adler")]),
    "hours_worked": (
        [file("hours.csv", "person,hours", "Anna,9.5", "Ben,12.0", "Cleo,4.25"), file("hours.csv", "person,hours", "Ben,12:00", "Anna,9:30", "Cleo,4:15:00")],
        [said("Done."), file("hours.csv", "person,hours", "Anna,9", "Ben,12", "Cleo,4"), file("hours.csv", "person,hours", "Anna,9.5", "Ben,12"),
         file("hours.csv", "person,hours", "Anna,4.5", "Anna,5", "Ben,12.0", "Cleo,4.25")]),
    "invalid_json": (
        [file("invalid.txt", "codes.json", "prices.json", "rooms.json"), file("invalid.txt", "data/rooms.json: line 1", "data/prices.json: line 1", "data/codes.json")],
        [said("Done."), file("invalid.txt", "prices.json", "rooms.json"), file("invalid.txt", "codes.json", "prices.json", "rooms.json", "empty-list.json")]),
    "invoices": (
        [file("invoices.csv", "number,total", *INVOICES), file("invoices.csv", "number,total", "2050,15.2", "2032,89", "2047,1340.75 EUR", "2031,120.5")],
        [said("Done."), file("invoices.csv", *INVOICES), file("invoices.csv", "number,total", *INVOICES[1:]), file("invoices.csv", "number,total", "2031,89.00", *INVOICES[1:])]),
    "letters": (
        [letters(), letters(change=lambda text: text.rstrip("\n"))],
        [said("Done."), letters(leave_out=["Tim"]), letters(name="letter-{}.txt"), letters(change=lambda text: text.replace("Thank you, ", "Thank you, {name} ")),
         letters(change=lambda text: text.splitlines()[0])]),
    "most_changed": (
        [said("parser.py, in 4 commits."), said("The file is `parser.py` (main.py has 3).")],
        [said("main.py"), said("README.md was changed most, then parser.py."), said("The most commits are by Kim.")]),
    "newest_report": (
        [said("gamma.txt"), said("reports/gamma.txt was changed last, on 2026-05-26.")],
        [said("delta.txt"), said("The files are alpha.txt, delta.txt, gamma.txt and omega.txt."), said("None of them.")]),
    "open_tasks": (
        [file("open-tasks.csv", "project,open", *OPEN), file("open-tasks.csv", "project,open", OPEN[3], OPEN[2], OPEN[0])],
        [said("Done."), file("open-tasks.csv", *OPEN), file("open-tasks.csv", "project,open", "Harbour,2", "Library,2", "Orchard,1", "Tower,0"),
         file("open-tasks.csv", "project,open", *OPEN[:3])]),
    "parts_to_json": (
        [parts(PARTS), parts([[row[0], row[1], str(row[2])] for row in PARTS], indent=2)],
        [said("Done."), parts(PARTS[:3]), parts(PARTS, keys=("id", "name", "stock")), file("parts.json", json.dumps({"rows": PARTS})),
         parts([["A-17", "Bolt", 340], *PARTS[1:]]), file("parts.json", "A-17,Bolt")]),
    "rename_by_date": (
        [renamed(lambda day, month, year: f"scan_{year}-{month}-{day}.txt")],
        [said("Done."), renamed(lambda day, month, year: f"scan_{year}-{day}-{month}.txt"), renamed(lambda day, month, year: f"{year}-{month}-{day}.txt")]),
    "unique_lines": (
        [file("wishlist-clean.txt", *UNIQUE)],
        [said("Done."), file("wishlist-clean.txt", *sorted(UNIQUE)), file("wishlist-clean.txt", "tent", *UNIQUE), file("wishlist.txt", *UNIQUE)]),
    "worker_replicas": (
        [replaced("deploy.yaml", "worker:1.4\n    replicas: 2", "worker:1.4\n    replicas: 5")],
        [said("Done."), replaced("deploy.yaml", "replicas: 2", "replicas: 5"), replaced("deploy.yaml", "replicas: 2\n    memory", "replicas: 3\n    memory"),
         file("deploy.yaml", "worker:", "  replicas: 5")]),
}


def judged(task, solve):
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        folder = pathlib.Path(folder)
        task.prepare(folder)
        answer = solve(folder)
        try:
            return task.check(folder, answer)
        except Exception as problem:  # as in eval/run: a check that trips is a failed task
            return f"{type(problem).__name__}: {problem}"


def main():
    names = sorted(path.stem for path in TASKS.glob("*.py"))
    wrong = [] if names == sorted(CASES) else [f"tasks {names} but cases {sorted(CASES)}"]
    for name in names:
        spec = importlib.util.spec_from_file_location(name, TASKS / f"{name}.py")
        task = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(task)
        right, refused = CASES[name]
        for at, solve in enumerate(right, 1):
            fault = judged(task, solve)
            if fault is not None:
                wrong.append(f"{name}: right result {at} is refused: {fault}")
        for at, solve in enumerate(refused, 1):
            fault = judged(task, solve)
            if fault is None:
                wrong.append(f"{name}: wrong result {at} passes")
            elif "-v" in sys.argv:
                print(f"{name} {at}: {fault}")
    print("\n".join(wrong) or f"{len(names)} tasks: every right result passes, every wrong one is refused")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
