#!/usr/bin/env python3
"""50 tool steps of real tasks on the starter model: held by grammars against free.

Every step is a plan of one step, written here, imported, approved and carried out by the command line on the workspace
of a task of eval/. Held: the embedded model as it ships. Free: the same file under a llama-server of our own, which the
command line speaks to as a plain endpoint: the same prompts, calls read from the text, nothing forced.

Of each step: whether the required tool was the first that was called, whether every argument of its calls was grounded
(nothing was refused and no call failed for a file that is not there), and whether a check of the result passes.
Usage: steps.py [--assent PROGRAM] [--first N] [--settings held,free] [--to FILE]
"""
from __future__ import annotations

import argparse
import importlib.util
import json
import os
import pathlib
import re
import subprocess
import tempfile
import time
from typing import Callable

from client import RESULTS, ROOT, STARTER, Server, save

TASKS = ROOT / "eval/tasks"
SETTINGS = ("held", "free")


def task(name: str):
    spec = importlib.util.spec_from_file_location(name, TASKS / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


# A check is told the folder, and as one text what the satisfying calls gave and what the step came to.
Check = Callable[[pathlib.Path, str], bool]


def says(*words: str) -> Check:
    return lambda _folder, given: all(word in given for word in words)


def not_says(*words: str) -> Callable[[Check], Check]:
    return lambda check: lambda folder, given: check(folder, given) and not any(word in given for word in words)


def holds(name: str, *words: str) -> Check:
    return lambda folder, _given: (folder / name).is_file() and all(word in (folder / name).read_text() for word in words)


def same(name: str, text: Callable[[str], str]) -> Check:
    """The file is what it was with this done to it."""
    return lambda folder, _given: (folder / name).read_text() == text(BEFORE[name])


def numbers(name: str, *wanted: int) -> Check:
    return lambda folder, _given: (folder / name).is_file() and set(map(str, wanted)) <= set(re.findall(r"\d+", (folder / name).read_text()))


BEFORE: dict[str, str] = {}
PORT = "change_port"
STEPS: list[tuple[str, str, str, str | None, Check]] = [
    # grep
    ("which_notes", "grep", "Find the notes that mention Berlin, in any case", None, says("monday.txt", "wednesday.txt", "ideas.txt")),
    ("which_notes", "grep", "Find the lines with Hamburg in the notes", None, says("tuesday.txt")),
    ("which_notes", "grep", "Find every line that contains the word stamps", None, says("tuesday.txt")),
    ("collect_todos", "grep", "Find all lines with TODO in the source files", None, says("handle quotes", "sort by date", "use the locale", "check the quota")),
    ("collect_todos", "grep", "Find the line in which the function report is defined", None, says("report.py")),
    ("collect_todos", "grep", "Find where localStorage is used", None, says("store.js")),
    ("rename_spelling", "grep", "Find every file that contains the word colour", None, says("paint.txt", "light.txt")),
    (PORT, "grep", "Find the lines with 8080 in all files", None, says("server.toml", "notes.txt")),
    ("inactive_users", "grep", "Find the line with the e-mail address of hana in users.json", None, says("hana@example.org")),
    ("patents", "grep", "Count the lines that mention warranty in each licence, in any case", None, says("GPL-3", "Apache-2.0")),
    # glob
    ("sort_into_folders", "glob", "List all log files (*.log)", "the names of the log files", not_says("notes.txt", "logbook.md")(says("app.log", "error.log", "access-2026-03.log"))),
    ("collect_todos", "glob", "List all Python files in all folders", None, not_says("store.js")(says("parse.py", "report.py", "main.py"))),
    ("collect_todos", "glob", "List the JavaScript files", None, not_says("parse.py")(says("store.js"))),
    ("rename_spelling", "glob", "List the text files (*.txt)", None, not_says("style.css")(says("paint.txt", "light.txt", "plain.txt"))),
    ("which_notes", "glob", "List all files whose name ends with day.txt", None, not_says("ideas.txt")(says("monday.txt", "friday.txt"))),
    # finder
    ("collect_todos", "finder", "Find the definition of the function parse", None, says("parse.py")),
    ("collect_todos", "finder", "Find the definition of the function store", None, says("store.js")),
    ("collect_todos", "finder", "Find where the function report is defined", None, says("report.py")),
    # read
    (PORT, "read", "Read server.toml", None, says("workers = 4")),
    ("which_notes", "read", "Read the note of Monday", None, says("Call the printer")),
    ("which_notes", "read", "Read the file ideas.txt", None, says("weekend in berlin")),
    ("collect_todos", "read", "Read src/report.py", None, says("def report")),
    ("collect_todos", "read", "Read the file store.js in the folder lib", None, says("export function store")),
    ("rename_spelling", "read", "Read the style sheet", None, says("body { color")),
    ("inactive_users", "read", "Read users.json", None, says("ada@example.org")),
    # create_file
    ("which_notes", "create_file", "Write saturday.txt with the line: Water the plants.", "saturday.txt", holds("saturday.txt", "Water the plants")),
    ("which_notes", "create_file", "Create list.md with a Markdown list of three fruits", "list.md", lambda folder, _: (folder / "list.md").is_file() and len(re.findall(r"(?m)^\s*[-*\d]", (folder / "list.md").read_text())) == 3),
    ("which_notes", "create_file", "Create the file days/sunday.txt with the text: Sleep long.", "days/sunday.txt", holds("days/sunday.txt", "Sleep long")),
    (PORT, "create_file", "Write a file client.toml with a section [client] and timeout = 30", "client.toml", holds("client.toml", "[client]", "timeout = 30")),
    ("collect_todos", "create_file", "Create src/hello.py that prints hello world", "src/hello.py", lambda folder, _: subprocess.run(["python3", folder / "src/hello.py"], capture_output=True, text=True).stdout.strip().lower().rstrip("!.").replace(",", "") == "hello world"),
    ("sales_by_region", "create_file", "Create regions.csv with the header region,manager and a row for North with the manager Kim", "regions.csv", lambda folder, _: (folder / "regions.csv").is_file() and [line.replace(" ", "") for line in (folder / "regions.csv").read_text().strip().splitlines()] == ["region,manager", "North,Kim"]),
    ("inactive_users", "create_file", "Write config.json, a JSON object with the key limit set to 25", "config.json", lambda folder, _: json.loads((folder / "config.json").read_text()) == {"limit": 25}),
    # edit_file
    (PORT, "edit_file", "In server.toml, change workers from 4 to 8", "server.toml", same("server.toml", lambda text: text.replace("workers = 4", "workers = 8"))),
    (PORT, "edit_file", "In server.toml, set the level of the log to debug", "server.toml", same("server.toml", lambda text: text.replace('level = "info"', 'level = "debug"'))),
    (PORT, "edit_file", "In server.toml, change the title to Library", "server.toml", same("server.toml", lambda text: text.replace('"Reading room"', '"Library"'))),
    (PORT, "edit_file", "In server.toml, turn the metrics off: enabled becomes false", "server.toml", same("server.toml", lambda text: text.replace("enabled = true", "enabled = false"))),
    ("which_notes", "edit_file", "In monday.txt, replace nine by ten", "monday.txt", same("monday.txt", lambda text: text.replace("nine", "ten"))),
    ("which_notes", "edit_file", "In tuesday.txt, change Hamburg to Bremen", "tuesday.txt", same("tuesday.txt", lambda text: text.replace("Hamburg", "Bremen"))),
    ("rename_spelling", "edit_file", "In paint.txt, replace every colour by color", "paint.txt", same("paint.txt", lambda text: text.replace("colour", "color"))),
    ("rename_spelling", "edit_file", "In light.txt, change colour to color", "light.txt", same("light.txt", lambda text: text.replace("colour", "color"))),
    ("collect_todos", "edit_file", "In src/parse.py, replace the comment TODO handle quotes by Quotes are kept", "src/parse.py", same("src/parse.py", lambda text: text.replace("TODO handle quotes", "Quotes are kept"))),
    # bash
    ("sort_into_folders", "bash", "Move all .log files into a new folder logs", "logs", lambda folder, _: all((folder / "logs" / name).is_file() for name in ("app.log", "error.log", "access-2026-03.log"))),
    ("sort_into_folders", "bash", "Count the files in this folder", None, says("6")),
    ("commits_by_author", "bash", "Count the commits of each author with git", None, says("8", "5", "2")),
    ("commits_by_author", "bash", "Show the message of the latest commit", None, says("Entry 15")),
    ("orders_database", "bash", "Count the orders in the database shop.db with sqlite3", None, says("14")),
    ("orders_database", "bash", "List the names of all customers in shop.db with sqlite3", None, says("Miller", "Jones", "Okafor", "Tanaka")),
    ("sales_by_region", "bash", "Count the lines of sales.csv", None, says("121")),
    ("sales_by_region", "bash", "Add up the column amount of sales.csv for the region North with a Python script", None, lambda _folder, given: str(sum(row[4] for row in task("sales_by_region").rows() if row[1] == "North")) in given),
    ("inactive_users", "bash", "Write the e-mail addresses of the inactive users in users.json to inactive.txt, with a Python script", "inactive.txt", lambda folder, _: task("inactive_users").check(folder, "") is None),
]


def document(description: str, tool: str, expected: str | None) -> dict:
    step = {"id": "s1", "description": description, "stepType": "tool", "requiredTools": [tool], "dependencies": [], "executor": {"kind": "self"}}
    if expected:
        step["expectedOutcome"] = expected
    return {"format": "assent.plan/1", "title": description[:60], "userMessage": description, "steps": [step]}


def events(assent: str, home: str, *arguments: str) -> tuple[int, list[dict]]:
    done = subprocess.run([assent, "--json", *arguments], capture_output=True, text=True, env=dict(os.environ, ASSENT_HOME=home), timeout=900)
    values = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    if done.returncode not in (0, 1, 2) or not values:
        raise SystemExit(f"{' '.join(arguments)}: {done.stderr}")
    return done.returncode, values


def text_of(content: object) -> str:
    return json.dumps(content, ensure_ascii=False).replace('\\"', '"').replace("\\n", "\n")


def one(assent: str, home: str, number: int) -> dict:
    name, tool, description, expected, check = STEPS[number]
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch) / "workspace"
        folder.mkdir()
        task(name).prepare(folder)
        BEFORE.clear()
        BEFORE.update({str(path.relative_to(folder)): path.read_text(errors="replace") for path in folder.rglob("*") if path.is_file() and ".git/" not in str(path)})
        plan = pathlib.Path(scratch) / "plan.json"
        plan.write_text(json.dumps(document(description, tool, expected)))
        _, imported = events(assent, home, "plan", "import", str(plan), "--workspace", str(folder))
        start = time.time()
        code, seen = events(assent, home, "plan", "approve", imported[0]["id"])
        begun = {event["call"]: event["tool"] for event in seen if event["kind"] == "call_started"}
        asked = {call["id"]: call["tool"] for event in seen if event["kind"] == "model_replied" for call in event.get("calls", [])}
        called = [asked.get(event["call"], "?") for event in seen if event["kind"] in ("call_started", "call_refused")]
        worked = [event for event in seen if event["kind"] == "call_ended" and event["satisfied"]]
        ended = [event for event in seen if event["kind"] == "step_ended"]
        given = "\n".join(text_of(event.get(key, "")) for event, key in [*((call, "output") for call in worked), *((end, "result") for end in ended)])
        refused = [event for event in seen if event["kind"] == "call_refused"]
        missing = [event for event in seen if event["kind"] == "call_ended" and not event["satisfied"] and "does not exist" in text_of(event)]
        try:
            passed = bool(worked) and check(folder, given)
        except (OSError, ValueError):
            passed = False
        return {"step": number + 1, "tool": tool, "description": description, "exit": code, "called": called,
                "rightTool": bool(called) and called[0] == tool and any(begun.get(event["call"]) == tool for event in worked),
                "grounded": bool(called) and not refused and not missing, "passed": passed,
                "modelCalls": sum(event["kind"] == "model_replied" for event in seen), "seconds": round(time.time() - start, 1)}


