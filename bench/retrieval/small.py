#!/usr/bin/env python3
"""The vectors of the small encoder of the tests (`src-tauri/meaning/tests/small`), in 64 bits by the published definition.

Writes `src-tauri/meaning/tests/small.json` anew. Needs numpy. The weights come from the same formula as in the tests; the
pieces of each text are given, so that the tokenizer is tried as well.
"""
import json
import math
import pathlib

import numpy

WIDTH, INNER, LAYERS, PLACES = 32, 64, 2, 16
WORDS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "the", "weather", "in", "paris", "get", "send", "mail", "##s", "##ing", "tool",
         "a", "cafe", "_", ".", "?", "read", "file", "北"]
TEXTS = [
    ("The weather in Paris?", ["the", "weather", "in", "paris", "?"]),
    ("send_mails", ["send", "_", "mail", "##s"]),
    ("Reading files. CAFÉ 北 quux", ["read", "##ing", "file", "##s", ".", "cafe", "北", "[UNK]"]),
    ("", []),
    ("mail " * 40, ["mail"] * (PLACES - 2)),
]


class Weights:
    def __init__(self):
        self.last, self.of = 1, {}
        self.add("embeddings.word_embeddings.weight", (len(WORDS), WIDTH))
        self.add("embeddings.position_embeddings.weight", (PLACES, WIDTH), .25)
        self.add("embeddings.token_type_embeddings.weight", (2, WIDTH), .25)
        self.add_norm("embeddings.LayerNorm")
        for layer in range(LAYERS):
            at = f"encoder.layer.{layer}."
            for part, rows, columns in (
                    ("attention.self.query", WIDTH, WIDTH), ("attention.self.key", WIDTH, WIDTH),
                    ("attention.self.value", WIDTH, WIDTH), ("attention.output.dense", WIDTH, WIDTH),
                    ("intermediate.dense", INNER, WIDTH), ("output.dense", WIDTH, INNER)):
                self.add(f"{at}{part}.weight", (rows, columns), .5)
                self.add(f"{at}{part}.bias", (rows,), .25)
            self.add_norm(at + "attention.output.LayerNorm")
            self.add_norm(at + "output.LayerNorm")

    def add(self, name, shape, scale=1.0, plus=0.0):
        values = []
        for _ in range(math.prod(shape)):
            self.last = (self.last * 1664525 + 1013904223) % 2 ** 32
            values.append(numpy.float32((self.last >> 8) / 2 ** 24 - .5) * numpy.float32(scale) + numpy.float32(plus))
        self.of[name] = numpy.array(values, numpy.float64).reshape(shape)

    def add_norm(self, name):
        self.add(name + ".weight", (WIDTH,), .25, 1.0)
        self.add(name + ".bias", (WIDTH,), .25)

    def norm(self, rows, name):
        rows = rows - rows.mean(-1, keepdims=True)
        rows = rows / numpy.sqrt((rows * rows).mean(-1, keepdims=True) + 1e-12)
        return rows * self.of[name + ".weight"] + self.of[name + ".bias"]

    def linear(self, rows, name):
        return rows @ self.of[name + ".weight"].T + self.of[name + ".bias"]

    def vector(self, pieces):
        numbers = [WORDS.index(piece) for piece in ["[CLS]", *pieces, "[SEP]"]]
        rows = (self.of["embeddings.word_embeddings.weight"][numbers]
                + self.of["embeddings.position_embeddings.weight"][:len(numbers)]
                + self.of["embeddings.token_type_embeddings.weight"][0])
        rows = self.norm(rows, "embeddings.LayerNorm")
        for layer in range(LAYERS):
            at = f"encoder.layer.{layer}."
            query, key, value = (self.linear(rows, f"{at}attention.self.{part}") for part in ("query", "key", "value"))
            shares = query @ key.T / math.sqrt(32)
            shares = numpy.exp(shares - shares.max(-1, keepdims=True))
            shares /= shares.sum(-1, keepdims=True)
            mixed = self.linear(shares @ value, at + "attention.output.dense")
            rows = self.norm(rows + mixed, at + "attention.output.LayerNorm")
            inner = self.linear(rows, at + "intermediate.dense")
            inner = inner * .5 * (1 + numpy.vectorize(math.erf)(inner / math.sqrt(2)))
            rows = self.norm(rows + self.linear(inner, at + "output.dense"), at + "output.LayerNorm")
        mean = rows.mean(0)
        return mean / numpy.linalg.norm(mean)


if __name__ == "__main__":
    weights = Weights()
    told = [json.dumps({"text": text, "vector": [round(float(one), 5) for one in weights.vector(pieces)]},
                       ensure_ascii=False, separators=(",", ":")) for text, pieces in TEXTS]
    golden = pathlib.Path(__file__).resolve().parents[2] / "src-tauri/meaning/tests/small.json"
    golden.write_text("[\n" + ",\n".join(told) + "\n]\n")
