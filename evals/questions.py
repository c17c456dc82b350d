"""Reads the question set. What its keys mean is said at the top of questions.yaml."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

import yaml  # type: ignore[import-untyped]

FILE = Path(__file__).with_name("questions.yaml")


@dataclass(frozen=True)
class Question:
    """One question, or the questions of one conversation of which the last one is scored."""

    id: str
    kind: str
    ask: Sequence[str]
    tools: Sequence[str]
    may: Sequence[str] = ()
    any_order: bool = False
    vary: Mapping[str, Sequence[Any]] = field(default_factory=dict)
    fault: Mapping[str, int] = field(default_factory=dict)
    sandbox: bool = False
    number: str | float | None = None
    words: str | None = None
    not_words: str | None = None
    truth: str | None = None
    shows: str | None = None
    lists: str | None = None
    led: Any = None
    matrix: Any = None
    digit: str | None = None
    refuses: bool = False


def load(file: Path = FILE) -> list[Question]:
    """All questions, in order.

    Raises:
        ValueError: the file is not such a set; says which entry is wrong.
    """
    questions: list[Question] = []
    known = {one.name for one in fields(Question)}
    for entry in yaml.safe_load(file.read_text(encoding="utf-8")):
        name = entry.get("id", entry)
        wrong = [*(entry.keys() - known), *({"id", "kind", "ask", "tools"} - entry.keys())]
        if wrong:
            raise ValueError(f"{file.name}, {name}: {wrong[0]} is unknown or missing")
        if any(name == other.id for other in questions):
            raise ValueError(f"{file.name}, {name}: there are two of that id")
        asked = entry["ask"]
        questions.append(Question(**{**entry, "ask": [asked] if isinstance(asked, str) else asked}))
    return questions
