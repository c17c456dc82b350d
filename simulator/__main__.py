"""`make run`: the app as it is, on a simulated board, with a real llama-server.

Starts what is missing of router, microcontroller and llama-server, then `python/main.py`; when one of them ends, or on
Ctrl-C or SIGTERM, ends all of them, the app first, so that it can put the board into its safe state.
"""

from __future__ import annotations

import http.client
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections import deque
from collections.abc import Callable
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from simulator import cache_dir, say
from simulator.llama_server import LlamaServer
from simulator.setup import SetUpError
from simulator.sketch import SketchError, compile_sketch

ROOT = Path(__file__).resolve().parent.parent
START_LIMIT_S = 60.0
STOP_LIMIT_S = 10.0
EVERYWHERE = ("0.0.0.0", "::")
ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Ended(Exception):
    """Somebody pressed Ctrl-C or sent SIGTERM."""


class Part:
    """A process that belongs to the app: its last lines are kept, and with `shown` printed as they come."""

    def __init__(
        self, name: str, command: list[str], env: dict[str, str], *, shown: bool = True, draws: bool = False
    ) -> None:
        self.name = name
        self._lines: deque[str] = deque(maxlen=15)
        self._shown = shown
        self._process = subprocess.Popen(
            [sys.executable, *command],
            cwd=ROOT,
            env={**env, "PYTHONUNBUFFERED": "1"},
            stdin=subprocess.DEVNULL,
            stdout=None if draws else subprocess.PIPE,
            stderr=subprocess.PIPE if draws else subprocess.STDOUT,
            start_new_session=True,  # Ctrl-C in the terminal must reach the app before the others
            text=True,
            errors="replace",
        )
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        output = self._process.stdout or self._process.stderr
        assert output is not None  # noqa: S101
        for line in output:
            self._lines.append(line.rstrip())
            if self._shown:
                say(line.rstrip())

    def running(self) -> bool:
        """Whether the process is there."""
        return self._process.poll() is None

    def last_lines(self) -> str:
        """What it said last; nothing when that was printed already."""
        self._reader.join(1)
        return "" if self._shown else "\n".join(self._lines)

    def stop(self) -> None:
        """Ask it to end, then make it, with all that it started."""
        with suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGTERM)
        try:
            self._process.wait(STOP_LIMIT_S)
        except subprocess.TimeoutExpired:
            say(f"The {self.name} did not end by itself.")
        with suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()


def router_of_ones_own(text: str) -> str | None:
    """The address of the router that ARDUINO_ROUTER_SOCKET names, when one answers there."""
    if not text:
        return None
    address = text if "://" in text else f"unix://{Path(text).absolute()}"
    parts = urlsplit(address)
    try:
        if parts.scheme == "unix":
            with socket.socket(socket.AF_UNIX) as probe:
                probe.connect(parts.path)
        else:
            socket.create_connection((parts.hostname or "", parts.port or 0), timeout=3).close()
    except (OSError, ValueError):
        say(f"No router answers at {text}, which ARDUINO_ROUTER_SOCKET names: starting one.")
        return None
    return address


def settings_file() -> dict[str, str]:
    """What the app itself will read from `settings.env`: its port must be known here too."""
    sys.path.insert(0, str(ROOT / "python"))
    from board_agent.settings import SettingsError, read_file

    try:
        return read_file()
    except SettingsError as error:
        raise SetUpError(str(error)) from error


def check_port(host: str, port: int) -> None:
    """Raise SetUpError when the app could not listen there."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError as error:
            hint = " On a Mac, AirPlay Receiver uses 7000 (System Settings, AirDrop & Handoff)." if port == 7000 else ""
            raise SetUpError(
                f"The app cannot listen at {host}, port {port}: {error.strerror}. End what uses it, or choose another "
                f"port: make run AGENT_PORT=7001.{hint}"
            ) from error


def wait_for(what: str, ready: Callable[[], bool], check: Callable[[], None]) -> None:
    """Wait until `ready`; `check` raises when there is no point in waiting."""
    deadline = time.monotonic() + START_LIMIT_S
    while not ready():
        check()
        if time.monotonic() > deadline:
            raise SetUpError(f"{what} did not answer in {START_LIMIT_S:.0f} s.")
        time.sleep(0.1)


def health(host: str, port: int) -> dict[str, Any] | None:
    """What /healthz says; None as long as the app does not answer."""
    connection = http.client.HTTPConnection(host, port, timeout=5)
    try:
        connection.request("GET", "/healthz")
        answer: dict[str, Any] = json.loads(connection.getresponse().read())
        return answer
    except (OSError, http.client.HTTPException, ValueError):
        return None
    finally:
        connection.close()


def lan_address() -> str | None:
    """This machine's address in its network. Nothing is sent: connecting a UDP socket only chooses the way out."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))
        except OSError:
            return None
        address: str = probe.getsockname()[0]
        return address if not address.startswith("127.") else None


