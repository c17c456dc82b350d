"""What a model, a tool or a client wrote must not look like anything else in the log."""

import logging

import pytest

from board_agent.plain import OneLine, clean, one_line


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("a\x1b[31mb\x07\x00\x9b", "a[31mb"),
        ("two\nlines\tand a tab", "two\nlines\tand a tab"),
        ("\u202egnp.exe\u2066", "gnp.exe"),
        ("half \ud83d of a pair", "half ? of a pair"),
        ("👩‍👩‍👧 שלום عربى", "👩‍👩‍👧 שלום عربى"),
    ],
)
def test_only_what_is_read_is_left(text: str, left: str) -> None:
    assert clean(text) == left


def test_on_one_line_it_stays() -> None:
    assert one_line("a\n2026-01-01 INFO forged\r\n\u2028b") == "a 2026-01-01 INFO forged b"


def record(message: str, *args: object, error: Exception | None = None) -> logging.LogRecord:
    info = (type(error), error, error.__traceback__) if error else None
    return logging.LogRecord("x", logging.INFO, "x.py", 1, message, args, info)


def test_a_record_is_one_line_whatever_is_in_it() -> None:
    line = OneLine().format(record("run %s", "a\n2026-01-01 00:00:00 INFO forged\x1b[2J"))
    assert line.endswith(" INFO run a 2026-01-01 00:00:00 INFO forged[2J")
    assert "\n" not in line


def test_a_traceback_cannot_pass_for_another_record() -> None:
    first, *rest = OneLine().format(record("broke", error=ValueError("x\n2026 INFO forged\x1b[0m"))).split("\n")
    assert first.endswith("broke")
    assert all(line.startswith("    ") for line in rest)
    assert "\x1b" not in "".join(rest)


def test_a_secret_is_never_written() -> None:
    text = OneLine(["sk-1", ""]).format(record("header %s", "Bearer sk-1", error=ValueError("key sk-1 is wrong")))
    assert "sk-1" not in text
    assert text.count("[secret]") == 2
