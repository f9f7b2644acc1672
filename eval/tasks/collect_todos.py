"""Text search: every place goes into a list."""
import pathlib
import re

MESSAGES = [
    "Collect all TODO comments of the source files here into todos.md, each with its file and line number.",
    "Find every line with TODO in the code of this folder and list them in todos.md together with file name and line number.",
    "Write todos.md: a list of all TODOs in the source files, with the file and the line of each.",
]

FILES = {
    "src/parse.py": "import re\n\n\ndef parse(text):\n    # TODO handle quotes\n    return re.split(r'\\s+', text)\n",
    "src/report.py": "def report(rows):\n    for row in rows:\n        print(row)\n    # TODO sort by date\n    # TODO use the locale for numbers\n",
    "src/main.py": "from parse import parse\n\nprint(parse('a b'))\n",
    "lib/store.js": "export function store(key, value) {\n  // TODO check the quota first\n  localStorage.setItem(key, value)\n}\n",
}

PLACES = [("parse.py", 5, "handle quotes"), ("report.py", 4, "sort by date"),
          ("report.py", 5, "use the locale for numbers"), ("store.js", 2, "check the quota first")]


def prepare(folder):
    for name, text in FILES.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text)


def check(folder, _answer):
    path = folder / "todos.md"
    if not path.exists():
        return "there is no todos.md"
    lines = path.read_text().splitlines()
    for name, number, words in PLACES:
        at = next((at for at, line in enumerate(lines) if words in line), None)
        if at is None:
            return f"missing: {words}"
        # A place stands in the text's own line, or above it: as a heading, or as the line before.
        said = next((other for known in FILES for other in [pathlib.PurePath(known).name] if other in lines[at]), None)
        above = [other for line in lines[:at] for known in FILES for other in [pathlib.PurePath(known).name] if other in line]
        if (said or (above or [None])[-1]) != name:
            return f"{words} is not in {name}"
        near = lines[at].replace(words, "").replace(name, "")
        if not re.search(r"\d", near):
            near = " ".join(lines[max(0, at - 1): at + 2]).replace(words, "")
        if not re.search(rf"(?<!\d){number}(?!\d)", near):
            return f"no line number {number} with {words}"
    changed = [name for name, text in FILES.items() if (folder / name).read_text() != text]
    others = [line.strip() for text in FILES.values() for line in text.splitlines() if len(line) > 5 and "TODO" not in line]
    more = [line for line in others if line in path.read_text()]
    return f"changed: {changed}" if changed else f"no TODO, but listed: {more}" if more else None
