"""The core tools, for real, on a folder: what the experiments' steps call. Results are the text a model is shown."""
from __future__ import annotations

import fnmatch
import json
import pathlib
import re
import shutil
import subprocess

# name → (line shown to the planner, line shown to a step, [(parameter, kind, required)])
# kinds: str (bounded text), long (file content, command), bool, list
TOOLS = {
    "bash": ("run a shell command or python3 script: sums, averages, counts, sorting, CSV, JSON, sqlite3 databases, git, moving, renaming and deleting files",
             "run a script in the workspace folder; the result is what it prints and which files it wrote",
             [("command", "long", True)]),
    "grep": ("find and count the lines that contain a text, in all files; writes no file",
             "find the lines that contain pattern, upper or lower case, in all files; gives the number of matching lines of every file, then lines. Take the shortest form of a word (error also finds errors). path only to search a single file or folder",
             [("pattern", "str", True), ("path", "str", False), ("regex", "bool", False), ("case_sensitive", "bool", False)]),
    "read": ("read a text file, or list a folder",
             "give the content of a file, or the names in a folder",
             [("path", "str", True)]),
    "create_file": ("write a new file whose text you know or that is made from earlier results",
                    "write a file with the text of the block",
                    [("path", "str", True), ("content", "long", True)]),
    "edit_file": ("replace a text in an existing file by another",
                  "replace old_string, which must be in the file exactly once (or replace_all), by new_string",
                  [("path", "str", True), ("old_string", "long", True), ("new_string", "long", True), ("replace_all", "bool", False)]),
    "undo_edit": ("take back the last edit of a file", "take back the last edit of a file", [("path", "str", True)]),
    "glob": ("list the files whose names match a pattern such as **/*.csv",
             "list files whose path matches a pattern such as **/*.csv",
             [("pattern", "str", True), ("path", "str", False)]),
    "finder": ("find lines that contain a text, only in files of one kind, such as *.py",
               "find lines that contain a text, only in files that match file_pattern",
               [("query", "str", True), ("file_pattern", "str", False)]),
    "ask_user": ("ask the user a question, when something that is needed is missing",
                 "ask the user one question",
                 [("question", "str", True)]),
    "displayConfirmation": ("let the user confirm before something is deleted, overwritten or sent",
                            "ask the user to approve an action before it is done",
                            [("action", "str", True), ("details", "str", True)]),
}
MATCHES_SHOWN = 25


class Fault(Exception):
    """A tool's own error, told to the model."""


