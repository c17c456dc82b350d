"""What is read from patterns.h, and what is said of one that is wrong."""

from pathlib import Path

import pytest

from board_agent.patterns import COLUMNS, ROWS, PatternsError, as_text, load_patterns, name_of

PATTERNS_H = Path(__file__).parent.parent / "sketch" / "patterns.h"

PICTURE = '{"dot", {\n' + ",\n".join(['"#............"'] + ['"............."'] * 7) + "}}"


def write(folder: Path, text: str) -> Path:
    path = folder / "patterns.h"
    path.write_text(text)
    return path


def test_the_pictures_come_in_the_order_of_the_file() -> None:
    assert list(load_patterns(PATTERNS_H)) == ["check", "x", "smiley", "off", *"0123456789"]


def test_every_frame_is_8_rows_of_13_levels() -> None:
    for frame in load_patterns(PATTERNS_H).values():
        assert len(frame) == ROWS
        assert all(len(row) == COLUMNS and set(row) <= set(range(8)) for row in frame)


def test_no_two_pictures_look_the_same() -> None:
    frames = list(load_patterns(PATTERNS_H).values())
    assert len(set(frames)) == len(frames)


def test_a_frame_is_recognised_and_a_stranger_is_not() -> None:
    patterns = load_patterns(PATTERNS_H)
    assert name_of(patterns["smiley"], patterns) == "smiley"
    assert name_of(tuple((1,) * COLUMNS for _ in range(ROWS)), patterns) is None


def test_a_frame_as_text_is_the_picture_in_the_source(tmp_path: Path) -> None:
    rows = ["#............", ".123456......", *["............."] * 6]
    quoted = ",".join(f'"{row}"' for row in rows)
    path = write(tmp_path, f'Pattern PATTERNS[] = {{ {{"a", {{ {quoted} }} }} }};')
    assert as_text(load_patterns(path)["a"]).split("\n") == rows


def test_comments_and_a_last_comma_are_no_trouble(tmp_path: Path) -> None:
    path = write(tmp_path, f'Pattern PATTERNS[] = {{ // {{"no"\n /* "no" }} */ {PICTURE},\n}};\nint other = 1;')
    assert list(load_patterns(path)) == ["dot"]


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "there is no `Pattern PATTERNS[] =` in it"),
        ("\nPattern PATTERNS[] = {};", ":2: there is no picture in it"),
        (f"Pattern PATTERNS[] = {{{PICTURE}", ":9: the list of pictures does not end"),
        (f"Pattern PATTERNS[] = {{{PICTURE},\n{PICTURE}}};", ':10: there are two pictures named "dot"'),
        (f"Pattern PATTERNS[] = {{\n{PICTURE}\n{PICTURE}}};", ":11: expected }, found {"),
        (
            f"Pattern PATTERNS[] = {{{PICTURE}}};".replace('"#............"', '"#..........."'),
            ':2: row 0 of "dot" has 12 characters; a row has 13',
        ),
        (
            f"Pattern PATTERNS[] = {{{PICTURE}}};".replace("#", "9"),
            """:2: row 0 of "dot" has '9' in it; use . for dark, # for bright, 1 to 6 between""",
        ),
        (
            f"Pattern PATTERNS[] = {{{PICTURE}}};".replace('"#............",', ""),
            ':9: "dot" has 7 rows; a picture has 8',
        ),
        ("Pattern PATTERNS[] = {{dot, {}}};", ":1: expected the name of a picture in double quotes, found dot"),
    ],
)
def test_a_malformed_file_is_named_with_the_line_and_what_is_wrong(tmp_path: Path, text: str, complaint: str) -> None:
    path = write(tmp_path, text)
    with pytest.raises(PatternsError) as error:
        load_patterns(path)
    assert str(error.value).startswith(str(path))
    assert str(error.value).endswith(complaint)


def test_a_file_that_is_no_text_is_named(tmp_path: Path) -> None:
    path = tmp_path / "patterns.h"
    path.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(PatternsError, match="this is not UTF-8 text"):
        load_patterns(path)
