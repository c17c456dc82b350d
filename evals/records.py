"""A run of the question set as JSON lines: first what was run and on what, then a line for every answer."""

from __future__ import annotations

import json
import os
import platform
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

Record = dict[str, Any]


@dataclass
class Result:
    """What was run (`about`) and what came of it (`records`)."""

    about: dict[str, str]
    records: list[Record] = field(default_factory=list)

    @property
    def label(self) -> str:
        """A name for tables."""
        return self.about["label"]

    def kinds(self) -> list[str]:
        """The kinds, in the order of the question set."""
        return list(dict.fromkeys(record["kind"] for record in self.records))

    def of(self, kind: str | None) -> list[Record]:
        """The records of a kind, or all of them."""
        return [record for record in self.records if kind in (None, record["kind"])]


def load(file: Path) -> Result:
    """Read what `write` wrote.

    Raises:
        OSError, ValueError: it cannot be read, or is something else.
    """
    lines = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    if not lines or "label" not in lines[0] or not all("verdict" in line for line in lines[1:]):
        raise ValueError(f"{file} is no result of this program")
    return Result(lines[0], lines[1:])


def write(file: Path, about: dict[str, str], records: Iterable[Record]) -> Iterator[Record]:
    """Pass the records on, each written at once, so that an interrupted run leaves what it has."""
    file.parent.mkdir(parents=True, exist_ok=True)
    with file.open("w", encoding="utf-8") as out:
        out.write(json.dumps(about, ensure_ascii=False) + "\n")
        for record in records:
            out.write(json.dumps(record, ensure_ascii=False) + "\n")
            out.flush()
            yield record


def machine() -> str:
    """This machine in a few words: processor, cores, memory."""
    cpu = platform.machine()
    try:
        text = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace")
        names = [
            line.partition(":")[2].strip() for line in text.splitlines() if line.startswith(("model name", "Model"))
        ]
        cpu = f"{names[0]} ({cpu})" if names else cpu
    except OSError:
        pass
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 1e9
    return f"{cpu}, {os.cpu_count()} cores, {memory:.0f} GB"
