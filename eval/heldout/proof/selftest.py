#!/usr/bin/env python3
"""Proves the checkers of the held-out tasks: right results pass, in several forms; wrong ones are refused, for the right reason.

Usage: selftest.py [-v] [FOLDER OF THE TASKS]   (-v: why each wrong result was refused)

The right solutions are plain Python that reads the workspace only, never the task's own data. They lie beside the tasks
that are held out, because they tell as much of them: whoever changes prompts, tools or examples opens neither.
"""
import collections
import csv
import hashlib
import importlib.util
import json
import pathlib
import re
import subprocess
import sys
import tempfile

TASKS = pathlib.Path(next((word for word in sys.argv[1:] if word != "-v"), pathlib.Path(__file__).resolve().parent.parent))


# ---- right solutions: each gives back the answer; the file is written into the workspace ----

def read_csv(path):
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def write(path, lines, end="\n", newline="\n"):
    path.write_bytes((newline.join(lines) + end).encode("utf-8"))
    return "Done."


def merged(folder):
    fees = {row["member_id"]: row for row in read_csv(folder / "fees.csv")}
    return [{**row, **fees[row["member_id"]]} for row in read_csv(folder / "members.csv") if row["member_id"] in fees]


COLUMNS = ["member_id", "name", "town", "fee", "paid_on"]


def merge(folder, columns=COLUMNS, rows=None, delimiter=",", quote="", fee=str, **form):
    rows = merged(folder) if rows is None else rows
    rows = [{**row, "fee": fee(row["fee"])} for row in rows]
    return write(folder / "merged.csv", [delimiter.join(columns)]
                 + [delimiter.join(f"{quote}{row[column]}{quote}" for column in columns) for row in rows], **form)


def hours(folder, test=lambda line: line.split()[2] == "ERROR"):
    return collections.Counter(line[11:13] for line in (folder / "server.log").read_text().splitlines() if test(line))


def per_hour(folder, found=None, shape="{}".format, header="hour,errors", **form):
    found = hours(folder) if found is None else found
    return write(folder / "errors.csv", ([header] if header else []) + [f"{shape(hour)},{count}" for hour, count in sorted(found.items())], **form)


def addresses(folder, pattern=r"[\w.+-]+@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+", many="**/*"):
    return sorted({hit for path in (folder / "letters").glob(many) if path.is_file() for hit in re.findall(pattern, path.read_text())})


def extract(folder, found=None, **form):
    return write(folder / "addresses.txt", addresses(folder) if found is None else found, **form)


def rename(folder, pattern=r"\bmax_conn\b", where="conf", skip=(), end=None):
    for path in sorted((folder / where).rglob("*")):
        if path.is_file() and path.name not in skip:
            text = path.read_text()
            new = re.sub(pattern, "max_connections", text)
            if new != text:
                path.write_text(new if end is None else new.rstrip("\n") + end)
    return "Done."


def biggest(folder, many=5):
    files = [(path.stat().st_size, str(path.relative_to(folder))) for path in folder.rglob("*") if path.is_file()]
    return sorted(files, reverse=True)[:many]


def largest(folder, found=None, line=lambda at, size, name: f"{at}. {name}: {size} bytes", head=(), **form):
    found = biggest(folder) if found is None else found
    return write(folder / "largest.md", [*head] + [line(at, size, name) for at, (size, name) in enumerate(found, 1)], **form)


def join(folder, order=range(1, 13), between="", strip=False, change=lambda text: text):
    texts = [(folder / f"chapters/chapter-{number}.md").read_text() for number in order]
    (folder / "book.md").write_text(change(between.join(text.rstrip("\n") + "\n" for text in texts)).rstrip("\n") + ("" if strip else "\n"))
    return "Done."


def links(folder, base=lambda path, folder: path.parent):
    """(file, target as written) of every link to a file that is not there."""
    for path in sorted(folder.rglob("*.md")):
        for target in re.findall(r"\]\(([^)\s]+)\)", path.read_text()):
            plain = target.split("#")[0]
            if plain and not re.match(r"[a-z]+:", plain) and not (base(path, folder) / plain).exists():
                yield str(path.relative_to(folder)), target


