"""BM25F over the fields of tools, as sparse matrices."""
from collections import Counter

import numpy
from scipy import sparse

from words import parameters, terms

EVEN = (1, 1, 1, 1, 0)
WEIGHED = (2, 1, .5, .3, .2)


def fields(tool):
    """Name, description, names of parameters, their texts, their values."""
    names, texts, values = parameters(tool["parameters"])
    return [tool["name"], tool["description"], " ".join(names), " ".join(texts), " ".join(values)]


class Lexical:
    """Tools by their terms; `analyse` turns a text into terms."""

    def __init__(self, tools, analyse=terms):
        self.analyse, self.vocabulary, self.n = analyse, {}, len(tools)
        bags = [[analyse(text) for text in fields(tool)] for tool in tools]
        for term in (term for tool in bags for field in tool for term in field):
            self.vocabulary.setdefault(term, len(self.vocabulary))
        self.counts = [self.sparse([Counter(tool[at]) for tool in bags]) for at in range(5)]
        self.lengths = [numpy.array([len(tool[at]) for tool in bags], numpy.float32) for at in range(5)]
        having = numpy.asarray((sum(self.counts) > 0).sum(0)).ravel()
        self.idf = numpy.log(1 + (self.n - having + .5) / (having + .5)).astype(numpy.float32)

    def sparse(self, rows):
        """A matrix of dicts from term to number; unknown terms are left out."""
        places = [(row, self.vocabulary[term], value) for row, one in enumerate(rows) for term, value in one.items()
                  if term in self.vocabulary]
        row, column, value = zip(*places) if places else ((), (), ())
        return sparse.csr_matrix((value, (row, column)), (len(rows), len(self.vocabulary)), dtype=numpy.float32)

    def matrix(self, weights=WEIGHED, slope=.75, k1=1.2):
        """Tools by terms: what a term of a request gives."""
        total = sum(sparse.diags(weight / (1 - slope + slope * lengths / max(1, lengths.mean()))) @ counts
                    for counts, lengths, weight in zip(self.counts, self.lengths, weights)).tocsr()
        total.data = total.data / (k1 + total.data)
        return (total @ sparse.diags(self.idf)).tocsc()

    def requests(self, texts, repeat=False):
        """Requests by terms; a repeated term counts once unless `repeat`."""
        return self.sparse([Counter(self.analyse(text)) if repeat else dict.fromkeys(self.analyse(text), 1) for text in texts])

    def scores(self, texts, matrix, repeat=False):
        return numpy.asarray((self.requests(texts, repeat) @ matrix.T).todense())
