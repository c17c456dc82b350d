"""The report: tables, a picture, the worst questions, and which differences are larger than chance."""

from __future__ import annotations

import json
import statistics
from collections import Counter
from collections.abc import Sequence
from html import escape

from evals.records import Record, Result
from evals.stats import exact_p, wilson

CHECKS = {"tools": "right tool", "args": "valid arguments", "answer": "right answer", "right": "all right"}
ABOUT = ("date", "machine", "model", "quantization", "build", "flags", "loop", "change", "runs", "seed")
COLOURS = ("#008184", "#d98324", "#5b5f97", "#a23b72", "#6c8f3c", "#8a6d5a")
WORST = 5
SURE = 0.05

Row = Sequence[str]


def summary_rows(result: Result) -> list[Row]:
    """The table of one run: head, one row a kind, and all together."""
    head = ["kind", "asked", *CHECKS.values(), "by luck", "turns", "read", "reused", "written", "seconds", "stopped"]
    return [head, *(_summary(result, kind) for kind in result.kinds()), _summary(result, None)]


def _summary(result: Result, kind: str | None) -> Row:
    records = result.of(kind)

    def mean(key: str) -> float:
        return statistics.fmean(record[key] for record in records)

    stopped = Counter(record["stopped"] for record in records)
    return [
        kind or "all",
        str(len(records)),
        *(_share(records, check) for check in CHECKS),
        str(_count(records, "lucky")),
        f"{mean('turns'):.1f}",
        *(f"{mean(key):.0f}" for key in ("tokens_read", "tokens_reused", "tokens_written")),
        f"{statistics.median(record['seconds'] for record in records):.2f}",
        ", ".join(f"{count} {reason}" for reason, count in stopped.most_common()),
    ]


def _count(records: Sequence[Record], check: str) -> int:
    return sum(bool(record["verdict"][check]) for record in records)


def _share(records: Sequence[Record], check: str) -> str:
    """`93 % (88-96)`: the share and its interval."""
    right = _count(records, check)
    low, high = wilson(right, len(records))
    return f"{100 * right / len(records):.0f} % ({100 * low:.0f}-{100 * high:.0f})"


def comparison_rows(first: Result, other: Result) -> list[Row]:
    """Two runs side by side, paired by question: how often each was all right, and whether that may be chance."""
    kinds = [kind for kind in first.kinds() if kind in other.kinds()]
    head = ["kind", first.label, other.label, "better, worse, same", "p", "more than chance"]
    return [head, *(_pair(first, other, kind, SURE / len(kinds)) for kind in kinds), _pair(first, other, None, SURE)]


def _pair(first: Result, other: Result, kind: str | None, limit: float) -> Row:
    """One row. With several kinds each must be surer than 5 %, or one in twenty would differ for no reason."""
    mine, theirs = _by_question(first.of(kind)), _by_question(other.of(kind))
    both = mine.keys() & theirs.keys()
    wins = sum(mine[question] > theirs[question] for question in both)
    losses = sum(mine[question] < theirs[question] for question in both)
    p = exact_p(wins, losses)
    sure = p < limit
    return [
        kind or "all",
        *(_share([r for r in result.of(kind) if r["id"] in both], "right") for result in (first, other)),
        f"{wins}, {losses}, {len(both) - wins - losses}",
        f"{p:.3f}" if p >= 0.001 else "<0.001",
        f"yes, {(first if wins > losses else other).label} is better" if sure else "no",
    ]


def _by_question(records: Sequence[Record]) -> dict[str, float]:
    """Each question's share of runs in which all was right. Runs of one question are alike, so it counts once."""
    ids = dict.fromkeys(record["id"] for record in records)
    verdicts = {one: [record["verdict"]["right"] for record in records if record["id"] == one] for one in ids}
    return {one: sum(right) / len(right) for one, right in verdicts.items()}


def terminal(rows: Sequence[Row]) -> str:
    """A table for a terminal."""
    widths = [max(len(row[at]) for row in rows) for at in range(len(rows[0]))]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]
    return "\n".join([lines[0], "-" * max(map(len, lines)), *lines[1:]])


def table(rows: Sequence[Row]) -> str:
    """A table in Markdown."""
    lines = ["| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |" for row in rows]
    return "\n".join([lines[0], "|" + " --- |" * len(rows[0]), *lines[1:]])


def markdown(results: Sequence[Result], picture: str) -> str:
    """The report of one run, or of several with the first compared to each other one. `picture`: its file's name."""
    first, *others = results
    parts = [f"# {' against '.join(result.label for result in results)}", f"![All right, per kind]({picture})"]
    for other in others:
        rows = comparison_rows(first, other)
        parts += [f"## {first.label} against {other.label}", table(rows), in_words(first, other)]
    for result in results:
        parts += [f"## {result.label}", about(result), table(summary_rows(result)), repairs(result)]
    parts += [HOW_TO_READ, *(worst(result) for result in results[: 1 if others else None])]
    return "\n\n".join(part for part in parts if part) + "\n"


