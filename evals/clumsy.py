"""A model made clumsy: into half of its replies goes a mistake that small models make, the same for either loop.

The small model of `models/` was trained on these six tools and hardly makes any. With this one sees what such mistakes
cost, not how often another model makes them; they are those that the harness knows of.
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

from board_agent.deadline import Deadline
from board_agent.model import Message, Model, Progress, Reply, Text, ToolCall

HOW_OFTEN = 0.5
OTHER_WORDS = {"check": "tick", "x": "cross", "smiley": "happy face", "off": "blank"}
OTHER_NAMES = {"path": "file_path", "state": "led_state", "pattern": "Pattern", "expression": "Expression"}


class Mistakes:
    """Chooses mistakes. The same question and the same calls before lead to the same mistake."""

    def __init__(self, seed: int) -> None:
        self._seed = seed

    def in_reply(self, messages: Sequence[Message], text: str, calls: Sequence[ToolCall]) -> tuple[str, list[ToolCall]]:
        """A reply's text and calls with a mistake in them, or as they are."""
        asked = [message.get("content") for message in messages if message["role"] == "user"]
        results = sum(message["role"] == "tool" for message in messages)
        chance = random.Random(f"{self._seed} {asked} {results} {[call.name for call in calls]}")  # noqa: S311
        if not calls or chance.random() >= HOW_OFTEN:
            return text, list(calls)
        first, *rest = calls
        args = json.loads(first.arguments or "{}")
        kind = chance.choice(["argument", "argument", "name", "text"])
        if kind == "text":
            written = json.dumps({"name": first.name, "arguments": args})
            return f"<tool_call>{written}</tool_call>", []
        if kind == "name":
            args = {OTHER_NAMES.get(key, key): value for key, value in args.items()}
        else:
            args = {key: _spoilt(value, chance) for key, value in args.items()}
        return text, [replace(first, arguments=json.dumps(args)), *rest]


def _spoilt(value: Any, chance: random.Random) -> Any:
    """A value as a small model writes it."""
    if isinstance(value, bool):
        return chance.choice([str(value).lower(), "on" if value else "off"])
    if not isinstance(value, str):
        return value
    if value in OTHER_WORDS:
        return chance.choice([OTHER_WORDS[value], value.upper()])
    if re.fullmatch(r"\d", value):
        return int(value)
    if "." in value and "/" not in value and not re.search(r"[\s\d]", value):
        return chance.choice(["/", "workspace/"]) + value
    if re.search("[<>]", value):
        return re.sub(r"(\d+(?:\.\d+)?)", r"\1 GB", value)
    return value


class ClumsyModel:
    """The model for our loop."""

    def __init__(self, model: Model, mistakes: Mistakes) -> None:
        self._model = model
        self._mistakes = mistakes

    def stream(
        self, messages: Sequence[Message], tools: Sequence[dict[str, Any]], deadline: Deadline, *, final: bool = False
    ) -> Iterator[Progress | Text | Reply]:
        """As `Model.stream`."""
        for item in self._model.stream(messages, tools, deadline, final=final):
            if isinstance(item, Reply):
                item.text, item.calls = self._mistakes.in_reply(messages, item.text, item.calls)
            yield item

    def __getattr__(self, name: str) -> Any:
        return getattr(self._model, name)


def clumsy_client(client: Any, mistakes: Mistakes) -> Any:
    """The client for the plain loop: only what that uses of it."""

    def create(*, messages: list[Message], **request: Any) -> Any:
        response = client.chat.completions.create(messages=messages, **request)
        message = response.choices[0].message
        calls = [ToolCall(c.id, c.function.name, c.function.arguments) for c in message.tool_calls or []]
        message.content, calls = mistakes.in_reply(messages, message.content or "", calls)
        message.tool_calls = [
            SimpleNamespace(id=c.id, function=SimpleNamespace(name=c.name, arguments=c.arguments)) for c in calls
        ]
        return response

    return SimpleNamespace(chat=SimpleNamespace(completions=SimpleNamespace(create=create)))