class Workspace:
    """Calls tools in one folder; keeps a ledger of what was called and how it ended."""

    def __init__(self, root: pathlib.Path, grep_shape: str = "counts"):
        self.root = root.resolve()
        self.grep_shape = grep_shape
        self.ledger: list[dict] = []
        self.before: dict[pathlib.Path, str | None] = {}

    def call(self, tool: str, args: dict) -> tuple[str, bool, bool]:
        """Result text, whether the call was a success, whether a person has to answer now."""
        try:
            text = getattr(self, tool)(**args)
            good = not re.match(r"exit code [1-9]", text)
        except Fault as fault:
            text, good = f"error: {fault}", False
        except TypeError as fault:
            text, good = f"error: wrong arguments: {fault}", False
        self.ledger.append({"tool": tool, "args": args, "ok": good})
        return text, good, tool in ("ask_user", "displayConfirmation")

    def inside(self, path: str) -> pathlib.Path:
        full = (self.root / path.lstrip("/")).resolve() if not path.startswith(str(self.root)) else pathlib.Path(path).resolve()
        if not full.is_relative_to(self.root):
            raise Fault(f"{path} is outside the workspace")
        return full

    def existing(self, path: str) -> pathlib.Path:
        full = self.inside(path)
        if not full.exists():
            raise Fault(f"{path} does not exist. Files here: {', '.join(self.names()[:40])}")
        return full

    def files(self, path: str = ".") -> list[pathlib.Path]:
        full = self.existing(path)
        if full.is_file():
            return [full]
        return sorted(p for p in full.rglob("*") if p.is_file() and not any(x.startswith(".") for x in p.relative_to(self.root).parts))

    def names(self) -> list[str]:
        return [str(p.relative_to(self.root)) for p in self.files()]

    def bash(self, command: str) -> str:
        box = ["bwrap", "--ro-bind", "/", "/", "--dev", "/dev", "--tmpfs", "/tmp", "--bind", str(self.root), "/tmp/workspace",
               "--chdir", "/tmp/workspace", "--unshare-net", "--unshare-pid", "--die-with-parent", "--proc", "/proc"]
        before = self.state()
        try:
            done = subprocess.run([*box, "bash", "-o", "pipefail", "-c", command], capture_output=True, text=True, timeout=60, errors="replace")
        except subprocess.TimeoutExpired:
            return "exit code 124\ntimed out after 60 s"
        out = done.stdout.strip("\n")
        error = "\n".join(line for line in done.stderr.strip("\n").splitlines() if set(line.strip()) - set("^~"))[-600:]
        if done.returncode:
            return f"exit code {done.returncode}\n{error}\n{out}".rstrip()
        parts = [out] if out else []
        parts += [f"stderr: {error}"] if error else []
        parts += self.changes(before)
        return "\n".join(parts) if out or error or len(parts) else "exit code 0, no output, no file changed"

    def state(self) -> dict[str, tuple[int, int]]:
        return {str(p.relative_to(self.root)): (p.stat().st_mtime_ns, p.stat().st_size) for p in self.files()}

    def changes(self, before: dict[str, tuple[int, int]]) -> list[str]:
        """What a command did to the files: names, and the first lines of up to three new or changed text files."""
        after = self.state()
        out = []
        gone = sorted(set(before) - set(after))
        changed = sorted(n for n, s in after.items() if before.get(n) != s)
        if gone:
            out.append(f"Files gone: {', '.join(gone[:20])}")
        if changed:
            out.append(f"Files written: {', '.join(changed[:20])}")
        for name in changed[:3]:
            try:
                lines = (self.root / name).read_text().splitlines()
            except UnicodeDecodeError:
                continue
            out.append(f"{name} ({len(lines)} lines) begins:\n" + "\n".join(line[:160] for line in lines[:6]))
        return out

    def grep(self, pattern: str, path: str = ".", regex: bool = False, case_sensitive: bool = False, glob: str | None = None) -> str:
        if not pattern:
            raise Fault("pattern is empty")
        try:
            rule = re.compile(pattern if regex else re.escape(pattern), 0 if case_sensitive else re.I)
        except re.error as error:
            raise Fault(f"pattern is no regular expression: {error}") from error
        counts, lines = {}, []
        for file in self.files(path):
            name = str(file.relative_to(self.root))
            if glob and not (fnmatch.fnmatch(file.name, glob) or fnmatch.fnmatch(name, glob)):
                continue
            try:
                text = file.read_text()
            except UnicodeDecodeError:
                continue
            counts[name] = 0
            for number, line in enumerate(text.splitlines(), 1):
                if rule.search(line):
                    counts[name] += 1
                    lines.append((name, number, line.strip()[:160]))
        if self.grep_shape == "matches":
            return json.dumps({"pattern": pattern, "matches": [{"file": f, "line_number": n, "line": t} for f, n, t in lines[:100]],
                               "files_with_matches": sum(1 for c in counts.values() if c), "total_matches": len(lines),
                               "truncated": len(lines) > 100})
        order = sorted(counts.items(), key=lambda c: (-c[1], c[0]))
        much = f" ({len(lines)} in all, too many to list)" if len(lines) > MATCHES_SHOWN else ""
        out = [f'Lines with "{pattern}" in each of {len(counts)} files, highest first{much}:', *(f"{name}: {count}" for name, count in order)]
        if lines and not much:
            out += ["The lines:", *(f"{f} line {n}: {t}" for f, n, t in lines)]
        return "\n".join(out)

    def finder(self, query: str, file_pattern: str | None = None) -> str:
        return self.grep(query, glob=file_pattern)

    def read(self, path: str) -> str:
        full = self.existing(path)
        if full.is_dir():
            return "\n".join(sorted(p.name + ("/" if p.is_dir() else "") for p in full.iterdir() if not p.name.startswith("."))) or "(empty folder)"
        try:
            return full.read_text() or "(empty file)"
        except UnicodeDecodeError as error:
            raise Fault(f"{path} is not a text file; use bash (sqlite3 for a database)") from error

    def create_file(self, path: str, content: str) -> str:
        full = self.inside(path)
        full.parent.mkdir(parents=True, exist_ok=True)
        self.before[full] = full.read_text() if full.exists() else None
        full.write_text(content)
        return f"wrote {path}, {len(content.splitlines())} lines"

    def edit_file(self, path: str, old_string: str, new_string: str, replace_all: bool = False) -> str:
        full = self.existing(path)
        text = full.read_text()
        found = text.count(old_string) if old_string else 0
        if not found:
            raise Fault(f"old_string is not in {path}. The file is:\n{text[:1500]}")
        if found > 1 and not replace_all:
            raise Fault(f"old_string is {found} times in {path}; take more of the line, or set replace_all")
        self.before[full] = text
        text = text.replace(old_string, new_string)
        full.write_text(text)
        return f"replaced {found} in {path}, which is now:\n" + text[:1500]

    def undo_edit(self, path: str) -> str:
        full = self.inside(path)
        if full not in self.before:
            raise Fault("nothing to undo")
        old = self.before.pop(full)
        full.unlink() if old is None else full.write_text(old)
        return f"{path} is as before"

    def glob(self, pattern: str, path: str = ".") -> str:
        base = self.existing(path)
        found = sorted(str(p.relative_to(self.root)) for p in base.glob(pattern) if p.is_file())
        return "\n".join(found) or "(no file matches)"

    def ask_user(self, question: str, options: list | None = None) -> str:
        return f"asked: {question} {options or ''}"

    def displayConfirmation(self, action: str, details: str) -> str:  # noqa: N802 (the tool's published name)
        return f"approved by the user: {action}"


def fresh(path: pathlib.Path) -> pathlib.Path:
    if path.exists():
        shutil.rmtree(path)
    path.mkdir(parents=True)
    return path
