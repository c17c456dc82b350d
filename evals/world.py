"""The board that questions are asked of: simulated, with the real sketch, its readings varied from run to run."""

from __future__ import annotations

import functools
import random
import shutil
import tempfile
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from arduino.router_bridge import Bridge

from board_agent.board import Board
from board_agent.errors import ToolError
from board_agent.patterns import load_patterns, name_of
from board_agent.toolbox import Tool, Toolbox
from board_agent.tools import six_tools
from board_agent.tools.system import make_get_system_info
from board_agent.tools.workspace import Workspace
from evals.expressions import Facts
from evals.questions import Question
from simulator.microcontroller import Microcontroller
from simulator.router import Router

ROOT = Path(__file__).resolve().parent.parent
PARTS = ("resistors", "capacitors", "diodes", "buttons", "sensors", "cables")
STARTING = "the sketch does not offer this now: it is being flashed or starting. Wait a few seconds and try again."


class World:
    """A simulated board and its tools; `prepare` sets it up for one run of one question."""

    def __init__(self, seed: int = 1) -> None:
        self.patterns = load_patterns(ROOT / "sketch" / "patterns.h")
        self._seed = seed
        self._stack = ExitStack()
        self._readings: dict[str, Any] = {}
        self._faults: dict[str, int] = {}

    def __enter__(self) -> Self:
        # A socket's path may have about 100 characters.
        folder = Path(self._stack.enter_context(tempfile.TemporaryDirectory(prefix="evals-", dir="/tmp")))
        router = self._stack.enter_context(Router(f"unix://{folder}/router.sock"))
        self._chip = self._stack.enter_context(Microcontroller(router.address))
        if not self._chip.wait_for_route("get_board_state", 20):
            raise RuntimeError("the simulated board does not start")
        bridge = Bridge(router.address)
        bridge.connect(timeout=5)
        self._stack.callback(bridge.disconnect)
        self._board = Board(bridge)
        self._folder = folder / "workspace"
        shutil.copytree(ROOT / "workspace", self._folder)
        self._workspace = Workspace(self._folder)
        self.tools = self._tools()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stack.close()

    def toolbox(self, change: Callable[[Sequence[Tool]], Sequence[Tool]] = lambda tools: tools) -> Toolbox:
        """The app's six tools on this board. `change` may give them another form."""
        return Toolbox(change(self.tools))

    def prepare(self, question: Question, run: int) -> Facts:
        """Set readings, files, LED and matrix; `run` counts the runs of this question from 0. Returns the facts."""
        chance = random.Random(f"{self._seed} {question.id} {run}")  # noqa: S311
        self._readings = _readings(chance)
        for name, values in question.vary.items():
            # The question's id decides which value is first, so that one run of the whole set has both sides too.
            self._readings[name] = values[(run + sum(question.id.encode())) % len(values)]
        self._faults = {}
        self._fill(chance)
        facts = Facts(
            self.tools[0].function(),
            lambda path: str(self._workspace.read_file(path)["content"]),
            lambda path: list(self._workspace.list_files(path)["entries"]),
        )
        self._board.set_led(_start_led(question, facts))
        self._board.set_matrix(_start_pattern(question, facts, chance))
        self._faults = dict(question.fault)
        return facts

    def board(self) -> dict[str, Any]:
        """What LED and matrix show, as they are wired: `led` and `pattern`, None for one that has no name."""
        led, frame = self._chip.state()
        return {"led": led, "pattern": name_of(frame, self.patterns)}

    def _tools(self) -> list[Tool]:
        real = make_get_system_info(ROOT)
        get_system_info = functools.wraps(real)(lambda: dict(self._readings))
        tools = [
            *six_tools(get_system_info, self._workspace, self._board, list(self.patterns)),
        ]
        return [replace(tool, function=self._failing(tool.function)) for tool in tools]

    def _failing(self, function: Callable[..., dict[str, Any]]) -> Callable[..., dict[str, Any]]:
        """The function as it is while the sketch is starting: it fails as often as the question says."""

        @functools.wraps(function)
        def call(**args: Any) -> dict[str, Any]:
            if self._faults.get(function.__name__, 0) > 0:
                self._faults[function.__name__] -= 1
                raise ToolError(STARTING)
            return function(**args)

        return call

    def _fill(self, chance: random.Random) -> None:
        """The files that only this board has: a list of parts and a folder of logs."""
        parts = [*chance.sample(PARTS, chance.randint(3, 5)), "resistors"]
        lines = [f"{part} {chance.randint(12, 180)}" for part in dict.fromkeys(parts)]
        (self._folder / "parts.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
        logs = self._folder / "logs"
        shutil.rmtree(logs, ignore_errors=True)
        logs.mkdir()
        for day in range(1, chance.randint(3, 7) + 1):
            (logs / f"2026-03-{day:02}.txt").write_text("all well\n", encoding="utf-8")


def _readings(chance: random.Random) -> dict[str, Any]:
    """What a board may report: the keys of get_system_info in their order, rounded as there."""

    def gb(low: float, high: float) -> float:
        value = chance.uniform(low, high)
        return round(value, 1 if value >= 10 else 2)

    memory = chance.choice([1.9, 3.8])
    return {
        "os": "Debian GNU/Linux 13 (trixie)",
        "machine": "aarch64",
        "cpu_count": 4,
        "cpu_temp_c": round(chance.uniform(38, 72), 1),
        "uptime_h": gb(0.5, 60),
        "memory_free_gb": gb(0.3, memory - 0.4),
        "memory_total_gb": memory,
        "disk_free_gb": gb(0.4, 6),
        "disk_total_gb": 9.8,
        "home_free_gb": gb(0.6, 19),
        "home_total_gb": 20.6,
    }


def expected(wish: Any, facts: Facts) -> Any:
    """What LED or matrix must show: a value as it is, or one of two by a condition."""
    if isinstance(wish, list):
        condition, then, otherwise = wish
        return then if facts.value(condition) else otherwise
    return wish


def _start_led(question: Question, facts: Facts) -> bool:
    """The LED is never already as it should be in the end."""
    wish = expected(question.led, facts)
    return not wish if isinstance(wish, bool) else False


def _start_pattern(question: Question, facts: Facts, chance: random.Random) -> str:
    if question.matrix is None and question.digit is None:
        return "off"
    wish = expected(question.matrix, facts)
    return chance.choice([name for name in ("0", "9", "x", "check", "smiley") if name != wish])
