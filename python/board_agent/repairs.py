"""Near misses of a small model: arguments that are all but right, put right where only one thing can be meant.

It changes what a call says, never what it may do: bounds and policy are checked afterwards, on what is really run. A
call that fits is left alone, and every repair is told in words, which the trace shows.
"""

from __future__ import annotations

import difflib
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

TRUTHS = {"true": True, "on": True, "yes": True, "1": True, "false": False, "off": False, "no": False, "0": False}

DIGITS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
SYNONYMS = {
    "check": ("check mark", "checkmark", "tick", "tick mark", "✓", "✔", "✅"),
    "x": ("cross", "x mark", "✗", "✘", "❌", "×"),
    "smiley": ("smile", "smiley face", "smiling face", "happy", "happy face", ":)", "🙂", "😀"),
    "off": ("blank", "clear", "empty", "dark"),
    **{str(digit): (word,) for digit, word in enumerate(DIGITS)},
}
"""Other words for a choice. They count only where the choice is one that the tool offers."""

_UNITS = re.compile(r"(?<=[\d)])\s*(TB|GB|MB|kB|°C|°|degrees|hours|h|seconds|s|euros|€|km|cm|mm|m)(?![\w.])", re.I)


def mended(args: Mapping[str, Any], schema: Mapping[str, Any]) -> tuple[dict[str, Any], list[str]]:
    """Arguments that do not fit a schema, brought nearer to it, and each repair in words."""
    rules = schema["properties"]
    result: dict[str, Any] = {}
    told = []
    for name, value in args.items():
        right_name = name if name in rules else _near_name(name, [key for key in rules if key not in args])
        if right_name is None or right_name in result:
            return dict(args), []
        if right_name != name:
            told.append(f"argument {_quoted(name)} taken as {_quoted(right_name)}")
        right = _near_value(value, rules[right_name])
        if right is None:
            right = value
        elif type(right) is not type(value) or right != value:
            told.append(f"{right_name} {_quoted(value)} taken as {_quoted(right)}")
        result[right_name] = right
    return result, told


def other_tries(args: Mapping[str, Any]) -> Iterator[tuple[dict[str, Any], str]]:
    """Other arguments for a call that only reads and has failed, likeliest first, and each repair in words."""
    for name, variants in (("path", _paths), ("expression", _without_units)):
        value = args.get(name)
        if isinstance(value, str):
            for other in dict.fromkeys(variants(value)):
                if other != value:
                    yield {**args, name: other}, f"{name} {_quoted(value)} taken as {_quoted(other)}"


def _near_name(name: str, free: Sequence[str]) -> str | None:
    """The one argument that a name is close to: `Path`, `file_path`, `patern`."""
    words = re.split(r"[\W_]+", name.casefold())
    near = [key for key in free if key in words or difflib.SequenceMatcher(None, key, name.casefold()).ratio() >= 0.8]
    return near[0] if len(near) == 1 else None


def _near_value(value: Any, rule: Mapping[str, Any]) -> Any:
    """The value of the rule's type that is meant; None where that is not plain."""
    if "enum" in rule:
        return _near_choice(value, rule["enum"])
    match rule["type"], value:
        case "boolean", str():
            return TRUTHS.get(value.strip().casefold())
        case "string", int() | float() if not isinstance(value, bool):
            return json.dumps(value)
        case "integer" | "number", str():
            return _number(value, whole=rule["type"] == "integer")
        case "integer", float() if value.is_integer():
            return int(value)
    return None


def _number(text: str, *, whole: bool) -> int | float | None:
    match = re.fullmatch(r"\s*([-+]?\d{1,15}(\.\d{1,15})?)\s*(%?)\s*", text)
    if match is None:
        return None
    if not match[2] and not match[3]:
        return int(match[1])
    number = float(match[1]) / (100 if match[3] else 1)
    return None if whole else number


def _near_choice(value: Any, choices: Sequence[str]) -> str | None:
    """The one choice that a value means: by other case or spacing, by another word for it, or misspelt."""
    if isinstance(value, bool) or not isinstance(value, str | int):
        return None
    said = re.sub(r"[\s_-]+", " ", str(value).strip(" \t\n'\"`.!")).casefold()
    said = re.sub(r"^(?:the|an?) (?=.)", "", said)
    names = {choice.casefold(): choice for choice in choices}
    names |= {word: choice for choice in choices for word in SYNONYMS.get(choice, ()) if word not in names}
    if said in names:
        return names[said]
    near = {names[word] for word in difflib.get_close_matches(said, names, cutoff=0.8)} if len(said) > 3 else set()
    return near.pop() if len(near) == 1 else None


def _paths(path: str) -> Iterator[str]:
    """A path as it may be meant: from the workspace, though written from the root or with the workspace's own name."""
    plain = path.strip(" \t\n'\"`").replace("\\", "/")
    inside = re.sub(r"^(?:.*/)?workspace(?:/|$)", "", plain)
    for meant in (plain, plain.lstrip("/"), inside.lstrip("/")):
        yield meant or "."
    yield inside.lstrip("/").lower() or "."
    if "." not in inside.rpartition("/")[2]:
        yield f"{inside.lstrip('/')}.txt"


def _without_units(expression: str) -> Iterator[str]:
    """An expression whose numbers all have one unit, without it. GB beside MB is no near miss."""
    if len({unit.casefold() for unit in _UNITS.findall(expression)}) == 1:
        yield _UNITS.sub("", expression)


def _quoted(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 60 else text[:59] + "…"
