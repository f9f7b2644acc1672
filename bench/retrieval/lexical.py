"""BM25F over the fields of tools, as sparse matrices."""
from collections import Counter

import numpy
from scipy import sparse

from words import parameters, terms, words

FIELDS = ("name", "description", "parameter names", "parameter texts", "values")


def fields(tool):
    names, texts, values = parameters(tool["parameters"])
    return [tool.get("shown", tool["name"]), tool["description"], " ".join(names), " ".join(texts), " ".join(values)]


class Lexical:
    """Tools by their terms; `analyse` turns a text into terms."""

    def __init__(self, tools, analyse=terms, caps=(10**9,) * 5):
        self.analyse, self.vocabulary = analyse, {}
        bags = [[analyse(text)[:cap] for text, cap in zip(fields(tool), caps)] for tool in tools]
        self.n = len(tools)
        for tool in bags:
            for field in tool:
                for term in field:
                    self.vocabulary.setdefault(term, len(self.vocabulary))
        self.counts, self.lengths = [], []
        for at in range(len(FIELDS)):
            rows, columns, data = [], [], []
            for row, tool in enumerate(bags):
                for term, count in Counter(tool[at]).items():
                    rows.append(row); columns.append(self.vocabulary[term]); data.append(count)
            self.counts.append(sparse.csr_matrix((data, (rows, columns)), (self.n, len(self.vocabulary)), dtype=numpy.float32))
            self.lengths.append(numpy.array([len(tool[at]) for tool in bags], numpy.float32))
        having = (sum(self.counts) > 0).sum(0).A1 if hasattr((sum(self.counts) > 0).sum(0), "A1") else numpy.asarray((sum(self.counts) > 0).sum(0)).ravel()
        self.idf = numpy.log(1 + (self.n - having + .5) / (having + .5)).astype(numpy.float32)

    def matrix(self, weights=(1, 1, 1, 1, 0), b=(.75,) * 5, k1=1.2):
        """Tools by terms: what a term of a request gives."""
        total = None
        for counts, lengths, weight, slope in zip(self.counts, self.lengths, weights, b):
            if weight:
                norm = weight / (1 - slope + slope * lengths / max(1, lengths.mean()))
                part = sparse.diags(norm) @ counts
                total = part if total is None else total + part
        total = total.tocsr()
        total.data = total.data / (k1 + total.data)
        return (total @ sparse.diags(self.idf)).tocsc()

    def requests(self, texts, repeat=True):
        rows, columns, data = [], [], []
        for row, text in enumerate(texts):
            for term, count in Counter(self.analyse(text)).items():
                if term in self.vocabulary:
                    rows.append(row); columns.append(self.vocabulary[term]); data.append(count if repeat else 1)
        return sparse.csr_matrix((data, (rows, columns)), (len(texts), len(self.vocabulary)), dtype=numpy.float32)

    def scores(self, texts, matrix, repeat=True):
        return numpy.asarray((self.requests(texts, repeat) @ matrix.T).todense())
