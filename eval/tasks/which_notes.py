"""A question that is answered from the files, with nothing written."""
MESSAGES = [
    "Which of the notes here mention Berlin? Just tell me the file names.",
    "In which note files does the word Berlin occur?",
    "Tell me the names of all notes in this folder that talk about Berlin.",
]

NOTES = {
    "monday.txt": "Call the printer.\nTrain to Berlin at nine.\n",
    "tuesday.txt": "Meeting with the board in Hamburg.\nBuy stamps.\n",
    "wednesday.txt": "Write to the office in Berlin about the lease.\n",
    "thursday.txt": "Nothing planned.\n",
    "friday.txt": "Pick up the parcel. Dinner with Bernd.\n",
    "ideas.txt": "A weekend in berlin would be nice.\n",
}


def prepare(folder):
    for name, text in NOTES.items():
        (folder / name).write_text(text)


def check(folder, answer):
    if {path.name for path in folder.iterdir()} != set(NOTES):
        return "files were made or removed, though only an answer was wanted"
    for name, text in NOTES.items():
        mentioned = name in answer or name.removesuffix(".txt") in answer.lower()
        if mentioned != ("berlin" in text.lower()):
            return f"{name} should {'' if not mentioned else 'not '}be named in: {answer[:300]!r}"
    return None
