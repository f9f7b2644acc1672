"""The registry of specialists with 10,000 tools."""
import json

from .figure import Figure, said


def heap():
    """What building it, looking into it and bringing a route to leaves takes, without a model."""
    program = ["cargo", "run", "--quiet", "--release", "-p", "assent-core", "--example", "bench-heap"]
    measured = json.loads(said(program))
    tools = f"{measured['tools']:,} tools"
    return [
        Figure(f"heap of {tools}: built", measured["buildMs"], "ms", most=50),
        Figure(f"heap of {tools}: options of all top-level nodes", measured["optionsMs"], "ms", most=1),
        Figure(f"heap of {tools}: search from the top", measured["searchMs"], "ms", most=1),
        Figure(f"heap of {tools}: route of ten delegators", measured["expansionMs"], "ms", most=1),
        Figure(f"heap of {tools}: ten steps by their tools", measured["expansionByToolsMs"], "ms", most=1),
        Figure(f"heap of {tools}: what a plan's check is told", measured["knownMs"], "ms"),
    ]