def run(stack: ExitStack) -> None:
    """Start everything and watch over it; `stack` gets what ends it again. Raises SetUpError, SketchError or Ended."""
    env = {**settings_file(), **os.environ}
    host, port_text = env.get("AGENT_HOST") or "0.0.0.0", env.get("AGENT_PORT") or "7000"
    if not port_text.isdecimal() or not 0 < int(port_text) < 65536:
        raise SetUpError(f"AGENT_PORT={port_text!r}: must be a whole number from 1 to 65535.")
    port = int(port_text)
    check_port(host, port)
    show_board = env.get("BOARD") == "show"
    parts: list[Part] = []

    def start(name: str, command: list[str], *, shown: bool = True, draws: bool = False) -> None:
        part = Part(name, command, env, shown=shown, draws=draws)
        stack.callback(part.stop)
        parts.append(part)

    def check() -> None:
        for part in parts:
            if not part.running():
                raise SetUpError(f"{part.last_lines()}\nThe {part.name} ended; its last lines are above.".lstrip())
        if llama and not llama.running():
            raise SetUpError(f"{llama.last_lines()}\nllama-server ended; its last lines are above, all in {llama.log}.")

    llama: LlamaServer | None = None
    compile_sketch()
    if env.get("LLM_BASE_URL"):
        say(f"The model is asked at {env['LLM_BASE_URL']}.")
    else:
        slots = Path(env.setdefault("AGENT_SLOTS", str(cache_dir() / "slots"))).absolute()
        llama = LlamaServer(slots=slots)
        stack.callback(llama.stop)
        llama.start()
        env["LLM_BASE_URL"] = llama.base_url

    address = router_of_ones_own(env.get("ARDUINO_ROUTER_SOCKET", ""))
    if not address:
        # A socket's path is at most about 100 characters long, and a Mac's own folder for such files takes half of it.
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="board-agent-", dir="/tmp")))
        address = f"unix://{folder}/router.sock"
        start("router", ["-m", "simulator.router", "--listen", address], shown=False)
        wait_for("The router", (folder / "router.sock").exists, check)
    env["ARDUINO_ROUTER_SOCKET"] = address
    show = ["--show"] if show_board else []
    start("microcontroller", ["-m", "simulator.microcontroller", "--router", address, *show], draws=show_board)

    # The app finds the stand-in for arduino.app_utils as it finds the real one on a board: on its path.
    env["PYTHONPATH"] = os.pathsep.join([str(ROOT / "simulator"), *filter(None, [env.get("PYTHONPATH")])])
    say("Starting the app ...")
    start("app", [str(ROOT / "python" / "main.py")], shown=not show_board)
    local = "127.0.0.1" if host in EVERYWHERE else host
    wait_for("The app", lambda: health(local, port) is not None, check)
    announce(host, local, port)
    while True:
        check()
        time.sleep(0.2)


def announce(host: str, local: str, port: int) -> None:
    """Say where the page is."""
    text = f"\nBoard Agent is at http://{f'[{local}]' if ':' in local else local}:{port}/"
    others = lan_address() if host in EVERYWHERE else None
    if others:
        text += f"\nFrom other machines in this network: http://{others}:{port}/"
    print(f"{text}\nCtrl-C ends it.\n", flush=True)


def main() -> int:
    """Run until something ends. Returns 0 when that was asked for."""

    def end(number: int, frame: object) -> None:
        raise Ended

    for name in ENDING:
        signal.signal(name, end)
    try:
        with ExitStack() as stack:
            try:
                run(stack)
            finally:
                for name in ENDING:
                    signal.signal(name, signal.SIG_IGN)  # ending the parts must not be cut short
    except Ended:
        say("Ended.")
        return 0
    except (SetUpError, SketchError) as error:
        say(str(error))
    return 1


if __name__ == "__main__":
    sys.exit(main())
