"""A real model answers real questions with the tools; what the board shows is what the sketch's C++ drew."""

import json
from typing import Any

import pytest
import requests

from tests.e2e.conftest import App, Board
from tests.unit.house import until

CHECK = {(5, 2), (6, 3), (7, 4), (6, 5), (5, 6), (4, 7), (3, 8), (2, 9), (1, 10)}
X = {(i, 2 + i) for i in range(8)} | {(i, 10 - i) for i in range(8)}
SMILEY = {(1, 3), (1, 4), (1, 8), (1, 9), (5, 2), (6, 3), (6, 4), (6, 5), (6, 6), (6, 7), (6, 8), (6, 9), (5, 10)}


FREE_SPACE = (
    "Check the free space on /home. If there's {} than 1GB free, show a checkmark on the matrix, otherwise show an X"
)


def calls(answer: dict[str, Any]) -> list[tuple[str, dict[str, Any]]]:
    return [(row["tool"], row["args"]) for row in answer["trace"]]


def result(answer: dict[str, Any], tool: str) -> dict[str, Any]:
    return next(json.loads(row["result"]) for row in answer["trace"] if row["tool"] == tool)


def test_free_space_decides_between_check_and_x(app: App, board: Board) -> None:
    question = FREE_SPACE.format("more")
    answer = app.ask(question)
    assert [tool for tool, _ in calls(answer)] == ["get_system_info", "calculate", "set_led_matrix"]
    enough = result(answer, "get_system_info")["home_free_gb"] > 1
    assert result(answer, "calculate")["result"] is enough
    assert board.lit == (CHECK if enough else X)
    assert answer["stopped"] == "answered"
    assert answer["doubtful"] == []


def test_the_other_side_of_the_limit_shows_the_other_pattern(app: App, board: Board) -> None:
    answer = app.ask(FREE_SPACE.format("less"))
    little = result(answer, "get_system_info")["home_free_gb"] < 1
    assert result(answer, "calculate")["result"] is little
    assert board.lit == (CHECK if little else X)


@pytest.mark.parametrize(("words", "lit"), [("on", True), ("off", False)])
def test_the_led_is_switched(app: App, board: Board, words: str, lit: bool) -> None:
    answer = app.ask(f"Turn {words} the LED.")
    assert calls(answer) == [("set_builtin_led", {"state": lit})]
    assert board.led is lit
    assert words in answer["answer"].lower()


def test_a_smiley_is_shown(app: App, board: Board) -> None:
    assert calls(app.ask("Show a smiley on the matrix.")) == [("set_led_matrix", {"pattern": "smiley"})]
    assert board.lit == SMILEY


def test_two_actions_are_both_done(app: App, board: Board) -> None:
    answer = app.ask("Turn on the LED and show an X on the matrix.")
    assert sorted(tool for tool, _ in calls(answer)) == ["set_builtin_led", "set_led_matrix"]
    assert board.led
    assert board.lit == X


@pytest.mark.parametrize("key", ["memory_free_gb", "cpu_count"])
def test_facts_are_looked_up(app: App, key: str) -> None:
    question = {"memory_free_gb": "How much memory is free?", "cpu_count": "How many CPUs does this board have?"}[key]
    answer = app.ask(question)
    assert [tool for tool, _ in calls(answer)] == ["get_system_info"]
    assert str(result(answer, "get_system_info")[key]) in answer["answer"]


def test_arithmetic_is_calculated(app: App) -> None:
    answer = app.ask("What is 47 times 89?")
    assert [tool for tool, _ in calls(answer)] == ["calculate"]
    assert result(answer, "calculate")["result"] == 4183
    assert "4183" in answer["answer"].replace(",", "")


def test_files_are_listed(app: App) -> None:
    answer = app.ask("Which files are in the workspace?")
    assert [tool for tool, _ in calls(answer)] == ["list_files"]
    assert "readings.txt" in answer["answer"]
    assert "notes.txt" in answer["answer"]


def test_a_file_is_read_and_its_average_calculated(app: App) -> None:
    answer = app.ask("What is the average temperature in readings.txt?")
    assert [tool for tool, _ in calls(answer)] == ["read_file", "calculate"]
    assert result(answer, "calculate")["result"] == 24
    assert "24" in answer["answer"]


def test_a_missing_file_is_said_to_be_missing(app: App) -> None:
    answer = app.ask("What does diary.txt say?")
    assert calls(answer)[0] == ("read_file", {"path": "diary.txt"})
    assert "readings.txt" in result(answer, "read_file")["error"]
    assert answer["stopped"] == "answered"


def test_a_greeting_needs_no_tool(app: App) -> None:
    answer = app.ask("Hello, who are you?")
    assert calls(answer) == []
    assert answer["answer"]


def test_ask_py_prints_the_steps_the_answer_and_the_time(app: App, board: Board) -> None:
    done = app.command("Show a check mark on the matrix.")
    assert done.returncode == 0, done.stderr
    first, second, *_, last = done.stdout.splitlines()
    assert first == "[turn 1] tool call: set_led_matrix(pattern='check')" or "set_led_matrix" in first
    assert second == '[turn 1] result: {"ok":true,"pattern":"check"}'
    assert last.startswith("(")
    assert last.endswith("s)")
    assert board.lit == CHECK


def test_ask_py_gives_the_same_answer_as_json(app: App) -> None:
    done = app.command("--json", "What is 12 + 30?")
    answer = json.loads(done.stdout)
    assert done.returncode == 0
    assert [tool for tool, _ in calls(answer)] == ["calculate"]
    assert "42" in answer["answer"]


def test_the_page_is_told_what_the_sketch_shows(app: App, board: Board) -> None:
    board.chip.reset()
    until(lambda: app.health()["board"] == "ok")
    app.ask("Show a smiley on the matrix.")

    def shown() -> dict[str, Any]:
        return requests.get(f"{app.url}/status", timeout=5).json()["board"]

    until(lambda: shown().get("pattern") == "smiley")
    board.chip.reset()
    until(lambda: shown().get("pattern") == "off" and not shown()["led"])
