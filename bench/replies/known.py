#!/usr/bin/env python3
"""Recorded replies of models that were asked to call tools, and the calls that stand in them.

Usage: bench/replies/known.py REPOSITORY > FILE

REPOSITORY is a clone of github.com/HuanzhiMao/BFCL-Result, the raw replies that a public benchmark has of each model it
has tried. The calls are read from each reply in the one form that its model was asked for, strictly: a reply that is not
wholly of that form is left out, so that what stands in the rest is known. Each line of what is printed is
[MODEL, TEXT, [[NAME, ARGUMENTS], …]].
"""
import ast
import json
import re
import subprocess
import sys

RESULTS = "2024-08-11/result"
# Forms of calls that no chat template has any more; and languages whose values are not JSON's.
LEFT_OUT, OTHER_LANGUAGES = ("Raven", "gorilla"), ("java", "sql")


def git(repository, *arguments):
    return subprocess.run(["git", "-C", repository, *arguments], capture_output=True, text=True, check=True).stdout


def dotted(node):
    if isinstance(node, ast.Attribute):
        return f"{dotted(node.value)}.{node.attr}"
    return node.id


def of_python(text):
    """Calls with named arguments and plain values, with or without a list around them."""
    text = text.strip().strip("`\n ")
    text = text if text.startswith("[") else f"[{text}"
    calls = ast.parse(text if text.endswith("]") else f"{text}]", mode="eval").body.elts
    if any(call.args for call in calls):
        raise ValueError("an argument without a name")
    return [[dotted(call.func), {one.arg: ast.literal_eval(one.value) for one in call.keywords}] for call in calls]


def of_tags(text):
    found = re.findall(r"<tool_call>\s*(.*?)\s*</tool_call>", text, re.DOTALL)
    return [[call["name"], call["arguments"]] for call in map(json.loads, found)]


def of_name_and_object(text):
    name, _, arguments = text.partition("\n")
    return [[name.strip(), json.loads(arguments)]]


def of_list(text):
    return [[call["name"], call["arguments"]] for call in json.loads(text)["tool_calls"]]


def of_marks(text):
    calls = [json.loads(part) for part in text.split("<function_call>")[1:]]
    return [[call["name"], call["arguments"]] for call in calls if call["name"] != "no_function"]


FORMS = {"Hermes": of_tags, "glm-4": of_name_and_object, "xLAM": of_list, "granite": of_marks}


def known(form, text):
    """The calls of a reply; none where it is not wholly of its form."""
    try:
        calls = form(text)
        # Without what JSON has no word for: a set, a complex number, a key that is no text.
        is_json = json.loads(json.dumps(calls)) == [[name, dict(given)] for name, given in calls]
    except Exception:  # whatever Python says of a text that is no call
        return []
    return calls if is_json else []


def main(repository):
    for path in git(repository, "ls-tree", "--name-only", "HEAD", f"{RESULTS}/").split():
        model = path.rsplit("/", 1)[-1]
        if any(name in model for name in LEFT_OUT):
            continue
        form = next((form for name, form in FORMS.items() if name in model), of_python)
        for file in git(repository, "ls-tree", "--name-only", "HEAD", f"{path}/").split():
            if any(language in file.rsplit("/", 1)[-1] for language in OTHER_LANGUAGES):
                continue
            for line in git(repository, "show", f"HEAD:{file}").splitlines():
                # What an endpoint's own fields gave is no text.
                text = json.loads(line)["result"]
                calls = known(form, text) if isinstance(text, str) else []
                if calls:
                    print(json.dumps([model, text, calls]))


if __name__ == "__main__":
    main(sys.argv[1])
