"""Two files compared."""

MESSAGES = [
    "Who is in guests-2025.txt but not in guests-2026.txt? Write the names to gone.txt, one per line.",
    "Compare guests-2025.txt with guests-2026.txt and save all names that are no longer in the newer list to gone.txt, one name per line.",
]

OLD = ["Ruth Adler", "Sam Boone", "Lena Fischer", "Omar Haddad", "Ida Lund", "Paul Novak", "Eva Roth", "Ann Smith"]
NEW = ["Ann Smith", "Lena Fischer", "Carl Weber", "Omar Haddad", "Eva Rothmann", "Ida Lund", "Joan Price"]


def prepare(folder):
    (folder / "guests-2025.txt").write_text("\n".join(OLD) + "\n")
    (folder / "guests-2026.txt").write_text("\n".join(NEW) + "\n")


def check(folder, _answer):
    path = folder / "gone.txt"
    if not path.exists():
        return "there is no gone.txt"
    found = sorted(line.strip(" -*") for line in path.read_text().splitlines() if line.strip())
    expected = sorted(set(OLD) - set(NEW))
    return None if found == expected else f"{found} instead of {expected}"
