#!/usr/bin/env python3
"""Development tasks of other kinds through the sketch: text, CSV, JSON, git, SQLite, names, edits, questions.

Each has real files and a check of the result. They are for tuning prompts; the project's task suite is another one.
Usage: tasks.py [--only NAME,...] [--show]
"""
from __future__ import annotations

import argparse
import csv
import json
import pathlib
import sqlite3
import tempfile
import time

from client import Server, save
from sketch import Options, Sketch, git
from tools import fresh


def orders(root: pathlib.Path) -> None:
    rows = ["date,region,product,quantity,price"]
    rows += [f"2024-0{m}-{d:02},{r},{p},{(m * d) % 7 + 1},{9.5 + m}" for m in range(1, 7) for d in (3, 14, 25)
             for r, p in (("North", "lamp"), ("South", "chair"), ("West", "table"))]
    (root / "orders.csv").write_text("\n".join(rows) + "\n")


def revenue(root: pathlib.Path) -> dict[str, float]:
    total: dict[str, float] = {}
    for row in csv.DictReader((root / "orders.csv").open()):
        total[row["region"]] = total.get(row["region"], 0) + int(row["quantity"]) * float(row["price"])
    return total


def check_revenue(root: pathlib.Path, _out) -> bool:
    rows = list(csv.DictReader((root / "revenue.csv").open()))
    got = [(r["region"], round(float(r["revenue"]), 2)) for r in rows]
    return got == [(k, round(v, 2)) for k, v in sorted(revenue(root).items(), key=lambda x: -x[1])]


def users(root: pathlib.Path) -> None:
    people = [{"name": f"User {i}", "email": f"user{(i * 7) % 20:02}@example.org", "active": i % 3 != 0, "age": 20 + i} for i in range(20)]
    (root / "users.json").write_text(json.dumps(people, indent=2))


def check_users(root: pathlib.Path, _out) -> bool:
    wanted = sorted(u["email"] for u in json.loads((root / "users.json").read_text()) if not u["active"])
    return (root / "inactive.txt").read_text().split() == wanted


def repository(root: pathlib.Path) -> None:
    git(root, "init", "-q", "-b", "main")
    for number, who in enumerate(["Ann", "Bob", "Ann", "Cid", "Ann", "Bob"]):
        (root / f"part{number % 3}.py").write_text(f"# version {number}\n")
        git(root, "add", "-A", who=who)
        git(root, "commit", "-qm", f"Change {number}", who=who)


def check_authors(root: pathlib.Path, _out) -> bool:
    text = (root / "authors.md").read_text()
    return all(any(n in line and str(c) in line for line in text.splitlines()) for n, c in (("Ann", 3), ("Bob", 2), ("Cid", 1)))


def shop(root: pathlib.Path) -> None:
    with sqlite3.connect(root / "shop.db") as db:
        db.executescript("create table customers(id integer primary key, name text, city text);"
                         "create table orders(id integer primary key, customer_id integer, total real, day text);")
        db.executemany("insert into customers values(?,?,?)", [(1, "Adler", "Graz"), (2, "Berg", "Linz"), (3, "Conti", "Graz")])
        db.executemany("insert into orders values(?,?,?,?)", [(i, i % 3 + 1, 10.0 * i, f"202{3 + i % 2}-05-{i:02}") for i in range(1, 19)])


def check_shop(root: pathlib.Path, out) -> bool:
    with sqlite3.connect(root / "shop.db") as db:
        name, = db.execute("select name from customers c join orders o on o.customer_id=c.id where day like '2024%' group by c.id order by sum(total) desc").fetchone()
    return name in out.answer


def check_cities(root: pathlib.Path, _out) -> bool:
    with sqlite3.connect(root / "shop.db") as db:
        wanted = dict(db.execute("select city, sum(total) from customers c join orders o on o.customer_id=c.id group by city"))
    rows = list(csv.reader((root / "cities.csv").open()))
    return {r[0]: round(float(r[1]), 1) for r in rows[1:]} == {k: round(v, 1) for k, v in wanted.items()}


def pictures(root: pathlib.Path) -> None:
    (root / "trip").mkdir()
    for i in range(4):
        (root / f"trip/pic{i}.jpeg").write_text(str(i))
    (root / "trip/notes.txt").write_text("Venice\n")


def config(root: pathlib.Path) -> None:
    (root / "app.ini").write_text("[server]\nhost = localhost\nport = 8080\n\n[log]\ndebug = true\nfile = app.log\n")


def notes(root: pathlib.Path) -> None:
    (root / "notes").mkdir()
    (root / "notes/monday.md").write_text("# Monday\nMet Kim.\n- [ ] call the printer\n- [x] pay rent\n")
    (root / "notes/tuesday.md").write_text("# Tuesday\n- [ ] order paper\nRain all day.\n- [ ] book a room in Turin\n")
    (root / "notes/wednesday.md").write_text("# Wednesday\n- [x] buy stamps\n")


def check_todo(root: pathlib.Path, _out) -> bool:
    text = (root / "open.md").read_text()
    return all(t in text for t in ("call the printer", "order paper", "book a room in Turin")) and "rent" not in text and "stamps" not in text


