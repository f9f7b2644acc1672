"""E-mail addresses out of running text, in files of several kinds and folders."""
import re

MESSAGES = [
    "extract all e-mail adresses from the files in the folder letters (and its subfolders) to addresses.txt, one per line, sorted, no duplicates",
    "Please go through every file in the folder letters, subfolders included, and gather the e-mail addresses you find there. I would like a file addresses.txt with one address per line in alphabetical order, and no address twice.",
]

FILES = {
    "booking.txt": "Dear Ms Novak,\n\nthe room is booked from 4 to 9 May. Questions go to reception@hotel-linde.example.com,\nor call us before noon.\n\nKind regards\n",
    "choir.md": "# Rehearsals\n\nTuesdays at seven. Sheet music: [Tilda](mailto:tilda.berg@example.org).\n\n* alto: vera@example.net\n* bass: otto.weber@example.net\n",
    "dentist.txt": "Your appointment is on 12 June.\nTo cancel it, write to praxis@zahnarzt-nord.example.com.\n",
    "garden.txt": "Forty bulbs @ 0.35 EUR, twelve roses @ 6 EUR.\nThe invoice went to klara+garden@example.org (not to vera@example.net).\n",
    "library.eml": "From: Central Library <loans@library.example.co.uk>\nTo: Klara Novak <klara+garden@example.org>\nSubject: Two books are due\n\nPlease bring them back by Friday.\n",
    "moving.txt": "Keys: Hannes, 0151 555 01 22, hannes99@example.com\nVan: booked with @cityvans, no mail address yet.\n",
    "neighbours.txt": "Ground floor: Famille Roux, roux@example.fr\nFirst floor: B. Yilmaz; b.yilmaz@example.org; Second floor: nobody\n",
    "tax.txt": "Nothing came from the office so far. Their site is at tax.example.org/contact.\n",
    "2024/insurance.eml": "From: Claims <claims@sure.example.com>\nTo: Klara Novak <klara+garden@example.org>\nCc: agent_7@sure.example.com\nSubject: Your claim\n\nWe have received the photos.\n",
    "2024/school.txt": "The class teacher is Mr Dahl (dahl@school.example.org). The office: office@school.example.org.\n",
    "2024/trip.md": "| who | address |\n| --- | --- |\n| Tilda | tilda.berg@example.org |\n| Ugo | ugo@example.it |\n\nPark at the station, not @home.\n",
    "2025/band.txt": "Gig on the 3rd! Ask zoe@example.net, \"mika@example.fi\" or 'otto.weber@example.net'.\n",
    "2025/old/flat.txt": "The landlord never answers. landlord: pohl@example.org, caretaker: walter-k@example.org\n",
    "2025/old/lost.txt": "One umbrella, black. Two gloves, not a pair.\n",
}

ADDRESSES = ["agent_7@sure.example.com", "b.yilmaz@example.org", "claims@sure.example.com", "dahl@school.example.org",
             "hannes99@example.com", "klara+garden@example.org", "loans@library.example.co.uk", "mika@example.fi",
             "office@school.example.org", "otto.weber@example.net", "pohl@example.org", "praxis@zahnarzt-nord.example.com",
             "reception@hotel-linde.example.com", "roux@example.fr", "tilda.berg@example.org", "ugo@example.it",
             "vera@example.net", "walter-k@example.org", "zoe@example.net"]


def prepare(folder):
    for name, text in FILES.items():
        path = folder / "letters" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def check(folder, _answer):
    for name, text in FILES.items():
        if not (folder / "letters" / name).exists() or (folder / "letters" / name).read_text() != text:
            return f"letters/{name} was changed or removed"
    path = folder / "addresses.txt"
    if not path.exists():
        return "there is no addresses.txt"
    found = [re.sub(r"^\s*[-*•]\s+", "", line).strip() for line in path.read_text(encoding="utf-8-sig").splitlines() if line.strip()]
    if sorted(found) != ADDRESSES:
        return f"missing: {sorted(set(ADDRESSES) - set(found))}; too much: {sorted(set(found) - set(ADDRESSES))}; {len(found)} lines"
    return None if found == ADDRESSES else "not in alphabetical order"
