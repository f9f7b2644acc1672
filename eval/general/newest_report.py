"""A question about files: which was changed last."""
import os
import re

MESSAGES = [
    "Which file in the folder reports was changed last?",
    "Tell me the most recently modified file in reports.",
]

FILES = {"alpha.txt": 40, "gamma.txt": 2, "delta.txt": 11, "omega.txt": 300}


def prepare(folder):
    (folder / "reports").mkdir()
    for name, days in FILES.items():
        path = folder / "reports" / name
        path.write_text(f"report {name}\n" * days)
        at = 1_780_000_000 - days * 86_400
        os.utime(path, (at, at))


def check(folder, answer):
    named = set(re.findall(r"alpha|gamma|delta|omega", answer))
    return None if named == {"gamma"} else f"gamma is not the one named: {answer[:120]}"
