"""The part of Jinja that the prompt templates use, so that experiments read the very files the engine reads.

Statements `if / elif / else / endif / for / endfor / include`, comments, `{{ value | filter }}` with `json`, `json_pretty`,
`join`; blocks trimmed on both sides, undefined names are errors: as the engine's own environment is set up.
"""
from __future__ import annotations

import json
import re

from client import ROOT

PROMPTS = ROOT / "src-tauri/engine/prompts"
TOKEN = re.compile(r"(?:(?<=\n)|(?<=\A))[ \t]*(?=\{[%#])|\{#.*?#\}\n?|\{%-?.*?-?%\}\n?|\{\{.*?\}\}", re.S)


class Bag(dict):
    """A dict whose keys are attributes; a missing one is an error."""

    def __getattr__(self, key: str):
        try:
            return self[key]
        except KeyError as error:
            raise AttributeError(key) from error


def bag(value):
    if isinstance(value, dict):
        return Bag({k: bag(v) for k, v in value.items()})
    return [bag(v) for v in value] if isinstance(value, list) else value


FILTERS = {
    "json": lambda v: json.dumps(v, ensure_ascii=False, separators=(",", ":")),
    "json_pretty": lambda v: json.dumps(v, ensure_ascii=False, indent=2),
    "join": lambda v, sep="": sep.join(str(x) for x in v),
    "length": len,
}


# A value with a filter behind it, wherever it stands in an expression: `names | length > 1`.
FILTERED = re.compile(r"([\w.\[\]]+(?:\([^()]*\))?)\s*\|\s*(\w+)(?:\(([^()]*)\))?")


def evaluate(text: str, names: dict):
    whole = None
    while text != whole:
        whole, text = text, FILTERED.sub(lambda m: f"{m[2]}({m[1]}{', ' + m[3] if m[3] else ''})", text, count=1)
    given = {**FILTERS, **names, "none": None, "true": True, "false": False}
    return eval(text, {"__builtins__": {}}, given)


def tokens(source: str) -> list[tuple[str, str]]:
    out, at = [], 0
    for match in TOKEN.finditer(source):
        if match.start() > at:
            out.append(("text", source[at:match.start()]))
        token, at = match[0], match.end()
        if token.startswith("{{"):
            out.append(("value", token[2:-2].strip()))
        elif token.startswith("{%"):
            out.append(("tag", token.rstrip("\n")[2:-2].strip("- ")))
    out.append(("text", source[at:]))
    return out


def block(items: list, at: int, names: dict, live: bool, ends: tuple[str, ...]) -> tuple[str, int]:
    """Text of items from `at` up to one of the tags in `ends`, and the place of that tag."""
    out = []
    while at < len(items):
        kind, body = items[at]
        word = body.split()[0] if kind == "tag" else ""
        if word in ends:
            return "".join(out), at
        if kind == "text":
            out.append(body if live else "")
        elif kind == "value" and live:
            value = evaluate(body, names)
            out.append(str(value))
        elif word == "include" and live:
            out.append(render(body.split('"')[1], names) + "\n")
        elif word == "if":
            taken = False
            while word != "endif":
                test = True if word == "else" else (live and not taken and bool(evaluate(body.split(None, 1)[1], names)))
                run = live and not taken and test
                text, at = block(items, at + 1, names, run, ("elif", "else", "endif"))
                taken = taken or run
                out.append(text)
                body = items[at][1]
                word = body.split()[0]
        elif word == "for":
            name, source = re.fullmatch(r"for (\w+) in (.+)", body, re.S).groups()
            values = evaluate(source, names) if live else []
            end = None
            for value in values:
                text, end = block(items, at + 1, {**names, name: value}, True, ("endfor",))
                out.append(text)
            at = end if end is not None else block(items, at + 1, names, False, ("endfor",))[1]
        at += 1
    return "".join(out), at


def render(template: str, context: dict) -> str:
    source = (PROMPTS / template).read_text()
    return block(tokens(source), 0, bag(context), True, ())[0].rstrip("\n")
