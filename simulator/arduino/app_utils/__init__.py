"""`arduino.app_utils` for a machine that is no board: App, Bridge and Logger as python/main.py uses them.

On a board App Lab's container brings the real module. Only the laptop's runner puts this one on the path, beside the
installed package `arduino.router_bridge`.
"""

import logging
import os
import signal
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any, NoReturn

from arduino.router_bridge import Bridge as RouterBridge

__all__ = ["App", "Bridge", "Logger"]


class Logger(logging.Logger):
    """A logger that writes to standard error by itself; the level can be set by APP_BRICKS_LOG_LEVEL."""

    def __init__(self, name: str, level: int = logging.INFO) -> None:
        chosen = os.environ.get("APP_BRICKS_LOG_LEVEL", "").upper()
        super().__init__(name, logging.getLevelNamesMapping().get(chosen, level))
        handler = logging.StreamHandler()
        handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
        self.addHandler(handler)


logger = Logger("App")


class _Terminated(BaseException):
    """Raised in the main thread by SIGTERM, so that `finally` blocks run."""


class _App:
    def run(self, user_loop: Callable[[], object] | None = None) -> None:
        """Keep the main thread, calling `user_loop` for ever when there is one.

        Returns when the loop raises StopIteration. Ctrl-C and SIGTERM leave it by SystemExit with 128 + the signal's
        number, any other exception is logged and leaves it with 1.
        """
        status = _loop(user_loop or _idle)
        logger.info("App is shutting down")
        if status != 0:
            sys.exit(status)


App = _App()


def _loop(user_loop: Callable[[], object]) -> int:
    try:
        if threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGTERM, _terminate)
        logger.info("App started")
        while True:
            user_loop()
    except StopIteration:
        return 0
    except KeyboardInterrupt:
        return 128 + signal.SIGINT
    except _Terminated:
        return 128 + signal.SIGTERM
    except Exception:
        logger.exception("The app's loop has failed")
        return 1


def _idle() -> None:
    time.sleep(10)


def _terminate(_number: int, _frame: FrameType | None) -> NoReturn:
    raise _Terminated


class Bridge:
    """The one Bridge of the process, connected when it is first used; see `arduino.router_bridge.Bridge`."""

    @staticmethod
    def call(method_name: str, *params: Any, timeout: float | None = 10) -> Any:
        """Call a method of the sketch and return its result; blocks."""
        return _bridge().call(method_name, *params, timeout=timeout)

    @staticmethod
    def notify(method_name: str, *params: Any) -> None:
        """Send a notification to the sketch; nobody tells whether it arrived."""
        _bridge().notify(method_name, *params)

    @staticmethod
    def provide(method_name: str, handler: Callable[..., Any]) -> None:
        """Let the sketch call a function."""
        _bridge().provide(method_name, handler)

    @staticmethod
    def unprovide(method_name: str) -> None:
        """Take back what was provided."""
        _bridge().unprovide(method_name)


_connected: RouterBridge | None = None
_connecting = threading.Lock()


def _bridge() -> RouterBridge:
    global _connected
    with _connecting:
        if _connected is None:
            _connected = RouterBridge(_router_address())
            # A call waits for the connection by itself; a notification needs one that is there.
            _connected.connect(timeout=0.5)
        return _connected


def _router_address() -> str:
    place = os.environ.get("ARDUINO_ROUTER_SOCKET") or "/var/run/arduino-router.sock"
    return place if "://" in place else f"unix://{Path(place).absolute()}"
