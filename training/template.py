"""The chat template, made from the tools' entries, and what it renders.

The template runs inside llama-server, whose Jinja knows less than Python's: no regular expressions, no JSON parser, and
`split` with one separator only. What it does here it does there; a test renders through both.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import jinja2

SOURCE = Path(__file__).with_name("template.jinja")

# Words of a question that say nothing about which line is asked for.
STOP = [
    "what",
    "which",
    "when",
    "where",
    "according",
    "read",
    "open",
    "look",
    "file",
    "notes",
    "tell",
    "text",
    "does",
    "there",
    "this",
    "that",
    "many",
    "much",
    "with",
    "from",
    "have",
    "says",
    "mentioned",
    "listed",
    "written",
    "please",
    "give",
    "show",
    "find",
    "could",
    "would",
    "about",
    "number",
    "numbers",
    "lines",
    "line",
    "value",
    "values",
    "reading",
    "readings",
    "calculate",
    "average",
    "mean",
    "above",
    "below",
    "over",
    "under",
    "than",
    "more",
    "less",
    "highest",
    "lowest",
]

# Applied to every result after the tools' own rules: JSON becomes words.
REST = (
    ('{"', ""),
    ('"}', ""),
    ("}", ""),
    (',"', ", "),
    ('":', ": "),
    ('"', ""),
    ("\\n", "\n"),
)


Topics = Sequence[tuple[str, Sequence[str]]]
"""The beginnings of a result's parts, each with the words of a question that ask for that part."""


def chat_template(shorten: Sequence[tuple[str, str]], topics: Sequence[Topics] = ()) -> str:
    """The template's text.

    Args:
        shorten: pairs of text in a tool's JSON and what the model reads instead, in order.
        topics: of each tool that has some, for results that begin like the first of them.
    """
    replaced = "".join(f" | replace({_literal(old)}, {_literal(new)})" for old, new in [*shorten, *REST])
    text = SOURCE.read_text(encoding="utf-8")
    spaces = "".join(f" | replace({_literal(sign)}, ' ')" for sign in "?,.:;!'")
    named = [[[begin, [f" {word}" for word in words]] for begin, words in one] for one in topics]
    text = text.replace("@SHORTEN@", replaced).replace("@SPACES@", spaces)
    return text.replace("@TOPICS@", _list(named)).replace("@STOP@", _list(STOP))


@functools.cache
def _compiled(template: str) -> jinja2.Template:
    # Text for a model, not for a browser.
    environment = jinja2.Environment(keep_trailing_newline=False)  # noqa: S701
    environment.filters["tojson"] = _to_json
    return environment.from_string(template)


def render(
    template: str, messages: Sequence[Mapping[str, Any]], tools: Sequence[str], *, generate: bool = False
) -> str:
    """The text that the model reads. `generate`: it ends where the model is to go on."""
    listed = [{"type": "function", "function": {"name": name}} for name in tools]
    return _compiled(template).render(messages=messages, tools=listed, add_generation_prompt=generate)


def _to_json(value: Any) -> str:
    """As llama-server writes arguments: it has parsed their text already."""
    if isinstance(value, str):
        value = json.loads(value)
    return json.dumps(value, ensure_ascii=False)


def _list(items: Sequence[Any]) -> str:
    return "[" + ", ".join(_literal(one) if isinstance(one, str) else _list(one) for one in items) + "]"


def _literal(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace("'", "\\'").replace("\n", "\\n")
    return f"'{escaped}'"
