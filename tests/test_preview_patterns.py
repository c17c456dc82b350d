"""preview_patterns.py as a person runs it."""

import subprocess
import sys
from pathlib import Path

SCRIPT = Path(__file__).parent.parent / "python" / "preview_patterns.py"


def preview(*names: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, SCRIPT, *names], capture_output=True, text=True, cwd=cwd, timeout=20)


def test_it_draws_the_named_picture_with_numbered_rows_and_columns(tmp_path: Path) -> None:
    shown = preview("check", cwd=tmp_path)
    assert shown.returncode == 0
    lines = shown.stdout.splitlines()
    assert lines[0] == "check"
    assert lines[1].split() == [str(column) for column in range(13)]
    assert [line.split()[0] for line in lines[2:]] == [str(row) for row in range(8)]
    assert lines[2 + 7].split()[1 + 4] == "#"
    assert lines[2 + 1].split()[1 + 10] == "#"
    assert shown.stdout.count("#") == 9


def test_it_draws_all_when_none_is_named(tmp_path: Path) -> None:
    lines = preview(cwd=tmp_path).stdout.splitlines()
    names = [line for line in lines if line and not line.startswith(" ")]
    assert names == ["check", "x", "smiley", "off", *"0123456789"]


def test_it_names_what_there_is_when_a_name_is_wrong(tmp_path: Path) -> None:
    shown = preview("check", "tick", cwd=tmp_path)
    assert shown.returncode == 2
    assert shown.stdout == ""
    assert 'There is no picture "tick". There are: check, x, smiley' in shown.stderr
