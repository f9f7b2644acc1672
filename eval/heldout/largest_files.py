"""Sizes of files in a tree: the five largest, in order."""
import pathlib
import random
import re

MESSAGES = [
    "List the five largest files of this folder, subfolders included, with their sizes in bytes in largest.md, biggest first.",
    "I have to make room. Which five files in here are the biggest, no matter in which subfolder? Write them with path and exact size in bytes to largest.md, largest on top please.",
]

NAMES = ["scan-0412.pdf", "letter.txt", "todo.txt", "photos/beach.jpg", "photos/bridge.jpg", "photos/summer party.jpg",
         "photos/raw/dune.tif", "photos/raw/harbour.tif", "photos/raw/lighthouse.tif", "music/intro.ogg", "music/waltz.ogg",
         "music/march.ogg", "tables/2023.csv", "tables/2024.csv", "tables/2025.csv", "papers/offer.pdf", "papers/lease.pdf",
         "papers/invoice-88.pdf", "papers/old/contract.pdf", "papers/old/policy.pdf", "papers/old/notes.md", "backup/mail.zip",
         "backup/site.tar", "backup/readme.txt", "video/clip.webm", "video/teaser.webm"]


def sizes():
    chance = random.Random(31)
    found = {name: chance.randint(300, 70_000) for name in NAMES}
    # Close to one another, and not in the order of the names.
    return found | {"photos/summer party.jpg": 98_304, "backup/mail.zip": 131_071, "video/teaser.webm": 98_410,
                    "scan-0412.pdf": 87_655, "music/waltz.ogg": 112_009, "photos/raw/dune.tif": 87_561}


def content(name, size):
    return random.Random(name).randbytes(size)


def prepare(folder):
    for name, size in sizes().items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content(name, size))


def check(folder, _answer):
    for name, size in sizes().items():
        if not (folder / name).exists() or (folder / name).read_bytes() != content(name, size):
            return f"{name} was changed or removed"
    path = folder / "largest.md"
    if not path.exists():
        return "there is no largest.md"
    found, told = [], {}
    for line in path.read_text(encoding="utf-8-sig").splitlines():
        line = line.replace("\\ ", " ").replace("%20", " ").replace("\\_", "_")
        named = [name for name in NAMES if re.search(rf"(?<![\w.-]){re.escape(pathlib.PurePath(name).name)}(?![\w-])", line)]
        if len(named) > 1:
            return f"more than one file in a line: {line}"
        found += named
        # The size stands in the line of the name or below it, perhaps with a rank or a rounded size.
        if found:
            rest = line.replace(found[-1], "").replace(pathlib.PurePath(found[-1]).name, "")
            numbers = re.findall(r"(?<![\d.,])(?:\d{1,3}(?:[,.'_\u00a0\u202f]\d{3})+|\d+)(?![\d.,]*\d)", rest)
            told.setdefault(found[-1], []).extend(int(re.sub(r"\D", "", number)) for number in numbers)
    expected = sorted(NAMES, key=sizes().get, reverse=True)[:5]
    if found != expected:
        return f"{found} instead of {expected}"
    return next((f"not the size of {name}, {sizes()[name]}: {told[name]}" for name in found if sizes()[name] not in told[name]), None)
