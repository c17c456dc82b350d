"""Calls in disguise: a small model sometimes writes a tool call as the text of its reply.

Known forms: `<tool>name` and a JSON object, `<tool_call>` around JSON or around `<function=name>`, and a reply that is
nothing but JSON naming one of the tools. Reads only; decides nothing.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection
from typing import Any

_TOOL = re.compile(r"<tool>\s*([\w.-]{1,64})\s*")
_TOOL_CALL = re.compile(r"<tool_call>(.*?)(?:</tool_call>|$)", re.DOTALL)
_FUNCTION = re.compile(r"<function=([\w.-]{1,64})>(.*?)(?:</function>|$)", re.DOTALL)
_PARAMETER = re.compile(r"<parameter=([\w.-]{1,64})>\n?(.*?)\n?</parameter>", re.DOTALL)
_FENCE = re.compile(r"^```(?:json)?\s*(.*?)\s*```$", re.DOTALL)
_MARKER = re.compile(r"<tool>|<tool_call>|<function=")


def calls_in_text(text: str, names: Collection[str]) -> list[tuple[str, str]]:
    """The calls that a reply's text really is, as (name, arguments as JSON text); empty for a sentence.

    Arguments are passed on as they stand, broken ones too: the toolbox says what is wrong with them.
    """
    if _MARKER.search(text):
        return _marked(text)
    fenced = _FENCE.match(text.strip())
    return _as_json(fenced.group(1) if fenced else text.strip(), names)


def text_before_calls(text: str) -> str:
    """What stands in front of the first marker; empty where the whole text is JSON."""
    found = _MARKER.search(text)
    return text[: found.start()].strip() if found else ""


def _marked(text: str) -> list[tuple[str, str]]:
    found = [(match.group(1), _json_at(text, match.end())) for match in _TOOL.finditer(text)]
    for name, body in _FUNCTION.findall(text):
        arguments = {key: _plain(value) for key, value in _PARAMETER.findall(body)}
        found.append((name, json.dumps(arguments, ensure_ascii=False)))
    for body in _TOOL_CALL.findall(text):
        if "<function=" not in body:
            found += _as_json(body.strip(), None)
    return found


def _json_at(text: str, start: int) -> str:
    """The JSON value that begins at `start`, or the rest of the line where there is none."""
    try:
        _, end = json.JSONDecoder().raw_decode(text, start)
    except (ValueError, RecursionError):
        return text[start:].partition("<")[0].strip()
    return text[start:end]


def _as_json(text: str, names: Collection[str] | None) -> list[tuple[str, str]]:
    """Calls out of JSON text; with `names` only where each is one of them."""
    if not text.startswith(("{", "[")):
        return []
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return []
    calls = []
    for entry in value if isinstance(value, list) else [value]:
        call = _named(entry)
        if call is None or (names is not None and call[0] not in names):
            return []
        calls.append(call)
    return calls


def _named(entry: Any) -> tuple[str, str] | None:
    if not isinstance(entry, dict):
        return None
    if isinstance(entry.get("function"), dict):
        entry = entry["function"]
    name = entry.get("name") or entry.get("tool") or entry.get("function")
    if not isinstance(name, str):
        return None
    arguments: Any = next((entry[key] for key in ("arguments", "parameters", "args") if key in entry), {})
    return name, arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False)


def _plain(text: str) -> Any:
    """A parameter's text as JSON where it is a boolean or an object, else as the string it is."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return text
    return value if isinstance(value, bool | dict | list) else text
