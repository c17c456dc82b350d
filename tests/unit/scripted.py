"""Stand-ins for what is not ours: a model that says what a test wrote down, and a Bridge with a sketch behind it."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from board_agent.deadline import Deadline
from board_agent.model import Message, ModelError, Profile, Progress, Reply, Server, Text, ToolCall


def call(name: str, arguments: str | dict[str, Any] = "{}", call_id: str = "c1") -> ToolCall:
    """A tool call as a model writes it."""
    return ToolCall(call_id, name, arguments if isinstance(arguments, str) else json.dumps(arguments))


def calling(*calls: ToolCall, text: str = "", finish_reason: str = "tool_calls") -> Reply:
    """A reply that calls tools."""
    return Reply(text=text, calls=list(calls), finish_reason=finish_reason, tokens_read=5, tokens_written=7, llm_ms=3)


def saying(text: str) -> Reply:
    """A reply in words."""
    return Reply(text=text, finish_reason="stop", tokens_read=2, tokens_reused=9, tokens_written=4, llm_ms=2)


class ScriptedModel:
    """Gives the scripted replies in order, raising those that are errors; `requests` holds what it was sent.

    A script entry may be a function of the deadline, to block or to stop the run in the middle.
    """

    profile = Profile("scripted", "", temperature=0, max_tokens=10)

    def __init__(self, *script: Reply | ModelError | Callable[[Deadline], Reply]) -> None:
        self.script = list(script)
        self.requests: list[dict[str, Any]] = []
        self.server = Server(model="scripted")
        self.address = "scripted:1"

    def probe(self) -> Server:
        """Always there."""
        return self.server

    def stream(
        self, messages: Sequence[Message], tools: Sequence[dict[str, Any]], deadline: Deadline, *, final: bool = False
    ) -> Iterator[Progress | Text | Reply]:
        """The next entry of the script."""
        self.requests.append({"messages": json.loads(json.dumps(messages)), "tools": list(tools), "final": final})
        entry = self.script.pop(0)
        if isinstance(entry, ModelError):
            raise entry
        reply = entry(deadline) if callable(entry) else entry
        yield Progress(10, 4, 10, 1.0)
        if reply.text:
            yield Text(reply.text)
        yield reply


class FakeBridge:
    """A Bridge to a sketch of Python: an LED and a matrix that only knows `patterns`."""

    def __init__(self, patterns: Sequence[str] = ("check", "x", "off")) -> None:
        self.patterns = patterns
        self.led = False
        self.pattern = "off"
        self.calls: list[tuple[Any, ...]] = []
        self.error: Exception | None = None
        self.hang: threading.Event | None = None
        self.answers: dict[str, Any] = {}

    def call(self, method_name: str, *params: Any, timeout: int = 10) -> Any:
        """As `arduino.app_utils.Bridge.call`."""
        self.calls.append((method_name, *params))
        if self.hang:
            self.hang.wait()
        if self.error:
            raise self.error
        if method_name in self.answers:
            return self.answers[method_name]
        if method_name == "set_builtin_led":
            self.led = params[0]
            return self.led
        if method_name == "set_led_matrix":
            if params[0] not in self.patterns:
                return False
            self.pattern = params[0]
        elif method_name == "all_off":
            self.led, self.pattern = False, "off"
        elif method_name == "get_board_state":
            return ("1" if self.led else "0") + ("7" if self.pattern != "off" else "0") * 104
        return True
