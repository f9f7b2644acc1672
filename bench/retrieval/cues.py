"""What values in a request say about the parameters of the tool that is meant."""
import re

MONTHS = "january february march april june july august september october november december"
DAYS = "monday tuesday wednesday thursday friday saturday sunday"
WORDS = {
    **dict.fromkeys(MONTHS.split() + DAYS.split() + "today tomorrow yesterday tonight weekend".split(), ("date",)),
    **dict.fromkeys("dollar dollars euro euros usd eur gbp pounds".split(), ("amount", "currency", "price")),
    **dict.fromkeys("celsius fahrenheit".split(), ("temperature", "unit")),
    **dict.fromkeys("am pm oclock noon midnight".split(), ("time",)),
}
PATTERNS = [
    (re.compile(r"\b\d{4}-\d{1,2}-\d{1,2}\b|\b\d{1,2}[/.]\d{1,2}[/.]\d{2,4}\b"), ("date",)),
    (re.compile(r"\b\d{1,2}:\d{2}\b|\b\d{1,2} ?[ap]\.?m\b", re.I), ("time",)),
    (re.compile(r"[$€£¥]\s?\d"), ("amount", "price")),
    (re.compile(r"\bhttps?://|\bwww\."), ("url",)),
    (re.compile(r"[\w.+-]+@[\w-]+\.\w"), ("email",)),
    (re.compile(r"(?<![:\w/])(?:[A-Za-z]:[\\/]|~?/)[\w.-]+[\\/]?|\b[\w-]+\.(?:py|txt|csv|json|pdf|png|jpg|md|html|xml|log|zip|mp3|mp4|docx?|xlsx?)\b"), ("file", "path")),
    (re.compile(r"\b(?:in|near|to|from|at|around|of|for) [A-Z][\w.]+(?: [A-Z][\w.]+)*,? ?(?:[A-Z]{2}\b)?"), ("city", "location")),
    (re.compile(r"\d\s?%"), ("rate", "percentage")),
]


def cues(text):
    found = set()
    for word in re.findall(r"[a-z]+", text.lower()):
        found.update(WORDS.get(word, ()))
    for pattern, terms in PATTERNS:
        if pattern.search(text):
            found.update(terms)
    return sorted(found)
