"""Moving files by their kind."""
MESSAGES = [
    "Move all log files (*.log) in this folder into a subfolder named logs. Leave the other files where they are.",
    "Put every .log file into a new folder logs; all other files stay where they are.",
    "Please tidy up: create the folder logs and move the .log files there.",
]

FILES = ["app.log", "error.log", "access-2026-03.log", "notes.txt", "catalog.csv", "logbook.md"]


def prepare(folder):
    for name in FILES:
        (folder / name).write_text(f"this is {name}\n")


def check(folder, _answer):
    for name in FILES:
        wanted = folder / "logs" / name if name.endswith(".log") else folder / name
        if not wanted.exists() or wanted.read_text() != f"this is {name}\n":
            return f"{wanted.relative_to(folder)} is not there as it should be"
        if name.endswith(".log") and (folder / name).exists():
            return f"{name} is still in its old place"
    return None
