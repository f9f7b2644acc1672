"""Turns, steps, the store, whole processes, the embedded model."""
import json
import os
import pathlib
import shutil
import statistics
import subprocess
import tempfile
import time

from .figure import TARGET, Figure, NotMeasured, said

# As `bench/store.rs` writes them.
EVENTS_A_STEP = 5


def example(name, *arguments):
    """A benchmark program of this folder, in release mode."""
    cargo = ["cargo", "run", "--quiet", "--release", "-p", "assent-tests", "--example", name, "--", *arguments]
    return json.loads(said(cargo))


def steps():
    """A turn of one step, and a step of a plan of 1,000, with a model that answers at once."""
    runs = [example("bench-steps") for _ in range(5)]
    turn, step = ({name: statistics.median(run[part][name] for run in runs) for name in runs[0][part]}
                  for part in ("oneStepTurn", "thousandSteps"))
    return [
        Figure("one-step turn: CPU", turn["cpuMs"], "ms", most=20),
        Figure("one-step turn: time", turn["wallMs"], "ms"),
        Figure("step of a plan of 1,000: CPU", step["cpuMsPerStep"], "ms", most=0.2),
        Figure("step of a plan of 1,000: time", step["wallMsPerStep"], "ms"),
        Figure("step of a plan of 1,000: database", step["databaseBytesPerStep"], "bytes", most=1000),
    ]


def plan():
    """Steps beside each other, and what is forced to the disk."""
    waits = [example("bench-plan", "parallel")["wallMs"] / 1000 for _ in range(3)]
    return [Figure("8 independent steps of one second", statistics.median(waits), "s", most=1.1), *barriers(), *written()]


def written():
    """What an event of a run costs to be safe from the death of the process, where half of the steps have effects: each
    commit is made when the executor wants it, alone or shared as it comes. That is the CPU of the one thread that writes;
    the whole program's is told beside it."""
    several = [example("bench-plan", "events") for _ in range(3)]
    each = {name: statistics.median(one[name] for one in several) for name in several[0]}
    return [
        Figure(f"event of a run of {each['steps']} steps, half with effects: CPU of the writer", each["writerMsAnEvent"], "ms",
               most=0.05),
        Figure("the same: CPU of the whole program", each["programMsAnEvent"], "ms"),
        Figure("the same: events a step", each["events"] / each["steps"]),
    ]


def barriers():
    """How often the database is forced to the disk while a plan is carried out, as the system sees it."""
    if shutil.which("strace") is None:
        raise NotMeasured("strace is not installed, which counts the barriers")
    said(["cargo", "build", "--quiet", "--release", "-p", "assent-tests", "--example", "bench-plan"])
    with tempfile.TemporaryDirectory() as folder:
        trace = pathlib.Path(folder) / "trace"
        traced = ["strace", "-f", "-y", "-o", trace, "-e", "trace=fsync,fdatasync,write", "-e", "signal=none"]
        measured = json.loads(said([*traced, TARGET / "release/examples/bench-plan", "barriers"]))
        lines = trace.read_text(errors="replace").splitlines()
    begin, end = (next(at for at, line in enumerate(lines) if f'"{mark}' in line) for mark in ("begin", "end"))
    forced = [line for line in lines[begin:end] if "assent.db" in line and ("fsync(" in line or "fdatasync(" in line)]
    asked = measured["askedFor"]
    return [
        Figure(f"barriers of {measured['effects']} effects, an approval, {measured['answers']} answers", len(forced),
               most=asked, is_count=True),
        Figure("the same, none left out", len(forced), least=asked, is_count=True),
    ]


def store():
    """The store alone: steps, lists, a synced commit."""
    several = [example("bench-store") for _ in range(3)]
    measured = several[-1]
    event = statistics.median(one["shared"]["cpuMicrosAStep"] / EVENTS_A_STEP / 1000 for one in several)
    each = [("shared commits", "shared"), ("one commit a step", "stepAwaited"), ("one commit an event", "eventAwaited")]
    figures = [Figure(f"step, {words}: CPU", measured[name]["cpuMicrosAStep"] / 1000, "ms") for words, name in each]
    return figures + [
        Figure("event in shared commits, written as fast as it goes: CPU", event, "ms", most=0.05),
        Figure("step with its search index", measured["shared"]["bytesAStepWithSearch"], "bytes"),
        Figure("search in 50,000 events", measured["shared"]["searchMs"], "ms"),
        Figure("10,000 sessions listed", measured["sessions"]["list10000Ms"], "ms"),
        Figure("a commit that a power loss leaves", measured["syncedCommitMs"], "ms"),
    ]


def timed(command, environment, runs=30):
    """Milliseconds of a whole process: median of some runs after a warm-up."""
    spent = []
    for run in range(runs + 1):
        began = time.perf_counter()
        subprocess.run(command, env=environment, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        if run:
            spent.append((time.perf_counter() - began) * 1000)
    return statistics.median(spent)


def processes():
    """The command line as whole processes."""
    said(["cargo", "build", "--quiet", "--release", "-p", "assent-cli"])
    assent = str(TARGET / "release/assent")
    with tempfile.TemporaryDirectory() as home:
        environment = dict(os.environ, ASSENT_HOME=home)
        fill = ["cargo", "run", "--quiet", "--release", "-p", "assent-tests", "--example", "bench-store", "--"]
        said([*fill, "--fill", home, "10000"])
        listed = subprocess.run([assent, "sessions", "--all", "--json"], env=environment, capture_output=True, text=True)
        assert len(listed.stdout.splitlines()) == 10_000, f"{len(listed.stdout.splitlines())} sessions are listed"
        return [
            Figure("assent --version", timed([assent, "--version"], environment), "ms", most=10),
            Figure("assent sessions, of 10,000", timed([assent, "sessions"], environment), "ms", most=50),
            Figure("assent sessions --all, of 10,000", timed([assent, "sessions", "--all"], environment), "ms", most=50),
        ]


def model():
    """Decoding through Assent against `llama-bench`, and what grammars cost."""
    measured = example("bench-model", "decode")
    grammars = measured["grammarAgainstFree"]
    return [
        Figure("llama-bench", measured["llamaBenchTokensPerSecond"], "tokens/s"),
        Figure("through Assent", measured["tokensPerSecond"], "tokens/s"),
        Figure(f"ratio, {measured['threads']} threads, depth {measured['depth']}", measured["ratio"], "", least=0.95),
        Figure("the lowest of its rounds", measured["lowestRatio"]),
        Figure("the highest of its rounds", measured["highestRatio"]),
        *(Figure(f"held by a grammar ({name}) against free", share) for name, share in grammars.items()),
    ]


def prefix():
    """Tokens read anew when the planner and two specialists take turns."""
    measured = example("bench-model", "prefix")
    return [
        Figure("calls of the planner and of two specialists", measured["calls"]),
        Figure("tokens that had to be read", measured["hadToBeRead"]),
        Figure("tokens read", measured["tokensRead"]),
        Figure("most beyond that in one call", measured["mostBeyondInOneCall"], "tokens", most=measured["allowed"]),
    ]


