"""The sets of requests and tools, and how a ranking is scored."""
import json
import os
import pathlib

DATA = pathlib.Path(os.environ.get("ASSENT_RETRIEVAL", "retrieval"))


def lines(path):
    with open(path) as file:
        return [json.loads(line) for line in file]


def loaded(name):
    """Tools and requests {id, query, gold, subset} of one set."""
    if name == "nestful":
        folder = DATA.parent / "planning"
        plans = lines(folder / "plans.jsonl")
        queries = [{"id": plan["id"], "query": plan["request"], "subset": plan["source"],
                    "gold": sorted({step["tool"] for step in plan["gold_steps"]})} for plan in plans]
        return lines(folder / "tools.jsonl"), queries
    if name == "mcp":
        tools = []
        for path in sorted((DATA.parent / "mcp-tools").glob("*.json")):
            server = path.stem.split("server-")[-1]
            found = json.loads(path.read_text())
            found = found if isinstance(found, list) else found["tools"]
            tools += [{"name": f"mcp.{server}.{tool['name']}", "description": tool.get("description", ""),
                       "parameters": tool.get("inputSchema", {})} for tool in found]
        return tools, lines(pathlib.Path(__file__).parent / "mcp-requests.jsonl")
    return lines(DATA / name / "tools.jsonl"), lines(DATA / name / "queries.jsonl")


def scores(ranked, gold):
    """recall at 1, 5, 10 and the reciprocal rank of the first gold name."""
    gold = set(gold)
    recall = [len(gold & set(ranked[:k])) / len(gold) for k in (1, 5, 10)]
    first = next((1 / (at + 1) for at, name in enumerate(ranked) if name in gold), 0.0)
    return (*recall, first)


def mean(rows):
    rows = list(rows)
    return [sum(column) / max(1, len(rows)) for column in zip(*rows)]