def broken(folder, found=None, form="list"):
    found = list(links(folder)) if found is None else found
    if form == "list":
        lines = ["# Broken links", ""] + [f"- {source}: {target}" for source, target in found]
    elif form == "table":
        lines = ["| File | Missing target |", "| --- | --- |"] + [f"| `{source}` | `{target}` |" for source, target in found]
    elif form == "headings":
        lines = []
        for source in dict.fromkeys(source for source, _ in found):
            lines += [f"## {source}", ""] + [f"* {target}" for other, target in found if other == source] + [""]
    elif form == "by target":
        lines = [line for source, target in found for line in (f"## {target}", f"- in {source}")]
    else:  # from the root of the folder, target first, in sentences
        lines = [f"{(pathlib.PurePath(source).parent / target).as_posix().split('#')[0]} is linked in {pathlib.PurePath(source).name}, but missing."
                 for source, target in reversed(found)] + ["", f"{len(found)} in all"]
    return write(folder / "broken.md", lines)


def months(folder, key=7, absolute=False):
    found = collections.defaultdict(float)
    for line in (folder / "payments.jsonl").read_text().splitlines():
        payment = json.loads(line)
        found[payment["date"][:key]] += abs(payment["amount"]) if absolute else payment["amount"]
    return dict(found)


def monthly(folder, found=None, shape="{:.2f}".format, header="month,total", order=sorted, **form):
    found = months(folder) if found is None else found
    return write(folder / "months.csv", ([header] if header else []) + [f"{month},{shape(total)}" for month, total in order(found.items())], **form)


def git(folder, *arguments):
    return subprocess.run(["git", "-c", "maintenance.auto=false", "-c", "gc.auto=0", "-C", str(folder), "-c", "user.name=x", "-c", "user.email=x@example.org", *arguments],
                          check=True, capture_output=True, text=True).stdout


def changes(folder, tag=None, said=None, since=None, line="- {}".format, form="%s", **ending):
    tag = tag or git(folder, "describe", "--tags", "--abbrev=0").strip()
    found = git(folder, "log", f"--format={form}", f"{since or tag}..HEAD").splitlines()
    return write(folder / "changes.md", [f"# Since {said or tag}", ""] + [line(one) for one in found], **ending)


def answer(folder, notice=None, deposit=None, text="The tenant's notice is {} months, the deposit is {} EUR."):
    lease = (folder / "lease.txt").read_text()
    notice = notice or re.search(r"tenant may end the lease with (\w+) months", lease)[1]
    deposit = deposit or re.search(r"deposit of ([\d,]+) EUR", lease)[1]
    return text.format(notice, deposit)


# ---- variants ----

def then(first, second):
    """The first, and afterwards something done to the workspace."""
    def both(folder):
        said = first(folder)
        second(folder)
        return said
    return both


def edit(name, change):
    def act(folder):
        text = (folder / name).read_text(encoding="utf-8")
        assert change(text) != text, f"the edit of {name} changes nothing"
        (folder / name).write_text(change(text), encoding="utf-8")
    return act


def remove(name):
    return lambda folder: (folder / name).unlink()


def nothing(_folder):
    return "Done."


def plus_one(found, at=0):
    key = sorted(found)[at]
    return {**found, key: found[key] + 1}


