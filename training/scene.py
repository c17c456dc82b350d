"""A board that a made-up conversation takes place on: the app's own tools, with readings and files made for it.

Results and errors come from the code that the app runs, so the model is trained on exactly what it will be told.
"""

from __future__ import annotations

import functools
import json
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

from board_agent.board import Board, BoardError
from board_agent.deadline import Deadline
from board_agent.patterns import load_patterns
from board_agent.toolbox import Tool, Toolbox
from board_agent.tools import six_tools
from board_agent.tools.system import make_get_system_info
from board_agent.tools.workspace import Workspace
from training.draw import Draw

ROOT = Path(__file__).resolve().parent.parent
PATTERNS = tuple(load_patterns(ROOT / "sketch" / "patterns.h"))
BOARD_ERRORS = (
    "no answer from the sketch in time; it may be starting. Wait a few seconds, try again, or press reset.",
    "the sketch does not offer this now: it is being flashed or starting. Wait a few seconds and try again.",
    "no connection to the microcontroller (timed out); check that arduino-router runs, then restart the app.",
    "the sketch refused set_led; try again, or restart the app.",
)

Message = dict[str, Any]


@dataclass
class Conversation:
    """What was said, and the names of the tools that the request listed."""

    kind: str
    tools: list[str]
    messages: list[Message] = field(default_factory=list)


class _Board:
    """In place of the Bridge: everything works, or nothing does."""

    def __init__(self) -> None:
        self.failures = 0
        self.error = BOARD_ERRORS[0]

    def set_led(self, state: bool) -> None:
        self._act()

    def set_matrix(self, pattern: str) -> bool:
        self._act()
        return pattern in PATTERNS

    def _act(self) -> None:
        if self.failures:
            self.failures -= 1
            raise BoardError(self.error)


class Scene:
    """One conversation in the making.

    Args:
        draw: the chance that the conversation is made of.
        folder: an empty folder of this scene's own for its files.
        make: further tools, by name, each with what makes it.
    """

    def __init__(self, draw: Draw, folder: Path, make: Mapping[str, Callable[[Draw], Tool]] | None = None) -> None:
        self.draw = draw
        self.messages: list[Message] = []
        self.used: set[str] = set()
        self.without: set[str] = set()
        self.board = _Board()
        self.facts: dict[str, Any] = {}
        self._folder = folder
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        system = functools.wraps(make_get_system_info(folder))(lambda: dict(self.facts))
        files = Workspace(folder)
        tools = [
            *six_tools(system, files, cast(Board, self.board), list(PATTERNS)),
            *(made(draw) for made in (make or {}).values()),
        ]
        self._toolbox = Toolbox(tools)

    def file(self, path: str, text: str) -> None:
        """Put a file into the workspace."""
        place = self._folder / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, encoding="utf-8")

    def ask(self, text: str) -> None:
        """The person says something."""
        self.messages.append({"role": "user", "content": text})

    def call(self, tool: str, /, **args: Any) -> dict[str, Any]:
        """The model calls a tool, which runs; its result, or `{"error": ...}`."""
        self.used.add(tool)
        function = {"name": tool, "arguments": json.dumps(args, ensure_ascii=False)}
        calls = [{"id": "call", "type": "function", "function": function}]
        self.messages.append({"role": "assistant", "content": "", "tool_calls": calls})
        outcome = self._toolbox.call(tool, args, Deadline(10))
        self.messages.append({"role": "tool", "tool_call_id": "call", "content": outcome.result})
        return cast(dict[str, Any], json.loads(outcome.result))

    def calculate(self, expression: str) -> Any:
        """A calculation that must succeed; its result."""
        result = self.call("calculate", expression=expression)
        if "error" in result:
            raise ValueError(f"{expression}: {result['error']}")
        return result["result"]

    def say(self, text: str) -> None:
        """The model answers."""
        self.messages.append({"role": "assistant", "content": text})


def shown(value: Any) -> str:
    """A result as it stands in the JSON that the model reads."""
    return json.dumps(value)


Kind = Callable[[Scene], None]
"""Makes one conversation of its kind in a scene."""

Kinds = Sequence[tuple[Kind, float]]
"""Kinds with how often each comes up, relative to the others."""
