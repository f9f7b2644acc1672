"""What is lost when processes are killed, and what a state machine says to events in any order: each is a test that fails
where something is not as it has to be, so that a figure here says how much was tried."""
import os
import re

from .figure import Figure, NotMeasured, said

# As many as a run of this part is to kill; a figure below it is no failure of the test, but of this part.
KILLS = 500
# Lawful events of each of the two state machines.
LAWFUL = 1_000_000


def recovery():
    """Kills, and lawful events in random order."""
    kills = os.environ.get("ASSENT_KILLS", str(KILLS))
    told = line(["cargo", "test", "--quiet", "-p", "assent-tests", "--test", "recovery", "--", "--nocapture"],
                ("kills", "runs", "events", "asked", "repeated", "handed on", "permits", "caps", "stopped",
                 "refused", "agents", "retried", "left"), ASSENT_KILLS=kills)
    figures = [
        Figure("processes killed by SIGKILL, nothing lost or done twice", told["kills"], least=float(kills), is_count=True),
        Figure("runs that they carried out", told["runs"]),
        Figure("steps that specialists handed on in them", told["handed on"]),
        Figure("events told before a kill, all found again", told["events"]),
        Figure("calls of unknown outcome asked about", told["asked"]),
        Figure("calls that a person allowed, with other arguments", told["permits"]),
        Figure("limits at which a person let a step go on", told["caps"]),
        Figure("runs that a person stopped meanwhile", told["stopped"]),
        Figure("runs in which a person refused something", told["refused"]),
        Figure("agents called in them", told["agents"]),
        Figure("runs of which a person wanted a step done once more", told["retried"]),
        Figure("runs in which a person left calls of unknown outcome out", told["left"]),
        Figure("calls asked for again in spite of a person's word, none of them made", told["repeated"]),
    ]
    machines = (("runs", "a_million_lawful_events_in_random_order"),
                ("turns and versions", "a_million_lawful_events_of_turns_and_versions"))
    for name, test in machines:
        tried = line(["cargo", "test", "--quiet", "--release", "-p", "assent-core", "--lib", test, "--", "--ignored",
                      "--nocapture"], ("lawful", "tried", "histories"))
        figures += [
            Figure(f"{name}: lawful events in random order", tried["lawful"], least=LAWFUL, is_count=True),
            Figure(f"{name}: events tried for them", tried["tried"]),
            Figure(f"{name}: histories", tried["histories"]),
        ]
    return figures


def line(command, words, **environment):
    """The numbers before words in the line that a test tells at its end."""
    pattern = re.compile(", ".join(rf"(\d+) {word}" for word in words))
    found = pattern.search(said(["bash", "-c", '"$@" 2>&1', "bash", *command], env={**os.environ, **environment}))
    if found is None:
        raise NotMeasured(f"{' '.join(command)} told no figures")
    return dict(zip(words, map(int, found.groups())))
