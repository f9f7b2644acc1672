"""A faithful sketch of the planner and the step loop, over the engine's own prompt templates and example library.

planner -> plan -> for every step: prompt, constrained reply, real tool call, result, until the ledger has the required
tool and the model ends the step. What the sketch varies is in `Options`.
"""
from __future__ import annotations

import dataclasses
import json
import math
import pathlib
import re
import sqlite3
import subprocess

import gbnf
from client import ROOT, Server
from render import render
from tools import TOOLS, Workspace

EXAMPLES = json.loads((ROOT / "src-tauri/engine/data/examples.json").read_text())
CORE = ["bash", "grep", "read", "create_file", "edit_file", "undo_edit", "glob", "finder", "ask_user", "displayConfirmation"]
BLIND = ("create_file", "none", "ask_user", "displayConfirmation")  # steps whose model is not shown the workspace's files
SPECIALISTS = [{"id": "general", "description": "answers, asks, formats", "groups": []},
               {"id": "workspace", "description": "works on the files of the workspace",
                "groups": [{"label": "search", "count": 4}, {"label": "change", "count": 4}]}]


@dataclasses.dataclass
class Options:
    """What is varied between runs."""

    profile: str = "compact"
    examples: int = 2
    overview: str = "lines"       # none | names | lines
    grep_shape: str = "counts"    # counts | matches
    with_who: bool = False
    active: str = "all"           # all: any tool of the specialist | required: only the required tool and read
    result_cut: int = 4000
    temperature: float = 0.0
    seed: int = 1
    iterations: int = 5


@dataclasses.dataclass
class Outcome:
    """What a run did: the plan, every model call, the answer, the ledger."""

    plan: dict
    calls: list[dict]
    answer: str
    ledger: list[dict]
    status: str
    transcript: list[str]


STOP = set("a an and are as at be by for from here i in into is it its me my of on or our please that the their them then these this to was we were "
           "what which with you your".split())


def words(text: str) -> list[str]:
    """Lower-case words and word parts, plural cut off."""
    out = []
    for word in re.findall(r"[a-z0-9]+", text.lower()):
        if word in STOP:
            continue
        out.append(word[:-1] if len(word) > 3 and word.endswith("s") else word)
    return out


KINDS = {"csv": (".csv", ".tsv"), "json": (".json", ".jsonl"), "sqlite": (".db", ".sqlite", ".sqlite3"), "git": (".git", "repository", "commit", "branch")}


def kinds(message: str, root: pathlib.Path | None) -> set[str]:
    """Which kinds of data the message or the workspace holds."""
    seen = message.lower()
    if root is not None:
        seen += " " + " ".join(p.suffix.lower() or p.name for p in list(root.rglob("*"))[:2000] if p.is_file() or p.name == ".git")
    return {kind for kind, marks in KINDS.items() if any(m in seen for m in marks)}


def nearest(message: str, count: int, root: pathlib.Path | None = None) -> list[dict]:
    """The nearest examples by BM25 (k1 1.2, b 0.75) over message and search words, nearest last; those of a kind of data
    that is neither in the message nor in the workspace, or with less than half the best score, are left out."""
    here = kinds(message, root)
    pool = [e for e in EXAMPLES if e.get("kind") is None or e["kind"] in here]
    docs = [words(e["message"]) + words(e["also"]) for e in pool]
    average = sum(map(len, docs)) / len(docs)

    def score(doc: list[str]) -> float:
        total = 0.0
        for term in set(words(message)):
            frequency = doc.count(term)
            if frequency:
                present = sum(term in d for d in docs)
                idf = math.log(1 + (len(docs) - present + 0.5) / (present + 0.5))
                total += idf * frequency * 2.2 / (frequency + 1.2 * (0.25 + 0.75 * len(doc) / average))
        return total

    scores = [score(doc) for doc in docs]
    ranked = sorted(range(len(docs)), key=lambda i: (-scores[i], i))[:count]
    return [pool[i] for i in reversed(ranked) if scores[i] >= scores[ranked[0]] / 2]


FILE_NAME = re.compile(r"(?<![\w/.@])[\w-][\w/-]*(?:\.[\w-]+)*\.[A-Za-z][A-Za-z0-9]{1,7}\b")


def names_file(message: str) -> bool:
    """Whether a message names a file: then it cannot be answered without a plan."""
    return bool(FILE_NAME.search(message))


def lost_names(message: str, plan: dict) -> list[str]:
    """File names of the message that no step of the plan mentions."""
    orders = " ".join(s["do"] for s in plan.get("steps", []))
    return [] if "answer" in plan else [n for n in dict.fromkeys(FILE_NAME.findall(message)) if n not in orders]


