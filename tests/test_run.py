"""What `make run` starts: the whole app on the simulated board, here with a model server that only says it is there."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import threading
import urllib.request
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from simulator.llama_server import free_port

ROOT = Path(__file__).resolve().parent.parent
LIMIT_S = 60.0


class ModelServer(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        body = json.dumps({"status": "ok", "data": [{"id": "stub"}]}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: Any) -> None:
        pass


@pytest.fixture
def model_server() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), ModelServer)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/v1"
    server.shutdown()
    server.server_close()
    thread.join()


class Laptop:
    """`python -m simulator` and what it prints."""

    def __init__(self, **settings: str) -> None:
        self.port = free_port()
        unset = ("ARDUINO_ROUTER_SOCKET", "BOARD", "AGENT_HOST", "AGENT_TOKEN")
        env = {name: value for name, value in os.environ.items() if name not in unset}
        self.process = subprocess.Popen(
            [sys.executable, "-m", "simulator"],
            cwd=ROOT,
            env={**env, "AGENT_PORT": str(self.port), **settings},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )
        self.shown: list[str] = []

    def wait_for(self, text: str) -> None:
        """Read what it prints until a line has `text`."""
        assert self.process.stdout
        for line in self.process.stdout:
            self.shown.append(line)
            if text in line:
                return
        raise AssertionError(f"{text!r} was never printed: {''.join(self.shown)}")

    def end(self) -> int:
        """Read the rest; the exit status."""
        assert self.process.stdout
        self.shown += self.process.stdout.readlines()
        return self.process.wait(LIMIT_S)

    def parts(self) -> dict[str, int]:
        """The processes that it started, by what they run."""
        table = subprocess.run(
            ["ps", "-Aww", "-o", "pid=,ppid=,args="], capture_output=True, text=True, check=True
        ).stdout
        rows = [line.split(None, 2) for line in table.splitlines()]
        own = [(int(row[0]), row[2]) for row in rows if len(row) == 3 and row[1] == str(self.process.pid)]
        names = ("simulator.router", "simulator.microcontroller", "main.py")
        return {name: pid for name in names for pid, args in own if name in args}


@pytest.fixture
def laptop(model_server: str, tmp_path: Path) -> Iterator[Laptop]:
    laptop = Laptop(LLM_BASE_URL=model_server, AGENT_DATA=str(tmp_path))
    yield laptop
    laptop.process.terminate()
    laptop.end()


def alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_it_prints_where_the_page_is_and_ends_all_it_started(laptop: Laptop, number: signal.Signals) -> None:
    laptop.wait_for(f"Board Agent is at http://127.0.0.1:{laptop.port}/")
    with urllib.request.urlopen(f"http://127.0.0.1:{laptop.port}/", timeout=LIMIT_S) as page:
        assert page.status == 200
    parts = laptop.parts()
    assert set(parts) == {"simulator.router", "simulator.microcontroller", "main.py"}
    laptop.process.send_signal(number)
    assert laptop.end() == 0
    assert [name for name, pid in parts.items() if alive(pid)] == []


@pytest.mark.parametrize(("part", "name"), [("simulator.microcontroller", "microcontroller"), ("main.py", "app")])
def test_when_one_part_ends_it_says_which_and_ends_the_others(laptop: Laptop, part: str, name: str) -> None:
    laptop.wait_for("Board Agent is at")
    parts = laptop.parts()
    os.kill(parts[part], signal.SIGKILL)
    assert laptop.end() == 1
    assert f"The {name} ended" in "".join(laptop.shown)
    assert [name for name, pid in parts.items() if alive(pid)] == []


def test_a_setting_the_app_refuses_is_shown(model_server: str, tmp_path: Path) -> None:
    laptop = Laptop(LLM_BASE_URL=model_server, AGENT_MAX_TURNS="many", AGENT_DATA=str(tmp_path))
    assert laptop.end() == 1
    assert "AGENT_MAX_TURNS" in "".join(laptop.shown)


def test_a_port_in_use_is_named_before_anything_is_started() -> None:
    with socket.socket() as taken:
        taken.bind(("0.0.0.0", 0))
        taken.listen()
        port = taken.getsockname()[1]
        laptop = Laptop(AGENT_PORT=str(port))
        assert laptop.end() == 1
    assert laptop.shown[0].startswith(f"The app cannot listen at 0.0.0.0, port {port}: Address already in use.")


def test_a_port_that_is_none_is_named() -> None:
    laptop = Laptop(AGENT_PORT="seventy")
    assert laptop.end() == 1
    assert "AGENT_PORT='seventy'" in laptop.shown[0]
