"""From texts to terms: what the program does, in Python."""
import re

import snowballstemmer

STEM = snowballstemmer.stemmer("english")
STOP = set("""a an and are as at be by can could do does for from have how i if in into is it its me my of on or please
should so that the their them then there these this to was we what when which will with would you your""".split())
PIECES = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+|[^\W\d_A-Za-z]+")
_known = {}


def words(text):
    return [piece.lower() for piece in PIECES.findall(text)]


def stem(word):
    if word not in _known:
        _known[word] = STEM.stemWord(word)
    return _known[word]


def terms(text, stop=STOP):
    return [stem(word) for word in words(text) if word not in stop]


def parameters(schema, depth=4):
    """(names, texts, values) of the parameters of a schema."""
    names, texts, values = [], [], []
    if depth == 0 or not isinstance(schema, dict):
        return names, texts, values
    inner = [("", schema.get("items"))] if schema.get("items") else []
    for name, one in (schema.get("properties") or {}).items():
        names.append(name)
        inner.append((name, one))
        if isinstance(one, dict):
            if isinstance(one.get("description"), str):
                texts.append(one["description"])
            values += [v for v in one.get("enum") or [] if isinstance(v, str)]
    for _, one in inner:
        for mine, more in zip((names, texts, values), parameters(one, depth - 1)):
            mine += more
    return names, texts, values
