"""Lines that occur once, in the order in which they came."""

MESSAGES = [
    "Remove the repeated lines from wishlist.txt and keep the order in which they first appear. The result goes to wishlist-clean.txt.",
    "wishlist.txt has many lines twice. Write wishlist-clean.txt with every line once, in the original order.",
]

LINES = ["tent", "stove", "lamp", "tent", "rope", "axe", "stove", "blanket", "rope", "rope", "kettle", "lamp", "map"]


def prepare(folder):
    (folder / "wishlist.txt").write_text("\n".join(LINES) + "\n")


def check(folder, _answer):
    path = folder / "wishlist-clean.txt"
    if not path.exists():
        return "there is no wishlist-clean.txt"
    found, expected = path.read_text().splitlines(), list(dict.fromkeys(LINES))
    if (folder / "wishlist.txt").read_text().splitlines() != LINES:
        return "wishlist.txt is changed"
    return None if found == expected else f"{found} instead of {expected}"
