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


def chat_template(shorten: Sequence[tuple[str, str]]) -> str:
    """The template's text. `shorten`: pairs of text in a tool's JSON and what the model reads instead, in order."""
    replaced = "".join(f" | replace({_literal(old)}, {_literal(new)})" for old, new in [*shorten, *REST])
    text = SOURCE.read_text(encoding="utf-8")
    return text.replace("@SHORTEN@", replaced).replace("@STOP@", "[" + ", ".join(map(_literal, STOP)) + "]")


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


def _literal(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace("'", "\\'").replace("\n", "\\n")
    return f"'{escaped}'"