MERGE_RIGHT = {
    "plain": merge,
    "no newline at the end": lambda f: merge(f, end=""),
    "CRLF, empty line at the end": lambda f: merge(f, newline="\r\n", end="\r\n\r\n"),
    "other order of rows and columns": lambda f: merge(f, columns=COLUMNS[::-1], rows=sorted(merged(f), key=lambda r: r["name"])),
    "semicolons": lambda f: merge(f, delimiter=";"),
    "quoted, 25.5 for 25.50": lambda f: merge(f, quote='"', fee=lambda fee: str(float(fee))),
}
MERGE_WRONG = {
    "missing file": nothing,
    "row missing": lambda f: merge(f, rows=merged(f)[1:]),
    "row twice": lambda f: merge(f, rows=merged(f) + merged(f)[:1]),
    "members without a fee kept": lambda f: merge(f, rows=merged(f) + [{"member_id": "M101", "name": "x", "town": "x", "fee": "0", "paid_on": ""}]),
    "one fee changed": lambda f: merge(f, rows=[{**merged(f)[0], "fee": "61.00"}] + merged(f)[1:]),
    "joined by position": lambda f: merge(f, rows=[{**a, **b, "member_id": a["member_id"]} for a, b in zip(read_csv(f / "members.csv"), read_csv(f / "fees.csv"))]),
    "no header": then(merge, edit("merged.csv", lambda t: t.split("\n", 1)[1])),
    "column missing": lambda f: merge(f, columns=COLUMNS[:4]),
    "only the header": lambda f: merge(f, rows=[]),
    "source damaged": then(merge, edit("fees.csv", lambda t: t.replace("M177", "M178"))),
    "source gone": then(merge, remove("members.csv")),
}
HOUR_RIGHT = {
    "plain": per_hour,
    "no newline at the end": lambda f: per_hour(f, end=""),
    "6 for 06": lambda f: per_hour(f, shape=lambda hour: str(int(hour))),
    "06:00": lambda f: per_hour(f, shape="{}:00".format),
    "with the day": lambda f: per_hour(f, shape="2026-03-14 {}".format),
    "with the day and minutes, CRLF": lambda f: per_hour(f, shape="2026-03-14 {}:00".format, newline="\r\n"),
    "from to": lambda f: per_hour(f, shape=lambda hour: f"{hour}:00-{hour}:59"),
    "zeros for the quiet hours": lambda f: per_hour(f, {f"{hour:02}": hours(f)[f"{hour:02}"] for hour in range(24)}),
    "other order": then(per_hour, edit("errors.csv", lambda t: "\n".join(t.split("\n")[:1] + t.strip().split("\n")[:0:-1]) + "\n")),
}
HOUR_WRONG = {
    "missing file": nothing,
    "off by one": lambda f: per_hour(f, plus_one(hours(f))),
    "last hour off by one": lambda f: per_hour(f, plus_one(hours(f), -1)),
    "any case": lambda f: per_hour(f, hours(f, lambda line: "error" in line.lower())),
    "all levels": lambda f: per_hour(f, hours(f, lambda line: True)),
    "an hour missing": lambda f: per_hour(f, dict(sorted(hours(f).items())[1:])),
    "one number for an hour without errors": lambda f: per_hour(f, {**hours(f), "11": 1}),
    "total row": then(per_hour, edit("errors.csv", lambda t: t + "total,99\n")),
    "row twice": then(per_hour, edit("errors.csv", lambda t: t + t.split("\n")[1] + "\n")),
    "no header": lambda f: per_hour(f, header=None),
    "empty": lambda f: write(f / "errors.csv", []),
    "source damaged": then(per_hour, edit("server.log", lambda t: t.replace("WARN", "warn"))),
}
ADDRESS_RIGHT = {
    "plain": extract,
    "no newline at the end": lambda f: extract(f, end=""),
    "CRLF": lambda f: extract(f, newline="\r\n", end="\r\n"),
    "as a list": lambda f: extract(f, ["- " + one for one in addresses(f)]),
    "empty lines at the end": lambda f: extract(f, end="\n\n\n"),
}
ADDRESS_WRONG = {
    "missing file": nothing,
    "one missing": lambda f: extract(f, addresses(f)[1:]),
    "one too many": lambda f: extract(f, sorted(addresses(f) + ["mika@example.org"])),
    "one twice": lambda f: extract(f, sorted(addresses(f) + addresses(f)[:1])),
    "not sorted": lambda f: extract(f, addresses(f)[::-1]),
    "dots at the end": lambda f: extract(f, addresses(f, r"[\w.+-]+@[\w.-]+")),
    "handles too": lambda f: extract(f, addresses(f, r"[\w.+-]*@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*")),
    "plus cut off": lambda f: extract(f, addresses(f, r"[\w.-]+@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+")),
    "no subfolders": lambda f: extract(f, addresses(f, many="*")),
    "only .txt": lambda f: extract(f, addresses(f, many="**/*.txt")),
    "source damaged": then(extract, edit("letters/tax.txt", lambda t: t.upper())),
    "source gone": then(extract, remove("letters/2025/old/lost.txt")),
}
RENAME_RIGHT = {
    "plain": rename,
    "no newline at the end": lambda f: rename(f, end=""),
    "a script left behind": then(rename, lambda f: (f / "rename.py").write_text("pass\n")),
}
RENAME_WRONG = {
    "nothing done": nothing,
    "namesakes too": lambda f: rename(f, pattern="max_conn"),
    "suffix only guarded": lambda f: rename(f, pattern=r"max_conn\b"),
    "outside conf too": lambda f: rename(f, where="."),
    "one file forgotten": lambda f: rename(f, skip=("imap.yaml",)),
    "json forgotten": lambda f: rename(f, skip=("north.json",)),
    "only the first of a file": lambda f: [rename(f, skip=("web.yaml",)), edit("conf/web.yaml", lambda t: t.replace("max_conn:", "max_connections:", 1))(f)] and "",
    "twice renamed": lambda f: [rename(f), rename(f, pattern="max_conn")] and "",
    "a value changed": then(rename, edit("conf/app.ini", lambda t: t.replace("= 40", "= 41"))),
    "a comment lost": then(rename, edit("conf/cache.toml", lambda t: t.replace(" # per node", ""))),
    "a file gone": then(rename, remove("conf/logging.ini")),
}
LARGEST_RIGHT = {
    "list": largest,
    "no newline at the end": lambda f: largest(f, end=""),
    "table": lambda f: largest(f, head=["# Largest files", "", "| file | bytes |", "| --- | ---: |"], line=lambda at, size, name: f"| {name} | {size} |"),
    "table with rank and rounded size": lambda f: largest(f, head=["| # | bytes | about | file |", "|--|--|--|--|"],
                                                           line=lambda at, size, name: f"| {at} | {size:,} | {size / 1024:.1f} KB | `./{name}` |"),
    "names only": lambda f: largest(f, line=lambda at, size, name: f"- **{pathlib.PurePath(name).name}** ({size:,} bytes)"),
    "size first": lambda f: largest(f, line=lambda at, size, name: f"{size}\t{f}/{name}"),
    "links": lambda f: largest(f, line=lambda at, size, name: f"{at}. [{name}]({name.replace(' ', '%20')}): {size} B"),
    "size below": lambda f: largest(f, line=lambda at, size, name: f"{at}. {name}\n   - Size: {size:,} bytes"),
    "dots for thousands": lambda f: largest(f, line=lambda at, size, name: f"{at}. {name} {size:,}".replace(f"{size:,}", f"{size:,}".replace(",", "."))),
}
LARGEST_WRONG = {
    "missing file": nothing,
    "four": lambda f: largest(f, biggest(f, 4)),
    "six": lambda f: largest(f, biggest(f, 6)),
    "off by one": lambda f: largest(f, [(size + 1, name) for size, name in biggest(f)]),
    "one size wrong": lambda f: largest(f, biggest(f)[:4] + [(biggest(f)[4][0] - 1, biggest(f)[4][1])]),
    "smallest first": lambda f: largest(f, biggest(f)[::-1]),
    "two swapped": lambda f: largest(f, [biggest(f)[at] for at in (0, 1, 3, 2, 4)]),
    "sizes swapped": lambda f: largest(f, [(biggest(f)[at][0], biggest(f)[other][1]) for at, other in zip(range(5), (1, 0, 2, 3, 4))]),
    "sorted as text": lambda f: largest(f, sorted(biggest(f, 99), key=lambda one: str(one[0]), reverse=True)[:5]),
    "the sixth for the fifth": lambda f: largest(f, biggest(f, 4) + biggest(f, 6)[5:]),
    "kilobytes only": lambda f: largest(f, line=lambda at, size, name: f"{at}. {name} {round(size / 1024)}K"),
    "no sizes": lambda f: largest(f, line=lambda at, size, name: f"{at}. {name}"),
    "files removed": then(largest, remove("video/teaser.webm")),
    "file damaged": then(largest, lambda f: (f / "todo.txt").write_text("")),
}
JOIN_RIGHT = {
    "plain": join,
    "no newline at the end": lambda f: join(f, strip=True),
    "empty lines between": lambda f: join(f, between="\n\n"),
    "rules between": lambda f: join(f, between="\n---\n\n"),
}
JOIN_WRONG = {
    "missing file": nothing,
    "sorted as text": lambda f: join(f, sorted(range(1, 13), key=str)),
    "one missing": lambda f: join(f, range(1, 12)),
    "one twice": lambda f: join(f, [*range(1, 13), 12]),
    "two swapped": lambda f: join(f, [2, 1, *range(3, 13)]),
    "ideas too": lambda f: join(f, change=lambda text: text + (f / "chapters/ideas.txt").read_text()),
    "one line lost": lambda f: join(f, change=lambda text: text.rstrip("\n").rsplit("\n", 1)[0]),
    "text changed": lambda f: join(f, change=lambda text: text.replace("sea", "lake", 1)),
    "headings glued": lambda f: join(f, change=lambda text: text.replace("\n# Chapter 5", "# Chapter 5")),
    "file names in between": lambda f: join(f, between="chapter\n"),
    "source damaged": then(join, edit("chapters/chapter-3.md", lambda t: t + "\n")),
    "sources removed": then(join, remove("chapters/chapter-7.md")),
}
BROKEN_RIGHT = {form: lambda f, form=form: broken(f, form=form) for form in ["list", "table", "headings", "by target", "sentences"]} | {
    "without fragments": lambda f: broken(f, [(source, target.split("#")[0]) for source, target in links(f)]),
    "as grep says it": lambda f: broken(f, [(f"./{source}:12", f"![x]({target})") for source, target in links(f)]),
    "no newline at the end": then(broken, edit("broken.md", lambda t: t.rstrip("\n"))),
}
BROKEN_WRONG = {
    "missing file": nothing,
    "one missing": lambda f: broken(f, list(links(f))[1:]),
    "last missing, by headings": lambda f: broken(f, list(links(f))[:-1], "headings"),
    "from the root instead of the file": lambda f: broken(f, list(links(f, lambda path, folder: folder))),
    "one good link too many": lambda f: broken(f, [*links(f), ("docs/index.md", "setup.md")]),
    "one good picture too many": lambda f: broken(f, [*links(f), ("docs/index.md", "img/plan.png")]),
    "good picture, by headings": lambda f: broken(f, [*links(f), ("docs/setup.md", "data/sample.csv")], "headings"),
    "web address": lambda f: broken(f, [*links(f), ("README.md", "https://lantern.example.org/index.html")]),
    "wrong file": lambda f: broken(f, [("docs/index.md" if source == "README.md" else source, target) for source, target in links(f)]),
    "targets without files": lambda f: write(f / "broken.md", [target for _, target in links(f)]),
    "files without targets": lambda f: write(f / "broken.md", [source for source, _ in links(f)]),
    "an invented one": lambda f: broken(f, [*links(f), ("README.md", "docs/missing.md")]),
    "top folder only": lambda f: broken(f, [pair for pair in links(f) if "/" not in pair[0]]),
    "source repaired": then(broken, edit("docs/index.md", lambda t: t.replace("img/overview.png", "img/plan.png"))),
    "target made": then(broken, lambda f: (f / "docs/changes.md").write_text("")),
}
MONTH_RIGHT = {
    "plain": monthly,
    "no newline at the end": lambda f: monthly(f, end=""),
    "CRLF": lambda f: monthly(f, newline="\r\n", end="\r\n"),
    "floats as they come": lambda f: monthly(f, shape=repr),
    "other order": lambda f: monthly(f, order=lambda items: sorted(items, key=lambda item: -item[1])),
    "quoted with thousands": lambda f: monthly(f, shape='"{:,.2f}"'.format),
    "one digit less": lambda f: monthly(f, shape=lambda total: str(round(total, 2))),
}
MONTH_WRONG = {
    "missing file": nothing,
    "off by a cent": lambda f: monthly(f, {month: total + (month == "2025-12") / 100 for month, total in months(f).items()}),
    "off by one": lambda f: monthly(f, plus_one(months(f))),
    "without the year": lambda f: monthly(f, {f"2025-{month}": total for month, total in
                                              {m[5:]: sum(t for o, t in months(f).items() if o[5:] == m[5:]) for m in months(f)}.items()}),
    "refunds added": lambda f: monthly(f, months(f, absolute=True)),
    "by day": lambda f: monthly(f, months(f, key=10)),
    "by year": lambda f: monthly(f, months(f, key=4)),
    "rounded": lambda f: monthly(f, shape="{:.0f}".format),
    "a month missing": lambda f: monthly(f, dict(sorted(months(f).items())[:-1])),
    "total row": then(monthly, edit("months.csv", lambda t: t + "total,1.00\n")),
    "a month too many": lambda f: monthly(f, {**months(f), "2026-04": 0.0}),
    "row twice": then(monthly, edit("months.csv", lambda t: t + t.split("\n")[1] + "\n")),
    "no header": lambda f: monthly(f, header=None),
    "source damaged": then(monthly, edit("payments.jsonl", lambda t: t.split("\n", 1)[1])),
}
TAG_RIGHT = {
    "list": changes,
    "no newline at the end": lambda f: changes(f, end=""),
    "with hashes": lambda f: changes(f, line="* {}".format, form="`%h` %s"),
    "table": lambda f: changes(f, line="| {} |".format, form="%h | %ad | %s"),
    "oldest first": then(changes, edit("changes.md", lambda t: "\n".join(t.rstrip().split("\n")[:2] + t.rstrip().split("\n")[:1:-1]))),
}
TAG_WRONG = {
    "missing file": nothing,
    "last in the alphabet": lambda f: changes(f, tag="v1.9.0"),
    "right commits, wrong tag": lambda f: changes(f, said="v1.9.0"),
    "right tag, too many commits": lambda f: changes(f, since="v1.9.0"),
    "with the tagged commit": lambda f: changes(f, since="v1.10.0^"),
    "one missing": lambda f: changes(f, since="HEAD~5"),
    "no tag": then(changes, edit("changes.md", lambda t: t.split("\n", 2)[2])),
    "described": lambda f: changes(f, said=git(f, "describe").strip()),
    "tag only": then(changes, edit("changes.md", lambda t: t.split("\n", 1)[0])),
    "all tags": then(changes, edit("changes.md", lambda t: t + "v1.8.0, v1.9.0, v1.10.0\n")),
    "one twice": then(changes, edit("changes.md", lambda t: t + "- Export to PNG\n")),
    "committed": then(changes, lambda f: [git(f, "add", "changes.md"), git(f, "-c", "commit.gpgsign=false", "commit", "-q", "-m", "Add changes")]),
    "tag moved": then(changes, lambda f: git(f, "tag", "v2.0.0")),
    "file damaged": then(changes, edit("map.py", lambda t: t + "#\n")),
}
ANSWER_RIGHT = {
    "words": answer,
    "digits": lambda f: answer(f, "3", "2350"),
    "bold, euro sign": lambda f: answer(f, text="Notice: **{} months** to the end of a month.\n\nDeposit: **€{}**"),
    "with cents": lambda f: answer(f, text="{} months' notice; 2,350.00 EUR. {}"),
    "hyphen": lambda f: answer(f, text="A {}-month notice, and a deposit of {} euros."),
    "three (3)": lambda f: answer(f, "three (3)"),
    "with the landlord's": lambda f: answer(f, text="As the tenant {} months (the landlord: six months, after eight years nine). You get {} EUR back, within eight weeks."),
    "quoted": lambda f: answer(f, text=re.search(r"The tenant may end.*?Notice", (f / "lease.txt").read_text(), re.S)[0] + " / {} / {} EUR"),
    "in German": lambda f: answer(f, "drei", "2.350", "Die Frist beträgt {} Monate, die Kaution {} Euro."),
    "with the sections": lambda f: answer(f, text="Section 10: {} months. Section 6: {} EUR."),
}
ANSWER_WRONG = {
    "no answer": lambda f: "",
    "done, but nothing said": nothing,
    "the landlord's": lambda f: answer(f, "six"),
    "the parking space's": lambda f: answer(f, "one"),
    "the two mixed up": lambda f: answer(f, text="The tenant gives six months, the landlord gives {} months; {} EUR deposit."),
    "the rent": lambda f: answer(f, deposit="870"),
    "the other file's deposit": lambda f: answer(f, deposit="35"),
    "off by one": lambda f: answer(f, deposit="2,351"),
    "a digit too many": lambda f: answer(f, deposit="12,350"),
    "half": lambda f: answer(f, text="The notice is {} months."),
    "other half": lambda f: answer(f, text="The deposit is {1} EUR."),
    "thirty-three": lambda f: answer(f, "33"),
    "three weeks": lambda f: answer(f, text="{} weeks, {} EUR"),
    "the whole lease": lambda f: (f / "lease.txt").read_text(),
    "written to a file": then(answer, lambda f: (f / "answer.txt").write_text("three months, 2,350 EUR\n")),
    "source damaged": then(answer, edit("lease.txt", lambda t: t.replace("three months", "3 months"))),
    "source gone": then(answer, remove("inventory.txt")),
}

