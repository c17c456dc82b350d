"""The tools: their schemas go out to the model, its calls come in. A call never raises; it has a result or an error.

A tool is a plain function. Its name, the first line of its docstring and its signature become the schema; what it
returns becomes compact JSON. Whether a call may run at all (the policy) is decided here and nowhere else.
"""

from __future__ import annotations

import inspect
import json
import logging
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, get_args, get_type_hints

from board_agent.deadline import Deadline, Ended
from board_agent.errors import ToolError
from board_agent.repairs import mended, other_tries

log = logging.getLogger(__name__)

Risk = Literal["read", "act", "change", "disruptive"]
Decision = Literal["allow", "ask", "deny"]
RISKS: tuple[Risk, ...] = get_args(Risk)
DECISIONS: tuple[Decision, ...] = get_args(Decision)
DEFAULT_POLICY: dict[Risk, Decision] = {"read": "allow", "act": "allow", "change": "ask", "disruptive": "deny"}

MAX_RESULT_CHARS = 8192
"""A result may fill at most about half of the 4096 tokens that the model can see."""

_JSON_TYPES = {str: "string", bool: "boolean", int: "integer", float: "number"}
_PYTHON_TYPES: dict[str, tuple[type, ...]] = {"string": (str,), "integer": (int,), "number": (int, float)}


@dataclass(frozen=True)
class Tool:
    """A function the model may call.

    Args:
        function: typed keyword arguments (str, bool, int or float; a default makes one optional), returns a dict,
            raises `ToolError` with what is wrong and what to do instead.
        risk: read (facts), act (LED, matrix), change (writes), disruptive (runs code).
        timeout_s: how long one call may take.
        choices: the allowed values of an argument, by its name.
        described: False where the name says it all; a description costs the fixed prompt ten tokens or more.
    """

    function: Callable[..., dict[str, Any]]
    risk: Risk = "read"
    timeout_s: float = 5.0
    choices: Mapping[str, Sequence[str]] = field(default_factory=dict)
    described: bool = True

    @property
    def name(self) -> str:
        """The function's name."""
        return self.function.__name__

    @property
    def description(self) -> str:
        """The first line of the function's docstring."""
        return (inspect.getdoc(self.function) or "").partition("\n")[0]

    @property
    def parameters(self) -> dict[str, Any]:
        """The arguments as a JSON schema of type object."""
        hints = get_type_hints(self.function)
        properties: dict[str, Any] = {}
        required = []
        for name, parameter in inspect.signature(self.function).parameters.items():
            properties[name] = {"type": _JSON_TYPES[hints[name]]}
            if name in self.choices:
                properties[name]["enum"] = list(self.choices[name])
            if parameter.default is inspect.Parameter.empty:
                required.append(name)
        return {"type": "object", "properties": properties, "required": required}

    @property
    def schema(self) -> dict[str, Any]:
        """The tool as a request lists it, in as few tokens as it can be: on a board each takes up to 241 ms to read.

        Left out is what llama-server does not need: the type of `parameters`, and what is empty.
        """
        about: dict[str, Any] = {"name": self.name}
        if self.described:
            about["description"] = self.description
        if self.parameters["properties"]:
            about["parameters"] = {
                key: self.parameters[key] for key in ("properties", "required") if self.parameters[key]
            }
        return {"type": "function", "function": about}


@dataclass(frozen=True)
class Outcome:
    """What came of a call. `result` is the JSON text for the model; `state` and `repairs` as in `events.ToolEnded`."""

    result: str
    state: str
    tool_ms: int = 0
    repairs: tuple[str, ...] = ()


