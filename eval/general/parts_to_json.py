"""CSV to JSON."""
import json

MESSAGES = [
    "Convert parts.csv to JSON: parts.json is to be a list with one object for each row.",
    "Please write the rows of parts.csv into parts.json as a JSON array of objects, the column names are the keys.",
]

ROWS = [{"sku": "A-17", "name": "Bolt, long", "stock": "340"}, {"sku": "A-18", "name": "Nut", "stock": "1200"},
        {"sku": "B-02", "name": "Hinge \"soft\"", "stock": "58"}, {"sku": "C-11", "name": "Gasket", "stock": "0"}]


def prepare(folder):
    (folder / "parts.csv").write_text('sku,name,stock\nA-17,"Bolt, long",340\nA-18,Nut,1200\nB-02,"Hinge ""soft""",58\nC-11,Gasket,0\n')


def check(folder, _answer):
    path = folder / "parts.json"
    if not path.exists():
        return "there is no parts.json"
    found = json.loads(path.read_text())
    if not isinstance(found, list) or not all(isinstance(one, dict) for one in found):
        return "not a list of objects"
    plain = [{key: str(value) for key, value in one.items()} for one in found]
    return None if plain == ROWS else f"{plain} instead of {ROWS}"
