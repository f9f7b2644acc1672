"""Fields taken from texts that look alike, as CSV."""
import csv

MESSAGES = [
    "Each file in invoices has an invoice number and a total. Collect them in invoices.csv with the columns number,total.",
    "Take the number and the total out of every text file in the folder invoices and write invoices.csv, header number,total, a line per invoice.",
]

INVOICES = {"march.txt": ("2031", "120.50", "Ink and paper"), "april.txt": ("2032", "89.00", "Two chairs"),
            "may.txt": ("2047", "1340.75", "Repair of the roof"), "june.txt": ("2050", "15.20", "Stamps")}


def prepare(folder):
    (folder / "invoices").mkdir()
    for name, (number, total, goods) in INVOICES.items():
        (folder / "invoices" / name).write_text(f"Miller & Sons\n\nInvoice no: {number}\n{goods}\n\nTotal: {total} EUR\nPlease pay within 14 days.\n")


def check(folder, _answer):
    path = folder / "invoices.csv"
    if not path.exists():
        return "there is no invoices.csv"
    with path.open(newline="") as file:
        rows = [[cell.strip() for cell in row] for row in csv.reader(file) if row]
    if not rows or [cell.lower() for cell in rows[0]] != ["number", "total"]:
        return f"the header is not number,total: {rows[:1]}"
    found = sorted((row[0], float(row[1].removesuffix("EUR").strip())) for row in rows[1:])
    expected = sorted((number, float(total)) for number, total, _ in INVOICES.values())
    return None if found == expected else f"{found} instead of {expected}"
