"""Everything real: llama-server with the small model, a router, the sketch's C++, python/main.py as App Lab runs it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import requests

from simulator import real_router
from simulator.llama_server import LlamaServer, free_port
from simulator.microcontroller import Microcontroller
from simulator.router import Router
from tests.unit.house import until

ROOT = Path(__file__).resolve().parents[2]


class App:
    """python/main.py as a process, on a router and a llama-server."""

    def __init__(self, llama_url: str, router: str, folder: Path, **settings: str) -> None:
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.log = folder / f"app-{self.port}.log"
        env = {
            **os.environ,
            "AGENT_HOST": "127.0.0.1",
            "AGENT_PORT": str(self.port),
            "LLM_BASE_URL": llama_url,
            "ARDUINO_ROUTER_SOCKET": router,
            "AGENT_SLOTS": str(folder / "slots"),
            "AGENT_DATA": str(folder / "data"),
            "PYTHONPATH": str(ROOT / "simulator"),
            "PYTHONUNBUFFERED": "1",
            **settings,
        }
        with self.log.open("wb") as log:
            self.process = subprocess.Popen(
                [sys.executable, str(ROOT / "python" / "main.py")], env=env, stdout=log, stderr=subprocess.STDOUT
            )

    def health(self) -> dict[str, Any] | None:
        """What `/healthz` says; None before it answers."""
        try:
            return requests.get(f"{self.url}/healthz", timeout=5).json()
        except requests.RequestException:
            assert self.process.poll() is None, self.log.read_text()
            return None

    def ready(self) -> App:
        """Wait until model, prefix and board are there."""
        until(lambda: (h := self.health()) and h["board"] == "ok" and self.prefix() in ("ready", "restored"))
        return self

    def prefix(self) -> str:
        """The state of the prefix."""
        return ((self.health() or {}).get("llm") or {}).get("prefix", {}).get("state", "")

    def ask(self, question: str, **more: Any) -> dict[str, Any]:
        """One question's whole answer."""
        return requests.post(f"{self.url}/ask", json={"question": question, **more}, timeout=120).json()

    def command(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """`ask.py` as a person runs it."""
        return subprocess.run(
            [sys.executable, str(ROOT / "ask.py"), "--url", self.url, *arguments],
            capture_output=True,
            text=True,
            timeout=120,
        )

    def turns(self) -> list[dict[str, Any]]:
        """The `turn_ended` events of all runs that are kept."""
        found = []
        with requests.get(f"{self.url}/events", stream=True, timeout=10) as stream:
            for line in stream.iter_lines(decode_unicode=True):
                if line.startswith(":"):
                    break
                if line.startswith("data: ") and '"turn_ended"' in line:
                    found.append(json.loads(line[6:]))
        return found

    def stop(self) -> int:
        """SIGTERM, as App Lab does it; the exit status."""
        self.process.terminate()
        return self.process.wait(20)


class Board:
    """A router and a simulated microcontroller that runs the sketch."""

    def __init__(self, router: Any, chip: Microcontroller) -> None:
        self.router = router
        self.chip = chip

    @property
    def led(self) -> bool:
        """Whether the LED is lit."""
        return self.chip.state()[0]

    @property
    def lit(self) -> set[tuple[int, int]]:
        """The lit pixels as (row, column)."""
        frame = self.chip.state()[1]
        return {(row, column) for row in range(8) for column in range(13) if frame[row][column]}


@pytest.fixture(scope="session")
def folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(dir="/tmp") as name:
        yield Path(name)


@pytest.fixture(scope="session")
def llama(folder: Path) -> Iterator[LlamaServer]:
    with LlamaServer(slots=folder / "slots") as server:
        yield server


@pytest.fixture(scope="session", params=["our router", "arduino-router"])
def board(request: pytest.FixtureRequest) -> Iterator[Board]:
    with tempfile.TemporaryDirectory(dir="/tmp") as name:
        router: Any = Router(f"unix://{name}/router.sock")
        if request.param == "arduino-router":
            program = real_router.find()
            if program is None:
                if "router" in os.environ.get("BOARD_AGENT_REQUIRE", ""):
                    pytest.fail(real_router.MISSING)
                pytest.skip(real_router.MISSING)
            router = real_router.RealRouter(program, Path(name))
        with router, Microcontroller(router.address) as chip:
            yield Board(router, chip)


@pytest.fixture(scope="session")
def app(llama: LlamaServer, board: Board, folder: Path) -> Iterator[App]:
    running = App(llama.base_url, board.router.address, folder)
    try:
        yield running.ready()
    finally:
        running.stop()
