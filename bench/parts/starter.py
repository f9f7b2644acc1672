"""Tool steps of real tasks on the starter model: held by grammars, as it ships, against free."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

from .figure import ROOT, Figure, NotMeasured, said

SCRIPT = ROOT / "bench/experiments/steps.py"
TOLD = {"rightTool": "right tool at once, with success", "grounded": "arguments grounded", "passed": "checker passed"}


def starter():
    """Fifty steps in both settings; with ASSENT_STEPS the first so many of them."""
    said(["cargo", "build", "--quiet", "--release", "-p", "assent-cli"])
    with tempfile.TemporaryDirectory() as scratch:
        file = pathlib.Path(scratch) / "steps.json"
        count = os.environ.get("ASSENT_STEPS", "50")
        ended = subprocess.run([sys.executable, SCRIPT, "--first", count, "--to", file], cwd=SCRIPT.parent)
        if ended.returncode != 0:
            raise NotMeasured("the steps were not carried out")
        measured = json.loads(file.read_text())
    of = measured["of"]
    return [
        Figure(f"{of} tool steps {how}: {told}", measured[setting][key] / of)
        for setting, how in (("held", "held by grammars"), ("free", "free"))
        for key, told in TOLD.items()
    ]
