"""Calls of agents whose first input lacks required values: what the starter model makes of what it is told."""
import json
import os
import subprocess
import sys

from .figure import ROOT, TARGET, Figure, NotMeasured, machine, said

sys.path.insert(0, str(ROOT / "bench/experiments"))
from client import RESULTS, Server  # noqa: E402

# What the model is told, and whether its calls are held by a grammar.
SETTINGS = [("ours", "held"), ("bare", "held"), ("ours", "free"), ("bare", "free")]
FILE = RESULTS / "repair.jsonl"


def repair():
    """Thirty calls in four settings. What an earlier run of the same commit has measured is kept: with ASSENT_REPAIR_CASES
    or after an interruption it goes on where it was."""
    if "ASSENT_REPAIR_PROGRAM" not in os.environ:
        said(["cargo", "build", "--quiet", "--release", "-p", "assent-tests", "--example", "bench-repair"])
    cases = int(os.environ.get("ASSENT_REPAIR_CASES", "30"))
    commit = said(["git", "rev-parse", "--short", "HEAD"]).strip()
    figures = []
    for told, form in SETTINGS:
        rows = setting(told, form, cases, commit)
        share = sum(row["right"] for row in rows) / len(rows)
        goal = 0.9 if (told, form) == ("ours", "held") else None
        words = "the contract's error" if told == "ours" else '"invalid input"'
        how = "held by a grammar" if form == "held" else "free"
        figures.append(Figure(f"agent calls of {len(rows)} mended, told {words}, {how}", share, least=goal))
        begun = sum(row["repaired"] for row in rows) / len(rows)
        figures.append(Figure(f"the same, told {words}, {how}: begun, with whatever values", begun))
    return figures


def setting(told, form, cases, commit):
    """The rows of one setting, measured as far as they are not known."""
    known = {row["case"]: row for row in kept() if (row["told"], row["form"], row["commit"]) == (told, form, commit)}
    missing = [case for case in range(1, cases + 1) if case not in known]
    if missing and form == "held":
        measured(told, form, missing, commit, [])
    elif missing:
        with Server(slots=1, context=8192) as server:
            measured(told, form, missing, commit, ["--url", server.url])
    known = {row["case"]: row for row in kept() if (row["told"], row["form"], row["commit"]) == (told, form, commit)}
    rows = [known[case] for case in range(1, cases + 1) if case in known]
    if len(rows) < cases:
        raise NotMeasured(f"only {len(rows)} of {cases} calls were measured, told {told}, {form}")
    return rows


def measured(told, form, missing, commit, more):
    """Adds a line to the file for each of these cases."""
    program = os.environ.get("ASSENT_REPAIR_PROGRAM", str(TARGET / "release/examples/bench-repair"))
    RESULTS.mkdir(exist_ok=True)
    command = [program, told, "--from", str(missing[0]), "--to", str(missing[-1]), *more]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as running:
        for line in running.stdout:
            row = json.loads(line)
            row = {"case": row["case"], "told": told, "form": form, "commit": commit, "machine": machine(), **row["result"]}
            with FILE.open("a") as file:
                file.write(json.dumps(row) + "\n")
            print(f"  {told}, {form}: {row['case']} {row['agent']}: {'right' if row['right'] else row['gave']}", flush=True)


def kept():
    """All rows of the file."""
    return [json.loads(line) for line in FILE.read_text().splitlines()] if FILE.exists() else []
