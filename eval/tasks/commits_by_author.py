"""A git repository: who committed how often."""
import os
import re
import subprocess

MESSAGES = [
    "This folder is a git repository. Count the commits of each author and write them to authors.md, the author with most commits first.",
    "How many commits has every author made in this git repository? Save author and number in authors.md, highest number first.",
    "Write authors.md: each author of this repository with the number of commits, sorted from most to least.",
]

COMMITS = ["Ada Byron"] * 5 + ["Grace Hopper"] * 8 + ["Alan Turing"] * 2


def prepare(folder):
    def git(*arguments, **environment):
        subprocess.run(["git", "-C", str(folder), *arguments], check=True, capture_output=True,
                       env=dict(os.environ, **environment))
    git("init", "-q", "-b", "main")
    for number, author in enumerate(COMMITS):
        (folder / "log.txt").write_text("\n".join(COMMITS[: number + 1]) + "\n")
        git("add", "log.txt")
        mail = author.split()[0].lower() + "@example.org"
        stamp = f"2026-01-{number + 1:02}T12:00:00Z"
        git("commit", "-q", "-m", f"Entry {number + 1}", GIT_AUTHOR_NAME=author, GIT_AUTHOR_EMAIL=mail,
            GIT_COMMITTER_NAME=author, GIT_COMMITTER_EMAIL=mail, GIT_AUTHOR_DATE=stamp, GIT_COMMITTER_DATE=stamp)


def check(folder, _answer):
    kept = subprocess.run(["git", "-C", str(folder), "rev-list", "--all"], check=True, capture_output=True, text=True).stdout.split()
    if len(kept) != len(COMMITS):
        return f"the repository has {len(kept)} commits now"
    path = folder / "authors.md"
    if not path.exists():
        return "there is no authors.md"
    text = path.read_text()
    places = []
    for author, number in [("Grace Hopper", 8), ("Ada Byron", 5), ("Alan Turing", 2)]:
        lines = [line for line in text.splitlines() if author in line]
        if len(lines) != 1 or str(number) not in re.findall(r"\d+", lines[0]):
            return f"{author} should have {number}: {lines}"
        places.append(text.index(author))
    return None if places == sorted(places) else "not sorted, most commits first"