CASES = {
    "broken_links": (BROKEN_RIGHT, BROKEN_WRONG), "extract_addresses": (ADDRESS_RIGHT, ADDRESS_WRONG), "join_chapters": (JOIN_RIGHT, JOIN_WRONG),
    "largest_files": (LARGEST_RIGHT, LARGEST_WRONG), "lease_question": (ANSWER_RIGHT, ANSWER_WRONG), "log_per_hour": (HOUR_RIGHT, HOUR_WRONG),
    "merge_members": (MERGE_RIGHT, MERGE_WRONG), "monthly_totals": (MONTH_RIGHT, MONTH_WRONG), "rename_setting": (RENAME_RIGHT, RENAME_WRONG),
    "since_last_tag": (TAG_RIGHT, TAG_WRONG),
}


def load(path):
    spec = importlib.util.spec_from_file_location(f"task_{path.stem}", path)
    module = importlib.util.module_from_spec(spec)
    sys.dont_write_bytecode = True
    spec.loader.exec_module(module)
    return module


def digest(folder):
    return {str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
            for path in sorted(folder.rglob("*")) if path.is_file() and ".git" not in path.parts}


def attempt(task, solution):
    with tempfile.TemporaryDirectory(prefix="heldout-", ignore_cleanup_errors=True) as scratch:
        folder = pathlib.Path(scratch) / "workspace"
        folder.mkdir()
        task.prepare(folder)
        said = solution(folder)  # outside the try: a solution that breaks is a fault of the self-test
        try:
            return task.check(folder, said)
        except Exception as problem:  # as eval/run takes it
            return f"RAISED {type(problem).__name__}: {problem}"


