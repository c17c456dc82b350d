"""Says what is right about a run: the tools, their arguments, the answer; and for what is wrong, why."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from fractions import Fraction
from typing import Any

from evals.expressions import Facts
from evals.questions import Question
from evals.world import expected

_NUMBER = re.compile(r"(?<![\w.,:/])(?<!\d[-−])[-−]?\d+(?:[,.\u202f]\d+)*")
_WORDS = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"]
_YES = re.compile(r"^\W*(yes|ja|oui|s[ií]|indeed|correct)\b", re.I)
_NO = re.compile(r"^\W*(no|nope|nein|non)\b", re.I)
_NOT = re.compile(r"\b(not|no|isn't|aren't|doesn't|don't|less than|below|under)\b", re.I)
_IS = re.compile(r"\b(is|are|has|have|there's|it's|more than|above|over|fits?|room)\b", re.I)
_REFUSES = re.compile(
    r"\b(can'?t|can ?not|could ?n[o']t|couldn't|unable|not able|no (?:tool|way|access|such|file|answer)|sorry|error|"
    r"there(?:'s| is| are) no|don'?t (?:have|know)|do(?:es)? not|doesn'?t|did ?n[o']t|is not|isn'?t|impossible|"
    r"not (?:possible|available|found|supported|exist|allowed)|only (?:show|draw|switch|turn|know)|undefined|"
    r"fail(?:s|ed)?)\b",
    re.I,
)
_CALL = re.compile(r"<tool|<function=|\{\s*\"(?:name|tool|function)\"")
SLACK = Fraction(2, 100)
"""How far a rounded number may be off; "14 GB" for 14.2 is still right, "1" for 1.4 is not."""


@dataclass(frozen=True)
class Call:
    """A tool call of a run, as the trace has it. `state` as in `events.ToolEnded`; `repairs`: what was put right."""

    tool: str
    args: Mapping[str, Any]
    result: str
    state: str
    turn: int = 1
    repairs: Sequence[str] = ()


@dataclass(frozen=True)
class Verdict:
    """What is right. `why` has a sentence for everything that is not."""

    tools: bool
    args: bool
    answer: bool
    why: list[str] = field(default_factory=list)

    @property
    def right(self) -> bool:
        """Everything is."""
        return self.tools and self.args and self.answer

    @property
    def lucky(self) -> bool:
        """The answer is right, and the tools that it should come from were not called."""
        return self.answer and not self.tools

    def to_json(self) -> dict[str, Any]:
        """The verdict for a JSON line."""
        return {**asdict(self), "right": self.right, "lucky": self.lucky}


def score(
    question: Question,
    facts: Facts,
    answer: str,
    calls: Sequence[Call],
    before: Mapping[str, Any],
    after: Mapping[str, Any],
    schemas: Mapping[str, Mapping[str, Any]],
) -> Verdict:
    """Judge a run.

    Args:
        before, after: `led` and `pattern` of the board.
        schemas: each tool's parameters, by its name.
    """
    tools = _tools(question, [call.tool for call in calls])
    args = [problem for call in calls if (problem := _arguments(call, schemas))]
    wrong = [*_answer(question, facts, answer), *_board(question, facts, before, after)]
    return Verdict(not tools, not args, not wrong, [*tools, *args, *wrong])


def _tools(question: Question, called: Sequence[str]) -> list[str]:
    needed = list(question.tools)
    extra = [name for name in called if name not in needed and name not in question.may]
    if extra:
        return [f"called {extra[0]}, which is not needed" + ("" if needed else " (no tool is)")]
    if question.any_order:
        missing = [name for name in needed if name not in called]
    else:
        left = iter(called)
        missing = [name for name in needed if name not in left]  # eats `left` up to the name: order counts
    if not missing:
        return []
    return [f"did not call {missing[0]}" if missing[0] not in called else f"called {' > '.join(called)}: wrong order"]


def _arguments(call: Call, schemas: Mapping[str, Mapping[str, Any]]) -> str | None:
    schema = schemas.get(call.tool)
    if schema is None:
        return f"called {call.tool}, which does not exist"
    problem = misfit(call.args, schema)
    # A call that is no JSON is shown with no arguments; a tool that takes none fails for no other reason.
    if problem is None and call.state == "failed" and not schema["properties"]:
        problem = "the arguments are no JSON object"
    return problem and f"{call.tool}({json.dumps(dict(call.args), ensure_ascii=False)}): {problem}"


def misfit(args: Mapping[str, Any], schema: Mapping[str, Any]) -> str | None:
    """What does not fit a tool's schema, or None."""
    types: dict[str, Any] = {"string": str, "boolean": bool, "integer": int, "number": (int, float)}
    for name in schema["required"]:
        if name not in args:
            return f"{name} is missing"
    for name, value in args.items():
        rule = schema["properties"].get(name)
        if rule is None:
            return f"there is no {name}"
        if not isinstance(value, types[rule["type"]]) or (isinstance(value, bool) and rule["type"] != "boolean"):
            return f"{name} is no {rule['type']}"
        if "enum" in rule and value not in rule["enum"]:
            return f"{name} is none of {', '.join(rule['enum'])}"
    return None


