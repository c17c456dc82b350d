"""The tables beside the kinds: what people say, what files hold, what is known."""

from __future__ import annotations

from pathlib import Path


def rows_of(name: str) -> list[str]:
    """The rows of a text file beside this one, without empty ones and comments."""
    rows = Path(__file__).with_name(name).read_text(encoding="utf-8").splitlines()
    return [row for row in rows if row and not row.startswith("#")]
