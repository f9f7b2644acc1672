"""CSV to a Markdown table: some rows, some columns."""
import re

MESSAGES = [
    "Make a Markdown table of all open bugs in bugs.csv with the columns id, title and priority, in open-bugs.md.",
    "From bugs.csv I need only the bugs whose state is open, as a Markdown table (id, title, priority) in the file open-bugs.md.",
]

ROWS = [("101", "Crash on start", "open", "high", "Ines"), ("102", "Wrong icon", "closed", "low", "Tom"),
        ("103", "Slow search", "open", "medium", "Ines"), ("104", "Typo in help", "open", "low", "Marta"),
        ("105", "Lost settings", "closed", "high", "Tom"), ("106", "Print is cut off", "open", "high", "Jo"),
        ("107", "Menu flickers", "waiting", "low", "Jo")]


def prepare(folder):
    (folder / "bugs.csv").write_text("\n".join(["id,title,state,priority,owner"] + [",".join(row) for row in ROWS]) + "\n")


def check(folder, _answer):
    path = folder / "open-bugs.md"
    if not path.exists():
        return "there is no open-bugs.md"
    rows = [[cell.strip(" `*") for cell in line.strip().strip("|").split("|")] for line in path.read_text().splitlines() if "|" in line]
    if len(rows) < 2 or [cell.lower() for cell in rows[0]] != ["id", "title", "priority"]:
        return f"no table with the heading id, title, priority: {rows[:1]}"
    if not all(re.fullmatch(r":?-+:?", cell) for cell in rows[1]):
        return f"the second row is not the line below a heading: {rows[1]}"
    expected = sorted([number, title, priority] for number, title, state, priority, _ in ROWS if state == "open")
    return None if sorted(rows[2:]) == expected else f"{rows[2:]} instead of {expected}"
