#!/usr/bin/env python3
"""Experiment 3: which tokens are processed anew when planner and specialists alternate over slots.

20 calls: planner, files specialist, planner, web specialist, ... with a conversation that grows. Tokens that had to be
new (all after the first difference from the same role's previous request) are compared with those that were. The small model is used: what a cache can reuse does not depend on the weights.
"""
from __future__ import annotations

from client import SMOKE, Server, save
from render import render
from sketch import CORE, nearest
from steps import task
from tools import TOOLS

WORDINGS = task("patents").MESSAGES
ROLES = ["planner", "files", "planner", "words"]
# Slot of each role, how many slots, further arguments of the server.
SETTINGS = {
    "own slot each": ({"planner": 0, "files": 1, "words": 2}, 3, ()),
    "two slots, specialists share": ({"planner": 0, "files": 1, "words": 1}, 2, ()),
    "one slot, prompt cache in memory": ({"planner": 0, "files": 0, "words": 0}, 1, ()),
    "server chooses (id_slot -1), two slots": ({"planner": -1, "files": -1, "words": -1}, 2, ()),
    "one slot, every prompt put aside": ({"planner": -1, "files": -1, "words": -1}, 1, ("--slot-prompt-similarity", "0")),
}


def request(role: str, turn: int) -> list[dict]:
    talk = [{"role": "user" if i % 2 == 0 else "assistant", "text": f"{WORDINGS[i % 10]} (message {i})"} for i in range(turn // 2)]
    message = WORDINGS[turn % 10]
    if role == "planner":
        system = render("planner_compact.md", {"specialists": [], "tools": [{"name": t, "line": TOOLS[t][0]} for t in CORE], "find": False, "studio": False})
        user = render("planner_user.md", {"conversation": talk, "pending": None, "files": [], "tools": [], "credentials": [], "examples": nearest(message, 2), "message": message})
    else:
        own = CORE if role == "files" else ["read", "create_file", "ask_user"]
        system = render("step_compact.md", {"tools": [{"name": t, "line": TOOLS[t][1], "parameters": "{}", "inputs": []} for t in own], "ask_user": True, "request_help": False, "studio": None})
        user = render("step_compact_user.md", {"conversation": [], "message": message, "files": [], "context": None, "results": [], "instructions": None, "remarks": [],
                                               "task": "Find the lines", "expect": "lines", "tools": ["read"], "last": False})
    return [{"role": "system", "content": system}, {"role": "user", "content": user}]


def main() -> None:
    result: dict = {}
    for name, (slots, count, extra) in SETTINGS.items():
        with Server(model=SMOKE, slots=count, context=8192 * count, extra=extra) as server:
            previous: dict[str, list[int]] = {}
            rows = []
            for turn in range(20):
                role = ROLES[turn % 4]
                messages = request(role, turn)
                prompt = server.post("/apply-template", {"messages": messages})["prompt"]
                tokens = server.post("/tokenize", {"content": prompt, "parse_special": True})["tokens"]
                before = previous.get(role, [])
                same = next((i for i, (a, b) in enumerate(zip(before, tokens)) if a != b), min(len(before), len(tokens)))
                reply = server.chat(messages, slot=slots[role], max_tokens=4)
                rows.append({"call": turn + 1, "role": role, "prompt": len(tokens), "hadToBeNew": len(tokens) - same, "new": reply["new"]})
                previous[role] = tokens
        over = max(r["new"] - r["hadToBeNew"] for r in rows)
        result[name] = {"newTokens": sum(r["new"] for r in rows), "hadToBeNew": sum(r["hadToBeNew"] for r in rows),
                        "mostOverInOneCall": over, "calls": rows}
        print(name, {k: v for k, v in result[name].items() if k != "calls"}, flush=True)
    save("prefix", {"measuredWith": SMOKE, "settings": result})


if __name__ == "__main__":
    main()
