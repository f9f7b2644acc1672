"""The page in a browser, on the scripted engine: long sessions, large plans, a stream of tokens."""
import json

from .figure import Figure, said


def page():
    measured = json.loads(said(["node", "bench/page.mjs"]))
    paint, scroll = measured["firstPaintMs"], measured["scrollStepMs"]
    layout, edit, stream = measured["planLayoutMs"], measured["planEditMs"], measured["streamOfACore"]
    return [
        Figure("10,000 messages: first paint after the data", paint["median"], "ms", most=100),
        Figure("10,000 messages: the slowest first paint", paint["p95"], "ms"),
        Figure("10,000 messages: nodes in the document, at most", measured["nodes"], "nodes", most=2000),
        Figure("10,000 messages: script and layout of a scroll step, p95", scroll["p95"], "ms", most=8),
        Figure("plan of 500 steps: laid out after the data", layout["median"], "ms", most=150),
        Figure("plan of 500 steps: the slowest layout", layout["p95"], "ms"),
        Figure("plan of 500 steps: an edit answered, median", edit["median"], "ms"),
        Figure("plan of 500 steps: an edit answered, p95", edit["p95"], "ms", most=50),
        Figure("200 tokens a second: CPU of the page's process", stream["process"] * 100, "% core", most=20),
        Figure("200 tokens a second: the page's main thread", stream["mainThread"] * 100, "% core"),
    ]
