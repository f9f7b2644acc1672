"""Tools in a budget: what requests carry with more and more tools connected, and what remembering a call costs."""
from .engine import example
from .figure import Figure

BUDGET = 3800


def tools():
    """Tokens of all that the largest request of a step, and that of a planner, tell of tools, and the memory on the path
    of a call."""
    measured = example("bench-tools")
    tokens = measured["tokensWithToolsConnected"]
    whole = measured["largestRequestWithToolsConnected"]
    planned = measured["planningTokensWithToolsConnected"]
    most, least = max(tokens.values()), min(tokens.values())
    remember = measured["rememberMicros"]
    return [
        *(Figure(f"tool tokens in a request, {int(many):,} tools connected", count, "tokens", most=BUDGET)
          for many, count in tokens.items()),
        Figure("the most of them against the least", most / least, most=1.1),
        Figure("the largest request of a turn, 10,000 tools connected", whole["10000"], "tokens"),
        Figure("the same against that with 50", whole["10000"] / whole["50"], most=1.1),
        *(Figure(f"tool tokens in a planner's request, {int(many):,} tools connected", count, "tokens", most=BUDGET)
          for many, count in planned.items()),
        # With ten there is less than a planner has room for.
        Figure("the same with 10,000 against that with 50", planned["10000"] / planned["50"], most=1.1),
        *(Figure(f"remembering a call, the store {how}", micros / 1000, "ms", most=0.05)
          for how, micros in remember.items()),
    ]
