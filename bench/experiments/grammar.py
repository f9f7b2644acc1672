#!/usr/bin/env python3
"""Experiment 2: what grammars cost and where they break.

Compile time (one token with a grammar less one token without), speed of decoding with 1, 5, 10 tools against unconstrained,
`json_schema` against hand-written GBNF without white space, and the limits of repetitions, names and sizes.
"""
from __future__ import annotations

import argparse
import time

import gbnf
from client import SMOKE, STARTER, Server, save
from sketch import CORE
from tools import TOOLS

PROMPT = [{"role": "system", "content": "Call a tool. Reply with JSON: {\"tool\":\"NAME\",\"args\":{...}}"},
          {"role": "user", "content": "Write poem.txt with a poem of a hundred lines on rivers. Use create_file with path and content."}]
KINDS = {"str": {"type": "string", "maxLength": 300}, "long": {"type": "string"}, "bool": {"type": "boolean"},
         "list": {"type": "array", "items": {"type": "string", "maxLength": 300}, "maxItems": 6}}


def schema(tools: list[str]) -> dict:
    return {"anyOf": [{"type": "object", "additionalProperties": False, "required": ["tool", "args"], "properties": {
        "tool": {"const": t}, "args": {"type": "object", "additionalProperties": False,
                                       "required": [n for n, _k, r in TOOLS[t][2] if r],
                                       "properties": {n: KINDS[k] for n, k, _r in TOOLS[t][2]}}}} for t in tools]}


def timed(server: Server, **how) -> tuple[dict, float]:
    start = time.time()
    reply = server.chat(PROMPT, slot=0, **how)
    return reply, round((time.time() - start) * 1000, 1)


def speed(server: Server, **how) -> dict:
    """What a grammar adds to one token, and tokens a second of a reply of 120, both against none in turns with it."""
    bare, held, ratios = [], [], []
    for _ in range(5):
        bare.append(timed(server, max_tokens=1)[1])
        held.append(timed(server, max_tokens=1, **how)[1])
    for _ in range(3):
        free, _ = timed(server, max_tokens=120)
        reply, _ = timed(server, max_tokens=120, **how)
        if "error" in reply:
            return {"error": reply["error"][:200]}
        ratios.append((reply["out"] / max(reply["outMs"], 1)) / (free["out"] / max(free["outMs"], 1)))
    return {"compileMs": round(min(held) - min(bare), 1), "speedAgainstFree": round(sorted(ratios)[1], 3), "out": reply["out"], "text": reply["text"][:120]}


def limits(server: Server) -> list[dict]:
    """Whether a grammar is accepted, by its repetition bound and by its size."""
    rows = []
    def tried(what: str, **how) -> None:
        reply, wall = timed(server, max_tokens=8, **how)
        rows.append({"what": what, "ok": "error" not in reply, "wallMs": wall, "why": str(reply.get("error", ""))[:200]})
        print(rows[-1], flush=True)
    char = gbnf.BASE.splitlines()[0]
    for bound in (300, 1000, 1999, 2000, 2001, 4000, 10000):
        tried(f"GBNF char{{1,{bound}}}", grammar=f'root ::= "\\"" char{{1,{bound}}} "\\""\n{char}')
    for low in (2000, 2001):
        tried(f"GBNF char{{{low},}}", grammar=f'root ::= "\\"" char{{{low},}} "\\""\n{char}')
    for inner, outer in ((300, 6), (300, 7), (300, 40)):
        tried(f"GBNF char{{1,{inner}}} inside of {{1,{outer}}}", grammar=f'root ::= ("\\"" char{{1,{inner}}} "\\""){{1,{outer}}}\n{char}')
        tried(f"the same as a rule of its own", grammar=f'root ::= t{{1,{outer}}}\nt ::= "\\"" char{{1,{inner}}} "\\""\n{char}')
    for bound in (2000, 2001, 2010):
        # At least 1,999 signs, then at most so many: a longer text shows that there is no bound.
        reply, wall = timed(server, max_tokens=2400, grammar=f'root ::= [ab]{{1999,{bound}}}')
        rows.append({"what": f"signs written under [ab]{{1999,{bound}}}", "ok": "error" not in reply, "wallMs": wall, "signs": len(reply["text"]), "finish": reply["finish"], "why": str(reply.get("error", ""))[:200]})
        print(rows[-1], flush=True)
    for bound in (300, 2000, 2001, 8000, 10000):
        tried(f"json_schema maxLength {bound}", schema={"type": "object", "properties": {"a": {"type": "string", "maxLength": bound}}, "required": ["a"]})
    for bound in (10, 40, 100):
        tried(f"GBNF ten fields char{{1,300}} in a list of {bound}",
              grammar='root ::= "[" item ("," item){0,%d} "]"\nitem ::= "{" %s "}"\nt ::= "\\"" char{1,300} "\\""\n%s' % (bound, ' "," '.join(["t"] * 10), char))
    for count in (10, 50, 200, 1000):
        tried(f"plan with {count} tool names", grammar=gbnf.plan([f"mcp.server.tool_number_{i}" for i in range(count)]))
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--smoke", action="store_true", help="with the small model: limits are the same, speeds are not")
    parser.add_argument("--speed", action="store_true", help="what grammars cost, without the limits")
    arguments = parser.parse_args()
    model = SMOKE if arguments.smoke else STARTER
    result: dict = {"measuredWith": model, "speed": {}}
    with Server(model=model, slots=1, context=4096) as server:
        for count in (1, 5, 10):
            tools = ["create_file", *[t for t in CORE if t != "create_file"]][:count]
            for name, how in ((f"GBNF, {count} tools", {"grammar": gbnf.step(tools, None)}), (f"json_schema, {count} tools", {"schema": schema(tools)})):
                result["speed"][name] = speed(server, **how)
                print(name, result["speed"][name], flush=True)
        result["speed"]["GBNF, plan"] = speed(server, grammar=gbnf.plan([*CORE, "none", "find"]))
        if not arguments.speed:
            result["limits"] = limits(server)
    save("grammar-smoke" if model == SMOKE else "grammar", result)


if __name__ == "__main__":
    main()
