"""How a run ends early: somebody pressed Stop, or its time is up.

Everything that a run waits for (the model, a tool, the Bridge, a person's yes) is waited for through a `Deadline`,
so that Stop takes effect at once wherever the run happens to be. A thread cannot be killed: what it waited for is
left behind, and `call` bounds how many such leftovers there may be.
"""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable
from typing import Any, TypeVar

T = TypeVar("T")

MAX_LEFTOVERS = 16
"""Threads that may hang in abandoned calls at one time; each costs some 50 kB on a board of 2 GB."""

_free = threading.BoundedSemaphore(MAX_LEFTOVERS)
_WAKE: Any = object()


class Ended(Exception):
    """The run is to end now. `reason` is `stopped` or `time_limit`."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class Deadline:
    """A point in time that Stop can bring forward."""

    def __init__(self, seconds: float) -> None:
        self.started = time.monotonic()
        self.seconds = seconds
        self._stopped = False
        self._waiters: set[queue.Queue[Any]] = set()
        self._lock = threading.Lock()

    def stop(self) -> None:
        """End the run now, from any thread."""
        with self._lock:
            self._stopped = True
            waiters = list(self._waiters)
        for waiter in waiters:
            waiter.put(_WAKE)

    @property
    def stopped(self) -> bool:
        """Whether somebody asked for the end."""
        return self._stopped

    def remaining(self) -> float:
        """Seconds left, never negative."""
        return max(0.0, self.started + self.seconds - time.monotonic())

    def elapsed_ms(self) -> int:
        """Milliseconds since the start."""
        return round((time.monotonic() - self.started) * 1000)

    def check(self) -> None:
        """Raise `Ended` when it is time."""
        if self._stopped:
            raise Ended("stopped")
        if self.remaining() <= 0:
            raise Ended("time_limit")

    def get(self, source: queue.Queue[T], seconds: float | None = None) -> T:
        """The next item of `source`.

        Raises:
            Ended: when the run is to end first.
            TimeoutError: when `seconds` pass first.
        """
        limit = None if seconds is None else time.monotonic() + seconds
        with self._lock:
            self._waiters.add(source)
        try:
            while True:
                self.check()
                wait = self.remaining() if limit is None else min(self.remaining(), limit - time.monotonic())
                try:
                    item = source.get(timeout=max(0.0, wait))
                except queue.Empty:
                    self.check()
                    if limit is not None and time.monotonic() >= limit:
                        raise TimeoutError from None
                    continue
                if item is not _WAKE:
                    return item
        finally:
            with self._lock:
                self._waiters.discard(source)

    def sleep(self, seconds: float) -> None:
        """Wait; raise `Ended` when the run is to end first."""
        try:
            self.get(queue.Queue(), seconds)
        except TimeoutError:
            return

    def call(self, function: Callable[[], T], seconds: float) -> T:
        """`function()` in a thread of its own, waited for at most `seconds`.

        Raises:
            Ended, TimeoutError: as `get`; the thread is left to end by itself.
            RuntimeError: when `MAX_LEFTOVERS` earlier calls still hang.
            Exception: whatever `function` raises.
        """
        self.check()
        if not _free.acquire(blocking=False):
            raise RuntimeError(f"{MAX_LEFTOVERS} earlier calls still hang; restart the app")
        done: queue.Queue[tuple[T | None, BaseException | None]] = queue.Queue()

        def work() -> None:
            try:
                done.put((function(), None))
            except BaseException as error:  # noqa: BLE001 - handed to the caller's thread, whatever it is
                done.put((None, error))
            finally:
                _free.release()

        threading.Thread(target=work, name="bounded-call", daemon=True).start()
        value, error = self.get(done, seconds)
        if error is not None:
            raise error
        return value  # type: ignore[return-value]
