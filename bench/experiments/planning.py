#!/usr/bin/env python3
"""Experiment 1: what the main job depends on. The ten wordings of eval/tasks/patents.py through the command line.

base          as it ships
no examples   the planner's template without example plans, as a prompt of one's own in the data folder
full profile  the same model file as an endpoint that is not this machine's: the full planner profile, native calls
matches list  another program (--assent): one whose `grep` shows a model the matching lines and no counts

Right means what the task's own check and its ledger say. Usage: planning.py --setting NAME [--assent PROGRAM] [--first N]
"""
from __future__ import annotations

import argparse
import importlib.machinery
import importlib.util
import os
import pathlib
import re
import socket
import subprocess
import tempfile

from client import ROOT, STARTER, Server, save
from steps import task

SETTINGS = ("base", "no examples", "full profile", "matches list")


def suite():
    loader = importlib.machinery.SourceFileLoader("suite", str(ROOT / "eval/run"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("suite", loader))
    loader.exec_module(module)
    return module


def without_examples(home: pathlib.Path) -> None:
    shipped = (ROOT / "src-tauri/engine/prompts/planner_user.md").read_text()
    changed = re.sub(r"\{% if examples %\}.*?\{% endif %\}\n", "", shipped, flags=re.DOTALL)
    assert changed != shipped, "the template has no part with examples any more"
    (home / "prompts").mkdir()
    (home / "prompts/planner_user.md").write_text(changed)


def own_address() -> str:
    """An address of this machine that is not the loopback. Nothing is sent."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.connect(("198.51.100.1", 9))
        return probe.getsockname()[0]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--setting", choices=SETTINGS, required=True)
    parser.add_argument("--assent", default=str(pathlib.Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")) / "release/assent"))
    parser.add_argument("--first", type=int, default=10)
    arguments = parser.parse_args()
    run, patents = suite(), task("patents")
    server, model = None, None
    with tempfile.TemporaryDirectory() as home:
        if arguments.setting == "no examples":
            without_examples(pathlib.Path(home))
        elif arguments.setting == "full profile":
            server = Server(slots=4, context=4 * 8192, host=own_address(), extra=("--jinja",))
            environment = dict(os.environ, ASSENT_HOME=home)
            subprocess.run([arguments.assent, "model", "add", "full", "--url", f"{server.url}/v1", "--context", "8192"], check=True, env=environment, stdout=subprocess.DEVNULL)
            model = f"full/{STARTER}"
        try:
            rows = []
            for number, message in enumerate(patents.MESSAGES[: arguments.first], 1):
                rows.append({"wording": number, **run.attempt(arguments.assent, model, patents, message, home, False)})
                print(arguments.setting, rows[-1], flush=True)
        finally:
            if server:
                server.__exit__()
    right = sum(row["right"] for row in rows)
    print(f"== {arguments.setting}: {right} of {len(rows)}", flush=True)
    if rows:
        save(f"planning-{arguments.setting.replace(' ', '-')}", {"setting": arguments.setting, "right": right, "of": len(rows), "runs": rows})


if __name__ == "__main__":
    main()
