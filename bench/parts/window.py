"""The window against an empty one that is built the same way: cold start to interactive, idle memory. Then how soon an
edit of a large plan is answered in it: by the page and, through the bridge, by the engine on its file."""
import json
import math
import statistics
import time

from .figure import ROOT, TARGET, Figure, NotMeasured, said
from .screen import Screen

ROUNDS = 15
SESSIONS = 200
# Both pages set this mark once they take what a person does: Assent's when everything that its first view needs was
# read from the engine, the empty one's when its script ran. What was drawn by then is on the screen a frame later.
READY = """const [mark] = performance.getEntriesByName('ready');
    return mark ? performance.timeOrigin + mark.startTime : null"""
IDLE_SECONDS = 3
STEPS = 500
EDITS = 40
PAUSE_SECONDS = 0.5
IMPORT = """const [workspace, text, done] = arguments;
    window.__TAURI_INTERNALS__.invoke('plan_import', { workspace, text }).then(() => done(null), (why) => done(JSON.stringify(why)))"""
OPEN = """const first = (testid) => document.querySelector(`[data-testid=${testid}]`);
    if (!first('step')) first('session')?.click();
    if (!first('step') || !first('node')) return null;
    if (!first('edit-description')) document.querySelectorAll('[data-testid=step]')[4].click();
    return first('edit-description') !== null"""
# From the key to the node of the graph that says the change, and to the frame in which it is drawn.
EDIT = """const [words, done] = arguments;
    const area = document.querySelector('[data-testid=edit-description]');
    const says = (node) => node.getAttribute?.('aria-label')?.includes(words);
    area.focus();
    area.value = words;
    area.dispatchEvent(new InputEvent('input', { bubbles: true }));
    // A person presses the key once the last letter is drawn.
    setTimeout(() => {
      const began = performance.now();
      new MutationObserver((changes, observer) => {
        if (!changes.some(({ target }) => says(target))) return;
        observer.disconnect();
        const answered = performance.now() - began;
        requestAnimationFrame(() => {
          const { port1, port2 } = new MessageChannel();
          port1.onmessage = () => done([answered, performance.now() - began]);
          port2.postMessage(null);
        });
      }).observe(document.body, { subtree: true, attributes: true, attributeFilter: ['aria-label'] });
      area.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true, cancelable: true }));
    }, 100)"""


def build():
    """Both programs, with the page that ships."""
    said(["npm", "--prefix", "ui", "run", "--silent", "build", "--", "--logLevel", "warn"])
    said(["cargo", "build", "--quiet", "--release", "-p", "assent-desktop", "--bin", "assent-desktop"])
    said(["cargo", "build", "--quiet", "--release", "-p", "assent-desktop", "--features", "bench", "--bin", "empty-window"])
    return {"assent": TARGET / "release/assent-desktop", "empty": TARGET / "release/empty-window"}


def window():
    programs = build()
    memory = {name: [] for name in programs}

    def at_rest(name, number, opened):
        if 0 < number <= 3:
            time.sleep(IDLE_SECONDS)
            memory[name].append(opened.resident())

    with Screen() as screen:
        first = starts(screen, programs, at_rest)
        answered, drawn = zip(*editing(screen, programs["assent"]), strict=True)
        fill(screen, programs["assent"])
        later = starts(screen, programs)
    ours, empty = (statistics.median(first[name]) for name in ("assent", "empty"))
    full, beside = (statistics.median(later[name]) for name in ("assent", "empty"))
    held, bare = (statistics.median(memory[name]) / 1e6 for name in ("assent", "empty"))
    return [
        Figure("start to interactive, an empty window", empty, "ms"),
        Figure("start to interactive, Assent", ours, "ms"),
        Figure("start to interactive, ratio", ours / empty, most=1.3),
        Figure(f"start to interactive with {SESSIONS} sessions, Assent", full, "ms"),
        Figure(f"start to interactive with {SESSIONS} sessions, ratio", full / beside, most=1.3),
        Figure("idle memory of the process, an empty window", bare, "MB"),
        Figure("idle memory of the process, Assent", held, "MB"),
        Figure("idle memory of the process beyond the empty one's", held - bare, "MB", most=30),
        Figure("plan of 500 steps in the window: an edit answered, median", statistics.median(answered), "ms", most=50),
        Figure("plan of 500 steps in the window: an edit answered, p95", share(answered, 0.95), "ms"),
        # A virtual screen is drawn by the processor; the frames of one that a person looks at are not.
        Figure("plan of 500 steps in the window: an edit drawn, median", statistics.median(drawn), "ms"),
    ]


def starts(screen, programs, then=lambda *_: None):
    """Milliseconds from the start of each program to its mark, in turns. `then` has the window of each round, too."""
    took = {name: [] for name in programs}
    # The first round fills the file cache and lays out the data folder, for both; it does not count.
    for number in range(ROUNDS + 1):
        # Neither always comes after the other.
        for name, program in sorted(programs.items(), reverse=number % 2 == 0):
            with screen.window(f'"{ROOT / program}"') as opened:
                ready = opened.wait_for(READY)
                if number > 0:
                    took[name].append(ready - opened.began)
                then(name, number, opened)
    return took


def share(values, part):
    """The smallest value that so large a part of them does not exceed."""
    return sorted(values)[max(0, math.ceil(len(values) * part) - 1)]


def fill(screen, program):
    """Sessions as somebody has them who uses the program every day, each with a plan that waits."""
    workspace = screen.home / "notes"
    workspace.mkdir()
    with screen.window(f'"{ROOT / program}"') as opened:
        opened.wait_for(READY)
        for number in range(SESSIONS):
            step = {"id": "s1", "description": f"Read note {number + 1} and say what it is about"}
            plan = {"format": "assent.plan/1", "id": "p", "version": 1, "sessionId": "s", "title": f"Note {number + 1}"}
            refused = opened.evaluate_later(IMPORT, str(workspace), json.dumps(plan | {"steps": [step]}))
            if refused:
                raise NotMeasured(f"the plan was refused: {refused[:300]}")


def editing(screen, program):
    """Milliseconds from the key to what it changed and to its frame, of edits of a large plan that came from a file."""
    workspace = screen.home / "archive"
    workspace.mkdir()
    steps = [{
        "id": f"s{at + 1}", "description": f"Look at part {at + 1} of the archive and note what is there",
        "dependencies": [f"s{before}" for before in ([] if at < 5 else [at - 4] + [at - 3] * (at % 7 == 0))],
    } for at in range(STEPS)]
    document = {"format": "assent.plan/1", "id": "p", "version": 1, "sessionId": "s", "title": "Look through it", "steps": steps}
    with screen.window(f'"{ROOT / program}"') as opened:
        opened.wait_for(READY)
        refused = opened.evaluate_later(IMPORT, str(workspace), json.dumps(document))
        if refused:
            raise NotMeasured(f"the plan was refused: {refused[:300]}")
        opened.wait_for(OPEN)
        # The first edits find what is compiled as it is used; a person makes them, too.
        times = []
        for edit in range(EDITS):
            times.append(opened.evaluate_later(EDIT, f"Look at part number {edit} only"))
            # A person reads what came of it; by then it is kept, too.
            time.sleep(PAUSE_SECONDS)
        return times
