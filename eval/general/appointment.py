"""A question whose answer stands in a note."""
import re

MESSAGES = [
    "At what time is the cat's appointment at the vet, and what should I bring along?",
    "Look into my notes: when is the vet appointment for the cat and what do I need to take with me?",
]

NOTES = {
    "garden.md": "# Garden\n\n- Cut the hedge before March.\n- The rain barrel leaks.\n",
    "cat.md": "# Cat\n\nFood: the one without grain.\nAppointment at the vet on Tuesday at 16:45, bring the vaccination card.\nShe likes the window seat.\n",
    "dentist.md": "# Dentist\n\nAppointment on Friday at 9:30. Bring the insurance number.\n",
    "shopping.md": "# Shopping\n\n- milk\n- bread\n- batteries\n",
}


def prepare(folder):
    for name, text in NOTES.items():
        (folder / name).write_text(text)


def check(_folder, answer):
    if not re.search(r"16[:.]45|4[:.]45", answer):
        return f"16:45 is not in the answer: {answer[:160]}"
    if "vaccination" not in answer.lower():
        return f"the vaccination card is not in the answer: {answer[:160]}"
    return "the dentist's time is in the answer" if "9:30" in answer and "dentist" not in answer.lower() else None
