"""Grammars in llama.cpp's GBNF, without white space, for plans and for step replies.

A repetition above 2000 is taken by llama.cpp as unbounded, so long texts are unbounded here and bounded by `max_tokens`.
"""
from __future__ import annotations

import json

from tools import TOOLS

BASE = r'''char ::= [^"\\\x00-\x1F\x7F] | "\\" (["\\/bfnrt] | "u" [0-9a-fA-F]{4})
text ::= "\"" char{1,300} "\""
long ::= "\"" char* "\""
bool ::= "true" | "false"
list ::= "[" text ("," text){0,5} "]"
'''
KINDS = {"str": "text", "long": "long", "bool": "bool", "list": "list"}


def quoted(text: str) -> str:
    return json.dumps(text)


BLOCK = r'''block ::= "\n```" [a-z]{0,10} "\n" line* "```"
line ::= "\n" | "`"{0,2} [^`\n] [^\n]* "\n" | "`"{1,2} "\n"
'''
TEXT_LAST = {"bash": "command", "create_file": "content"}


def arguments(tool: str) -> str:
    out, first = [], True
    for name, kind, required in TOOLS[tool][2]:
        if TEXT_LAST.get(tool) == name:
            continue
        field = quoted(("" if first else ",") + f'"{name}":') + " " + KINDS[kind]
        out.append(field if required else f"({field})?")
        first = False
    return " ".join(out)


def call(tool: str) -> str:
    """A call: one line of JSON; the text of a command or file follows as a fenced block, free of escapes."""
    if tool == "bash":  # python is no tool of its own: it is bash with a python script, under a name that models expect
        return '("{\\"tool\\":\\"python\\"}\\n```python\\n" | "{\\"tool\\":\\"bash\\"}\\n```sh\\n") line+ "```"'
    head = quoted('{"tool":"%s","args":{' % tool) + f' {arguments(tool)} "}}}}"'
    return head + (" block" if tool in TEXT_LAST else "")


def step(tools: list[str], finish: str | None) -> str:
    """Replies of a step: a call of one of `tools`; with `finish` = "done" or "answer" also the end of the step."""
    rules = [f"call-{i} ::= {call(t)}" for i, t in enumerate(tools)]
    options = [f"call-{i}" for i in range(len(tools))]
    if finish:
        options.append("finish")
        # the first sign is no dot: the prompt's "..." is otherwise copied as it stands
        rules.append('finish ::= "{\\"done\\":\\"" [^"\\\\. \\x00-\\x1F\\x7F] ' + ("char*" if finish == "answer" else "char{0,299}") + ' "\\"}"')
    return "root ::= " + " | ".join(options) + "\n" + "\n".join(rules) + "\n" + BASE + BLOCK


def read_reply(text: str) -> dict:
    """{"done"} or {"tool","args"}; raises ValueError when it is neither."""
    head, _, rest = text.partition("\n")
    reply = json.loads(head)
    if "done" in reply:
        return reply
    tool, args = reply["tool"], reply.get("args", {})
    if tool == "python" or tool in TEXT_LAST:
        body = rest.removeprefix("```").partition("\n")[2]
        if not body.endswith("```"):
            raise ValueError("the block is not closed")
        body = body[:-3]
        if tool == "python":
            tool, body = "bash", f"python3 - <<'ASSENT_EOF'\n{body}ASSENT_EOF"
        args[TEXT_LAST[tool]] = body
    return {"tool": tool, "args": args}


def plan(tools: list[str], who: list[str] | None = None, steps: int = 8, answer: bool = True) -> str:
    """Compact plans: {"title","steps":[{"tool","do","expect"}]} or {"title","answer"}.

    The tool comes before the order, so that the order is worded for that tool.
    """
    member = ' ",\\"who\\":" who' if who else ""
    rules = ['root ::= "{\\"title\\":" short "," (' + ('"\\"answer\\":" long | ' if answer else "") + '"\\"steps\\":[" step ("," step){0,%d} "]") "}"' % (steps - 1),
             'step ::= "{\\"tool\\":" tool%s ",\\"do\\":" text ",\\"expect\\":" short "}"' % member,
             "tool ::= " + " | ".join(quoted(f'"{t}"') for t in tools), 'short ::= "\\"" char{1,120} "\\""']
    if who:
        rules.append("who ::= " + " | ".join(quoted(f'"{w}"') for w in who))
    return "\n".join(rules) + "\n" + BASE


def full_plan(tools: list[str]) -> str:
    """The full profile's object, held in the same way (for comparison only)."""
    tool = " | ".join(quoted(f'"{t}"') for t in tools)
    return r'''root ::= "{\"title\":" short ",\"intent\":" short ",\"refinedTask\":" text ",\"extractedContext\":{" (pair ("," pair){0,5})? "},\"todoList\":[" step ("," step){0,7} "]}"
pair ::= short ":" text
step ::= "{\"id\":\"step_" [0-9] "\",\"description\":" text ",\"stepType\":" ("\"tool\",\"requiredTools\":[" tool ("," tool)? "]" | "\"reasoning\"") ",\"expectedOutcome\":" short ",\"dependencies\":[" (dep ("," dep){0,5})? "]}"
dep ::= "\"step_" [0-9] "\""
short ::= "\"" char{1,120} "\""
tool ::= ''' + tool + "\n" + BASE
