"""What both loops are measured with: the app's six tools, on a simulated board whose readings stay the same."""

from __future__ import annotations

import functools
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import openai
from arduino.router_bridge import Bridge

from bench.meter import Meter
from bench.steps import Step
from board_agent.agent import Agent
from board_agent.board import Board, BridgeLike
from board_agent.conversations import Past
from board_agent.deadline import Deadline
from board_agent.events import RunEnded
from board_agent.model import Message, Model
from board_agent.patterns import load_patterns
from board_agent.prefix import Prefix
from board_agent.prompt import SYSTEM_PROMPT
from board_agent.toolbox import Toolbox
from board_agent.tools import six_tools
from board_agent.tools.system import make_get_system_info
from board_agent.tools.workspace import Workspace
from evals import plain_loop
from simulator.microcontroller import Microcontroller
from simulator.router import Router

ROOT = Path(__file__).resolve().parent.parent
LIMIT_S = 600.0
FACTS = {
    "os": "Debian GNU/Linux 13 (trixie)",
    "machine": "aarch64",
    "cpu_count": 4,
    "cpu_temp_c": 47.2,
    "uptime_h": 3.5,
    "memory_free_gb": 0.62,
    "memory_total_gb": 1.76,
    "disk_free_gb": 2.4,
    "disk_total_gb": 9.8,
    "home_free_gb": 8.3,
    "home_total_gb": 18.7,
}
"""Like a UNO Q's. Readings that change from run to run would change the tokens too."""


@contextmanager
def simulated_board() -> Iterator[str]:
    """The address of a router with a simulated microcontroller that runs the sketch."""
    # A socket's path may have about 100 characters.
    with (
        tempfile.TemporaryDirectory(prefix="bench-", dir="/tmp") as folder,
        Router(f"unix://{folder}/router.sock") as router,
        Microcontroller(router.address) as chip,
    ):
        if not chip.wait_for_route("get_board_state", 20):
            raise RuntimeError("the simulated board does not start")
        yield router.address


@contextmanager
def connected(router: str) -> Iterator[Bridge]:
    """A Bridge on that router."""
    bridge = Bridge(router)
    bridge.connect(timeout=5)
    try:
        yield bridge
    finally:
        bridge.disconnect()


def toolbox(bridge: BridgeLike) -> Toolbox:
    """The app's tools on that Bridge, as python/main.py lists them."""
    real = make_get_system_info(ROOT)

    @functools.wraps(real)
    def get_system_info() -> dict[str, Any]:
        return FACTS

    workspace = Workspace(ROOT / "workspace")
    patterns = load_patterns(ROOT / "sketch" / "patterns.h")
    return Toolbox(
        [
            *six_tools(get_system_info, workspace, Board(bridge), list(patterns)),
        ]
    )


class AppLoop:
    """This app: prefix and agent as python/main.py puts them together."""

    def __init__(self, meter: Meter, tools: Toolbox, slots: Path) -> None:
        self._meter = meter
        self._tools = tools
        self.model = Model(meter.base_url)
        self._prefix = Prefix(self.model, SYSTEM_PROMPT, tools.schemas(), slots=slots)
        self._past: list[list[Message]] = []

    def server_started(self) -> str:
        """What the app does when llama-server has started; the state of the prefix afterwards."""
        self._prefix.make_ready(self.model.probe())
        return self._prefix.status.state

    def ask(self, step: Step) -> str:
        """The answer to the step's question."""
        agent = Agent(self.model, self._tools, max_turns=step.max_turns)
        if not step.follows:
            self._past = []
        earlier = 1 + sum(len(run) for run in self._past)
        last = list(agent.run(step.question, Deadline(LIMIT_S), Past(self._past)))[-1]
        assert isinstance(last, RunEnded)  # noqa: S101
        run = self._meter.requests[-1]["messages"][earlier:]
        self._past.append([*run, {"role": "assistant", "content": last.answer}])
        return last.answer


class PlainLoop:
    """The loop of the tutorials."""

    def __init__(self, meter: Meter, tools: Toolbox, model: str) -> None:
        self._tools = tools
        self._model = model
        self._client = openai.OpenAI(base_url=meter.base_url, api_key="none", max_retries=0)
        self._history: Sequence[Message] = ()

    def ask(self, step: Step) -> str:
        """The answer to the step's question."""
        history = self._history if step.follows else ()
        run = plain_loop.ask(
            self._client, self._model, self._tools, step.question, history=history, max_turns=step.max_turns
        )
        self._history = run.messages
        return run.answer
