"""The main job: count lines per licence text, write a table."""
import pathlib
import re
import shutil
import subprocess

MESSAGES = [
    "For each licence here, count the lines that mention patents, in any case. Write a table, highest first, to patents.md.",
    "How many lines of every licence file in this folder talk about patents (upper or lower case)? Put a table into patents.md, sorted from most to least.",
    "Go through all the licence texts and count lines containing the word patent, ignoring case. Save the counts as a Markdown table in patents.md, largest count on top.",
    "I need patents.md: a table with each licence in this folder and its number of lines mentioning patents, case-insensitive, in descending order.",
    "Count, per file, the lines that match \"patent\" regardless of case, and write the result as a table to patents.md with the highest count first.",
    "Please make a table of the licences and how many of their lines mention patents (any case); the licence with most lines comes first. The file is patents.md.",
    "Check every licence for lines about patents, case does not matter, and write file name and number of lines to patents.md as a table ordered by the number, biggest first.",
    "Write patents.md with a table: licence, lines that mention patents. Any case counts. Sort descending.",
    "Which licences mention patents, and in how many lines? Ignore case. List all of them in a table in patents.md, highest number first.",
    "Create a table in patents.md that shows for each licence text in this folder the count of lines with the word patent in any case, from the highest to the lowest.",
]

SOURCE = pathlib.Path("/usr/share/common-licenses")


def licences():
    listed = subprocess.run(["dpkg", "-L", "base-files"], capture_output=True, text=True, check=True).stdout.split("\n")
    paths = map(pathlib.Path, listed)
    return [path for path in paths if path.parent == SOURCE and path.is_file() and not path.is_symlink()]


def prepare(folder):
    for path in licences():
        shutil.copy(path, folder / path.name)


def counts():
    """The truth is where the copies came from: what was done in the folder must not change it."""
    found = {}
    for path in licences():
        done = subprocess.run(["grep", "-ci", "patent", str(path)], capture_output=True, text=True)
        found[path.name] = int(done.stdout)
    return found


def changed(folder):
    kept = lambda path: (folder / path.name).is_file() and (folder / path.name).read_bytes() == path.read_bytes()
    return [path.name for path in licences() if not kept(path)]


def check_ledger(ledger):
    """The counts have to come from calls: a right table that nobody counted is not done."""
    if not ledger["required"]:
        return "the plan required no tool"
    if ledger["missing"]:
        return f"without a successful call: {ledger['missing']}"
    counted = ledger["tools"] & {"grep", "bash"}
    written = ledger["tools"] & {"create_file", "edit_file", "bash"}
    return None if counted and written else f"nothing was counted or written by a call: {sorted(ledger['tools'])}"


def check(folder, _answer):
    table = folder / "patents.md"
    if not table.exists():
        return "there is no patents.md"
    rows = []
    for line in table.read_text().splitlines():
        cells = [cell.strip(" `*") for cell in line.strip().strip("|").split("|")]
        if len(cells) >= 2 and re.fullmatch(r"\d+", cells[-1]):
            rows.append((pathlib.PurePath(cells[-2]).name, int(cells[-1])))
    if changed(folder):
        return f"changed or gone: {changed(folder)}"
    expected = counts()
    if dict(rows) != expected or len(rows) != len(expected):
        missing = {name: number for name, number in expected.items() if dict(rows).get(name) != number}
        return f"wrong or missing: {missing}; too much: {sorted(set(dict(rows)) - set(expected))}"
    numbers = [number for _, number in rows]
    return None if numbers == sorted(numbers, reverse=True) else "not sorted, highest first"
