"""How well and how fast tools are found in public catalogues."""
import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys

from .figure import ROOT, TARGET, Figure, NotMeasured, said

# Least recall at 5 and at 10: well above the best of the baselines that bench/retrieval/FINDINGS.md compares.
LIMITS = {"bfcl": (0.88, 0.93), "seal": (0.88, 0.94)}
# Pieces that count, as in the program: of requests, of tools.
REQUEST_PIECES, TOOL_PIECES = 32, 64
WORDS = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+|[^\W\d_A-Za-z]+")


def cargo(package, example):
    return ["cargo", "run", "--quiet", "--release", "-p", package, "--example", example, "--"]


def encoder():
    """The file by which texts are compared, where it is there."""
    home = pathlib.Path.home()
    own = home / "Library/Application Support"
    if sys.platform != "darwin":
        own = pathlib.Path(os.environ.get("XDG_DATA_HOME") or home / ".local/share")
    file = pathlib.Path(os.environ.get("ASSENT_MODELS") or own / "assent/models") / "all-MiniLM-L6-v2.bin"
    return file if file.is_file() else None


def embedded(file, texts, pieces, to):
    """Has the vectors of texts in a file, which is made once for the same texts; 10,000 take minutes."""
    told = "".join(json.dumps(text) + "\n" for text in texts).encode()
    stamp = to.with_suffix(".stamp")
    wanted = f"{pieces} {hashlib.sha256(told).hexdigest()} {file.stat().st_size}"
    if to.exists() and stamp.exists() and stamp.read_text() == wanted:
        return
    to.parent.mkdir(parents=True, exist_ok=True)
    with to.open("wb") as out:
        subprocess.run([*cargo("assent-meaning", "bench-meaning"), "--embed", file, str(pieces)], input=told, stdout=out,
                       cwd=ROOT, check=True)
    stamp.write_text(wanted)


def vectors(file, folder):
    """The folder with the vectors of all tools and requests."""
    to = TARGET / "meaning"
    for name in LIMITS:
        tools, queries = ([json.loads(line) for line in (folder / name / one).read_text().splitlines()]
                          for one in ("tools.jsonl", "queries.jsonl"))
        text = lambda tool: " ".join(WORDS.findall(tool["name"])) + ". " + tool["description"]
        embedded(file, [text(tool) for tool in tools], TOOL_PIECES, to / name / "tools")
        embedded(file, [query["query"] for query in queries], REQUEST_PIECES, to / name / "queries")
    return to


def retrieval():
    """Recall on the catalogues in the folder that ASSENT_RETRIEVAL names, and times with 10,000 tools; by words, and by
    meaning as well where the encoder's file is there (`scripts/fetch-model meaning`)."""
    if "ASSENT_RETRIEVAL" not in os.environ:
        raise NotMeasured("ASSENT_RETRIEVAL does not name the folder with the catalogues bfcl and seal")
    folder = pathlib.Path(os.environ["ASSENT_RETRIEVAL"])
    file = encoder()
    figures = searches(folder, [], "", most=2)
    if file is None:
        return figures
    golden = ROOT / "bench/retrieval/vectors.json"
    near = json.loads(said([*cargo("assent-meaning", "bench-meaning"), file, golden]))
    return [
        *figures,
        Figure("vectors against the published weights, least cosine", near["leastCosine"], least=0.999),
        Figure("the encoder's file opened", near["openMs"], "ms"),
        Figure(f"a request of {REQUEST_PIECES} pieces embedded", near["millisByPieces"][str(REQUEST_PIECES)], "ms"),
        *searches(folder, [f"--meaning={vectors(file, folder)}", f"--encoder={file}"], " by meaning", most=25),
    ]


def searches(folder, options, how, most):
    """The figures of all searches; those by meaning with the time for the request's own vector."""
    program = cargo("assent-core", "bench-retrieval")
    measured = json.loads(said([*program, *options, *(folder / name for name in LIMITS)]))
    figures = []
    for name, (at5, at10) in LIMITS.items():
        found, times = measured[name]["found"], measured[name]["times"]
        figures += [
            Figure(f"{name}{how}: recall@5", found["all"]["recall@5"], least=at5),
            Figure(f"{name}{how}: recall@10", found["all"]["recall@10"], least=at10),
            Figure(f"{name}{how}: first right tool (MRR)", found["all"]["mrr"]),
            Figure(f"{name}{how}: recall@5 where several are right", found["several"]["recall@5"]),
            Figure(f"{name}{how}: search in 10,000 tools, p50", times["p50Ms"], "ms"),
            Figure(f"{name}{how}: search in 10,000 tools, p99", times["p99Ms"], "ms", most=most),
            Figure(f"{name}{how}: search in 10,000 tools, p99 of all three runs", times["p99OfAllMs"], "ms", most=most),
        ]
        if not options:
            figures += [
                Figure(f"{name}: index of 10,000 tools", times["indexMs"], "ms", most=1000),
                Figure(f"{name}: one tool more, p99", times["oneMoreMs"], "ms", most=1),
            ]
    return figures
