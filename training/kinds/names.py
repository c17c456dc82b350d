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
    pools = (TEXTS, TEXTS, USUAL, LOGS, TABLES, OTHERS)
    return sorted({draw.choice(draw.choice(pools)) for _ in range(count)})
