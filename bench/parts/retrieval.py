"""How well and how fast tools are found in public catalogues."""
import json
import os
import pathlib

from .figure import Figure, NotMeasured, said

# Least recall at 5 and at 10: well above the best of the baselines that bench/retrieval/FINDINGS.md compares.
LIMITS = {"bfcl": (0.88, 0.93), "seal": (0.88, 0.94)}


def retrieval():
    """Recall on the catalogues in the folder that ASSENT_RETRIEVAL names, and times with 10,000 tools."""
    if "ASSENT_RETRIEVAL" not in os.environ:
        raise NotMeasured("ASSENT_RETRIEVAL does not name the folder with the catalogues bfcl and seal")
    folder = pathlib.Path(os.environ["ASSENT_RETRIEVAL"])
    program = ["cargo", "run", "--quiet", "--release", "-p", "assent-core", "--example", "bench-retrieval", "--"]
    measured = json.loads(said([*program, *(folder / name for name in LIMITS)]))
    figures = []
    for name, (at5, at10) in LIMITS.items():
        found, times = measured[name]["found"], measured[name]["times"]
        figures += [
            Figure(f"{name}: recall@5", found["all"]["recall@5"], least=at5),
            Figure(f"{name}: recall@10", found["all"]["recall@10"], least=at10),
            Figure(f"{name}: first right tool (MRR)", found["all"]["mrr"]),
            Figure(f"{name}: recall@5 where several are right", found["several"]["recall@5"]),
            Figure(f"{name}: search in 10,000 tools, p50", times["p50Ms"], "ms"),
            Figure(f"{name}: search in 10,000 tools, p99", times["p99Ms"], "ms", most=2),
            Figure(f"{name}: search in 10,000 tools, p99 of all three runs", times["p99OfAllMs"], "ms", most=2),
            Figure(f"{name}: index of 10,000 tools", times["indexMs"], "ms", most=1000),
            Figure(f"{name}: one tool more, p99", times["oneMoreMs"], "ms", most=1),
        ]
    return figures
