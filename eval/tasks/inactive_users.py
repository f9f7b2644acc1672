"""JSON: select by a field."""
import json

MESSAGES = [
    "Write the e-mail addresses of all inactive users in users.json to inactive.txt, one per line.",
    "users.json holds our users. Put the emails of those whose active flag is false into inactive.txt, one address on each line.",
    "I need a file inactive.txt with the email of every user in users.json who is not active, one per line.",
]

NAMES = ["ada", "ben", "cleo", "dan", "eva", "finn", "gus", "hana", "ivo", "jill", "kai", "lena", "mats", "nora"]


def users():
    return [{"id": 100 + index, "name": name.title(), "email": f"{name}@example.org",
             "active": index % 3 != 1, "roles": ["admin"] if index % 5 == 0 else ["reader"]}
            for index, name in enumerate(NAMES)]


def listed():
    return json.dumps({"users": users()}, indent=2)


def prepare(folder):
    (folder / "users.json").write_text(listed())


def check(folder, _answer):
    if (folder / "users.json").read_text() != listed():
        return "users.json was changed"
    path = folder / "inactive.txt"
    if not path.exists():
        return "there is no inactive.txt"
    found = sorted(line.strip() for line in path.read_text().splitlines() if line.strip())
    expected = sorted(user["email"] for user in users() if not user["active"])
    return None if found == expected else f"{found} instead of {expected}"
