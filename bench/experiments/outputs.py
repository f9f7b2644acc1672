#!/usr/bin/env python3
"""Real outputs of planners, kept as files: what the parser of plans is held to (tests/corpus).

Each message is put before a model with the engine's own templates: the compact one free, held by a grammar or held by a
JSON Schema, and both full ones free. Three models: the starter, the smoke test's, and any other GGUF file (--file), of
which only the outputs are kept. A line for each: {"model", "form", "message", "finish", "text"}.

Usage: outputs.py --model NAME --file FILE [--messages N]   (adds to tests/corpus/planner-outputs.jsonl)
"""
from __future__ import annotations

import argparse
import json

import gbnf
from client import ROOT, Server
from render import render
from sketch import CORE, SPECIALISTS, nearest, widen
from tools import TOOLS

CORPUS = ROOT / "tests/corpus/planner-outputs.jsonl"
FILES = ["notes.md: 41 lines", "orders.csv: 210 lines: id,customer,total / 1,Ann,20.5", 'users.json: list of 14 like {"id": 100, "active": true}',
         "shop.db: orders(id, customer_id = customers.id), customers(id, name)", "app.conf: 12 lines"]
MESSAGES = [
    "Count the lines with 'error' in each log file and write a table to errors.md.",
    "Hello!",
    "What is the difference between a mutex and a semaphore?",
    "Change the port in app.conf from 8080 to 9090, then check that nothing else names 8080.",
    "Which customers in shop.db have never ordered anything? List them with their ids.",
    "Erstelle eine Liste aller TODO-Kommentare in todo.md, sortiert nach Datei.",
    "Open https://shop.example/search?q=a%26b&page=2 and save the names of the products as products.csv.",
    "Create an agent that reads my mails every morning and schedule it for 7 o'clock.",
    "Delete all files older than a year.",
    "Read notes.md, summarise it in three sentences, and compare it with plan-2025.md.",
    "Sum the column total of orders.csv by customer and show the five largest.",
    "Rename every .jpeg to .jpg, but ask me first.",
    "Explain the error \"expected `;`, found `}`\" in main.rs line 40 and mend it.",
    "Make a CSV of inactive users from users.json with name and mail.",
    "Send the report to Ann, and if she is away, to Bob; C:\\temp\\report.docx",
    "日本語のREADMEを書いて、README.ja.md に保存してください。",
    "Who committed most in the last month? Use git.",
    "First list the folder, then read the two largest text files at once, then write what they share into common.md and tell me how sure you are.",
    "Improve the agent mail-reader: it forgets attachments.",
    "do it again but only for March",
]


def messages(message: str, form: str) -> list[dict]:
    lines = [{"name": tool, "line": TOOLS[tool][0]} for tool in CORE]
    examples = nearest(message, 2)
    if form.startswith("compact"):
        system = render("planner_compact.md", {"specialists": [], "tools": lines, "find": True, "studio": False})
    elif form == "steps":
        system = render("planner_steps.md", {"specialists": SPECIALISTS, "tools": lines})
        examples = [{"message": one["message"], "plan": widen(one["plan"])} for one in examples]
    else:
        system, examples = render("planner_route.md", {"specialists": SPECIALISTS, "tools": lines}), []
    user = render("planner_user.md", {"conversation": [], "pending": None, "files": FILES, "tools": [], "credentials": [], "examples": examples, "message": message})
    return [{"role": "system", "content": system}, {"role": "user", "content": user}]


def held(form: str) -> dict:
    names = [*CORE, "none", "find"]
    if form == "compact, grammar":
        return {"grammar": gbnf.plan(names)}
    if form == "compact, schema":
        return {"schema": json.loads(render("planner_compact.schema.json", {"tools": names, "answer": True, "when": False}))}
    return {}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", required=True, help="the name that is written down")
    parser.add_argument("--file", required=True, help="a GGUF file, in the models folder or by its path")
    parser.add_argument("--messages", type=int, default=len(MESSAGES))
    arguments = parser.parse_args()
    CORPUS.parent.mkdir(exist_ok=True)
    with Server(model=arguments.file, slots=1, context=6144) as server, CORPUS.open("a") as corpus:
        for number, message in enumerate(MESSAGES[: arguments.messages]):
            # Free replies of every template, and one that is held, in turns.
            for form in ("compact", "steps", "route", ("compact, grammar", "compact, schema")[number % 2]):
                reply = server.chat(messages(message, form), slot=0, max_tokens=350, seed=number, temperature=0.0 if form.startswith("compact,") else 0.6, **held(form))
                row = {"model": arguments.model, "form": form, "message": message, "finish": reply["finish"], "text": reply["text"]}
                corpus.write(json.dumps(row, ensure_ascii=False) + "\n")
                corpus.flush()
                print(arguments.model, form, reply["finish"], repr(reply["text"][:80]), flush=True)


if __name__ == "__main__":
    main()
