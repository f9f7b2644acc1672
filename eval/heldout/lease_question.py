"""A question about a longer text: two facts, nothing written."""
import re

MESSAGES = [
    "According to lease.txt, how many months' notice does the tenant have to give, and how high is the deposit?",
    "I rent the flat described in lease.txt and might move out. How long is the notice period for me as the tenant, and how much deposit should I get back? A short answer is enough, please don't write or change any file.",
]

LEASE = """LEASE

between Petra Lindqvist (the landlord) and Samuel Osei (the tenant)
for the flat at 14 Mill Lane, second floor, left.


1. What is let

The flat has three rooms, a kitchen, a bathroom and a cellar room
with the number 7. It measures 74 square metres. The tenant receives
three keys to the house and two to the flat. A lost key costs 48 EUR.

2. Beginning and duration

The lease begins on 1 September 2024. It has no fixed end. During
the first twelve months it cannot be ended by either side.

3. Rent

The rent is 870 EUR a month, without heating and water. It has to be
paid by the third working day of the month. For heating and water the
tenant pays 165 EUR a month in advance, which is settled once a year.

4. Parking

The parking space in the yard is let with the flat for 45 EUR a
month. Either side may end this part alone with one month of notice.

5. Late payment

If the rent is more than ten days late, the landlord may ask for a
fee of 15 EUR, unless the tenant is not to blame for the delay.

6. Deposit

The tenant pays a deposit of 2,350 EUR before the keys are handed
over. The landlord keeps it on an account of its own and pays it back,
with interest, within eight weeks after the flat has been returned.
For the transponder of the yard gate there is no further deposit.

7. Repairs

Small repairs of up to 90 EUR each are paid by the tenant, but not
more than 300 EUR in a year. Everything else is for the landlord.
Damage has to be reported at once.

8. Animals

A cat is allowed. A dog needs the written consent of the landlord,
which may only be refused for good reasons.

9. Subletting

The tenant may sublet one room for up to six weeks in a year. For
a longer time the consent of the landlord is needed.

10. End of the lease

The tenant may end the lease with three months of notice to the end
of a month. For the landlord the time is six months, and nine months
once the lease has lasted for more than eight years. Notice has to be
given in writing; an e-mail is not enough.

11. Return of the flat

The flat is returned clean and with all keys. Walls have to be in
light colours. The tenant does not have to repaint them.


Odense, 12 August 2024
"""

FILES = {"lease.txt": LEASE, "inventory.txt": "Kitchen: stove, sink, 4 shelves. Deposit for the gas bottle: 35 EUR.\n"}


def prepare(folder):
    for name, text in FILES.items():
        (folder / name).write_text(text)


def check(folder, answer):
    if {path.name for path in folder.iterdir()} != set(FILES):
        return "files were made or removed, though only an answer was wanted"
    for name, text in FILES.items():
        if (folder / name).read_text() != text:
            return f"{name} was changed"
    plain = re.sub(r"\s+", " ", re.sub(r"[*_`]", "", answer)).lower()
    plain = re.sub(r"(?<=\d)[,.'\u00a0\u202f ](?=\d{3}(?!\d))", "", plain)
    if not re.search(r"(?<![\d.,])2350(?!\d)(?!\.0*[1-9])", plain):
        return f"the deposit is 2350 EUR: {answer[:300]!r}"
    months = r"[ -]*(?:full |calendar |\(\d\) )?(?:month|monat)"
    if not re.search(rf"(?<![\d.,])(?:three|drei|3\)?){months}", plain):
        return f"the tenant's notice is three months: {answer[:300]!r}"
    # Another time may be told as well, but as the landlord's or the parking space's; three months are the tenant's.
    others = [word for word in ["one", "1", "six", "6", "nine", "9"] if re.search(rf"(?<![\w.,]){word}{months}", plain)]
    other = r"landlord|landlady|lindqvist|lessor|vermieter|parking"
    parts = re.split(r"[.;,()]|\b(?:and|but|while|whereas|und|aber|während)\b", plain)
    own = any(re.search(rf"\b(?:three|drei|3){months}", part) and not re.search(other, part) for part in parts)
    if others and not (own and re.search(other, plain)):
        return f"another notice period than the tenant's: {answer[:300]!r}"
    # Copying out the lease is not an answer.
    amounts = [number for number in ["870", "165", "48", "15", "90", "300", "35"]
               if re.search(rf"(?<![\d.,]){number}(?= ?(?:eur|€))|(?:eur|€) ?{number}(?![\d.,]*\d)", plain)]
    return f"amounts that were not asked for: {amounts}" if len(amounts) > 1 else None