def main():
    faults, right, wrong = [], 0, 0
    found = {path.stem: load(path) for path in sorted(TASKS.glob("*.py"))}
    if set(found) != set(CASES):
        faults.append(f"tasks and cases differ: {sorted(set(found) ^ set(CASES))}")
    for name, task in found.items():
        if len(task.MESSAGES) != 2 or not task.__doc__:
            faults.append(f"{name}: needs two messages and a line of description")
        digests = []
        for _ in range(2):
            with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as scratch:
                task.prepare(pathlib.Path(scratch))
                digests.append(digest(pathlib.Path(scratch)))
        if digests[0] != digests[1] or not digests[0]:
            faults.append(f"{name}: the workspace is not always the same")
        passing, failing = CASES[name]
        assert len(failing) >= 3
        for form, solution in passing.items():
            fault = attempt(task, solution)
            right += 1
            if fault is not None:
                faults.append(f"{name}: right result refused ({form}): {fault}")
        for form, solution in failing.items():
            fault = attempt(task, solution)
            wrong += 1
            if fault is None:
                faults.append(f"{name}: wrong result accepted ({form})")
            elif "-v" in sys.argv or fault.startswith("RAISED"):
                print(f"    {name} / {form}: {fault[:150]}")
        print(f"{name}: {len(passing)} right and {len(failing)} wrong results, {len(digests[0])} files")
    print("\n".join(faults) or "no faults", f"{right} right and {wrong} wrong results in {len(found)} tasks", sep="\n")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
