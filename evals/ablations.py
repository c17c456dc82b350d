"""What happens without one of the harness's measures, or with its tools made otherwise: one change at a time.

Nothing of this is an option of the app: the changes are put around its tools, its model and its loop from outside.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from board_agent import events
from board_agent.agent import Agent
from board_agent.deadline import Deadline
from board_agent.errors import ToolError
from board_agent.model import Message, Model, Progress, Reply, Text
from board_agent.toolbox import Tool

Tools = Sequence[Tool]


def _as_they_are(tools: Tools) -> Tools:
    return tools


def _terse(tools: Tools) -> Tools:
    return [replace(tool, described=False) for tool in tools]


def _no_enum(tools: Tools) -> Tools:
    return [replace(tool, choices={}) for tool in tools]


def _sentences(tools: Tools) -> Tools:
    return [replace(tool, function=_in_a_sentence(tool.function)) for tool in tools]


def _in_a_sentence(function: Callable[..., dict[str, Any]]) -> Callable[..., dict[str, Any]]:
    @functools.wraps(function)
    def call(**args: Any) -> dict[str, Any]:
        parts = [f"the {key.replace('_', ' ')} is {value}" for key, value in function(**args).items()]
        return {"text": f"I looked it up for you: {', '.join(parts)}."}

    return call


def _no_comparisons(tools: Tools) -> Tools:
    return [replace(tool, function=_refusing(tool.function)) if tool.name == "calculate" else tool for tool in tools]


def _refusing(function: Callable[..., dict[str, Any]]) -> Callable[..., dict[str, Any]]:
    @functools.wraps(function)
    def call(expression: str) -> dict[str, Any]:
        found = re.search(r"[<>=!≥≤≠]+", expression)
        if found:
            raise ToolError(f"{found[0]!r} is not understood; use numbers without units and + - * / // % ** ( )")
        return function(expression=expression)

    return call


class NoRepeatGuard(Agent):
    """Every call is run, however often it comes."""

    def _call(self, state: Any, *rest: Any) -> Iterator[events.Event]:  # type: ignore[override]
        state.answered.clear()
        yield from super()._call(state, *rest)


class NoReservedTurn:
    """A model that is not asked once the turns with tools are used up."""

    def __init__(self, model: Model) -> None:
        self._model = model

    def stream(
        self, messages: Sequence[Message], tools: Sequence[dict[str, Any]], deadline: Deadline, *, final: bool = False
    ) -> Iterator[Progress | Text | Reply]:
        """As `Model.stream`."""
        if final:
            yield Reply(text="(The turns were used up.)", finish_reason="stop")
        else:
            yield from self._model.stream(messages, tools, deadline)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._model, name)


@dataclass(frozen=True)
class Ablation:
    """One change: what it is, for the report, and how it is made."""

    title: str
    tools: Callable[[Tools], Tools] = _as_they_are
    model: Callable[[Model], Any] = lambda model: model
    agent: type[Agent] = Agent


ABLATIONS = {
    "terse": Ablation("tools without descriptions", tools=_terse),
    "no-enum": Ablation("the patterns' names are not listed", tools=_no_enum),
    "sentences": Ablation("results as sentences", tools=_sentences),
    "no-last-turn": Ablation("no turn kept for the answer", model=NoReservedTurn),
    "no-repeat-guard": Ablation("a call that repeats is run again", agent=NoRepeatGuard),
    "no-comparisons": Ablation("calculate cannot compare", tools=_no_comparisons),
}
