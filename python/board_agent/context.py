"""What one run sends to the model: the system prompt, what is kept of the past, the question and its steps.

The context is small and reading is slow. A past run is always sent with the same bytes (`conversations.shortened`),
since a change is read again with everything behind it. When runs must be left out, they are the oldest, whole, and so
many that the rest stays the same for the next few questions.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Sequence
from typing import Any

from board_agent.conversations import Past
from board_agent.model import Message, Model, ModelError

ASSUMED_CONTEXT = 4096
"""Tokens that a server which does not tell is taken to hold, for the past only."""
SHARE = 4
"""The past may fill a quarter of the context, and a quarter stays free for the tool results of the run."""
BYTES_PER_TOKEN = 3
"""A careful guess where the server does not count: English text has four."""


class Context:
    """The messages of one run. The loop appends to `own`; the past gives way when there is no room."""

    def __init__(
        self, model: Model, tools: Sequence[dict[str, Any]], system: Message, question: Message, past: Past
    ) -> None:
        self._model = model
        self._tools = tools
        self._system = system
        self._past = list(past.runs)
        self._left_out = past.left_out
        self._tokens = 0
        self._begun = False
        self.own = [question]

    @property
    def past(self) -> list[Message]:
        """What is sent of earlier runs."""
        return [message for run in self._past for message in run]

    def messages(self) -> list[Message]:
        """What the next request sends."""
        return [self._system, *self.past, *self.own]

    def kept(self) -> dict[str, int]:
        """How much of the past is sent: runs, runs left out, and the tokens it takes."""
        return {"runs_kept": len(self._past), "runs_dropped": self._left_out, "tokens": self._tokens}

    def make_room(self) -> None:
        """To be called before a request: leave out of the past what there is no room for.

        Raises:
            ModelError: there is no room for the rest either (kind `context`).
        """
        server = self._model.server or self._model.probe()
        size = server.context or ASSUMED_CONTEXT
        limit = size - self._model.profile.max_tokens
        first, self._begun = not self._begun, True
        if not self._past and _bytes(self.messages(), self._tools) < limit:  # and a token is more than a byte
            return
        used = self._count(self.messages())
        if self._past:
            rest = self._count([self._system, *self.own])
            if first:
                limit = min(rest + size // SHARE, limit - size // SHARE)
            goal = used if used <= limit else (rest + limit) // 2
            while self._past and used > goal:
                del self._past[0]
                self._left_out += 1
                used = self._count(self.messages())
            self._tokens = used - rest
        if used >= server.context > 0:
            raise ModelError(
                f"this was not sent: with what belongs to it, it is {used} tokens long, and the model can hold "
                f"{server.context}; ask something shorter, or start llama-server with a larger --ctx-size.",
                "context",
            )

    def _count(self, messages: Sequence[Message]) -> int:
        """The tokens of a prompt: as llama-server counts them, elsewhere by guess."""
        if self._model.server and self._model.server.native:
            with contextlib.suppress(ModelError):  # if the server is in trouble, the request itself will tell
                prompt = self._model.post("/apply-template", {"messages": list(messages), "tools": list(self._tools)})
                body = {"content": prompt["prompt"], "add_special": True, "parse_special": True}
                return len(self._model.post("/tokenize", body)["tokens"])
        return _bytes(messages, self._tools) // BYTES_PER_TOKEN


def _bytes(messages: Sequence[Message], tools: Sequence[dict[str, Any]]) -> int:
    return len(json.dumps([*messages, *tools], ensure_ascii=False).encode("utf-8", "replace"))
