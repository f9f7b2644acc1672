"""The baseline: BM25 over one bag of words, its figures and its misses by subset."""
import sys
import numpy
from collections import Counter
import sets
from words import terms, parameters, words

def bags(tools):
    for tool in tools:
        names, texts, values = parameters(tool["parameters"])
        yield terms(" ".join([tool["name"], tool["description"], *names, *texts]))

class Bm25:
    def __init__(self, docs, k1=1.2, b=0.75):
        self.postings = {}
        lengths = numpy.array([len(d) for d in docs], float)
        norm = k1 * (1 - b + b * lengths / max(1, lengths.mean()))
        for at, doc in enumerate(docs):
            for term, count in Counter(doc).items():
                self.postings.setdefault(term, []).append((at, count / (count + norm[at])))
        n = len(docs)
        self.size = n
        for term, rows in self.postings.items():
            idf = numpy.log(1 + (n - len(rows) + .5) / (len(rows) + .5))
            self.postings[term] = (numpy.array([r[0] for r in rows]), idf * numpy.array([r[1] for r in rows]))
    def scores(self, query):
        out = numpy.zeros(self.size)
        for term, count in Counter(query).items():
            if term in self.postings:
                rows, weights = self.postings[term]
                out[rows] += count * weights
        return out

if __name__ == "__main__":
    for name in sys.argv[1:]:
        tools, queries = sets.loaded(name)
        index = Bm25(list(bags(tools)))
        names = [t["name"] for t in tools]
        by = {}
        for q in queries:
            s = index.scores(terms(q["query"]))
            order = numpy.argsort(-s, kind="stable")[:50]
            row = sets.scores([names[i] for i in order], q["gold"])
            by.setdefault(q["subset"], []).append(row)
            by.setdefault("ALL", []).append(row)
        for subset, rows in by.items():
            print(name, subset, len(rows), *(f"{x:.3f}" for x in sets.mean(rows)))
