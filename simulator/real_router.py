"""Runs the real arduino-router, where there is one: the one our own router is measured against."""

import os
import shutil
import socket
import subprocess
import time
from pathlib import Path
from types import TracebackType
from typing import Self

MISSING = (
    "there is no arduino-router; put it on the PATH or name it by ARDUINO_ROUTER "
    "(go install github.com/arduino/arduino-router@latest)"
)


def find() -> str | None:
    """Return the program to start, None when there is none."""
    return shutil.which(os.environ.get("ARDUINO_ROUTER") or "arduino-router")


class RealRouter:
    """The real router at `unix://<folder>/router.sock`, with a program found by `find`; used like `Router`."""

    def __init__(self, program: str, folder: Path) -> None:
        self._program = program
        self._folder = folder
        self._process: subprocess.Popen[bytes] | None = None
        self.address = f"unix://{folder / 'router.sock'}"

    def start(self) -> None:
        """Start it; returns when clients can connect, raises RuntimeError with its log when it does not come up."""
        path = self._folder / "router.sock"
        log = self._folder / "router.log"
        with log.open("wb") as output:
            self._process = subprocess.Popen(
                [self._program, "-u", str(path), "-l", _free_address(), "-m", _free_address()],
                stdout=output,
                stderr=subprocess.STDOUT,
            )
        for _ in range(100):
            with socket.socket(socket.AF_UNIX) as probe:
                if probe.connect_ex(str(path)) == 0:
                    return
            if self._process.poll() is not None:
                break
            time.sleep(0.1)
        self.stop()
        raise RuntimeError(f"{self._program} did not start: {log.read_text(errors='replace')}")

    def stop(self) -> None:
        """End it; does nothing when it is not running."""
        if self._process is not None:
            self._process.terminate()
            self._process.wait()
            self._process = None

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()


def _free_address() -> str:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return f"127.0.0.1:{probe.getsockname()[1]}"
