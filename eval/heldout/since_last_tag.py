"""A git repository: the last tag, and what came after it."""
import os
import re
import subprocess

MESSAGES = [
    "Write changes.md: the name of the latest tag of this git repository, and below it a list with the messages of all commits made since that tag.",
    "this folder is a git repo. what was the last tag and what has been commited since then? save the tag and the commit messages in changes.md",
]

# The message of a commit, and the tag that was put on it.
COMMITS = [
    ("Read maps from a file", None), ("Draw the tiles", None), ("Name the layers", "v1.8.0"), ("Zoom with the wheel", None),
    ("Remember the last map", None), ("Fix the scale on small screens", "v1.9.0"), ("Add a legend", None),
    ("Print in landscape", None), ("Speed up the first drawing", None), ("Fix a crash without a legend", "v1.10.0"),
    ("Export to PNG", None), ("Show the coordinates of the pointer", None), ("Translate the menus into Danish", None),
    ("Fix the order of layers in the export", None), ("Drop the old settings dialog", None), ("Ask before a map is closed", None),
]
TAGS = [tag for _, tag in COMMITS if tag]
SINCE = [message for message, _ in COMMITS[-6:]]


def git(folder, *arguments, **environment):
    return subprocess.run(["git", "-c", "maintenance.auto=false", "-c", "gc.auto=0", "-C", str(folder), *arguments], check=True, capture_output=True, text=True,
                          env=dict(os.environ, **environment)).stdout


def prepare(folder):
    git(folder, "init", "-q", "-b", "main")
    for number, (message, tag) in enumerate(COMMITS, 1):
        (folder / "map.py").write_text("".join(f"# {done}\n" for done, _ in COMMITS[:number]))
        git(folder, "add", "map.py")
        stamp = f"2026-02-{number:02}T09:30:00Z"
        who = {f"GIT_{role}_{what}": value for role in ("AUTHOR", "COMMITTER")
               for what, value in (("NAME", "Ines Dahl"), ("EMAIL", "ines@example.org"), ("DATE", stamp))}
        git(folder, "commit", "-q", "-m", message, **who)
        if tag:
            git(folder, "tag", "-a", tag, "-m", f"Version {tag[1:]}", **who)


def check(folder, _answer):
    if git(folder, "log", "--reverse", "--format=%s").splitlines() != [message for message, _ in COMMITS]:
        return "the history was changed"
    if sorted(git(folder, "tag").split()) != sorted(TAGS):
        return "the tags were changed"
    if (folder / "map.py").read_text() != "".join(f"# {message}\n" for message, _ in COMMITS):
        return "map.py was changed"
    path = folder / "changes.md"
    if not path.exists():
        return "there is no changes.md"
    text = path.read_text(encoding="utf-8-sig")
    named = set(re.findall(r"v1\.\d+\.\d+", text))
    if named != {"v1.10.0"}:
        return f"the tag should be v1.10.0: {sorted(named)}"
    if re.search(r"v1\.10\.0-\d+-g", text):
        return "a described commit instead of the tag"
    for message, _ in COMMITS:
        times = sum(message in line for line in text.splitlines())
        if times != (message in SINCE):
            return f"{message!r} should {'be there once' if message in SINCE else 'not be there'}, it is there {times} times"
    return None
