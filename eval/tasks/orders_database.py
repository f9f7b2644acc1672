"""A SQLite database through the shell."""
import re
import sqlite3

MESSAGES = [
    "shop.db is a SQLite database. Write the number of orders of each customer to orders.csv as name,orders.",
    "Using sqlite3, count the orders per customer in shop.db and save the result in orders.csv with one line per customer: name,orders.",
    "Make orders.csv from the SQLite database shop.db: for every customer the name and how many orders they placed.",
]

ORDERS = {"Miller": 4, "Jones": 1, "Okafor": 6, "Tanaka": 3}


def prepare(folder):
    connection = sqlite3.connect(folder / "shop.db")
    connection.execute("CREATE TABLE customers (id INTEGER PRIMARY KEY, name TEXT NOT NULL)")
    connection.execute("CREATE TABLE orders (id INTEGER PRIMARY KEY, customer_id INTEGER NOT NULL, amount REAL NOT NULL)")
    for number, (name, orders) in enumerate(ORDERS.items(), 1):
        connection.execute("INSERT INTO customers VALUES (?, ?)", (number, name))
        connection.executemany("INSERT INTO orders (customer_id, amount) VALUES (?, ?)",
                               [(number, 10.5 * (order + number)) for order in range(orders)])
    connection.commit()
    connection.close()


def check(folder, _answer):
    path = folder / "orders.csv"
    if not path.exists():
        return "there is no orders.csv"
    found = {}
    for line in path.read_text().splitlines():
        match = re.fullmatch(r'\s*"?([A-Za-z]+)"?\s*[,|;]\s*(\d+)\s*', line)
        if match and match[1] in found:
            return f"{match[1]} twice"
        if match:
            found[match[1]] = int(match[2])
        elif re.search(r"\d", line):
            return f"a row that is neither a heading nor name,orders: {line}"
    connection = sqlite3.connect(folder / "shop.db")
    kept = connection.execute("SELECT count(*) FROM orders").fetchone()[0]
    connection.close()
    if kept != sum(ORDERS.values()):
        return f"the database has {kept} orders now"
    return None if found == ORDERS else f"{found} instead of {ORDERS}"
