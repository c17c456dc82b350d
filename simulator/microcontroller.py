"""The simulated microcontroller: the sketch as a program of this machine, joined to a router as on the board.

The program speaks MessagePack-RPC on its serial line (simulator/core/host.cpp); this carries its messages to and from
the router, and keeps what its LED and matrix show. It knows no sketch in particular.
"""

import argparse
import contextlib
import os
import signal
import socket
import struct
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import msgpack  # type: ignore[import-untyped]
from arduino.router_bridge import Bridge, RpcError

from simulator import say
from simulator.sketch import SKETCH, SketchError, compile_sketch

ROWS = 8
COLUMNS = 13

Frame = tuple[tuple[int, ...], ...]
"""8 rows of 13 ints, 0 (dark) to 7 (bright)."""

DARK: Frame = ((0,) * COLUMNS,) * ROWS

REQUEST, RESPONSE, NOTIFICATION = 0, 1, 2
NOT_REACHED = 4  # a code of the router's own, for what it cannot do

BEGIN_WAITS_S = 1.0
"""How long Bridge.begin() waits for a router before it returns false."""


class Microcontroller:
    """A board running the sketch in `sketch_dir`, with the router at `unix:///path` or `tcp://host:port`.

    The router may come later, go, and come back. `on_change` is called with LED and matrix whenever they change, from
    a thread of its own.
    """

    def __init__(
        self,
        router_address: str,
        sketch_dir: Path = SKETCH,
        on_change: Callable[[bool, Frame], None] = lambda led, frame: None,
    ) -> None:
        self._address = router_address
        self._sketch_dir = sketch_dir
        self._on_change = on_change
        self._run: _Run | None = None

    def start(self) -> None:
        """Power it up; the sketch's routes are there soon after. Raises SketchError, or ValueError for an address."""
        program = compile_sketch(self._sketch_dir)
        self._run = _Run(program, Bridge(self._address), self._on_change)

    def stop(self) -> None:
        """Switch it off; does nothing when it is off."""
        if self._run is not None:
            self._run.end()
            self._run = None

    def reset(self) -> None:
        """Press its reset button: the routes are gone, everything is dark, and the sketch starts again."""
        self.stop()
        self._on_change(False, DARK)
        self.start()

    def state(self) -> tuple[bool, Frame]:
        """Return whether the LED is lit and what the matrix shows, as it is wired, not as the sketch reports it."""
        return (False, DARK) if self._run is None else self._run.board

    def wait_for_route(self, method: str, timeout: float) -> bool:
        """Wait until the sketch has registered a method; returns False when it has not within `timeout` seconds."""
        return self._run is not None and self._run.wait_for_route(method, timeout)

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()


