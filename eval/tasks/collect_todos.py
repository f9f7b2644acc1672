"""Text search: every place goes into a list."""
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
    text = path.read_text()
    for name, line, words in PLACES:
        if words not in text:
            return f"missing: {words}"
        if name not in text:
            return f"missing: {name}"
        around = text[max(0, text.index(words) - 120): text.index(words) + 120]
        if str(line) not in around:
            return f"no line number {line} near {words}"
    return None