HOW_TO_READ = (
    "Shares have their 95 % interval after Wilson. *Right tool*: those that are needed, in order, and no other. "
    "*Valid arguments*: every call fits its schema, after repairs. *Right answer*: value, truth and board, checked by "
    "the program against what the tools really return. *By luck*: a right answer without the tools it must come from. "
    "Turns and tokens are means, seconds the median. Questions are compared in pairs by the exact sign test; a kind "
    "counts as different below 0.05 divided by the number of kinds."
)


def about(result: Result) -> str:
    """What was run, on what."""
    return table([("what", "value"), *((key, result.about[key]) for key in ABOUT if result.about.get(key))])


def in_words(first: Result, other: Result) -> str:
    """Which differences are larger than chance, in a sentence."""
    sure = [
        f"{row[0]} ({row[-1].removeprefix('yes, ')})" for row in comparison_rows(first, other)[1:] if row[-1] != "no"
    ]
    return f"Larger than chance: {'; '.join(sure)}." if sure else "No difference is larger than chance."


def repairs(result: Result) -> str:
    """What the harness put right, counted."""
    counted = Counter(repair for record in result.records for call in record["calls"] for repair in call["repairs"])
    if not counted:
        return ""
    return (
        "Put right by the harness: " + "; ".join(f"{text} ({count})" for text, count in counted.most_common(12)) + "."
    )


def worst(result: Result) -> str:
    """The questions that went wrong most, each with the trace of one wrong run."""
    shares = _by_question(result.records)
    wrong = [record for record in result.records if not record["verdict"]["right"]]
    # Of questions that are equally bad those come first in which more is wrong.
    wrong.sort(key=lambda record: (shares[record["id"]], -len(record["verdict"]["why"])))
    shown = list({record["id"]: record for record in reversed(wrong)}.values())
    shown.sort(key=wrong.index)
    parts = [f"## The worst questions of {result.label}"] if shown else []
    return "\n\n".join([*parts, *map(_trace, shown[:WORST])])


def _trace(record: Record) -> str:
    calls = []
    for call in record["calls"]:
        args = json.dumps(call["args"], ensure_ascii=False)
        notes = "".join(f" [{repair}]" for repair in call["repairs"])
        calls.append(f"[turn {call['turn']}] {call['tool']}({args}){notes} {call['state']}: {_cut(call['result'])}")
    lines = ["user: " + " / ".join(record["ask"]), *calls, f"answer ({record['stopped']}): {_cut(record['answer'])}"]
    why = "; ".join(record["verdict"]["why"])
    return f"**{record['id']}**: {why}\n\n```text\n" + "\n".join(lines).replace("```", "'''") + "\n```"


def _cut(text: str, most: int = 300) -> str:
    text = " ".join(text.split())
    return text if len(text) <= most else text[:most] + " ..."


def picture(results: Sequence[Result]) -> str:
    """Bars of how often all was right, per kind, with their intervals, as SVG."""
    kinds: list[str | None] = [*results[0].kinds(), None]
    bar, gap, left, width = 11, 12, 110, 420
    group = bar * len(results) + gap
    top = 30 + 18 * len(results)
    height = top + group * len(kinds) + 26
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {left + width + 90} {height}" '
        'font-family="system-ui, sans-serif" font-size="12">',
        "<title>How often everything was right, per kind of question, with 95 % intervals</title>",
        f'<rect width="100%" height="{height}" fill="#fff"/>',
        f'<text x="{left}" y="18" font-weight="bold">All right, % of the questions</text>',
    ]
    for number, result in enumerate(results):
        y = 36 + 18 * number
        out.append(f'<rect x="{left}" y="{y - 9}" width="10" height="10" fill="{_colour(number)}"/>')
        out.append(f'<text x="{left + 16}" y="{y}">{escape(result.label)}</text>')
    for percent in range(0, 101, 25):
        x = left + width * percent / 100
        out.append(f'<path d="M{x} {top - 8}V{height - 22}" stroke="#ddd"/>')
        out.append(f'<text x="{x}" y="{height - 8}" text-anchor="middle" fill="#555">{percent}</text>')
    for at, kind in enumerate(kinds):
        y = top + group * at
        middle = y + bar * len(results) / 2 + 4
        weight = ' font-weight="bold"' if kind is None else ""
        out.append(f'<text x="{left - 8}" y="{middle}" text-anchor="end"{weight}>{escape(kind or "all")}</text>')
        for number, result in enumerate(results):
            out += _bar(result.of(kind), left, y + bar * number, width, bar, _colour(number))
    return "\n".join([*out, "</svg>"]) + "\n"


def _colour(number: int) -> str:
    return COLOURS[number % len(COLOURS)]


def _bar(records: Sequence[Record], left: int, y: int, width: int, height: int, colour: str) -> list[str]:
    if not records:
        return []
    right = _count(records, "right")
    length = width * right / len(records)
    low, high = (left + width * edge for edge in wilson(right, len(records)))
    middle = y + height / 2
    return [
        f'<rect x="{left}" y="{y + 1}" width="{length:.1f}" height="{height - 2}" fill="{colour}"/>',
        f'<path d="M{low:.1f} {middle}H{high:.1f}" stroke="#222" stroke-width="1.5"/>',
        f'<text x="{left + width + 8}" y="{middle + 4}" fill="#333">{right} of {len(records)}</text>',
    ]
