"""What goes on beside the runs: is the model there and its prefix ready, what does the board show.

Both watches put what they find into the feed, so that a page, `/healthz` and `/status` answer at once from what is
known. The model's watch also hands out the model: it prepares the prefix while nobody uses the model, and a run that
comes meanwhile waits for it rather than compete with it.
"""

from __future__ import annotations

import logging
import queue
import threading
from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass, field
from typing import Any

from board_agent import events
from board_agent.board import Board, BoardError
from board_agent.deadline import Deadline
from board_agent.feed import Feed
from board_agent.model import Model, ModelError, Server
from board_agent.patterns import Frame, name_of
from board_agent.prefix import Prefix, Status

log = logging.getLogger(__name__)

POLL_S = 3.0
LOADING_POLL_S = 0.5
BOARD_POLL_S = 1.0


@dataclass
class _Grant:
    """A run's hold on the model, from the moment it is given until `over`."""

    given: queue.Queue[bool] = field(default_factory=queue.Queue)
    over: bool = False


class ModelWatch:
    """Asks the server how it is, makes the prefix ready after each of its starts, and hands the model to one run."""

    def __init__(self, model: Model, feed: Feed, make_prefix: Callable[[Callable[[Status], None]], Prefix]) -> None:
        self._model = model
        self._feed = feed
        self.prefix = make_prefix(lambda status: self._tell())
        self._server: Server | None = None
        self._error = ModelError("the model has not been asked yet; wait a moment.", "loading")
        self._warm: str | None = None
        self._holder: _Grant | None = None
        self._asks: queue.Queue[_Grant | None] = queue.Queue()
        self._closed = False
        self._thread = threading.Thread(target=self._work, name="model-watch", daemon=True)

    def start(self) -> None:
        """Begin to watch."""
        self._tell()
        self._thread.start()

    def close(self) -> None:
        """Stop watching."""
        self._closed = True
        self._asks.put(None)

    @property
    def error(self) -> ModelError | None:
        """Why the model cannot be used now; None when it can."""
        return None if self._server else self._error

    def hold(self, deadline: Deadline) -> Generator[events.Event, None, _Grant]:
        """The model for one run, once it is loaded and its prefix is ready; says meanwhile what is waited for.

        The caller gives the grant to `release` when the run has ended.
        """
        grant = _Grant()
        self._asks.put(grant)
        told = ""
        try:
            while True:
                try:
                    deadline.get(grant.given, 0.5)
                except TimeoutError:
                    reason = self._reason()
                    if reason != told:
                        yield events.Waiting(reason=reason)
                        told = reason
                else:
                    return grant
        except BaseException:
            grant.over = True
            raise

    def release(self, grant: _Grant) -> None:
        """The model is free for the next one."""
        grant.over = True
        self._asks.put(None)

    def _reason(self) -> str:
        status = self.prefix.status
        if self._server and status.state == "reading":
            return f"The model reads its instructions: {status.read} of {status.total} tokens. It does so once."
        return str(self._error) if not self._server else "The model is being made ready."

    def _work(self) -> None:
        pending: list[_Grant] = []
        self._look()
        while not self._closed:
            loading = not self._server and self._error.kind == "loading"
            try:
                ask = self._asks.get(timeout=LOADING_POLL_S if loading else POLL_S)
            except queue.Empty:
                ask = None
            if ask:
                pending.append(ask)
            free = self._holder is None or self._holder.over
            if free:
                self._look()
            pending = [grant for grant in pending if not grant.over]
            if pending and free and not (self._server is None and self._error.kind == "loading"):
                self._holder = pending.pop(0)
                self._holder.given.put(True)

    def _look(self) -> None:
        """See how the server is, and warm it if it has started anew."""
        try:
            server = self._model.probe()
        except ModelError as error:
            if self._server or error.kind != self._error.kind:
                log.info("model: %s", error)
            self._server, self._error, self._warm = None, error, None
            self.prefix.forget()
            return
        if self._server is None:
            log.info("model: %s on %s, profile %s", server.model, server.title, self._model.profile.label)
        self._server = server
        start = f"{server.model} {server.build} {server.instance}"
        if self._warm != start:
            self.prefix.make_ready(server)
            self._warm = start
        self._tell()

    def _tell(self) -> None:
        self._feed.set_state(self.to_json())

    def to_json(self) -> dict[str, Any]:
        """The `model` event."""
        if self._server is None:
            return {"type": "model", "ok": False, "error": str(self._error)}
        return {
            "type": "model",
            "ok": True,
            "model": self._server.model,
            "profile": self._model.profile.label,
            "server": self._server.title,
            "context": self._server.context,
            "prefix": self.prefix.status.to_json(),
        }


class BoardWatch:
    """Asks the sketch what LED and matrix show: each second, and at once after something has acted on them."""

    def __init__(self, board: Board, feed: Feed, patterns: Mapping[str, Frame]) -> None:
        self._board = board
        self._feed = feed
        self._patterns = patterns
        self._look_now = threading.Event()
        self._closed = False

    def start(self) -> None:
        """Begin to watch."""
        threading.Thread(target=self._work, name="board-watch", daemon=True).start()

    def close(self) -> None:
        """Stop watching."""
        self._closed = True
        self._look_now.set()

    def look(self) -> None:
        """Ask now."""
        self._look_now.set()

    def _work(self) -> None:
        while not self._closed:
            self._look_now.clear()
            self._feed.set_state(self._ask())
            self._look_now.wait(BOARD_POLL_S)

    def _ask(self) -> dict[str, Any]:
        try:
            state = self._board.state()
        except BoardError as error:
            return {"type": "board", "ok": False, "error": str(error)}
        rows = tuple(state.matrix[start : start + 13] for start in range(0, len(state.matrix), 13))
        pattern = name_of(rows, self._patterns)
        return {"type": "board", "ok": True, "led": state.led, "matrix": list(state.matrix), "pattern": pattern}
