"""The microcontroller as Python sees it: four calls over the Bridge, each with a deadline and errors in plain words.

Nothing else imports `arduino`. Nothing longer than `MAX_PARAMS_BYTES` is ever sent: a request of more than 256 packed
bytes wedges the sketch's Bridge until the microcontroller is reset.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

from board_agent.deadline import Deadline

CALL_TIMEOUT_S = 3.0
"""A round trip takes about 1 ms and the UART; after seconds no answer will come."""
MAX_PARAMS_BYTES = 200
PIXELS = 104


class BridgeLike(Protocol):
    """What is used of `arduino.app_utils.Bridge`."""

    def call(self, method_name: str, *params: Any, timeout: int) -> Any:
        """Call a method of the sketch."""


class BoardError(Exception):
    """The sketch gave no usable answer. The message says why and what to do.

    `kind`: router (it cannot be reached), route (no sketch has registered the method), silent (no answer in time),
    answer (something else than expected).
    """

    def __init__(self, message: str, kind: str = "answer") -> None:
        super().__init__(message)
        self.kind = kind


@dataclass(frozen=True)
class BoardState:
    """What the sketch says it shows: the LED, and the matrix as 104 values of 0..7, row after row from the top left."""

    led: bool
    matrix: tuple[int, ...]


class Board:
    """The sketch's four methods.

    Args:
        bridge: the Bridge to call through; App Lab's own when none is given.
    """

    def __init__(self, bridge: BridgeLike | None = None) -> None:
        if bridge is None:
            from arduino.app_utils import Bridge  # only here: a test needs no Bridge at all

            bridge = Bridge
        self._bridge = bridge

    def set_led(self, on: bool) -> None:
        """Switch the built-in LED; the sketch answers whether it is lit."""
        self._expect(on, "set_builtin_led", on)

    def set_matrix(self, pattern: str) -> bool:
        """Show a pattern of `patterns.h`; False when the sketch does not know it (the matrix stays as it is)."""
        return bool(self._call("set_led_matrix", pattern, kind=bool))

    def all_off(self, timeout: float = CALL_TIMEOUT_S) -> None:
        """The safe state: LED off, matrix off."""
        self._expect(True, "all_off", timeout=timeout)

    def state(self) -> BoardState:
        """What LED and matrix show, from the microcontroller itself."""
        text = self._call("get_board_state", kind=str)
        if len(text) != PIXELS + 1 or not set(text) <= set("01234567") or text[0] not in "01":
            raise BoardError(
                "the sketch sent a state that cannot be read; flash the sketch of this app (restart the app)."
            )
        return BoardState(text[0] == "1", tuple(int(digit) for digit in text[1:]))

    def router(self) -> str:
        """The router's version, or that it does not tell."""
        try:
            return str(self._call("$/version", kind=str))
        except BoardError as error:
            if error.kind in ("router", "silent"):
                raise
            return "of an unknown version"

    def _expect(self, answer: bool, method: str, *params: Any, timeout: float = CALL_TIMEOUT_S) -> None:
        if self._call(method, *params, kind=bool, timeout=timeout) is not answer:
            raise BoardError(f"the sketch refused {method}; try again, or restart the app.")

    def _call(self, method: str, *params: Any, kind: type, timeout: float = CALL_TIMEOUT_S) -> Any:
        if sum(len(str(param).encode("utf-8", "replace")) for param in params) + len(method) > MAX_PARAMS_BYTES:
            raise BoardError("that is too long for the microcontroller; send a short name.")
        try:
            # The Bridge has a time-out of its own, but not while it connects: an older one waits there for ever.
            value = Deadline(timeout + 1).call(
                lambda: self._bridge.call(method, *params, timeout=max(1, round(timeout))), timeout + 0.5
            )
        except TimeoutError as error:
            raise BoardError(
                "no answer from the sketch in time; it may be starting. Wait a few seconds, try again, or press reset.",
                "silent",
            ) from error
        except ValueError as error:
            raise _refusal(method, str(error)) from error
        except (ConnectionError, RuntimeError, OSError) as error:
            raise BoardError(
                f"no connection to the microcontroller ({error}); "
                "check that arduino-router runs, then restart the app.",
                "router",
            ) from error
        if not isinstance(value, kind):
            raise BoardError(f"the sketch answered {method} with something else than expected; restart the app.")
        return value


def _refusal(method: str, error: str) -> BoardError:
    if "not available" in error or "(2)" in error:
        return BoardError(
            f"the sketch does not offer {method} now: it is being flashed or starting. "
            "Wait a few seconds and try again; if it stays so, restart the app.",
            "route",
        )
    return BoardError(
        f"the sketch refused {method} ({error}); restart the app so that sketch and app are of one version."
    )