def overview(root: pathlib.Path, kind: str, limit: int = 40) -> list[str]:
    """One line a file: name, size in lines, and its first line, or a database's tables."""
    if kind == "none":
        return []
    out = []
    if (root / ".git").exists():
        out.append("(this folder is a git repository)")
    files = [p for p in sorted(root.rglob("*")) if p.is_file() and not any(x.startswith(".") for x in p.relative_to(root).parts)]
    for path in files[:limit]:
        name = str(path.relative_to(root))
        if kind == "names":
            out.append(name)
            continue
        head = path.read_bytes()[:16]
        if head.startswith(b"SQLite format 3"):
            with sqlite3.connect(f"file:{path}?mode=ro", uri=True) as db:
                tables = [f"{t}({', '.join(c[1] for c in db.execute(f'pragma table_info({t})'))})"
                          for (t,) in db.execute("select name from sqlite_master where type='table'")]
            out.append(f"{name}: SQLite, {'; '.join(tables)}")
            continue
        try:
            lines = path.read_text().splitlines()
        except UnicodeDecodeError:
            out.append(name)
            continue
        data = path.suffix in (".csv", ".tsv", ".json", ".jsonl")
        first = " ".join(" ".join(lines).split())[:140] if path.suffix == ".json" else (lines[0].strip()[:100] if lines and data else "")
        out.append(f"{name}: {len(lines)} lines" + (f", begins: {first}" if first else ""))
    if len(files) > limit:
        out.append(f"and {len(files) - limit} more files")
    return out


def shown(tool: str) -> str:
    """The parameters a step is shown; those that follow as a block are not among them."""
    if tool in gbnf.TEXT_LAST:
        return {"bash": "(also as python)", "create_file": '{"path"}'}[tool]
    return "{" + ",".join(f'"{n}"' + ("" if req else "?") for n, _k, req in TOOLS[tool][2]) + "}"


