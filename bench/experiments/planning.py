#!/usr/bin/env python3
"""Experiment 1: the main job in ten paraphrases through the sketch, under several settings.

Right means: patents.md holds, for every licence file, exactly the number that `grep -ci patent` gives.
Usage: planning.py [--settings NAME,...] [--first N] [--workers N]
"""
from __future__ import annotations

import argparse
import concurrent.futures
import pathlib
import queue
import re
import shutil
import tempfile
import time

from client import Server, save
from sketch import Options, Sketch
from tools import fresh

LICENCES = pathlib.Path("/usr/share/common-licenses")
PARAPHRASES = [
    "For each licence here, count the lines that mention patents, in any case. Write a table, highest first, to patents.md.",
    "How many lines talk about patents in each of these licence files? Ignore upper and lower case, sort by the number, largest on top, and save it as a table in patents.md.",
    "Please make patents.md: a table with every licence and its number of lines containing the word patent (case does not matter), in descending order.",
    "Count lines mentioning \"patent\" per licence, case-insensitively, and put the result as a Markdown table sorted from most to least in patents.md.",
    "I want to know which of these licences say the most about patents. Count the lines with patent in any spelling of case for each file and write the ranking as a table into patents.md.",
    "Go through all licences in this folder and tell me per licence how many lines contain patent or PATENT or Patent. The table goes to patents.md, highest count first.",
    "Create a file patents.md with a table: licence, number of lines that mention patents. Any case counts. Sort it, highest first. Do not leave out licences without any.",
    "For all the licence texts: number of lines with the word patents or patent, upper or lower case alike. Output a sorted table (highest first) in patents.md.",
    "patents.md should list each licence with how many of its lines mention patents, regardless of case, ordered from highest to lowest.",
    "Search the licences for patents, ignoring case, count the matching lines in each, and write them as a table to patents.md beginning with the highest number.",
]
SETTINGS = {
    "base": Options(),
    "matches list": Options(grep_shape="matches"),
    "no examples": Options(examples=0),
    "full profile": Options(profile="full"),
    "no overview": Options(overview="none"),
    "required only": Options(active="required"),
}


def truth() -> dict[str, int]:
    return {f.name: sum("patent" in line.lower() for line in f.read_text().split("\n"))
            for f in sorted(LICENCES.iterdir()) if f.is_file() and not f.is_symlink()}


def verdict(root: pathlib.Path) -> tuple[bool, str]:
    """Whether every file stands in one row with exactly its number, and the rows fall."""
    path = root / "patents.md"
    if not path.exists():
        return False, "no patents.md"
    rows = []
    for line in path.read_text().splitlines():
        cells = [c.strip(" `*") for c in line.strip().strip("|").split("|")]
        numbers = [c for c in cells[1:] if re.fullmatch(r"\d+", c)]
        if numbers:
            rows.append((cells[0].removeprefix("./"), int(numbers[-1])))
    found = dict(rows)
    wrong = [f"{n}: {found.get(n)} for {c}" for n, c in truth().items() if found.get(n) != c]
    if wrong:
        return False, "; ".join(wrong)[:200]
    counts = [c for _n, c in rows]
    return counts == sorted(counts, reverse=True), "order" if counts != sorted(counts, reverse=True) else ""


def one(server: Server, name: str, number: int, worker: int, folder: pathlib.Path) -> tuple[dict, list[str]]:
    root = fresh(folder / f"work{worker}")
    for file in truth():
        shutil.copy(LICENCES / file, root)
    start = time.time()
    sketch = Sketch(server, SETTINGS[name])
    sketch.slots = (2 * worker, 2 * worker + 1)
    out = sketch.run(PARAPHRASES[number - 1], root)
    good, why = verdict(root)
    row = {"paraphrase": number, "right": good, "why": why, "status": out.status, "tools": [s["tool"] for s in out.plan.get("steps", [])],
           "calls": len(out.calls), "tokensNew": sum(c["new"] for c in out.calls), "tokensOut": sum(c["out"] for c in out.calls),
           "planOut": out.calls[0]["out"], "seconds": round(time.time() - start, 1)}
    return row, out.transcript


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--settings", default="base")
    parser.add_argument("--first", type=int, default=10)
    parser.add_argument("--workers", type=int, default=1)
    args = parser.parse_args()
    with Server(slots=2 * args.workers, context=16384 * args.workers) as server, tempfile.TemporaryDirectory() as folder:
        for name in args.settings.split(","):
            free = queue.SimpleQueue()
            for worker in range(args.workers):
                free.put(worker)

            def job(number: int) -> dict:
                worker = free.get()
                row, transcript = one(server, name, number, worker, pathlib.Path(folder))
                free.put(worker)
                print(name, row, *transcript, sep="\n", flush=True)
                return row

            with concurrent.futures.ThreadPoolExecutor(args.workers) as pool:
                rows = list(pool.map(job, range(1, args.first + 1)))
            right = sum(r["right"] for r in rows)
            print(f"== {name}: {right} of {len(rows)}", flush=True)
            save(f"planning-{name.replace(' ', '-')}", {"setting": vars(SETTINGS[name]), "right": right, "of": len(rows), "runs": rows})


if __name__ == "__main__":
    main()