def measure(assent: str, setting: str, count: int) -> list[dict]:
    rows = []
    with tempfile.TemporaryDirectory() as home:
        def run() -> None:
            for number in range(count):
                rows.append(one(assent, home, number))
                print(setting, rows[-1], flush=True)
        if setting == "held":
            events(assent, home, "model", "use", "local/starter")
            run()
        else:
            with Server(slots=4, context=4 * 8192) as server:
                events(assent, home, "model", "add", "free", "--url", f"{server.url}/v1", "--plain", "--context", "8192")
                events(assent, home, "model", "use", f"free/{STARTER}")
                run()
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--assent", default=str(pathlib.Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")) / "release/assent"))
    parser.add_argument("--first", type=int, default=len(STEPS))
    parser.add_argument("--settings", default=",".join(SETTINGS))
    parser.add_argument("--to", help="where what was measured is written too, as JSON")
    arguments = parser.parse_args()
    whole = arguments.first >= len(STEPS)
    # One setting may be measured after the other.
    earlier = RESULTS / "steps.json"
    result: dict = json.loads(earlier.read_text()) if whole and earlier.exists() else {}
    result["of"] = min(arguments.first, len(STEPS))
    for setting in arguments.settings.split(","):
        rows = measure(arguments.assent, setting, arguments.first)
        totals = {key: sum(row[key] for row in rows) for key in ("rightTool", "grounded", "passed", "modelCalls")}
        result[setting] = {**totals, "seconds": round(sum(row["seconds"] for row in rows), 1), "steps": rows}
        print(f"== {setting}: {totals} of {len(rows)}", flush=True)
    if whole:
        save("steps", result)
    if arguments.to:
        pathlib.Path(arguments.to).write_text(json.dumps(result, ensure_ascii=False))


if __name__ == "__main__":
    main()
