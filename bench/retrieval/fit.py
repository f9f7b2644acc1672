#!/usr/bin/env python3
"""Fit the weights of the reasons on halves of catalogues, and say how they do on the other halves.

Usage: fit.py FILE…, each what `bench-retrieval --reasons FOLDER` printed. Needs numpy.

The weights are those of a softmax over the tools of a request (listwise, cross entropy on the gold names), each file
counting the same. Told are recall at 5 and 10 on the halves that had no part in the fit, then the same where one file
after the other had no part in it at all, and the weights with that of `Words` as 1.
"""
import json
import pathlib
import random
import sys

import numpy

NAMES = ("Words", "Whole", "Neighbours", "Name", "Description", "Values", "Required", "LackingNumbers", "Taught", "Meaning")


def loaded(path):
    requests = [json.loads(line) for line in pathlib.Path(path).read_text().splitlines()]
    return [(numpy.array([row[1] for row in one["tools"]], float).reshape(-1, len(NAMES)),
             numpy.array([row[0] for row in one["tools"]], float), one["gold"]) for one in requests]


def fitted(groups, rounds=400, pull=1e-3):
    """`groups` are lists of requests; each list weighs the same."""
    rows = [(x, y, 1 / len(group)) for group in groups for x, y, _ in group if y.sum()]
    deep = max(len(y) for _, y, _ in rows)
    data = numpy.zeros((len(rows), deep, len(NAMES)))
    gold, there = numpy.zeros((len(rows), deep)), numpy.zeros((len(rows), deep), bool)
    share = numpy.array([weight for *_, weight in rows])
    for at, (x, y, _) in enumerate(rows):
        data[at, :len(y)], gold[at, :len(y)], there[at, :len(y)] = x, y / y.sum(), True
    scale = data[there].std(0) + 1e-6
    data /= scale
    weights, first, second = (numpy.zeros(len(NAMES)) for _ in range(3))
    for _ in range(rounds):
        score = numpy.where(there, data @ weights, -1e9)
        chance = numpy.exp(score - score.max(1, keepdims=True))
        chance /= chance.sum(1, keepdims=True)
        slope = (((chance - gold)[:, :, None] * data).sum(1) * share[:, None]).sum(0) / share.sum() + pull * weights
        first, second = .9 * first + .1 * slope, .99 * second + .01 * slope ** 2
        weights -= .05 * first / (numpy.sqrt(second) + 1e-8)
    return weights / scale


def recall(weights, requests):
    found = []
    for x, y, gold in requests:
        order = numpy.argsort(-(x @ weights), kind="stable")
        found.append([y[order[:depth]].sum() / gold for depth in (5, 10)])
    return numpy.mean(found, 0)


def halves(requests):
    order = list(range(len(requests)))
    random.Random(7).shuffle(order)
    middle = len(order) // 2
    return [[requests[at] for at in sorted(part)] for part in (order[:middle], order[middle:])]


def main():
    sets = {pathlib.Path(path).stem: loaded(path) for path in sys.argv[1:]}
    split = {name: halves(requests) for name, requests in sets.items()}
    both = [fitted([split[name][half] for name in sets]) for half in (0, 1)]
    for name in sets:
        told = numpy.mean([recall(both[half], split[name][1 - half]) for half in (0, 1)], 0)
        print(f"{name:<24} other half      recall@5 {told[0]:.3f} recall@10 {told[1]:.3f}")
    for name in sets:
        told = recall(fitted([requests for other, requests in sets.items() if other != name]), sets[name])
        print(f"{name:<24} fit on others   recall@5 {told[0]:.3f} recall@10 {told[1]:.3f}")
    weights = fitted(list(sets.values()))
    print(*(f"{name} {weight / weights[0]:.2f}" for name, weight in zip(NAMES, weights)))


if __name__ == "__main__":
    main()
