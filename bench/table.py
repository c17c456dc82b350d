"""The table of `make bench`: tokens first, times only as ratios, and what a UNO Q would take, computed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from bench.meter import Cost

BOARD_MS = {"0.8B": (95, 178), "2B": (241, 398)}
"""Milliseconds that Qwen3.5 takes to read and to write a token on a UNO Q, as published, by the model's size."""


@dataclass(frozen=True)
class Row:
    """What one step cost the app and the plain loop."""

    title: str
    app: Cost
    plain: Cost


def fastest(rounds: Sequence[Cost]) -> Cost:
    """The round that took least time, since whatever else a machine does can only slow it down.

    Raises:
        ValueError: the rounds differ in tokens.
    """
    if len({(cost.requests, cost.read, cost.reused, cost.written) for cost in rounds}) != 1:
        raise ValueError(f"the same questions cost different tokens: {list(rounds)}")
    return min(rounds, key=lambda cost: cost.seconds)


def total(rows: Sequence[Row]) -> Row:
    """All rows together."""
    return Row("All of them", sum((r.app for r in rows), Cost()), sum((r.plain for r in rows), Cost()))


def on_a_board(cost: Cost, size: str) -> float:
    """Seconds that reading and writing would take on a UNO Q."""
    read_ms, write_ms = BOARD_MS[size]
    return (cost.read * read_ms + cost.written * write_ms) / 1000


def table(rows: Sequence[Row], *, scripted: bool) -> str:
    """Markdown: a line for each row and one for all, in each cell the app and the plain loop.

    Args:
        scripted: the replies were, with the template of the models that boards run: seconds mean nothing then, but
            a board's can be computed. Else there is the ratio of the seconds.
    """
    head = ["app / plain loop", "requests", "read", "reused", "written"]
    lines = [[*head, *([f"UNO Q, {size}, computed" for size in BOARD_MS] if scripted else ["time"])]]
    for row in [*rows, total(rows)]:
        pair = (row.app, row.plain)
        cells = [" / ".join(str(getattr(cost, key)) for cost in pair) for key in head[1:]]
        if scripted:
            cells += [" / ".join(f"{on_a_board(cost, size):.0f}" for cost in pair) + " s" for size in BOARD_MS]
        else:
            cells.append(f"1 : {row.plain.seconds / row.app.seconds:.1f}")
        lines.append([row.title, *cells])
    return markdown(lines)


def markdown(lines: Sequence[Sequence[str]]) -> str:
    """A Markdown table of cells; the first line is the head, all columns but the first are right-aligned."""
    widths = [max(2, *(len(line[n]) for line in lines)) for n in range(len(lines[0]))]
    rule = ["-" * widths[0], *("-" * (width - 1) + ":" for width in widths[1:])]
    padded = [
        [line[0].ljust(widths[0]), *(c.rjust(w) for c, w in zip(line[1:], widths[1:], strict=True))] for line in lines
    ]
    return "\n".join("| " + " | ".join(line) + " |" for line in [padded[0], rule, *padded[1:]])
