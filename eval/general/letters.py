"""A file for each row, from a template."""

MESSAGES = [
    "Fill template.txt for every person in people.csv: replace {name} and {amount} and save each as letters/NAME.txt, for example letters/Mona.txt.",
    "people.csv has names and amounts. Write one letter per person into the folder letters (file name: the name with .txt) from template.txt, with {name} and {amount} filled in.",
]

PEOPLE = {"Mona": "45", "Ravi": "120", "Greta": "8", "Tim": "77"}
TEMPLATE = "Dear {name},\n\nplease pay {amount} EUR by Friday.\nThank you, {name}!\n"


def prepare(folder):
    (folder / "template.txt").write_text(TEMPLATE)
    (folder / "people.csv").write_text("name,amount\n" + "".join(f"{name},{amount}\n" for name, amount in PEOPLE.items()))


def check(folder, _answer):
    found = {path.name: path.read_text().rstrip("\n") for path in (folder / "letters").glob("*")}
    expected = {f"{name}.txt": TEMPLATE.replace("{name}", name).replace("{amount}", amount).rstrip("\n") for name, amount in PEOPLE.items()}
    if sorted(found) != sorted(expected):
        return f"letters has {sorted(found)} instead of {sorted(expected)}"
    wrong = [name for name in expected if found[name] != expected[name]]
    return f"{wrong[0]} is {found[wrong[0]]!r}" if wrong else None
