"""Client for a local llama-server: start it, ask it, describe the machine, keep results.

Standard library only. Nothing here leaves the machine.
"""
from __future__ import annotations

import json
import os
import pathlib
import platform
import socket
import subprocess
import time
import urllib.error
import urllib.request

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
RESULTS = HERE / "results"
DATA_HOME = pathlib.Path(os.environ.get("XDG_DATA_HOME", pathlib.Path.home() / ".local/share")) / "assent"
SMOKE = "SmolLM2-135M-Instruct.Q4_1.gguf"
STARTER = "qwen2.5-coder-1.5b-instruct-q4_k_m.gguf"


class Server:
    """A llama-server of our own, or the one that ASSENT_BENCH_URL names."""

    def __init__(self, model: str = STARTER, context: int = 16384, slots: int = 2, host: str = "127.0.0.1", extra: tuple[str, ...] = ()):
        self.url = os.environ.get("ASSENT_BENCH_URL", "")
        self.process = None
        if self.url:
            return
        with socket.socket() as probe:
            probe.bind((host, 0))
            port = probe.getsockname()[1]
        self.url = f"http://{host}:{port}"
        self.process = subprocess.Popen(
            [str(DATA_HOME / "bin/llama-server"), "-m", str(DATA_HOME / "models" / model), "--host", host,
             "--port", str(port), "-c", str(context), "-np", str(slots), "--cache-ram", "512", "--no-webui", "-t", os.environ.get("ASSENT_BENCH_THREADS", "2"), *extra],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self._wait()

    def _wait(self) -> None:
        for _ in range(1200):
            try:
                urllib.request.urlopen(self.url + "/health", timeout=2).read()
                return
            except (urllib.error.URLError, OSError):
                time.sleep(0.5)
        self.process.kill()
        raise SystemExit("llama-server did not become ready within ten minutes")

    def __enter__(self) -> "Server":
        return self

    def __exit__(self, *_exc: object) -> None:
        if self.process:
            self.process.terminate()
            self.process.wait()

    def post(self, path: str, body: dict, timeout: float = 900) -> dict:
        request = urllib.request.Request(self.url + path, json.dumps(body).encode(), {"Content-Type": "application/json"})
        try:
            with urllib.request.urlopen(request, timeout=timeout) as reply:
                return json.load(reply)
        except urllib.error.HTTPError as error:
            return {"error": error.read().decode(errors="replace")[:400]}

    def chat(self, messages: list[dict], *, slot: int = -1, grammar: str | None = None, schema: dict | None = None,
             max_tokens: int = 600, temperature: float = 0.0, seed: int = 1) -> dict:
        """One chat completion: {"text", "finish", "new", "cached", "out", "promptMs", "outMs"} or {"error"}."""
        body = {"messages": messages, "max_tokens": max_tokens, "temperature": temperature, "seed": seed,
                "id_slot": slot, "cache_prompt": True}
        if grammar:
            body["grammar"] = grammar
        if schema:
            body["response_format"] = {"type": "json_schema", "json_schema": {"name": "out", "schema": schema, "strict": True}}
        reply = self.post("/v1/chat/completions", body)
        if "error" in reply:
            return {"error": reply["error"], "text": "", "finish": "error", "new": 0, "cached": 0, "out": 0, "promptMs": 0, "outMs": 0}
        timings, choice = reply["timings"], reply["choices"][0]
        return {"text": choice["message"]["content"] or "", "finish": choice["finish_reason"], "new": timings["prompt_n"],
                "cached": timings.get("cache_n", 0), "out": timings["predicted_n"],
                "promptMs": round(timings["prompt_ms"]), "outMs": round(timings["predicted_ms"])}

    def count(self, text: str) -> int:
        return len(self.post("/tokenize", {"content": text})["tokens"])


def machine() -> dict:
    """What figures were taken on."""
    cpu = memory = ""
    for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            cpu = line.split(":", 1)[1].strip()
            break
    for line in pathlib.Path("/proc/meminfo").read_text().splitlines():
        if line.startswith("MemTotal"):
            memory = line.split(":", 1)[1].strip()
    return {"cpu": cpu, "cores": os.cpu_count(), "memory": memory, "system": platform.platform(),
            "load": round(os.getloadavg()[0], 1), "note": "other work shared the cores: speeds are rough, counts are exact"}


def save(name: str, result: dict) -> pathlib.Path:
    RESULTS.mkdir(exist_ok=True)
    path = RESULTS / f"{name}.json"
    build = subprocess.run(["git", "describe", "--always", "--dirty"], cwd=ROOT, capture_output=True, text=True).stdout.strip()
    path.write_text(json.dumps({"machine": machine(), "commit": build, "model": result.get("measuredWith", STARTER), **result}, indent=1, ensure_ascii=False) + "\n")
    return path