def compact(value: Any) -> str:
    """JSON without spaces, as models are given it. Half a surrogate pair, which no UTF-8 can carry, becomes `?`."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return text.encode("utf-8", "replace").decode("utf-8")


def failed(message: str) -> Outcome:
    """An error that the model can act on."""
    return Outcome(compact({"error": message}), "failed")


class Toolbox:
    """The tools that the model is offered, and the policy that says which calls may run."""

    def __init__(self, tools: Sequence[Tool], policy: Mapping[Risk, Decision] | None = None) -> None:
        self.policy: dict[Risk, Decision] = {**DEFAULT_POLICY, **(policy or {})}
        self.tools = {tool.name: tool for tool in tools}
        if len(self.tools) != len(tools):
            raise ValueError("two tools have the same name")

    def decision(self, name: str) -> Decision:
        """What the policy says of a tool; an unknown one is allowed to fail."""
        tool = self.tools.get(name)
        return self.policy[tool.risk] if tool else "allow"

    def risk(self, name: str) -> Risk:
        """A tool's risk; `read` for an unknown one, which cannot do anything."""
        tool = self.tools.get(name)
        return tool.risk if tool else "read"

    def offered(self) -> list[Tool]:
        """The tools that policy does not deny, in their fixed order."""
        return [tool for tool in self.tools.values() if self.policy[tool.risk] != "deny"]

    def schemas(self) -> list[dict[str, Any]]:
        """The offered tools as a request lists them: the same text every time, since a change is read again whole."""
        return [tool.schema for tool in self.offered()]

    def parse(self, name: str, arguments: str) -> tuple[dict[str, Any], str | None]:
        """A call's arguments as an object, and what is wrong with them, if anything.

        Arguments that are no JSON object become `{}`: replayed as they came, llama-server would refuse the
        conversation from then on.
        """
        args = json_object(arguments) if arguments.strip() else {}
        if args is None:
            return {}, f"the arguments of {name} must be one valid JSON object; {self._usage(name)}"
        return args, self._problem(name, args)

    def mend(self, name: str, args: dict[str, Any]) -> tuple[dict[str, Any], list[str]]:
        """Arguments that `parse` found wrong, put right, and each repair in words; none where that is not possible."""
        tool = self.tools.get(name)
        right, told = mended(args, tool.parameters) if tool else (args, [])
        return (right, told) if told and self._problem(name, right) is None else (args, [])

    def call(self, name: str, args: dict[str, Any], deadline: Deadline, *, approved: bool | None = None) -> Outcome:
        """Run a tool with arguments that `parse` found right.

        Args:
            approved: a person's answer where policy is to ask; None when nobody was asked.

        Raises:
            Ended: when the run is to end. Nothing else.
        """
        problem = self._problem(name, args)
        if problem:
            return failed(problem)
        tool = self.tools[name]
        decision = self.policy[tool.risk]
        if decision == "deny" or (decision == "ask" and not approved):
            why = (
                "the policy of this board forbids it" if decision == "deny" else "a person was asked and did not agree"
            )
            return Outcome(compact({"error": f"{name} was not run: {why}. Say so; do not try again."}), "denied")
        started = time.monotonic()
        try:
            outcome = self._run(tool, args, deadline)
        except ToolError as error:
            outcome = self._second_try(tool, args, deadline) or failed(str(error))
        return replace(outcome, tool_ms=round((time.monotonic() - started) * 1000))

    def _run(self, tool: Tool, args: dict[str, Any], deadline: Deadline) -> Outcome:
        """Run the function within its time; only its own errors and the end of the run are raised."""
        try:
            result = compact(deadline.call(lambda: tool.function(**args), tool.timeout_s))
        except TimeoutError:
            return failed(f"{tool.name} gave no answer within {tool.timeout_s:g} s; say so")
        except (Ended, ToolError):
            raise
        except Exception as error:
            log.exception("tool %s failed", tool.name)
            return failed(f"{tool.name} failed ({type(error).__name__}: {error}); say so")
        if len(result) > MAX_RESULT_CHARS:
            return failed(f"the result of {tool.name} is too long; ask for less")
        return Outcome(result, "done")

    def _second_try(self, tool: Tool, args: dict[str, Any], deadline: Deadline) -> Outcome | None:
        """What a near miss gives when it is put right. Only where the tool reads: a person agrees to what is run."""
        for other, repair in other_tries(args) if tool.risk == "read" else ():
            try:
                outcome = self._run(tool, other, deadline)
            except ToolError:
                continue
            return replace(outcome, repairs=(repair,))
        return None

    def _problem(self, name: str, args: dict[str, Any]) -> str | None:
        """What is wrong with a call, in words that say what is right; None if nothing is."""
        tool = self.tools.get(name)
        if tool is None:
            offered = ", ".join(tool.name for tool in self.offered())
            return f"there is no tool {_short(name)}; the tools are: {offered}"
        schema = tool.parameters
        unknown = [key for key in args if key not in schema["properties"]]
        if unknown:
            return f"{name} has no argument {_short(unknown[0])}; {self._usage(name)}"
        missing = [key for key in schema["required"] if key not in args]
        if missing:
            return f"{name} needs the argument {missing[0]}; {self._usage(name)}"
        for key, value in args.items():
            if not _fits(value, schema["properties"][key]):
                return f"{name} cannot take {_short(value)} as {key}; {self._usage(name)}"
        return None

    def _usage(self, name: str) -> str:
        """How a tool is called: `call it as set_builtin_led(state: boolean)`."""
        tool = self.tools.get(name)
        if tool is None:
            return f"the tools are: {', '.join(tool.name for tool in self.offered())}"
        schema = tool.parameters
        if not schema["properties"]:
            return f"call it as {name}() with no arguments"
        parts = []
        for key, rule in schema["properties"].items():
            kind = f"one of {', '.join(rule['enum'])}" if "enum" in rule else rule["type"]
            parts.append(f"{key}: {kind}" + ("" if key in schema["required"] else ", optional"))
        return f"call it as {name}({'; '.join(parts)})"


def _fits(value: Any, rule: dict[str, Any]) -> bool:
    """Whether a JSON value is of the schema's type and among its choices."""
    if "enum" in rule:
        return isinstance(value, str) and value in rule["enum"]
    kind = rule["type"]
    if kind == "boolean" or isinstance(value, bool):
        return kind == "boolean" and isinstance(value, bool)
    return isinstance(value, _PYTHON_TYPES[kind])


def _short(value: Any) -> str:
    """A value as a model wrote it, cut to a length that does no harm in a prompt."""
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 60 else text[:59] + "…"


def json_object(text: str) -> dict[str, Any] | None:
    """The JSON object that a model wrote; None for anything else, also for what llama-server's parser would refuse.

    Python alone would let pass NaN, numbers too large for a float, and half surrogate pairs.
    """
    try:
        value = json.loads(text)
        json.dumps(value, ensure_ascii=False, allow_nan=False).encode("utf-8")
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None
