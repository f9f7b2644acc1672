"""A question to a SQLite database, with a group and a date."""
import re
import sqlite3

MESSAGES = [
    "In which month of 2025 were the most books lent, according to library.db?",
    "library.db is a SQLite database of loans. Which month in 2025 had the most loans, and how many?",
]

LOANS = {"2024-11": 14, "2025-01": 3, "2025-03": 5, "2025-06": 9, "2025-08": 7, "2025-10": 2, "2026-01": 12}


def prepare(folder):
    connection = sqlite3.connect(folder / "library.db")
    connection.execute("CREATE TABLE books (id INTEGER PRIMARY KEY, title TEXT NOT NULL)")
    connection.execute("CREATE TABLE loans (id INTEGER PRIMARY KEY, book_id INTEGER NOT NULL REFERENCES books(id), lent_on TEXT NOT NULL)")
    connection.executemany("INSERT INTO books VALUES (?, ?)", [(1, "Dunes"), (2, "Rivers"), (3, "Peaks")])
    connection.executemany("INSERT INTO loans (book_id, lent_on) VALUES (?, ?)",
                           [(1 + at % 3, f"{month}-{1 + at:02}") for month, many in LOANS.items() for at in range(many)])
    connection.commit()
    connection.close()


def check(_folder, answer):
    others = re.findall(r"2025-(?:01|03|08|10)|2024-11|2026-01|January|March|August|October|November", answer)
    if not re.search(r"2025-06|June|06/2025", answer) or others:
        return f"June is not the one month named: {answer[:160]}"
    return None
