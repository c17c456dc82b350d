"""The loop that most tutorials show, as a baseline: ask, run the calls, add the results, ask again.

It has the app's own prompt, tools and sampling, so what differs is the loop. What it does not do: warm the cache, keep
the tools in the last request, replay the model's words as they were, catch a call that repeats, mend a near miss.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import openai

from board_agent.errors import ToolError
from board_agent.model import Message, profile_for
from board_agent.prompt import SYSTEM_PROMPT
from board_agent.toolbox import Toolbox


@dataclass
class PlainRun:
    """What came of a question. `trace` rows are `turn`, `tool`, `args`, `result`; `timings` are llama-server's own."""

    messages: list[Message]
    answer: str = ""
    stopped: str = "answered"
    trace: list[dict[str, Any]] = field(default_factory=list)
    timings: list[dict[str, Any]] = field(default_factory=list)

    @property
    def tokens_read(self) -> int:
        """Prompt tokens that the model had to read."""
        return self._sum("prompt_n")

    @property
    def tokens_reused(self) -> int:
        """Prompt tokens that were in the cache."""
        return self._sum("cache_n")

    @property
    def tokens_written(self) -> int:
        """Tokens that the model wrote."""
        return self._sum("predicted_n")

    def _sum(self, key: str) -> int:
        return sum(int(one.get(key, 0)) for one in self.timings)


def ask(
    client: openai.OpenAI,
    model: str,
    toolbox: Toolbox,
    question: str,
    *,
    history: Sequence[Message] = (),
    max_turns: int = 6,
) -> PlainRun:
    """Answer one question; `history` is the `messages` of an earlier run.

    Raises:
        openai.OpenAIError: the server did not answer or refused.
    """
    opening = list(history) or [{"role": "system", "content": SYSTEM_PROMPT}]
    run = PlainRun([*opening, {"role": "user", "content": question}])
    profile = profile_for(model)
    sampling: dict[str, Any] = {"temperature": profile.temperature, "max_tokens": profile.max_tokens}
    for turn in range(1, max_turns + 2):
        tools: dict[str, Any] = {"tools": toolbox.schemas()} if turn <= max_turns else {}
        if tools and profile.parallel_tool_calls is not None:
            tools["parallel_tool_calls"] = profile.parallel_tool_calls
        request: dict[str, Any] = {"model": model, "messages": run.messages, **tools, **sampling}
        response = client.chat.completions.create(**request)
        run.timings.append(getattr(response, "timings", None) or {})
        message = response.choices[0].message
        if not message.tool_calls:
            run.answer = message.content or ""
            run.messages.append({"role": "assistant", "content": run.answer})
            run.stopped = "answered" if turn <= max_turns else "turn_limit"
            break
        asked = {"role": "assistant", "content": message.content, "tool_calls": []}
        run.messages.append(asked)
        for call in message.tool_calls:
            args, result = _call(toolbox, call.function.name, call.function.arguments)
            run.trace.append({"turn": turn, "tool": call.function.name, "args": args, "result": json.dumps(result)})
            function = {"name": call.function.name, "arguments": json.dumps(args)}
            asked["tool_calls"].append({"id": call.id, "type": "function", "function": function})
            run.messages.append({"role": "tool", "tool_call_id": call.id, "content": json.dumps(result)})
    return run


def _call(toolbox: Toolbox, name: str, arguments: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """A call's arguments and its result; whatever goes wrong is the result, so that the model can go on."""
    args: dict[str, Any] = {}
    if name not in toolbox.tools:
        return args, {"error": f"unknown tool {name}"}
    try:
        args = json.loads(arguments)
        return args, toolbox.tools[name].function(**args)
    except (ToolError, ValueError, TypeError) as error:
        return args, {"error": str(error)}