class _Run:
    """The sketch from one reset to the next: a process, its serial line and its connection to the router."""

    def __init__(self, program: Path, bridge: Any, on_change: Callable[[bool, Frame], None]) -> None:
        self.board: tuple[bool, Frame] = (False, DARK)
        self._bridge = bridge
        self._on_change = on_change
        self._routes: set[str] = set()
        self._registered: set[str] = set()
        self._registration = threading.Condition()
        self._sending = threading.Lock()
        self._ending = False
        self._take_over_requests()
        self._bridge.connect(timeout=0)  # goes on trying by itself
        self._line, others_end = socket.socketpair()
        with others_end:
            self._process = subprocess.Popen(
                [program, str(others_end.fileno())], pass_fds=[others_end.fileno()], stdin=subprocess.DEVNULL
            )
        self._reader = threading.Thread(target=self._read_line, name="microcontroller", daemon=True)
        self._reader.start()

    def end(self) -> None:
        self._ending = True
        # Killed first: nothing may answer a request any more when the connection is still open.
        self._process.kill()
        self._process.wait()
        self._line.shutdown(socket.SHUT_RDWR)
        self._bridge.disconnect()
        self._reader.join()
        self._line.close()

    def wait_for_route(self, method: str, timeout: float) -> bool:
        with self._registration:
            return self._registration.wait_for(lambda: method in self._registered, timeout)

    def _take_over_requests(self) -> None:
        """Have the sketch answer for itself.

        The package runs a handler and answers its failure in words of its own ("Unhandled ValueError in handler"). The
        board's answer must arrive as the sketch gave it, so its requests are taken before the package dispatches them.
        """
        connection = self._bridge._connection
        dispatch = connection._handle_msg

        def handle(message: Any) -> None:
            match message:
                case [0, _, str(method), _] | [2, str(method), _] if method in self._routes:
                    self._send(message)
                case _:
                    dispatch(message)

        connection._handle_msg = handle

    def _send(self, message: Any) -> None:
        packed = msgpack.packb(message)
        with self._sending, contextlib.suppress(OSError):  # switched off in the meantime: there is nobody to tell
            self._line.sendall(struct.pack(">I", len(packed)) + packed)

    def _read_line(self) -> None:
        with self._line.makefile("rb") as line, contextlib.suppress(OSError):
            while len(head := line.read(4)) == 4:
                self._received(msgpack.unpackb(line.read(*struct.unpack(">I", head)), unicode_errors="replace"))
        if not self._ending:
            code = self._process.wait()
            say(f"The sketch has crashed ({_what_ended(code)}). The simulated board is dead until it is reset.")

    def _received(self, message: Any) -> None:
        match message:
            case [2, "$board", [led, pixels]]:
                levels = [int(pixel) for pixel in pixels]
                frame = tuple(tuple(levels[at : at + COLUMNS]) for at in range(0, ROWS * COLUMNS, COLUMNS))
                if (led, frame) != self.board:
                    self.board = (led, frame)
                    self._on_change(led, frame)
            case [2, method, params]:
                self._bridge.notify(method, *params)
            case [1, message_id, error, result]:
                self._bridge._connection._send_response(message_id, error, result)
            case [0, message_id, method, params]:
                # In a thread: the sketch's background thread may have to answer something while its loop() asks.
                threading.Thread(target=self._ask_router, args=(message_id, method, params), daemon=True).start()

    def _ask_router(self, message_id: int, method: str, params: list[Any]) -> None:
        error, result = None, None
        try:
            # The sketch's begin() resets; the real one waits for the router as long as it takes.
            if not self._bridge.connect(timeout=BEGIN_WAITS_S if method == "$/reset" else 0):
                raise ConnectionError("the router cannot be reached")
            if method == "$/register":
                result = self._register(*params)
            else:
                result = self._bridge.call(method, *params, timeout=None)
        except RpcError as failure:
            error = [failure.code, failure.message]
        except (ValueError, RuntimeError, OSError) as failure:
            error = [NOT_REACHED, str(failure)]
        self._send([RESPONSE, message_id, error, result])

    def _register(self, method: str) -> bool:
        self._routes.add(method)
        try:
            self._bridge.provide(method, _never_run)
        except ValueError:  # another client has the name
            self._routes.discard(method)
            raise
        with self._registration:
            self._registered.add(method)
            self._registration.notify_all()
        return True


def _never_run(*params: Any) -> None:
    """What the package is given as the handler of a route; see `_Run._take_over_requests`."""
    raise AssertionError(params)


def _what_ended(code: int) -> str:
    return signal.Signals(-code).name if code < 0 else f"exit status {code}"


def draw(led: bool, frame: Frame, colour: bool) -> str:
    """Return LED and matrix for a terminal; without `colour` as plain characters, `.` for dark and `#` for bright."""
    if not colour:
        dots = [" ".join(".123456#"[level] for level in row) for row in frame]
    else:
        # From the darkest red of the 256 colours to the brightest; grey for an LED that is off.
        shades = (237, 52, 88, 124, 160, 196, 203, 210)
        dots = ["".join(f"\x1b[38;5;{shades[level]}m● " for level in row) + "\x1b[0m" for row in frame]
    return "\n".join([f"LED {'on' if led else 'off'}", *dots, ""])


def main() -> None:
    """Run the board until SIGTERM or Ctrl-C."""
    parser = argparse.ArgumentParser(description="A simulated board that runs the sketch.")
    parser.add_argument("--router", metavar="ADDRESS", required=True, help="unix:///path or tcp://host:port")
    parser.add_argument("--show", action="store_true", help="draw LED and matrix whenever they change")
    options = parser.parse_args()
    colour = sys.stdout.isatty() and "NO_COLOR" not in os.environ

    def show(led: bool, frame: Frame) -> None:
        print(draw(led, frame, colour), flush=True)

    ended = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda _number, _frame: ended.set())
    board = Microcontroller(options.router, on_change=show) if options.show else Microcontroller(options.router)
    try:
        with board:
            if options.show:
                show(*board.state())
            ended.wait()
    except (SketchError, ValueError) as error:
        parser.exit(1, f"{error}\n")


if __name__ == "__main__":
    main()
