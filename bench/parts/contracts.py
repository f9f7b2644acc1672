"""Contracts: what a check costs."""
import json

from .figure import Figure, said


def contracts():
    """A large object against a large schema that was compiled once; no model."""
    program = ["cargo", "run", "--quiet", "--release", "-p", "assent-core", "--example", "bench-contract"]
    measured = json.loads(said(program))
    what = f"contract of {measured['fields']} fields, object of {measured['bytes'] // 1000} kB"
    return [
        Figure(f"{what}: checked, holds", measured["holdsMs"], "ms", most=1),
        Figure(f"{what}: checked, 20 faults told", measured["toldMs"], "ms", most=1),
        Figure(f"{what}: compiled", measured["compileMs"], "ms"),
    ]
