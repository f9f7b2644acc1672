"""Files that cannot be read as what they are."""
import re

MESSAGES = [
    "Check all JSON files in the folder data: which are not valid JSON? List their names in invalid.txt, one per line.",
    "Some of the .json files in data are broken. Find out which ones cannot be parsed and write their file names to invalid.txt.",
]

FILES = {"users.json": '[{"name": "Ada"}, {"name": "Bo"}]', "prices.json": '{"apple": 1.2, "pear": 0.9,}', "rooms.json": '{"rooms": [1, 2, 3}',
         "empty-list.json": "[]", "plan.json": '{"from": "Mon", "to": "Fri"}', "codes.json": "{'a': 1}"}
BROKEN = ["codes.json", "prices.json", "rooms.json"]


def prepare(folder):
    (folder / "data").mkdir()
    for name, text in FILES.items():
        (folder / "data" / name).write_text(text + "\n")


def check(folder, _answer):
    path = folder / "invalid.txt"
    if not path.exists():
        return "there is no invalid.txt"
    found = sorted(set(re.findall(r"[\w-]+\.json", path.read_text())))
    return None if found == BROKEN else f"{found} instead of {BROKEN}"
