"""A question about a git repository."""
import re
import subprocess

MESSAGES = [
    "Which file of this git repository was changed in the most commits?",
    "Look at the git history: what file has been touched by the largest number of commits?",
]

COMMITS = [["main.py", "README.md"], ["parser.py"], ["main.py", "parser.py"], ["parser.py", "tests.py"], ["README.md"], ["parser.py"], ["main.py"]]


def git(folder, *arguments):
    subprocess.run(["git", "-C", str(folder), "-c", "user.name=Kim", "-c", "user.email=kim@example.org", "-c", "gc.auto=0", *arguments],
                   check=True, capture_output=True)


def prepare(folder):
    git(folder, "init", "--initial-branch", "main")
    for at, names in enumerate(COMMITS):
        for name in names:
            with (folder / name).open("a") as file:
                file.write(f"# {at}\n")
        git(folder, "add", ".")
        git(folder, "commit", "-m", f"Change {at}")


def check(_folder, answer):
    named = re.search(r"parser\.py|main\.py|README\.md|tests\.py", answer)
    return None if named and named[0] == "parser.py" else f"parser.py is not the first file named: {answer[:160]}"
