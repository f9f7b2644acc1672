#!/usr/bin/env python3
"""Proves the checkers of eval/tasks and eval/general: right results pass, in several forms; wrong ones are refused.

Usage: selftest.py [-v]   (-v: why each wrong result was refused)
"""
import importlib.util
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent


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


def both(*solves):
    """A result that is several."""
    return lambda folder: [solve(folder) for solve in solves][-1]


def moved(names, to="logs", move=shutil.move):
    def solve(folder):
        (folder / to).mkdir()
        for name in names:
            move(folder / name, folder / to / name)
        return "Done."
    return solve


def patents(row="| {} | {} |", change=lambda counts: counts, order=lambda row: (-row[1], row[0])):
    """A table made by another way than the check's own."""
    def solve(folder):
        counts = {path.name: sum(b"patent" in line.lower() for line in path.read_bytes().splitlines()) for path in folder.iterdir()}
        rows = [row.format(*pair) for pair in sorted(change(counts).items(), key=order)]
        (folder / "patents.md").write_text("\n".join(["| Licence | Lines |", "| --- | ---: |", *rows]) + "\n")
        return "Done."
    return solve


def totals(header="region,total", form="{}", order=sorted, change=0, drop=0):
    """The sums of the sales, counted by another way than the check's own."""
    def solve(folder):
        sums = {}
        for line in (folder / "sales.csv").read_text().splitlines()[1:]:
            _, region, _, _, amount = line.split(",")
            sums[region] = sums.get(region, 0) + int(amount)
        rows = [f"{region},{form.format(sums[region] + change)}" for region in order(list(sums))]
        (folder / "totals.csv").write_text("\n".join(([header] if header else []) + rows[drop:]) + "\n")
        return "Done."
    return solve


def without(name):
    return lambda counts: {key: value for key, value in counts.items() if key != name}


def committed(folder):
    """One commit more, which no message asked for."""
    author = ["-c", "user.name=Ada Byron", "-c", "user.email=ada@example.org"]
    subprocess.run(["git", "-C", str(folder), *author, "commit", "-q", "--allow-empty", "-m", "more"], check=True, capture_output=True)
    return "Done."


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

TODOS = ["src/parse.py:5 handle quotes", "src/report.py:4 sort by date", "src/report.py:5 use the locale for numbers", "lib/store.js:2 check the quota first"]
AUTHORS = ["Grace Hopper: 8", "Ada Byron: 5", "Alan Turing: 2"]
INACTIVE = [f"{name}@example.org" for name in ("ben", "eva", "hana", "kai", "nora")]
ORDERS = ["Miller,4", "Jones,1", "Okafor,6", "Tanaka,3"]
LOGS = ["app.log", "error.log", "access-2026-03.log"]
SPELLED = [replaced("paint.txt", "colour", "color"), replaced("paint.txt", "colour", "color"), replaced("light.txt", "colour", "color")]

