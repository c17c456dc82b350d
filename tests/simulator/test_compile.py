"""The sketch becomes a program of this machine."""

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from simulator.sketch import SKETCH, SketchError, as_cpp, compile_sketch, find_compiler

STRICT = ("-Wpedantic", "-Werror")

SMALL = """
#include <Arduino.h>
void setup() { twice(2); }
void loop() { exit(0); }
int twice(int number) { return 2 * number; }
"""


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    folder = tmp_path_factory.mktemp("cache")
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv("BOARD_AGENT_CACHE", str(folder))
        yield folder / "sketch"


@pytest.fixture
def sketch(tmp_path: Path) -> Path:
    folder = tmp_path / "small"
    folder.mkdir()
    (folder / "sketch.ino").write_text(SMALL)
    return folder


def test_the_sketch_and_the_host_core_compile_without_a_warning() -> None:
    assert compile_sketch(SKETCH, STRICT).exists()


def test_a_program_is_compiled_once_and_again_when_something_changed(cache: Path, sketch: Path) -> None:
    first = compile_sketch(sketch)
    made = first.stat().st_mtime_ns
    assert compile_sketch(sketch) == first
    assert first.stat().st_mtime_ns == made
    (sketch / "sketch.ino").write_text(SMALL.replace("2 *", "3 *"))
    second = compile_sketch(sketch)
    assert second != first
    assert {first.parent, second.parent} == {cache}


def test_a_sketch_that_does_not_compile_is_told_by_line_and_leaves_nothing(cache: Path, sketch: Path) -> None:
    compile_sketch(sketch)
    before = sorted(cache.iterdir())
    (sketch / "sketch.ino").write_text(SMALL.replace("return 2 * number", "return to * number"))
    with pytest.raises(SketchError, match=r"The sketch does not compile:\n(.|\n)*sketch\.ino:5:"):
        compile_sketch(sketch)
    assert sorted(cache.iterdir()) == before


def test_a_picture_with_a_short_row_does_not_compile(cache: Path, tmp_path: Path) -> None:
    folder = tmp_path / "short"
    folder.mkdir()
    (folder / "sketch.ino").write_text((SKETCH / "sketch.ino").read_text())
    drawn = (SKETCH / "patterns.h").read_text()
    (folder / "patterns.h").write_text(drawn.replace('"..#...#......"', '"..#...#....."'))
    with pytest.raises(SketchError, match="each picture is 8 rows of 13 characters"):
        compile_sketch(folder)


def test_the_compiler_named_by_cxx_is_taken(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    mine = tmp_path / "mine"
    mine.write_text("#!/bin/sh\n")
    mine.chmod(0o755)
    monkeypatch.setenv("CXX", str(mine))
    assert find_compiler() == str(mine)


def test_a_machine_without_a_compiler_is_told_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CXX", raising=False)
    monkeypatch.setenv("PATH", "")
    with pytest.raises(SketchError, match=r"There is no C\+\+ compiler, .*install g\+\+ .*xcode-select"):
        find_compiler()


def test_functions_are_declared_before_the_first_as_arduino_does_it() -> None:
    sketch = (
        "int a;\nbool f(int n) {\n}\n  int inner() {\nconst char *g(\n  int n,\n  String t) {\nvoid h(int n = 1) {\n"
    )
    cpp = as_cpp(sketch)
    assert "\nbool f(int n);\nconst char *g(int n, String t);\n#line 2 " in cpp
    assert cpp.endswith(sketch[7:])


def test_text_of_the_sketch_behaves_as_arduinos_string(cache: Path, tmp_path: Path) -> None:
    checks = [
        'String("  Board \\n").length() == 9',
        'String(-12) + 3 + "x" + \'y\' + 1.5f == "-123xy1.50"',
        'String(255, 16) == "ff" && String(5UL) == "5" && String(2.345, 1) == "2.3"',
        '"a" + String("b") == "ab" && String("a") != "b" && String("a") < String("b")',
        'String("check").substring(1, 3) == "he" && String("check").substring(3, 99) == "ck"',
        'String("check").substring(9) == "" && String("check").charAt(9) == 0 && String("check")[0] == \'c\'',
        'String("check").indexOf("ck") == 3 && String("check").indexOf(\'c\', 1) == 3',
        'String("check").lastIndexOf(\'c\') == 3 && String("check").indexOf("z") == -1',
        'String("check").startsWith("che") && String("check").endsWith("ck") && !String("ck").endsWith("check")',
        'String("ON").equalsIgnoreCase("on") && String(" 42 ").toInt() == 42 && String("2.5").toFloat() == 2.5f',
    ]
    changes = [
        ("text.trim()", '"one two"'),
        ('text.replace("o", "00")', '"  00ne tw00 "'),
        ("text.replace(' ', '-')", '"--one-two-"'),
        ("text.toUpperCase()", '"  ONE TWO "'),
        ("text.remove(5)", '"  one"'),
        ("text.remove(0, 6)", '"two "'),
        ("text.setCharAt(0, '!')", '"! one two "'),
        ("text[1] = '?'", '" ?one two "'),
        ('text.concat("!")', '"  one two !"'),
    ]
    body = "".join(f"  if (!({check})) exit({number});\n" for number, check in enumerate(checks, 1))
    body += "".join(
        f'  {{ String text("  one two "); {change}; if (text != {expected}) exit({number}); }}\n'
        for number, (change, expected) in enumerate(changes, 100)
    )
    (tmp_path / "sketch.ino").write_text(f"void setup() {{\n{body}  exit(0);\n}}\nvoid loop() {{}}\n")
    program = compile_sketch(tmp_path, STRICT)
    assert subprocess.run([program, "0"], stdin=subprocess.PIPE).returncode == 0
