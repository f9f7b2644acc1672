"""A figure, its limit, and how both are told."""
import dataclasses
import os
import pathlib
import platform
import subprocess

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
TARGET = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))


class NotMeasured(Exception):
    """A part could not be measured, and why."""


@dataclasses.dataclass
class Figure:
    """One measured value. Without a limit it is told for what it is worth.

    A time beyond its limit may be the machine's; a count beyond it is a fault, wherever it is counted.
    """

    name: str
    value: float
    unit: str = ""
    most: float | None = None
    least: float | None = None
    is_count: bool = False

    @property
    def passed(self):
        """Whether it keeps its limit; nothing where it has none."""
        if self.most is not None:
            return self.value <= self.most
        return None if self.least is None else self.value >= self.least

    def line(self):
        """The figure in a row of the table that is printed."""
        limit = f"at most {self.most:g}" if self.most is not None else f"at least {self.least:g}" if self.least is not None else ""
        verdict = {True: "pass", False: "FAIL", None: ""}[self.passed]
        return f"  {self.name:<58} {self.value:>10.6g} {self.unit:<8} {limit:<16} {verdict}".rstrip()


def said(command, **more):
    """What a program prints; where it fails, the end of what it complains about."""
    done = subprocess.run([str(part) for part in command], cwd=ROOT, capture_output=True, text=True, **more)
    if done.returncode != 0:
        complaint = (done.stderr or done.stdout).strip()[-600:]
        raise NotMeasured(f"{' '.join(str(part) for part in command[:6])} ended with {done.returncode}: {complaint}")
    return done.stdout


def machine():
    """The machine in a line: what absolute times depend on."""
    name = platform.machine()
    try:
        lines = pathlib.Path("/proc/cpuinfo").read_text().splitlines()
        name = next(line.split(":", 1)[1].strip() for line in lines if line.startswith("model name"))
        kilobytes = next(line.split()[1] for line in pathlib.Path("/proc/meminfo").read_text().splitlines())
        name += f", {int(kilobytes) // 1_000_000} GB"
    except (OSError, StopIteration):
        pass
    return f"{name}, {os.cpu_count()} cores, {platform.system()}, load {os.getloadavg()[0]:.1f}"
