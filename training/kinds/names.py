"""What files are called, from `names.txt`."""

from __future__ import annotations

from collections.abc import Sequence

from training.draw import Draw
from training.kinds.tables import rows_of


def _names() -> dict[str, list[str]]:
    """What files may be called, by what they are for."""
    found: dict[str, list[str]] = {}
    for row in rows_of("names.txt"):
        use, _, rest = row.partition(": ")
        stems, _, ends = rest.partition("|")
        found[use] = [stem + end for stem in stems.split() for end in ends.split() or [""]]
    return found


CALLED = _names()
TEXTS, LOGS, TABLES, FOLDERS = (CALLED[use] for use in ("text", "log", "table", "folder"))
USUAL, OTHERS = CALLED["usual"], CALLED["other"]


def a_path(draw: Draw, names: Sequence[str], usual: Sequence[str] = ()) -> str:
    """A file's path: one of the usual ones, any, or one in a folder."""
    if usual and draw.maybe(0.25):
        return draw.choice(usual)
    name = draw.choice(names)
    return f"{draw.choice(FOLDERS)}/{name}" if draw.maybe(0.06) else name


def some_files(draw: Draw, count: int) -> list[str]:
    """So many names or a few less, in order: of all kinds, or a row of numbers or days."""
    if count > 1 and draw.maybe(0.35):
        return sorted(_row(draw, count))
    pools = (TEXTS, TEXTS, USUAL, LOGS, TABLES, OTHERS, FOLDERS)
    return sorted({draw.choice(draw.choice(pools)) for _ in range(count)})


def _row(draw: Draw, count: int) -> list[str]:
    """Names that differ in a number or a day only."""
    end = draw.of(".txt", ".txt", ".txt", ".csv", ".log", ".md", ".png")
    if draw.maybe(0.55):
        first, month, year = draw.randint(1, 28 - count), draw.randint(1, 12), draw.of(2024, 2025, 2026, 2026)
        days = [day for day in range(first, first + count) if draw.maybe(0.93)] or [first]
        return [f"{year}-{month:02d}-{day:02d}{end}" for day in days]
    stem, first = draw.choice(draw.choice((TEXTS, LOGS, TABLES))).partition(".")[0], draw.of(1, 1, 1, 0, 3)
    width = draw.of(1, 1, 2)
    between = draw.of("", "_", "-")
    return [f"{stem}{between}{number:0{width}d}{end}" for number in range(first, first + count)]
