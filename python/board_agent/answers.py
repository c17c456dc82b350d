"""What a person is told where the model gives no sentence or a wrong one, and which numbers of it to doubt."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable

from board_agent.events import ToolEnded

_NUMBER = re.compile(r"(?<![\w.])[-−]?\d[\d,_]*(?:\.\d+)?")
_ADMITS = re.compile(r"\b(?:no|not|cannot|could|unable|sorry|denied|refused|fail\w*|error)\b|n['’]t\b", re.IGNORECASE)
_MAX_VALUE_CHARS = 120


def plain_sentence(opening: str, results: Iterable[ToolEnded], most: int = 3) -> str:
    """`opening` and what the last tool calls gave, in words: `calculate: expression 14.2 > 1, result true.`"""
    parts = [f"{ended.tool}: {_in_words(ended.result)}" for ended in list(results)[-most:]]
    return " ".join([opening, "What the tools gave: " + "; ".join(parts) + "." if parts else "No tool was called."])


def with_failures(answer: str, actions: Iterable[ToolEnded]) -> str:
    """The answer, and a sentence for each tool whose last action failed where it is silent about that.

    A small model says "the matrix now shows a smiley" all the same.
    """
    last = {ended.tool: json.loads(ended.result).get("error") for ended in actions}
    failures = [f"But {tool} did not work: {error}" for tool, error in last.items() if error]
    return answer if _ADMITS.search(answer) else " ".join([answer, *failures])


def _in_words(result: str) -> str:
    value = json.loads(result)
    pairs = []
    for key, item in value.items():
        text = item if isinstance(item, str) else json.dumps(item, ensure_ascii=False)
        text = " ".join(text.split())
        pairs.append(f"{key} {text if len(text) <= _MAX_VALUE_CHARS else text[:_MAX_VALUE_CHARS] + '…'}")
    return ", ".join(pairs)


def doubtful_numbers(answer: str, sources: Iterable[str]) -> list[str]:
    """The numbers of `answer` that stand in none of `sources` (question, arguments, results), as written.

    A number counts as found where a source has it, has it with more digits (26.13 said as 26.1), or negated or as a
    percentage (0.17 said as 17). Small models garble digits; this catches it without understanding anything.
    """
    known = [value for source in sources for text in _NUMBER.findall(source) if (value := _value(text)) is not None]
    doubtful = []
    for text in _NUMBER.findall(answer):
        value = _value(text)
        if value is None or text in doubtful:
            continue
        slack = 0.5 * 10.0 ** -len(text.partition(".")[2]) + 1e-9
        if not any(
            abs(abs(value) - abs(k)) <= (slack if k != int(k) else 1e-9) or abs(abs(value) - 100 * abs(k)) < 1e-6
            for k in known
        ):
            doubtful.append(text)
    return doubtful


def _value(text: str) -> float | None:
    digits = text.replace("−", "-").replace(",", "").replace("_", "")
    try:
        return float(digits[:40])
    except ValueError:
        return None
