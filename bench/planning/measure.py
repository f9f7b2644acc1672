#!/usr/bin/env python3
"""Plans for requests whose right steps are known, beside the same model asked in one plain call with all tools in its prompt.

ours    `assent plan new` as it ships, the tools connected as a folder of descriptions
plain   one call: the compact template and grammar with every tool in it, no examples, nothing looked up, no second try

The data are not part of the project: a folder with `tools.jsonl` {name, description, parameters} and `plans.jsonl`
{request, gold_steps: [{tool}], gold_links: [[from, to]]}, named by ASSENT_PLANNING or --data. For each request: F1 of the
tools as a multiset, F1 of the links between tools (ours: a plan's dependencies; plain: each step on the one before it),
and the share of the right tools among the twelve that a search finds, beyond which a planner that is shown twelve cannot
come unless it looks for more. What was measured is kept with its prompts: `figures.jsonl` names each by its digest, and
`prompts/` has every text that a figure was measured with. Usage: measure.py --way ours|plain [--first 60] [--assent PROGRAM]
"""
from __future__ import annotations

import argparse
import collections
import hashlib
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.dont_write_bytecode = True
sys.path.insert(0, str(HERE.parent / "experiments"))

import gbnf  # noqa: E402
from client import DATA_HOME, ROOT, STARTER, Server, machine  # noqa: E402
from render import render  # noqa: E402

SOURCE = "catalogue"
SHOWN = 12
LINE = 240
SEED = 20
PROMPTS = ROOT / "src-tauri/engine/prompts"
# The prompts whose words the figures of each way depend on.
WORDED = {"ours": ("planner_compact.md", "planner_compact.schema.json", "planner_user.md", "relation.md", "repair.md"),
          "plain": ("planner_compact.md", "planner_user.md")}


def rows(path: pathlib.Path) -> list[dict]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def f1(found: list, right: list) -> float:
    """Of two multisets; two empty ones are alike."""
    if not found and not right:
        return 1.0
    both = sum((collections.Counter(found) & collections.Counter(right)).values())
    return 2 * both / (len(found) + len(right))


def judged(plan: dict, steps: list[dict], links: list) -> dict:
    """How far a plan {"tools": [...], "links": [(from, to)]} is from the right one; links are compared by their tools."""
    gold = [step["tool"] for step in steps]
    right = sorted({(gold[a], gold[b]) for a, b in links})
    return {"tools": f1(plan["tools"], gold), "links": f1(sorted(set(plan["links"])), right), "linked": bool(right)}


class Ours:
    """The command line, on a data folder of its own."""

    def __init__(self, assent: str, tools: list[dict], scratch: pathlib.Path):
        self.assent, self.scratch = assent, scratch
        self.environment = dict(os.environ, ASSENT_HOME=str(scratch / "home"))
        described = [{"name": tool["name"], "description": tool["description"], "parameters": tool["parameters"], "command": ["true"]} for tool in tools]
        (scratch / "tools").mkdir()
        (scratch / "workspace").mkdir()
        (scratch / "tools/tools.json").write_text(json.dumps(described))
        added = json.loads(self.said("tools", "source", "add", SOURCE, str(scratch / "tools"), "--json"))
        assert added["tools"] == len(tools), added

    def said(self, *arguments: str) -> str:
        done = subprocess.run([self.assent, *arguments], env=self.environment, cwd=self.scratch / "workspace", capture_output=True, text=True)
        if done.returncode not in (0, 2):
            raise RuntimeError(done.stderr.strip()[-300:])
        return done.stdout

    def found(self, request: str) -> list[str]:
        found = self.said("tools", "search", "--json", "--source", "catalogue", "--limit", str(SHOWN), "--", request)
        return [json.loads(line)["name"].removeprefix(f"{SOURCE}.") for line in found.splitlines()]

    def plan(self, request: str) -> dict:
        self.said("plan", "new", "--json", "--", request)
        plans = [json.loads(line) for line in self.said("plan", "list", "--json").splitlines()]
        plan = next((plan for plan in plans if plan["userMessage"] == request), None)
        if plan is None:
            return {"tools": [], "links": [], "note": "no plan"}
        steps, tools, links = {}, [], []
        for step in plan["steps"]:
            names = [tool if isinstance(tool, str) else tool["name"] for tool in step.get("requiredTools", [])]
            steps[step["id"]] = [name.removeprefix(f"{SOURCE}.") for name in names]
            tools += steps[step["id"]]
        for step in plan["steps"]:
            links += [(a, b) for before in step.get("dependencies", []) for a in steps[before] for b in steps[step["id"]]]
        return {"tools": tools, "links": links}


