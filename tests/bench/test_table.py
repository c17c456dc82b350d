"""The table of `make bench` says what was measured."""

import pytest

from bench.meter import Cost
from bench.table import Row, fastest, markdown, on_a_board, table, total

ROWS = [
    Row("First question", Cost(2, 60, 1200, 45, 1.0), Cost(2, 700, 600, 45, 3.0)),
    Row("Second question", Cost(2, 40, 1250, 55, 1.0), Cost(2, 50, 1240, 55, 1.0)),
]


def cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip("|").split("|")]


def test_each_step_has_a_line_and_all_of_them_one() -> None:
    lines = table(ROWS, scripted=True).splitlines()
    assert [cells(line)[0] for line in lines[2:]] == ["First question", "Second question", "All of them"]


def test_a_cell_has_the_app_first_and_the_plain_loop_second() -> None:
    head, _, first, *_ = (cells(line) for line in table(ROWS, scripted=True).splitlines())
    found = dict(zip(head, first, strict=True))
    assert found["requests"] == "2 / 2"
    assert found["read"] == "60 / 700"
    assert found["reused"] == "1200 / 600"
    assert found["written"] == "45 / 45"


def test_the_last_line_adds_up_what_is_above() -> None:
    assert total(ROWS).app == Cost(4, 100, 2450, 100, 2.0)
    assert cells(table(ROWS, scripted=True).splitlines()[-1])[2] == "100 / 750"


def test_times_are_ratios_and_only_where_they_mean_something() -> None:
    timed, scripted = table(ROWS, scripted=False), table(ROWS, scripted=True)
    assert [cells(line)[5] for line in timed.splitlines()[2:]] == ["1 : 3.0", "1 : 1.0", "1 : 2.0"]
    assert "time" not in scripted


def test_a_boards_seconds_are_those_of_the_published_rates() -> None:
    assert on_a_board(Cost(1, 1000, 5000, 100), "0.8B") == pytest.approx(95 + 17.8)
    assert on_a_board(Cost(1, 1000, 5000, 100), "2B") == pytest.approx(241 + 39.8)


def test_a_boards_seconds_are_marked_as_computed() -> None:
    head = cells(table(ROWS, scripted=True).splitlines()[0])
    assert head[-2:] == ["UNO Q, 0.8B, computed", "UNO Q, 2B, computed"]


def test_columns_of_numbers_are_aligned_right() -> None:
    assert markdown([["a", "b"], ["long", "1"]]) == "| a    |  b |\n| ---- | -: |\n| long |  1 |"


def test_of_several_rounds_the_fastest_counts() -> None:
    assert fastest([Cost(1, 5, 6, 7, 2.0), Cost(1, 5, 6, 7, 1.0)]).seconds == 1.0


def test_rounds_that_cost_different_tokens_are_no_measurement() -> None:
    with pytest.raises(ValueError, match="different tokens"):
        fastest([Cost(1, 5, 6, 7, 2.0), Cost(1, 6, 6, 7, 1.0)])
