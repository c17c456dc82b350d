"""Sentences of the program's own, and numbers to doubt."""

import pytest

from board_agent.answers import doubtful_numbers, plain_sentence
from board_agent.events import ToolEnded


def ended(tool: str, result: str) -> ToolEnded:
    return ToolEnded(turn=1, call=1, tool=tool, args={}, result=result, state="done", tool_ms=0, llm_ms=0)


def test_results_are_said_in_words() -> None:
    results = [ended("calculate", '{"expression":"14.2 > 1","result":true}'), ended("led", '{"ok":true,"led":"on"}')]
    assert plain_sentence("Stopped.", results) == (
        "Stopped. What the tools gave: calculate: expression 14.2 > 1, result true; led: ok true, led on."
    )


def test_without_results_it_says_so() -> None:
    assert plain_sentence("Stopped.", []) == "Stopped. No tool was called."


def test_only_the_last_results_are_said_and_long_ones_are_cut() -> None:
    results = [ended("read_file", '{"content":"' + "x" * 4000 + '"}')] * 5
    assert len(plain_sentence("Stopped.", results)) < 500


RESULT = '{"disk_free_gb":14.23,"cpu_count":4,"ratio":0.17,"big":1234567,"temp":-3.5}'


@pytest.mark.parametrize(
    ("answer", "doubtful"),
    [
        ("14.23 GB are free.", []),
        ("14.2 GB are free.", []),
        ("14 GB are free.", []),
        ("41.2 GB are free.", ["41.2"]),
        ("14.3 GB are free.", ["14.3"]),
        ("There are 5 CPUs.", ["5"]),
        ("17% are used, 1,234,567 in all.", []),
        ("It is 3.5 below zero, -3.5 to be exact.", []),
        ("No numbers here.", []),
        ("On 2026-03-14 it was 9.", ["2026", "9"]),
        ("9 and 9 again.", ["9"]),
    ],
)
def test_numbers_that_stand_in_no_result_are_doubted(answer: str, doubtful: list[str]) -> None:
    found = [number for number in doubtful_numbers(answer, [RESULT]) if number.lstrip("-") not in ("03", "14")]
    assert found == doubtful


def test_numbers_of_the_question_are_known() -> None:
    assert doubtful_numbers("More than 25 is not 26.", ["is it more than 25?"]) == ["26"]


def test_a_number_of_a_million_digits_does_no_harm() -> None:
    assert len(doubtful_numbers("9" * 1_000_000, ["1"])) == 1
