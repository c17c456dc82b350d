"""Draw the pictures of sketch/patterns.h in the terminal: all of them, or those that are named."""

import sys
from pathlib import Path

from board_agent.patterns import COLUMNS, Frame, PatternsError, as_text, load_patterns

PATTERNS_H = Path(__file__).resolve().parent.parent / "sketch" / "patterns.h"


def main(names: list[str]) -> int:
    """Print the named pictures; return the exit status: 0, 1 when patterns.h cannot be read, 2 for a wrong name."""
    try:
        patterns = load_patterns(PATTERNS_H)
    except (PatternsError, OSError) as error:
        print(error, file=sys.stderr)
        return 1
    for name in names:
        if name not in patterns:
            print(f'There is no picture "{name}". There are: {", ".join(patterns)}.', file=sys.stderr)
            return 2
    print("\n\n".join(draw(name, patterns[name]) for name in names or patterns))
    return 0


def draw(name: str, frame: Frame) -> str:
    """Return a picture with its name above, its columns numbered on top and its rows on the left."""
    lines = [name, "   " + "".join(f"{column:3}" for column in range(COLUMNS))]
    lines += [
        f"{row:3}" + "".join(f"  {pixel}" for pixel in pixels) for row, pixels in enumerate(as_text(frame).split())
    ]
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
