"""Everything that happens, in one order, for everyone who watches: pages, the asker's stream.

A watcher is a position in the log, not a queue of its own: one that sleeps costs nothing, falls behind, and catches
up. Events of the last runs are kept, so that a page opened late or reconnected misses nothing; of all but the newest
finished run the single words and the reading progress are dropped, since what ended a turn holds the whole of it.
"""

from __future__ import annotations

import bisect
import json
import secrets
import threading
import time
from collections import OrderedDict
from dataclasses import dataclass
from typing import Any

KEEP_RUNS = 20
KEEP_BYTES = 4_000_000
"""What the log may hold in all; the oldest runs go first. A run is some 10 kB, but a model may write a lot."""
_PASSING = ("text", "prompt_progress", "waiting")


@dataclass(frozen=True)
class Entry:
    """One event: its place in the order, its type, its run (empty for the app's own state) and its JSON text."""

    seq: int
    type: str
    run: str
    data: str


class Feed:
    """The log of events. All methods may be called from any thread."""

    def __init__(self, keep_runs: int = KEEP_RUNS) -> None:
        # A page that was connected before a restart must be known by its numbers. A clock would not do: a board without
        # a battery begins at the same time again and again. JavaScript counts exactly up to 2**53.
        self._seq = secrets.randbelow(2**52)
        self._lost = self._seq
        self._entries: list[Entry] = []
        self._state: dict[str, str] = {}
        self._open: OrderedDict[str, bool] = OrderedDict()
        self._keep_runs = keep_runs
        self._changed = threading.Condition()

    @property
    def last(self) -> int:
        """The place of the newest event."""
        return self._seq

    def publish(self, run: str, event: dict[str, Any]) -> None:
        """Add an event of a run; a `run_ended` closes it."""
        with self._changed:
            self._open.setdefault(run, True)
            self._add({**event, "run": run}, run)
            if event["type"] == "run_ended":
                self._open[run] = False
                old = {name for name, is_open in self._open.items() if not is_open and name != run}
                self._entries = [e for e in self._entries if e.run not in old or e.type not in _PASSING]
                self._trim()

    def set_state(self, event: dict[str, Any]) -> None:
        """Say what part of the app's own state is now (`queue`, `board`, `model`); nothing when it has not changed."""
        kind = event["type"]
        text = json.dumps(event, sort_keys=True)
        with self._changed:
            if self._state.get(kind) == text:
                return
            self._state[kind] = text
            self._entries = [entry for entry in self._entries if entry.run or entry.type != kind]
            self._add(event, "")

    def state(self, kind: str) -> dict[str, Any] | None:
        """The present value of a part of the state; None before the first."""
        text = self._state.get(kind)
        return json.loads(text) if text else None

    def can_resume(self, after: int) -> bool:
        """Whether a watcher that has seen everything up to `after` would miss nothing by going on from there."""
        return self._lost <= after <= self._seq

    def read(self, after: int, timeout: float) -> list[Entry]:
        """The events behind `after`, waiting up to `timeout` seconds for the first; empty when none came."""
        with self._changed:
            self._changed.wait_for(lambda: self._seq > after, timeout)
            start = bisect.bisect_right(self._entries, after, key=lambda entry: entry.seq)
            return self._entries[start:]

    def _add(self, event: dict[str, Any], run: str) -> None:
        self._seq += 1
        data = json.dumps({**event, "seq": self._seq, "at": round(time.time(), 3)}, ensure_ascii=True)
        self._entries.append(Entry(self._seq, event["type"], run, data))
        self._changed.notify_all()

    def _trim(self) -> None:
        """Forget the oldest finished runs that are too many or too large."""
        finished = [run for run, is_open in self._open.items() if not is_open]
        size = sum(len(entry.data) for entry in self._entries)
        while finished and (len(finished) > self._keep_runs or size > KEEP_BYTES):
            gone = finished.pop(0)
            del self._open[gone]
            dropped = [entry for entry in self._entries if entry.run == gone]
            size -= sum(len(entry.data) for entry in dropped)
            self._lost = max(self._lost, *(entry.seq for entry in dropped))
            self._entries = [entry for entry in self._entries if entry.run != gone]
