"""From texts to terms, with the word lists that the program ships."""
import pathlib
import re

import snowballstemmer

LISTS = pathlib.Path(__file__).resolve().parents[2] / "src-tauri/core/src/discovery"
STEM = snowballstemmer.stemmer("english")
# The list of the first version, and the longer one that is shipped.
SHORT = frozenset("""a an and are as at be by can could do does for from have how i if in into is it its me my of on or please
should so that the their them then there these this to was we what when which will with would you your""".split())
LONG = frozenset((LISTS / "stop.txt").read_text().split())
PIECES = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+|[^\W\d_A-Za-z]+")
_known = {}


def words(text):
    return [piece.lower() for piece in PIECES.findall(text)]


def stem(word):
    if word not in _known:
        _known[word] = STEM.stemWord(word)
    return _known[word]


def terms(text, stop=LONG):
    return [stem(word) for word in words(text) if word not in stop]


def synonyms():
    """The stems that stand for a stem, by stem."""
    found = {}
    for group in (LISTS / "synonyms.txt").read_text().splitlines():
        group = {stem(word) for word in group.split()}
        for one in group:
            found.setdefault(one, set()).update(group - {one})
    return found


def parameters(schema, depth=4):
    """(names, texts, values) of the parameters of a schema."""
    names, texts, values = [], [], []
    if depth == 0 or not isinstance(schema, dict):
        return names, texts, values
    inner = [schema["items"]] if schema.get("items") else []
    for name, one in (schema.get("properties") or {}).items():
        names.append(name)
        inner.append(one)
        if isinstance(one, dict):
            texts += [one["description"]] if isinstance(one.get("description"), str) else []
            values += [value for value in one.get("enum") or [] if isinstance(value, str)]
    for one in inner:
        for mine, more in zip((names, texts, values), parameters(one, depth - 1)):
            mine += more
    return names, texts, values
