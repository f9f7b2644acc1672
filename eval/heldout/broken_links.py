"""Links of Markdown files against the files that are there."""
import pathlib
import re

MESSAGES = [
    "Check the links in all Markdown files here, subfolders too: which ones point to files that do not exist? List them in broken.md, each with the file it stands in. Web addresses do not count.",
    "Some links in our documentation lead nowhere. Write broken.md: for every link or image in the .md files of this folder and its subfolders whose target file is missing, the Markdown file and the target. Links are relative to the file they are in; leave out http links.",
]

FILES = {
    "README.md": "# Lantern\n\n![logo](img/logo.png)\n\nA small reader for old maps. First see the [setup](docs/setup.md), then the\n[questions](docs/faq.md#printing).\n\nWhat is new stands in the [changes](docs/changes.md).\n\nHome: [lantern](https://lantern.example.org/index.html)\n",
    "docs/index.md": "# Documentation\n\n![all parts](img/overview.png)\n\n* [Setup](setup.md)\n* [How to import](guide/import.md)\n* [Words](glossary.md)\n\nThe floor: ![floor](img/plan.png)\n",
    "docs/setup.md": "# Setup\n\n## Linux\n\nUnpack the archive and run it. A map to try: [sample](data/sample.csv).\n\nBack to the [top](#setup), or on to the [questions](faq.md).\n",
    "docs/faq.md": "# Questions\n\n## Printing\n\nSee [setup, Linux](setup.md#linux). The format is that of\n[the standard](https://standards.example.com/maps.pdf).\n",
    "docs/glossary.md": "# Words\n\nTile: a square of the [plan](img/plan.png).\n\nLegend: what the signs mean, see the [questions](./faq.md).\n",
    "docs/guide/first.md": "# The first map\n\nOpen the [sample](../data/sample.csv) and compare it with the picture:\n\n![plan](img/plan.png)\n\nAll words are in the [glossary](../glossary.md).\n",
    "docs/guide/export.md": "# Export\n\nStart from the [template](../data/template.csv).\nThe rest is told in [setup](../setup.md).\n\n![logo](../../img/logo.png)\n",
    "docs/api/calls.md": "# Calls\n\n| call | see |\n| --- | --- |\n| open | [setup](../setup.md#linux) |\n| fail | [codes](errors.md#codes) |\n| slow | [limits](../../docs/limits.md) |\n\nWrite to [us](mailto:team@example.org).\n",
    "img/logo.png": "not really a picture\n",
    "docs/img/plan.png": "not really a picture either\n",
    "docs/data/sample.csv": "x,y,height\n1,2,30\n",
}

BROKEN = {("README.md", "changes.md"), ("index.md", "overview.png"), ("index.md", "import.md"), ("first.md", "plan.png"),
          ("export.md", "template.csv"), ("calls.md", "errors.md"), ("calls.md", "limits.md")}
SOURCES = {source for source, _ in BROKEN}
TARGETS = {target for _, target in BROKEN}


def prepare(folder):
    for name, text in FILES.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)


def check(folder, _answer):
    for name, text in FILES.items():
        if not (folder / name).exists() or (folder / name).read_text() != text:
            return f"{name} was changed or removed"
    for name in ["docs/changes.md", "docs/img/overview.png", "docs/guide/import.md", "docs/guide/img/plan.png",
                 "docs/data/template.csv", "docs/api/errors.md", "docs/limits.md"]:
        if (folder / name).exists():
            return f"{name} was made, though the links were only to be listed"
    path = folder / "broken.md"
    if not path.exists():
        return "there is no broken.md"
    below_source, below_target = set(), set()
    source_above, target_above = set(), set()
    for line in path.read_text(encoding="utf-8-sig").splitlines():
        if re.search(r"\bnone\b|\bok\b|\bno (broken|missing)\b", line, re.I):
            continue
        if re.search(r"https?://|mailto:", line):
            return f"not a link to a file: {line}"
        names = {pathlib.PurePath(name).name for name in re.findall(r"[\w./\\-]*[\w-]\.(?:md|png|csv)\b", line.replace("\\", "/"))}
        names.discard("broken.md")
        if names - SOURCES - TARGETS:
            return f"{sorted(names - SOURCES - TARGETS)} should not be named: {line}"
        sources, targets = names & SOURCES, names & TARGETS
        # A link stands with its file in one line, or below the file as a heading, or above the files it stands in.
        both = {(source, target) for source in sources for target in targets}
        below_source |= both or {(source, target) for source in source_above for target in targets}
        below_target |= both or {(source, target) for source in sources for target in target_above}
        source_above, target_above = sources or source_above, targets or target_above
    if BROKEN in (below_source, below_target):
        return None
    return f"missing: {sorted(BROKEN - below_source)}; too much: {sorted(below_source - BROKEN)}"
