"""Nested JSON: a count for each entry, as CSV."""
import csv
import json

MESSAGES = [
    "projects.json has projects with tasks. Write open-tasks.csv with the columns project,open: the number of tasks that are not done, for each project.",
    "For every project in projects.json count the tasks that are still not done and save that as open-tasks.csv (header project,open).",
]

PROJECTS = {"Harbour": [True, False, False, True], "Library": [True, True], "Orchard": [False, False, False, True, False], "Tower": [False]}


def prepare(folder):
    projects = [{"name": name, "lead": f"lead of {name}", "tasks": [{"title": f"task {at}", "done": done} for at, done in enumerate(tasks, 1)]}
                for name, tasks in PROJECTS.items()]
    (folder / "projects.json").write_text(json.dumps({"year": 2026, "projects": projects}, indent=2) + "\n")


def check(folder, _answer):
    path = folder / "open-tasks.csv"
    if not path.exists():
        return "there is no open-tasks.csv"
    with path.open(newline="") as file:
        rows = [[cell.strip() for cell in row] for row in csv.reader(file) if row]
    if not rows or [cell.lower() for cell in rows[0]] != ["project", "open"]:
        return f"the header is not project,open: {rows[:1]}"
    expected = {name: str(tasks.count(False)) for name, tasks in PROJECTS.items()}
    found = {row[0]: row[1] for row in rows[1:]}
    # A project without an open task may be left out: a count of those that are not done is also right without it.
    found = {"Library": "0"} | found
    return None if found == expected and len(rows) <= 5 else f"{rows[1:]} instead of {expected}"
