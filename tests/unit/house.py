"""The whole app but for the process: scripted model, fake Bridge, real line, feed, watches and web."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from board_agent.access import Access
from board_agent.agent import Agent
from board_agent.board import Board
from board_agent.conversations import Conversations
from board_agent.deadline import Deadline
from board_agent.doctor import Doctor
from board_agent.feed import Feed
from board_agent.model import Reply
from board_agent.prefix import Prefix
from board_agent.runs import Runs, answering
from board_agent.server import make_server
from board_agent.toolbox import Tool, Toolbox
from board_agent.tools.board import board_tools
from board_agent.tools.workspace import Workspace
from board_agent.watch import BoardWatch, ModelWatch
from board_agent.web import House, create_app
from tests.unit.scripted import FakeBridge, ScriptedModel, saying

LIT = ((7,) * 13,) * 8
DARK = ((0,) * 13,) * 8


class TestHouse:
    """Build it with a script, use `client` or the real server at `url`, then `close` it."""

    __test__ = False

    def __init__(
        self,
        *script: Any,
        policy: Any = None,
        tools: list[Tool] | None = None,
        seconds: float = 20,
        access: Access | None = None,
        store: Path | None = None,
        workspace: Path | None = None,
    ) -> None:
        self.bridge = FakeBridge()
        self.model = ScriptedModel(*script)
        board = Board(self.bridge)
        self.toolbox = Toolbox([*(tools or []), *board_tools(board, self.bridge.patterns)], policy)
        self.feed = Feed()
        self.agent = Agent(self.model, self.toolbox)

        def make_prefix(told: Callable[[Any], None]) -> Prefix:
            return Prefix(self.model, "", [], slots=None, on_change=told)

        self.model_watch = ModelWatch(self.model, self.feed, make_prefix)
        self.board_watch = BoardWatch(board, self.feed, {"check": LIT, "off": DARK})

        self.conversations = Conversations(
            store or Path(":memory:"), lambda: self.feed.set_state(self.conversations.to_json())
        )
        answer = answering(self.agent, self.model_watch, self.conversations)
        self.runs = Runs(answer, self.feed, time_limit_s=seconds, on_stopped=board.all_off)
        self.facts: dict[str, float] = {"home_free_gb": 14.2, "memory_free_gb": 1.2, "cpu_temp_c": 48.5}
        doctor = Doctor(
            self.model, self.model_watch, self.toolbox, board, lambda: self.facts, lambda: self.conversations.error
        )
        house = House(
            self.runs,
            self.feed,
            self.model,
            self.model_watch,
            self.toolbox,
            board.all_off,
            self.conversations,
            Workspace(workspace or Path("/nowhere")),
            doctor,
            access or Access(),
        )
        app = create_app(house)
        self.client = app.test_client()
        self.server = make_server(app, "127.0.0.1", 0)
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, args=(0.05,), daemon=True).start()
        self.model_watch.start()
        self.board_watch.start()

    def close(self) -> None:
        """End every thread."""
        self.runs.close()
        self.model_watch.close()
        self.board_watch.close()
        self.server.shutdown()
        self.server.server_close()
        self.conversations.close()


Make = Callable[..., TestHouse]
"""The fixture `make`: builds houses, and closes them after the test."""


def until(condition: Callable[[], Any], seconds: float = 60) -> Any:
    """The first true value of `condition`; fails when there is none in time."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        value = condition()
        if value:
            return value
        time.sleep(0.02)
    raise AssertionError("it did not happen in time")


class Hold:
    """A script entry that blocks until `release`, and says when it has been reached."""

    def __init__(self, reply: Reply | None = None) -> None:
        self.reached = threading.Event()
        self._free = threading.Event()
        self.reply = reply or saying("Done.")

    def release(self) -> None:
        """Let it go on."""
        self._free.set()

    def __call__(self, deadline: Deadline) -> Reply:
        """The reply, once released."""
        self.reached.set()
        while not self._free.is_set():
            deadline.sleep(0.02)
        return self.reply
