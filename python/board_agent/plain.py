"""Text that others wrote, made harmless for a line of a log and for a model: nothing in it but what is read."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterable

# Control characters could drive a terminal; marks of writing direction could make one text look like another.
_UNSAFE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")


def clean(text: str) -> str:
    """The text without control characters but newlines and tabs; half a surrogate pair becomes `?`."""
    return _UNSAFE.sub("", text.encode("utf-8", "replace").decode("utf-8"))


def one_line(text: str) -> str:
    """The same on one line."""
    return " ".join(clean(text).split())


class OneLine(logging.Formatter):
    """One line for each record, whatever a model, a tool or a client put into it, and a traceback indented below.

    Args:
        secrets: never written, wherever they come from.
    """

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        super().__init__("%(asctime)s %(levelname)s %(message)s")
        self._secrets = [secret for secret in secrets if secret]

    def format(self, record: logging.LogRecord) -> str:
        """The record as text."""
        text = f"{self.formatTime(record)} {record.levelname} {one_line(record.getMessage())}"
        if record.exc_info:
            text += "".join(f"\n    {line}" for line in clean(self.formatException(record.exc_info)).split("\n"))
        for secret in self._secrets:
            text = text.replace(secret, "[secret]")
        return text