def _answer(question: Question, facts: Facts, answer: str) -> list[str]:
    if not answer.strip():
        return ["there is no answer"]
    wrong = ["the answer is a tool call"] if _CALL.search(answer) else []
    try:
        wrong += [problem for problem in _checks(question, facts, answer) if problem]
    except (KeyError, StopIteration) as missing:
        wrong.append(f"the answer cannot be checked: {missing} was never read")
    return wrong


def _checks(question: Question, facts: Facts, answer: str) -> list[str | None]:
    plain = " ".join(answer.split())
    found: list[str | None] = []
    if question.number is not None:
        value = facts.value(question.number)
        found.append(None if has_number(plain, Fraction(value)) else f"the number should be {float(value):.6g}")
    if question.truth is not None:
        truth = bool(facts.value(question.truth))
        found.append(None if says(plain) is truth else f"the answer should be {'yes' if truth else 'no'}")
    if question.shows is not None:
        text = str(facts.value(question.shows))
        # "Debian" is enough of "Debian GNU/Linux 13 (trixie)".
        found.append(None if text.split()[0].casefold() in plain.casefold() else f"{text!r} should be named")
    if question.lists is not None:
        gone = [name for name in facts.entries(question.lists) if name.rstrip("/") not in plain]
        found.append(f"{gone[0]} should be named" if gone else None)
    if question.words is not None:
        found.append(None if re.search(question.words, plain, re.I) else f"{question.words!r} should be said")
    if question.not_words is not None:
        found.append(f"{question.not_words!r} is said" if re.search(question.not_words, plain, re.I) else None)
    if question.refuses:
        found.append(None if _REFUSES.search(plain.replace("’", "'")) else "should say that it cannot be done")
    return found


def _board(question: Question, facts: Facts, before: Mapping[str, Any], after: Mapping[str, Any]) -> list[str]:
    try:
        led, pattern = expected(question.led, facts), expected(question.matrix, facts)
        if question.digit is not None:
            pattern = str(facts.value(question.digit))
    except (KeyError, StopIteration) as missing:
        return [f"the board cannot be checked: {missing} was never read"]
    led = before["led"] if led in (None, "same") else led
    pattern = before["pattern"] if pattern in (None, "same") else pattern
    wrong = []
    if after["led"] != led:
        wrong.append(f"the LED should be {'on' if led else 'off'}")
    if after["pattern"] != pattern:
        wrong.append(f"the matrix should show {pattern}, not {after['pattern']}")
    return wrong


def has_number(text: str, value: Fraction) -> bool:
    """Whether a text has this number, as it is or decently rounded; in digits or as a word up to twelve."""
    if value.denominator == 1 and 0 <= value < len(_WORDS) and re.search(rf"\b{_WORDS[int(value)]}\b", text, re.I):
        return True
    return any(_is_rounded(said, value) for written in _NUMBER.findall(text) for said in _readings_of(written))


def _readings_of(written: str) -> list[tuple[Fraction, int]]:
    """What a written number may mean, with its decimals: "14,2" is 14.2, "3,969" is 3969 here and 3.969 there."""
    text = written.replace("−", "-").replace("\u202f", "")
    found = []
    for grouping, point in ((",", "."), (".", ",")):
        if re.fullmatch(rf"-?(\d{{1,3}}(\{grouping}\d{{3}})+|\d+)(\{point}\d+)?", text):
            plain = text.replace(grouping, "").replace(point, ".")
            found.append((Fraction(plain), len(plain.partition(".")[2])))
    return found


def _is_rounded(said: tuple[Fraction, int], value: Fraction) -> bool:
    number, decimals = said
    half = Fraction(1, 2 * 10**decimals)
    return number == value or (abs(number - value) <= half and abs(number - value) <= SLACK * abs(value))


def says(text: str) -> bool | None:
    """Whether an answer means yes or no; None when it says neither."""
    if _YES.search(text):
        return True
    if _NO.search(text) or _NOT.search(text):
        return False
    return True if _IS.search(text) else None
