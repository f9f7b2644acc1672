"""The same replacement in several files, and only where it belongs."""
MESSAGES = [
    "Replace the word colour by color in all .txt files of this folder. Do not touch other files.",
    "In every text file (.txt) here, change 'colour' to 'color'.",
    "Use the American spelling: colour becomes color in all the .txt files, nothing else changes.",
]

FILES = {
    "paint.txt": "The colour of the wall is blue.\nThe colour of the door is red.\n",
    "light.txt": "Warm light changes every colour a little.\n",
    "plain.txt": "Nothing to change here.\n",
    "style.css": "/* colour names stay */\nbody { color: black; }\n",
}


def prepare(folder):
    for name, text in FILES.items():
        (folder / name).write_text(text)


def check(folder, _answer):
    for name, text in FILES.items():
        expected = text.replace("colour", "color") if name.endswith(".txt") else text
        if (folder / name).read_text() != expected:
            return f"{name} is now {(folder / name).read_text()!r}"
    return None
