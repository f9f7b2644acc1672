"""Files renamed by a rule: the date in the name the other way round."""

MESSAGES = [
    "The files in scans are named like scan_31-12-2024.txt. Rename them so that the year comes first: scan_2024-12-31.txt.",
    "Rename every file in the folder scans from scan_DD-MM-YYYY.txt to scan_YYYY-MM-DD.txt.",
]

DATES = ["03-11-2024", "17-01-2025", "09-02-2025", "28-02-2025", "05-12-2024"]


def prepare(folder):
    (folder / "scans").mkdir()
    for date in DATES:
        (folder / f"scans/scan_{date}.txt").write_text(f"scanned on {date}\n")


def check(folder, _answer):
    found = {str(path.relative_to(folder)): path.read_text() for path in folder.rglob("*") if path.is_file()}
    expected = {f"scans/scan_{'-'.join(reversed(date.split('-')))}.txt": f"scanned on {date}\n" for date in DATES}
    return None if found == expected else f"{sorted(found)} instead of {sorted(expected)}"