def code(root: pathlib.Path) -> None:
    (root / "src").mkdir()
    (root / "src/dates.py").write_text("import datetime\n\n\ndef parse_date(text):\n    return datetime.date.fromisoformat(text)\n")
    (root / "src/main.py").write_text("from dates import parse_date\n\nprint(parse_date('2024-01-01'))\n")


def log(root: pathlib.Path) -> None:
    lines = [f"2024-03-{d:02} 10:{i:02}:00 {'ERROR' if (i * d) % 5 == 1 else 'INFO'} job {i}" for d in range(1, 6) for i in range(12)]
    (root / "app.log").write_text("\n".join(lines) + "\n")


def check_log(root: pathlib.Path, out) -> bool:
    per: dict[str, int] = {}
    for line in (root / "app.log").read_text().splitlines():
        per[line[:10]] = per.get(line[:10], 0) + ("ERROR" in line)
    best = max(per.values())
    return any(day in out.answer for day, n in per.items() if n == best)


def minutes(root: pathlib.Path) -> None:
    (root / "minutes.txt").write_text("Meeting of 4 May. Present: Ida, Jon, Lea.\nThe budget of 4200 euros for the fair was approved.\n"
                                      "Jon books the stand until 12 May. Lea prints 300 leaflets.\nThe next meeting is on 18 May at Ida's office.\n")


def old(root: pathlib.Path) -> None:
    for name in ("a.tmp", "b.tmp", "keep.txt"):
        (root / name).write_text(name)


TASKS = {
    "csv": (orders, "Compute the total revenue (quantity times price) of each region from orders.csv and write it to revenue.csv with the columns region,revenue, highest revenue first.", check_revenue),
    "json": (users, "Write the e-mail addresses of all users in users.json that are not active to inactive.txt, one per line, in alphabetical order.", check_users),
    "git": (repository, "How many commits did each author make in this repository? Save it as a table in authors.md.", check_authors),
    "sqlite": (shop, "Which customer in shop.db spent the most money in 2024?", check_shop),
    "sqlite-csv": (shop, "Export the total of all orders per city from shop.db into cities.csv, with a header line.", check_cities),
    "rename": (pictures, "Change the ending of all .jpeg pictures in the folder trip to .jpg.",
               lambda r, o: sorted(p.name for p in (r / "trip").iterdir()) == ["notes.txt", "pic0.jpg", "pic1.jpg", "pic2.jpg", "pic3.jpg"]),
    "config": (config, "Set the port in app.ini to 9090 and switch debug off.",
               lambda r, o: (r / "app.ini").read_text() == "[server]\nhost = localhost\nport = 9090\n\n[log]\ndebug = false\nfile = app.log\n"),
    "todo": (notes, "Collect the open to-do items (lines with - [ ]) of all notes into open.md.", check_todo),
    "where": (code, "In which file is parse_date defined?", lambda r, o: "dates.py" in o.answer),
    "log": (log, "On which day were there the most errors in app.log?", check_log),
    "summary": (minutes, "Summarise minutes.txt in three bullet points in short.md.",
                lambda r, o: sum(w in (r / "short.md").read_text() for w in ("4200", "Jon", "18 May", "Lea", "300")) >= 3),
    "delete": (old, "Delete the .tmp files here.", lambda r, o: sorted(p.name for p in r.iterdir()) == ["keep.txt"]
               and any(c["tool"] == "displayConfirmation" for c in o.ledger)),
    "unclear": (minutes, "Please send it to her.", lambda r, o: o.status == "waiting" or "?" in o.answer),
    "talk": (minutes, "What does the word idempotent mean?", lambda r, o: o.status == "answered" and len(o.answer) > 20),
    "program": (fresh, "Write a Python script squares.py that prints the squares of 1 to 12, run it and keep the output in squares.txt.",
                lambda r, o: (r / "squares.txt").read_text().split() == [str(i * i) for i in range(1, 13)] and (r / "squares.py").exists()),
}


def run(server: Server, name: str, folder: pathlib.Path, options: Options, slots: tuple[int, int] = (0, 1)) -> tuple[dict, object]:
    make, message, check = TASKS[name]
    root = fresh(folder)
    make(root)
    start = time.time()
    sketch = Sketch(server, options)
    sketch.slots = slots
    out = sketch.run(message, root)
    try:
        good = bool(check(root, out))
    except (OSError, ValueError, KeyError, IndexError, TypeError):
        good = False
    return {"task": name, "right": good, "status": out.status, "tools": [s["tool"] for s in out.plan.get("steps", [])],
            "calls": len(out.calls), "tokensNew": sum(c["new"] for c in out.calls), "tokensOut": sum(c["out"] for c in out.calls),
            "seconds": round(time.time() - start, 1)}, out


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default=",".join(TASKS))
    parser.add_argument("--show", action="store_true")
    args = parser.parse_args()
    rows = []
    with Server() as server, tempfile.TemporaryDirectory() as folder:
        for name in args.only.split(","):
            row, out = run(server, name, pathlib.Path(folder) / "work", Options())
            rows.append(row)
            print(row, flush=True)
            if args.show or not row["right"]:
                print("\n".join(out.transcript), "\nANSWER:", out.answer, flush=True)
    right = sum(r["right"] for r in rows)
    print(f"== {right} of {len(rows)}")
    if args.only == ",".join(TASKS):
        save("tasks", {"right": right, "of": len(rows), "runs": rows})


if __name__ == "__main__":
    main()
