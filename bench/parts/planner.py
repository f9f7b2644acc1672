"""The planner: how often a turn asks the model, how many replies of real models are read, and plans beside known ones."""
import json
import os
import pathlib
import sys

from .engine import example
from .figure import ROOT, TARGET, Figure, NotMeasured, said
from .recovery import line

# Requests that each way of planning is given; drawn by a seed.
REQUESTS = os.environ.get("ASSENT_PLANNING_REQUESTS", "60")
# Plans in the corpus, and texts made from them by the seeded mangler.
OUTPUTS, MANGLED = 150, 500
WHOLE_READ = 0.95
REPLIES_READ = 0.99


def calls():
    """Model calls of a turn, on the scripted scenarios of the seeds, whatever the model."""
    return [
        Figure(f"calls, {one['profile']} model: {one['scenario']}", one["calls"], most=one["most"], is_count=True)
        for one in example("bench-calls")["scenarios"]
    ]


def parsing():
    """What is read of real outputs of three models, and of the same mangled. That each text ends in a plan, an answer or
    faults that name their place is asserted by the test for each, which fails otherwise."""
    figures = []
    for name, least in (("outputs", OUTPUTS), ("mangled", MANGLED)):
        test = {"outputs": "real_outputs", "mangled": "mangled_outputs"}[name]
        told = line(["cargo", "test", "--quiet", "-p", "assent-tests", "--test", "corpus", test, "--", "--nocapture"],
                    ("texts", "faults alone", "whole", "read", "plans", "plans read"))
        figures += [
            Figure(f"{name}: end in a plan, an answer or placed faults", told["texts"], least=least, is_count=True),
            Figure(f"{name}: share that is faults alone", told["faults alone"] / told["texts"]),
            Figure(f"{name}: share with a whole plan or answer", told["whole"] / told["texts"]),
            Figure(f"{name}: of these, read as they stand", told["read"] / told["whole"], least=WHOLE_READ, is_count=True),
            Figure(f"{name}: of whole plans, read as they stand", told["plans read"] / told["plans"], least=WHOLE_READ,
                   is_count=True),
        ]
    return figures


def replies():
    """Recorded replies of models of many makers, read as calls: of each, the share that is read as the calls that are known
    to stand in it."""
    if "ASSENT_REPLIES" not in os.environ:
        raise NotMeasured("ASSENT_REPLIES does not name the file that bench/replies/known.py has made")
    models = example("bench-replies", os.environ["ASSENT_REPLIES"])["models"]
    total = lambda name: sum(model[name] for model in models.values())
    worst = min(models, key=lambda name: models[name]["alike"] / models[name]["replies"])
    return [
        Figure("replies: models", len(models)),
        Figure("replies: with known calls", total("replies")),
        Figure("replies: share read as these", total("alike") / total("replies"), least=REPLIES_READ),
        Figure("replies: share read as other calls", total("otherwise") / total("replies")),
        Figure(f"replies: share of the model that is read worst ({worst})",
               models[worst]["alike"] / models[worst]["replies"]),
    ]


def planning():
    """Plans of the starter model for requests whose right steps are known, in the folder that ASSENT_PLANNING names, beside
    the same model asked in one plain call with all tools in its prompt. Takes about an hour."""
    if "ASSENT_PLANNING" not in os.environ:
        raise NotMeasured("ASSENT_PLANNING does not name the folder with tools.jsonl and plans.jsonl")
    folder = pathlib.Path(os.environ["ASSENT_PLANNING"])
    missing = [name for name in ("tools.jsonl", "plans.jsonl") if not (folder / name).is_file()]
    if missing:
        raise NotMeasured(f"{folder} has no {missing[0]}")
    said(["cargo", "build", "--quiet", "--release", "-p", "assent-cli"])
    ours, plain = (compared(way, folder) for way in ("ours", "plain"))
    return [
        Figure("planning: requests", ours["requests"]),
        Figure("planning: F1 of tools", ours["toolF1"]),
        Figure("planning: F1 of tools, one plain call", plain["toolF1"]),
        Figure("planning: the one against the other", ours["toolF1"] / max(plain["toolF1"], 1e-9), least=1.5),
        Figure("planning: F1 of dependencies", ours["dependencyF1"]),
        Figure("planning: F1 of dependencies, one plain call", plain["dependencyF1"]),
        Figure("planning: right tools among the twelve that are shown", ours["foundAmongTwelve"]),
    ]


def compared(way, folder):
    """The figures of one way of planning, which are kept with its prompts' history too."""
    program = [sys.executable, ROOT / "bench/planning/measure.py", "--way", way, "--data", folder, "--first", REQUESTS,
               "--assent", TARGET / "release/assent"]
    return json.loads(said(program).strip().splitlines()[-1])
