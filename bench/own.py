"""What the app takes beside the model: its own time in a question, memory, and the time until its parts are loaded."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

from bench.parts import ROOT
from bench.steps import STEPS
from simulator.llama_server import LlamaServer, free_port

LIMIT_S = 60.0
ROUNDS = 5
LOADED = "import sys; sys.path.insert(0, 'python'); import board_agent.web, board_agent.agent, board_agent.prefix"


@dataclass(frozen=True)
class Own:
    """Medians. `question_ms`: what is left of a question of one call when model and tool are taken off; `whole_ms`:
    all of it; `memory_mb`: resident, after some questions; `import_ms`: beyond the start of Python itself."""

    question_ms: float
    whole_ms: float
    memory_mb: float
    import_ms: float


def measure(llama: LlamaServer, router: str, folder: Path) -> Own:
    """Run python/main.py on that llama-server and board, and ask it some questions."""
    with _app(llama, router, folder) as url:
        _ask(url, STEPS[0].question)
        answers = [_ask(url, STEPS[0].question) for _ in range(ROUNDS)]
        status = _get(f"{url}/status")
    own = [_beside(answer) for answer in answers]
    whole = [answer["total_ms"] for answer in answers]
    return Own(median(own), median(whole), status["memory_mb"], _import_ms())


def _beside(answer: dict[str, Any]) -> float:
    """Milliseconds of a question that were spent neither in the model nor in a tool."""
    model_ms = sum(turn["llm_ms"] for turn in answer["cost"])
    return float(answer["total_ms"] - model_ms - sum(row["tool_ms"] for row in answer["trace"]))


def _import_ms() -> float:
    """How much longer Python takes to start when it loads the app's parts."""
    times: dict[str, list[float]] = {"pass": [], LOADED: []}
    for _ in range(ROUNDS):
        for code, found in times.items():
            started = time.monotonic()
            subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True)
            found.append((time.monotonic() - started) * 1000)
    return median(times[LOADED]) - median(times["pass"])


@contextmanager
def _app(llama: LlamaServer, router: str, folder: Path) -> Iterator[str]:
    """The address of python/main.py, once its prefix is ready."""
    port = free_port()
    env = {
        **os.environ,
        "AGENT_HOST": "127.0.0.1",
        "AGENT_PORT": str(port),
        "LLM_BASE_URL": llama.base_url,
        "ARDUINO_ROUTER_SOCKET": router,
        "AGENT_SLOTS": str(folder / "slots"),
        "AGENT_DATA": str(folder / "data"),
        "PYTHONPATH": str(ROOT / "simulator"),
    }
    command = [sys.executable, str(ROOT / "python" / "main.py")]
    url = f"http://127.0.0.1:{port}"
    process = subprocess.Popen(command, env=env, stdout=subprocess.DEVNULL)
    try:
        _wait_until_ready(url, process)
        yield url
    finally:
        process.terminate()
        process.wait(20)


def _wait_until_ready(url: str, process: subprocess.Popen[bytes]) -> None:
    end = time.monotonic() + LIMIT_S
    while process.poll() is None and time.monotonic() < end:
        try:
            model = _get(f"{url}/status")["model"]
        except OSError:
            model = {}
        if model.get("prefix", {}).get("state") in ("ready", "restored"):
            return
        time.sleep(0.1)
    raise RuntimeError("python/main.py did not get ready")


def _get(url: str) -> dict[str, Any]:
    with urllib.request.urlopen(url, timeout=10) as answer:  # noqa: S310 - our own app
        value: dict[str, Any] = json.load(answer)
        return value


def _ask(url: str, question: str) -> dict[str, Any]:
    request = urllib.request.Request(  # noqa: S310
        f"{url}/ask", json.dumps({"question": question}).encode(), {"Content-Type": "application/json"}
    )
    with urllib.request.urlopen(request, timeout=LIMIT_S) as answer:  # noqa: S310
        value: dict[str, Any] = json.load(answer)
        return value
