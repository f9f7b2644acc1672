"""The window against an empty one that is built the same way: cold start to interactive, idle memory."""
import statistics
import time

from .figure import ROOT, TARGET, Figure, said
from .screen import Screen

ROUNDS = 7
# Both pages set this mark once they take what a person does: Assent's when everything that its first view needs was
# read from the engine, the empty one's when its script ran. What was drawn by then is on the screen a frame later.
READY = """const [mark] = performance.getEntriesByName('ready');
    return mark ? performance.timeOrigin + mark.startTime : null"""
IDLE_SECONDS = 3


def build():
    """Both programs, with the page that ships."""
    said(["npm", "--prefix", "ui", "run", "--silent", "build", "--", "--logLevel", "warn"])
    said(["cargo", "build", "--quiet", "--release", "-p", "assent-desktop", "--bin", "assent-desktop"])
    said(["cargo", "build", "--quiet", "--release", "-p", "assent-desktop", "--features", "bench", "--bin", "empty-window"])
    return {"assent": TARGET / "release/assent-desktop", "empty": TARGET / "release/empty-window"}


def window():
    programs = build()
    start = {name: [] for name in programs}
    memory = {name: [] for name in programs}
    with Screen() as screen:
        # The first round fills the file cache and lays out the data folder, for both; it does not count.
        for number in range(ROUNDS + 1):
            for name, program in programs.items():
                with screen.window(f'"{ROOT / program}"') as opened:
                    ready = opened.wait_for(READY)
                    if number == 0:
                        continue
                    start[name].append(ready - opened.began)
                    if number <= 3:
                        time.sleep(IDLE_SECONDS)
                        memory[name].append(opened.resident())
    ours, empty = (statistics.median(start[name]) for name in ("assent", "empty"))
    held, bare = (statistics.median(memory[name]) / 1e6 for name in ("assent", "empty"))
    return [
        Figure("start to interactive, an empty window", empty, "ms"),
        Figure("start to interactive, Assent", ours, "ms"),
        Figure("start to interactive, ratio", ours / empty, most=1.3),
        Figure("idle memory of the process, an empty window", bare, "MB"),
        Figure("idle memory of the process, Assent", held, "MB"),
        Figure("idle memory of the process beyond the empty one's", held - bare, "MB", most=30),
    ]