class Sketch:
    """Planner and steps on one server; the planner has slot 0, steps have slot 1."""

    def __init__(self, server: Server, options: Options):
        self.server, self.options = server, options
        self.calls: list[dict] = []
        self.transcript: list[str] = []
        self.slots = (0, 1)

    def ask(self, role: str, messages: list[dict], grammar: str, limit: int, warmth: float = 0.0) -> str:
        reply = self.server.chat(messages, slot=self.slots[role != "planner"], grammar=grammar, max_tokens=limit,
                                 temperature=max(self.options.temperature, warmth), seed=self.options.seed + len(self.calls))
        self.calls.append({"role": role, **{k: reply[k] for k in ("new", "cached", "out", "finish", "promptMs", "outMs")}})
        self.transcript.append(f"<<< {role} new={reply['new']} out={reply['out']}: {reply['text'] or reply.get('error')}")
        return reply["text"]

    def plan(self, message: str, root: pathlib.Path, conversation: list[dict] | None = None) -> dict:
        o = self.options
        lines = [{"name": t, "line": TOOLS[t][0]} for t in CORE]
        chosen = nearest(message, o.examples, root) if o.examples else []
        names = CORE + ["none"]
        if o.profile == "compact":
            system = render("planner_compact.md", {"specialists": SPECIALISTS if o.with_who else [], "tools": lines, "find": False, "studio": False})
            grammar = gbnf.plan(names, [s["id"] for s in SPECIALISTS] if o.with_who else None, answer=not names_file(message))
        else:
            system = render("planner_steps.md", {"specialists": SPECIALISTS, "tools": lines, "tools_json": lines})
            grammar = gbnf.full_plan(CORE)
            chosen = [{"message": e["message"], "plan": widen(e["plan"])} for e in chosen]
        user = render("planner_user.md", {"conversation": conversation or [], "pending": None, "files": overview(root, o.overview), "tools": [], "credentials": [],
                                          "examples": chosen, "message": message})
        messages = [{"role": "system", "content": system}, {"role": "user", "content": user}]
        for attempt in (1, 2):
            text = self.ask("planner", messages, grammar, 700 if o.profile == "compact" else 1400)
            try:
                found = json.loads(text)
            except json.JSONDecodeError:
                return {"fault": "plan is cut or no JSON", "text": text}
            found = narrow(found) if "todoList" in found else found
            lost = lost_names(message, found)
            if not lost:
                break
            fault = {"path": "steps", "message": f"no step mentions {', '.join(lost)}", "hint": "the plan has to do all that the message asks for"}
            messages += [{"role": "assistant", "content": text}, {"role": "user", "content": render("repair.md", {"faults": [fault], "schema": None, "cut": False})}]
        return found

    def step(self, message: str, space: Workspace, results: list[dict], step: dict, last: bool) -> tuple[str, str]:
        """(status, text) of one step: completed, failed or waiting."""
        o, tool = self.options, step["tool"]
        required = None if tool in ("none", "find") else tool
        active = CORE if o.active == "all" or tool == "find" else sorted({required or "read", "read"}, key=CORE.index)
        specs = [{"name": t, "line": TOOLS[t][1], "parameters": shown(t), "inputs": []} for t in CORE]
        system = render("step_compact.md", {"tools": specs, "ask_user": False, "request_help": False, "studio": None})
        files = [] if tool in BLIND else overview(space.root, o.overview)
        user = render("step_compact_user.md", {"conversation": [], "message": message, "context": None, "files": files, "results": results,
                                               "task": step["do"], "expect": step["expect"], "tools": [required] if required else [], "instructions": None, "remarks": [], "last": last})
        messages = [{"role": "system", "content": system}, {"role": "user", "content": user}]
        done_tool, output, warmth = required is None, "", 0.0
        tried: set[str] = set()
        start = list(messages)
        kind = "answer" if last or required is None else "done"
        for turn in range(o.iterations):
            if tool == "none":
                allowed: list[str] = []
            elif not done_tool and turn == o.iterations - 1:
                allowed = [required]
            else:
                allowed = active
            grammar = gbnf.step(allowed, kind if done_tool and (required or tool == "none" or output) else None)
            text = self.ask(f"step {step['id']}", messages, grammar, 1500, warmth)
            try:
                reply = gbnf.read_reply(text)
            except ValueError:
                messages += [{"role": "assistant", "content": text}, {"role": "user", "content": "error: the reply was cut off, it was too long. Reply shorter."}]
                continue
            if "done" in reply:
                return "completed", (reply["done"] if last or not output else output)
            result, good, waits = space.call(reply["tool"], reply["args"])
            self.transcript.append(f">>> {result[:700]}")
            if waits and reply["tool"] == "ask_user":
                return "waiting", result
            if good and reply["tool"] == required:
                done_tool = True
            output = cut(result, o.result_cut)
            repeated, warmth = text in tried, 0.0 if good else 0.7
            tried.add(text)
            ask = render("step_compact_next.md", {"failed": not good, "repeated": repeated and not good, "satisfied": done_tool, "last": last, "missing": [required] if required and not done_tool else []})
            if not good:  # a failed call left in full is copied again: only the last one stays, a repeated one goes too
                messages = list(start)
            if good or not repeated:
                messages.append({"role": "assistant", "content": text})
                messages.append({"role": "user", "content": f"Result of {reply['tool']}:\n{output}\n\n{ask}"})
            else:
                messages[-1] = {"role": "user", "content": f"{start[-1]['content']}\nAn earlier try failed: {output[-300:]}\nWrite it in another way."}
        return ("completed" if done_tool else "failed"), output

    def run(self, message: str, root: pathlib.Path, conversation: list[dict] | None = None) -> Outcome:
        space = Workspace(root, self.options.grep_shape)
        plan = self.plan(message, root, conversation)
        if "answer" in plan or "fault" in plan:
            return Outcome(plan, self.calls, plan.get("answer", ""), [], "answered" if "answer" in plan else "failed", self.transcript)
        results, status, text = [], "completed", ""
        for number, step in enumerate(plan["steps"], 1):
            step["id"] = f"s{number}"
            status, text = self.step(message, space, results, step, number == len(plan["steps"]))
            if status != "completed":
                break
            results.append({"id": step["id"], "task": step["do"], "text": text})
        return Outcome(plan, self.calls, text, space.ledger, status, self.transcript)


def cut(text: str, limit: int) -> str:
    if len(text) <= limit:
        return text
    kept = text[:limit].rsplit("\n", 1)[0]
    return f"{kept}\n[cut: {len(text) - len(kept)} more characters]"


def widen(plan: dict) -> dict:
    """A compact example as the full profile writes it."""
    if "steps" not in plan:
        return plan
    steps = []
    for number, s in enumerate(plan["steps"], 1):
        tool = {"stepType": "reasoning"} if s["tool"] in ("none", "find") else {"stepType": "tool", "requiredTools": [s["tool"]]}
        steps.append({"id": f"step_{number}", "description": s["do"], **tool, "expectedOutcome": s["expect"], "dependencies": [f"step_{number - 1}"] if number > 1 else []})
    return {"title": plan["title"], "intent": plan["title"], "refinedTask": plan["title"], "extractedContext": {}, "todoList": steps}


def narrow(plan: dict) -> dict:
    return {"title": plan["title"], "steps": [{"do": s["description"], "tool": (s.get("requiredTools") or ["none"])[0], "expect": s["expectedOutcome"]} for s in plan["todoList"]]}


def git(root: pathlib.Path, *args: str, who: str = "Ann") -> None:
    subprocess.run(["git", "-C", str(root), "-c", f"user.name={who}", "-c", f"user.email={who.lower()}@example.org", *args], check=True, capture_output=True)
