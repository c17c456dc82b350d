"""Tables, picture and comparison."""

import json
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import pytest

from evals import records, report
from evals.__main__ import main
from evals.records import Result

CALL = {"tool": "t", "args": {"a": 1}, "result": "{}", "state": "done", "turn": 1, "repairs": ['a "1" taken as 1']}


def record(name: str, right: bool, kind: str = "board", **more: Any) -> dict[str, Any]:
    verdict = {"tools": True, "args": True, "answer": right, "right": right, "lucky": False}
    return {
        **{"id": name, "kind": kind, "run": 0, "ask": [f"{name}?"], "answer": "So <b>it</b> is.", "calls": [CALL]},
        **{"stopped": "answered", "turns": 2, "tokens_read": 10, "tokens_reused": 20, "tokens_written": 5},
        **{"seconds": 1.5, "verdict": {**verdict, "why": [] if right else ["the LED should be on"]}, **more},
    }


def result(label: str, right: int, of: int = 10) -> Result:
    return Result({"label": label, "model": "m"}, [record(f"q{n}", n < right) for n in range(of)])


def test_a_table_has_a_row_for_each_kind_and_one_for_all() -> None:
    both = Result({"label": "a"}, [record("x", True), record("y", False, kind="file")])
    rows = report.summary_rows(both)
    assert [row[0] for row in rows] == ["kind", "board", "file", "all"]
    assert rows[-1][:2] == ["all", "2"]
    assert rows[-1][5].startswith("50 % (")
    assert rows[-1][-1] == "2 answered"


def test_a_large_difference_is_named_and_a_small_one_is_not() -> None:
    large = report.in_words(result("ours", 10), result("theirs", 0))
    assert large == "Larger than chance: board (ours is better); all (ours is better)."
    assert report.in_words(result("ours", 10), result("theirs", 7)) == "No difference is larger than chance."


def test_questions_are_compared_in_pairs_and_each_counts_once() -> None:
    again = Result({"label": "ours"}, result("ours", 10).records * 5)
    row = report.comparison_rows(again, result("theirs", 7))[-1]
    assert row[3:] == ["3, 0, 7", "0.250", "no"]


def test_the_report_shows_five_of_the_worst_with_their_traces() -> None:
    text = report.markdown([result("ours", 2)], "p.svg")
    assert text.count("the LED should be on") == 5
    assert '[turn 1] t({"a": 1}) [a "1" taken as 1] done: {}' in text
    assert 'Put right by the harness: a "1" taken as 1 (10).' in text
    assert "![All right, per kind](p.svg)" in text


def test_a_trace_cannot_leave_its_code_block() -> None:
    evil = Result({"label": "a"}, [record("x", False, answer="``` # a heading")])
    assert report.markdown([evil], "p.svg").count("```") == 2


def test_the_picture_is_svg_with_a_bar_for_each_run_and_kind() -> None:
    picture = ET.fromstring(report.picture([result("a <b>", 10), result("c", 0)]))  # noqa: S314
    texts = [node.text for node in picture.iter("{http://www.w3.org/2000/svg}text")]
    assert "a <b>" in texts
    assert texts.count("10 of 10") == texts.count("0 of 10") == 2


def saved(folder: Path, one: Result) -> str:
    file = folder / f"{one.label}.jsonl"
    list(records.write(file, one.about, one.records))
    return str(file)


def test_results_are_read_as_they_were_written(tmp_path: Path) -> None:
    assert records.load(Path(saved(tmp_path, result("ours", 3)))) == result("ours", 3)


def test_earlier_results_are_compared_by_one_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files = [saved(tmp_path, result("ours", 10)), saved(tmp_path, result("theirs", 0))]
    assert main(["--out", str(tmp_path), "--compare", *files]) == 0
    assert "Larger than chance: board (ours is better)" in capsys.readouterr().out
    assert "## ours against theirs" in (tmp_path / "compared.md").read_text(encoding="utf-8")
    assert (tmp_path / "compared.svg").exists()


def test_a_file_that_is_no_result_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "other.jsonl"
    file.write_text(json.dumps({"a": 1}), encoding="utf-8")
    assert main(["--compare", str(file)]) == 1
    assert "is no result of this program" in capsys.readouterr().err
