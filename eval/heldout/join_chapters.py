"""Several Markdown files become one, in the order of their numbers."""
import random
import re

MESSAGES = [
    "Join chapters/chapter-1.md to chapters/chapter-12.md into one file book.md, in the order of the chapter numbers.",
    "The twelve chapters of my book are Markdown files in the folder chapters (chapter-1.md and so on). I want the whole book in one file, book.md: chapter 1 first, then 2, 3 up to 12. The text itself stays as it is.",
]

TITLES = ["The Harbour", "A Letter", "Low Tide", "The Clockmaker", "Salt", "Two Lanterns", "The Crossing", "Fog", "The Map",
          "North Wind", "An Old Debt", "Home"]
WORDS = ("the sea was grey and nobody spoke while Mara counted boats along the quay under a thin rain that had "
         "followed them since morning then Jonah laughed because the bell rang twice").split()
ASIDE = {"chapters/ideas.txt": "Perhaps a thirteenth chapter about the lighthouse?\n", "cover.txt": "Title in blue, name below.\n"}


def chapters():
    chance = random.Random(12)
    for number, title in enumerate(TITLES, 1):
        parts = [f"# Chapter {number}: {title}"]
        for paragraph in range(chance.randint(2, 5)):
            if paragraph == 2:
                parts.append(f"## {chance.choice(['Later', 'That night', 'In the morning'])}")
            parts.append("\n".join(" ".join(chance.choices(WORDS, k=chance.randint(8, 14))).capitalize() + "."
                                   for _ in range(chance.randint(1, 4))))
        yield f"chapters/chapter-{number}.md", "\n\n".join(parts) + "\n"


def prepare(folder):
    (folder / "chapters").mkdir()
    for name, text in [*chapters(), *ASIDE.items()]:
        (folder / name).write_text(text)


def lines_of(text):
    """Without empty lines and rules, which may stand between the chapters."""
    return [line.rstrip() for line in text.splitlines() if line.strip() and not re.fullmatch(r"\s*([-*_]\s*){3,}", line)]


def check(folder, _answer):
    for name, text in [*chapters(), *ASIDE.items()]:
        if not (folder / name).exists() or (folder / name).read_text() != text:
            return f"{name} was changed or removed"
    path = folder / "book.md"
    if not path.exists():
        return "there is no book.md"
    found = lines_of(path.read_text(encoding="utf-8-sig"))
    expected = [line for _, text in chapters() for line in lines_of(text)]
    if found == expected:
        return None
    at = next((at for at, pair in enumerate(zip(found, expected)) if pair[0] != pair[1]), min(len(found), len(expected)))
    return f"{len(found)} lines instead of {len(expected)}; from line {at + 1} on: {found[at:at + 1]} instead of {expected[at:at + 1]}"