class Plain:
    """One call with everything in the prompt."""

    def __init__(self, server: Server, tools: list[dict]):
        self.server = server
        lines = [{"name": tool["name"], "line": tool["description"][:LINE]} for tool in tools]
        self.system = render("planner_compact.md", {"specialists": [], "tools": lines, "find": False, "studio": False})
        self.grammar = gbnf.plan([*(tool["name"] for tool in tools), "none"])

    def plan(self, request: str) -> dict:
        user = render("planner_user.md", {"conversation": [], "pending": None, "credentials": [], "files": [], "tools": [], "examples": [], "message": request})
        messages = [{"role": "system", "content": self.system}, {"role": "user", "content": user}]
        reply = self.server.chat(messages, slot=0, grammar=self.grammar, max_tokens=700)
        try:
            steps = json.loads(reply["text"]).get("steps", [])
        except json.JSONDecodeError:
            return {"tools": [], "links": [], "note": reply["finish"]}
        tools = [step["tool"] for step in steps if step["tool"] != "none"]
        return {"tools": tools, "links": list(zip(tools, tools[1:]))}


def kept_prompts(way: str) -> dict:
    """The prompts by their digests; each text is kept once, so that a figure can be read beside what was asked."""
    kept = {}
    for name in WORDED[way]:
        text = (PROMPTS / name).read_text()
        kept[name] = hashlib.sha256(text.encode()).hexdigest()[:12]
        copy = HERE / "prompts" / f"{kept[name]}-{name}"
        copy.parent.mkdir(exist_ok=True)
        copy.write_text(text)
    return kept


def mean(values: list[float]) -> float:
    return round(sum(values) / max(len(values), 1), 3)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--way", choices=("ours", "plain"), required=True)
    parser.add_argument("--data", default=os.environ.get("ASSENT_PLANNING"))
    parser.add_argument("--first", type=int, default=60, help="so many requests, drawn by a seed")
    parser.add_argument("--assent", default=str(pathlib.Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")) / "release/assent"))
    parser.add_argument("--note", default="")
    arguments = parser.parse_args()
    if not arguments.data:
        raise SystemExit("--data or ASSENT_PLANNING names the folder with tools.jsonl and plans.jsonl")
    if not os.environ.get("ASSENT_BENCH_URL") and not (DATA_HOME / "models" / STARTER).is_file():
        raise SystemExit(f"{DATA_HOME / 'models' / STARTER} is not there; scripts/fetch-model starter fetches it")
    data = pathlib.Path(arguments.data)
    tools, cases = rows(data / "tools.jsonl"), rows(data / "plans.jsonl")
    random.Random(SEED).shuffle(cases)
    cases = cases[: arguments.first]
    results, server = [], None
    with tempfile.TemporaryDirectory() as scratch:
        if arguments.way == "plain":
            server = Server(slots=1, context=16384)
            way = Plain(server, tools)
        else:
            way = Ours(arguments.assent, tools, pathlib.Path(scratch))
        try:
            for case in cases:
                began = time.monotonic()
                try:
                    plan = way.plan(case["request"])
                except RuntimeError as trouble:
                    plan = {"tools": [], "links": [], "note": str(trouble)}
                row = {"id": case["id"], **judged(plan, case["gold_steps"], case["gold_links"]), "plan": plan, "seconds": round(time.monotonic() - began, 1)}
                if arguments.way == "ours":
                    gold = {step["tool"] for step in case["gold_steps"]}
                    row["found"] = len(gold & set(way.found(case["request"]))) / len(gold)
                results.append(row)
                print(json.dumps(row), flush=True)
        finally:
            if server:
                server.__exit__()
    figures = {"requests": len(results), "toolF1": mean([row["tools"] for row in results]),
               "dependencyF1": mean([row["links"] for row in results if row["linked"]]),
               "seconds": round(sum(row["seconds"] for row in results))}
    if arguments.way == "ours":
        figures["foundAmongTwelve"] = mean([row["found"] for row in results])
    commit = subprocess.run(["git", "describe", "--always", "--dirty"], cwd=ROOT, capture_output=True, text=True).stdout.strip()
    entry = {"way": arguments.way, "commit": commit, "model": STARTER, "note": arguments.note, "prompts": kept_prompts(arguments.way), "machine": machine(), **figures}
    print(json.dumps(figures))
    with (HERE / "figures.jsonl").open("a") as file:
        file.write(json.dumps(entry) + "\n")
    (HERE / f"results-{arguments.way}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in results))


if __name__ == "__main__":
    main()
