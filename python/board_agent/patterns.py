"""The pictures of the LED matrix, read from `sketch/patterns.h`, where they are drawn.

This never draws anything of its own: what the sketch can show and what the tools offer is one list in one file.
"""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

ROWS = 8
COLUMNS = 13
BRIGHT = 7

Frame = tuple[tuple[int, ...], ...]
"""8 rows of 13 ints, 0 (dark) to 7 (bright); row 0 at the top, column 0 at the left."""

_LEVELS = {".": 0, "#": BRIGHT, **{str(level): level for level in range(1, BRIGHT)}}
_CHARACTERS = {level: character for character, level in _LEVELS.items()}

_START = re.compile(r"\bPattern\s+PATTERNS\s*\[\s*\]\s*=")
_TOKEN = re.compile(
    r"""\s+ | //[^\n]* | /\*.*?\*/
      | (?P<text>"[^"\\\n]*") | (?P<mark>[{},;]) | (?P<other>\w+ | \S)""",
    re.VERBOSE | re.DOTALL,
)


class PatternsError(Exception):
    """patterns.h does not hold what it should; the message says where."""


def load_patterns(path: Path) -> dict[str, Frame]:
    """Return every picture by name, in the order of the file; raises PatternsError, or OSError if it cannot be read."""
    try:
        source = path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise PatternsError(f"{path}: this is not UTF-8 text") from error
    return _Reader(source, path).patterns()


def name_of(frame: Frame, patterns: Mapping[str, Frame]) -> str | None:
    """Return the name of the picture that a frame shows, None when it is none of them."""
    return next((name for name, picture in patterns.items() if picture == frame), None)


def as_text(frame: Frame) -> str:
    """Return a frame as it is drawn in patterns.h: 8 lines of 13 characters."""
    return "\n".join("".join(_CHARACTERS[level] for level in row) for row in frame)


class _Reader:
    """Reads the initializer of PATTERNS: `{ {"name", {"row", ... }}, ... };`, with comments anywhere."""

    def __init__(self, source: str, path: Path) -> None:
        self._source = source
        self._path = path
        start = _START.search(source)
        if start is None:
            raise PatternsError(f"{path}: there is no `Pattern PATTERNS[] =` in it")
        self._at = start.end()
        self._found_at = self._at

    def patterns(self) -> dict[str, Frame]:
        found: dict[str, Frame] = {}
        for _ in self._items():
            self._expect("{")
            name = self._text("the name of a picture")
            if name in found:
                raise self._error(f'there are two pictures named "{name}"')
            self._expect(",")
            found[name] = self._frame(name)
            self._expect("}")
        self._expect(";")
        if not found:
            raise self._error("there is no picture in it")
        return found

    def _frame(self, name: str) -> Frame:
        rows: list[tuple[int, ...]] = []
        for _ in self._items():
            rows.append(self._row(f'row {len(rows)} of "{name}"'))
        if len(rows) != ROWS:
            raise self._error(f'"{name}" has {len(rows)} rows; a picture has {ROWS}')
        return tuple(rows)

    def _row(self, where: str) -> tuple[int, ...]:
        row = self._text(where)
        for character in row:
            if character not in _LEVELS:
                raise self._error(f"{where} has {character!r} in it; use . for dark, # for bright, 1 to 6 between")
        if len(row) != COLUMNS:
            raise self._error(f"{where} has {len(row)} characters; a row has {COLUMNS}")
        return tuple(_LEVELS[character] for character in row)

    def _items(self) -> Iterator[None]:
        """Stop at each item of `{ one, two, three }`, for the caller to read; C++ allows a comma after the last."""
        self._expect("{")
        while not self._skip("}"):
            yield
            if not self._skip(","):
                self._expect("}")
                return

    def _text(self, what: str) -> str:
        found = self._next()
        if not found.startswith('"'):
            raise self._error(f"expected {what} in double quotes, found {found}")
        return found[1:-1]

    def _expect(self, mark: str) -> None:
        found = self._next()
        if found != mark:
            raise self._error(f"expected {mark}, found {found}")

    def _skip(self, mark: str) -> bool:
        at = self._at
        if self._next() == mark:
            return True
        self._at = at
        return False

    def _next(self) -> str:
        while match := _TOKEN.match(self._source, self._at):
            self._found_at = match.start()
            self._at = match.end()
            if match.lastgroup is not None:
                return match.group()
        raise self._error("the list of pictures does not end")

    def _error(self, problem: str) -> PatternsError:
        line = self._source.count("\n", 0, self._found_at) + 1
        return PatternsError(f"{self._path}:{line}: {problem}")