# For each task the right results and the wrong ones.
TASKS = {
    "change_port": (
        [replaced("server.toml", "port = 8080", "port = 9090")],
        [said("Done."), replaced("server.toml", "port = 9100", "port = 9090"), replaced("server.toml", "port = 8080", "port = 90900"),
         both(replaced("server.toml", "port = 8080", "port = 9090"), replaced("notes.txt", "8080", "9090")),
         both(replaced("server.toml", "port = 8080", "port = 9090"), replaced("server.toml", "# Settings of the reading room\n", "")),
         file("server.toml", "[server]", "port = 9090")]),
    "collect_todos": (
        [file("todos.md", *TODOS),
         file("todos.md", "| File | Line | Text |", "|---|---|---|", *("| {} | {} | {} |".format(*todo.replace(":", " ").split(" ", 2)) for todo in TODOS)),
         file("todos.md", "## src/parse.py", "- line 5: handle quotes", "## src/report.py", "- line 4: sort by date", "- line 5: use the locale for numbers",
              "## lib/store.js", "- line 2: check the quota first")],
        [said("Done."), file("todos.md", *TODOS[1:]), file("todos.md", *(todo.replace(":4 ", ":6 ") for todo in TODOS)),
         file("todos.md", *(todo.replace("store.js", "parse.py") for todo in TODOS)), file("todos.md", *(todo.split(":")[0] + todo[todo.index(" "):] for todo in TODOS)),
         file("todos.md", *TODOS, "src/main.py:3 print(parse('a b'))"),
         both(file("todos.md", *TODOS), replaced("src/parse.py", "    # TODO handle quotes\n", ""))]),
    "commits_by_author": (
        [file("authors.md", *AUTHORS), file("authors.md", "| Author | Commits |", "| --- | --- |", "| Grace Hopper | 8 |", "| Ada Byron | 5 |", "| Alan Turing | 2 |")],
        [said("Done."), file("authors.md", *reversed(AUTHORS)), file("authors.md", *AUTHORS[:2]), file("authors.md", AUTHORS[0], "Ada Byron: 15", AUTHORS[2]),
         file("authors.md", *AUTHORS, *AUTHORS), both(file("authors.md", *AUTHORS), committed)]),
    "inactive_users": (
        [file("inactive.txt", *INACTIVE), file("inactive.txt", *reversed(INACTIVE), "")],
        [said("Done."), file("inactive.txt", *INACTIVE[1:]), file("inactive.txt", *INACTIVE, "ada@example.org"), file("inactive.txt", ", ".join(INACTIVE)),
         both(file("inactive.txt", *INACTIVE), file("users.json", "[]"))]),
    "orders_database": (
        [file("orders.csv", *ORDERS), file("orders.csv", "name,orders", *(row.replace("Jones", '"Jones"') for row in reversed(ORDERS)))],
        [said("Done."), file("orders.csv", "name,orders", *ORDERS[1:]), file("orders.csv", "Miller,5", *ORDERS[1:]), file("orders.csv", *ORDERS, "total 14"),
         file("orders.csv", "name,amount", "Miller,58.0", *ORDERS[1:]), file("orders.csv", *ORDERS, "Miller,4")]),
    "patents": (
        [patents(), patents(row="{}|**{}**"), patents(row="| `{}` | {} |", order=lambda row: (-row[1], row[0][::-1]))],
        [said("Done."), patents(order=lambda row: row[1]), patents(change=without("GPL-3")), patents(change=lambda counts: counts | {"GPL-3": counts["GPL-3"] + 1}),
         patents(change=lambda counts: counts | {"Other": 0}), both(patents(), replaced("BSD", "Redistribution", "Distribution")),
         both(patents(), lambda folder: (folder / "BSD").unlink())]),
    "rename_spelling": (
        [both(*SPELLED)],
        [said("Done."), SPELLED[0], both(*SPELLED, replaced("style.css", "colour", "color")), both(*SPELLED, file("plain.txt", "")),
         both(*SPELLED, replaced("paint.txt", "The", "A"))]),
    "sales_by_region": (
        [totals(), totals(order=reversed, form="{:.2f}")],
        [said("Done."), totals(header=None), totals(change=1), totals(drop=1), totals(header="date,region"), both(totals(), file("sales.csv", "region,amount"))]),
    "sort_into_folders": (
        [moved(LOGS)],
        [said("Done."), moved(LOGS[:2]), moved([*LOGS, "logbook.md"]), moved(LOGS, to="log"), moved(LOGS, move=shutil.copy),
         both(moved(LOGS), file("logs/app.log", "")), both(moved(LOGS), lambda folder: (folder / "notes.txt").unlink())]),
    "which_notes": (
        [said("monday.txt, wednesday.txt and ideas.txt"), said("Berlin is in the notes Monday, Wednesday and Ideas.")],
        [said("monday.txt and wednesday.txt"), said("monday.txt, wednesday.txt, ideas.txt and friday.txt"), said(""), said("None of the notes."),
         both(file("berlin.txt", "monday.txt"), said("monday.txt, wednesday.txt, ideas.txt")),
         both(lambda folder: (folder / "friday.txt").unlink(), said("monday.txt, wednesday.txt, ideas.txt"))]),
}

GENERAL = {
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


def faults(folder, cases):
    """What a folder's checks take for right or for wrong and should not."""
    names = sorted(path.stem for path in (HERE / folder).glob("*.py"))
    if names != sorted(cases):
        yield f"eval/{folder} has {names} but the cases are {sorted(cases)}"
    for name, (right, refused) in cases.items():
        spec = importlib.util.spec_from_file_location(name, HERE / folder / f"{name}.py")
        task = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(task)
        for at, solve in enumerate(right, 1):
            fault = judged(task, solve)
            if fault is not None:
                yield f"{name}: right result {at} is refused: {fault}"
        for at, solve in enumerate(refused, 1):
            fault = judged(task, solve)
            if fault is None:
                yield f"{name}: wrong result {at} passes"
            elif "-v" in sys.argv:
                print(f"{name} {at}: {fault}")


def main():
    wrong = [*faults("tasks", TASKS), *faults("general", GENERAL)]
    print("\n".join(wrong) or f"{len(TASKS) + len(GENERAL)} tasks: every right result passes, every wrong one is refused")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
