"""The scorer finds what is wrong with a run, and what is right by luck only."""

from fractions import Fraction
from typing import Any

import pytest

from evals.expressions import Facts
from evals.questions import Question
from evals.score import Call, Verdict, has_number, says, score

FILES = {"log.txt": "Log\n09:00  21.4\n12:00  24.8\n"}
FACTS = Facts(
    {"os": "Debian GNU/Linux 13", "home_free_gb": 14.2, "cpu_count": 4}, FILES.__getitem__, lambda _: ["a.txt", "b/"]
)
SCHEMAS = {
    "get_system_info": {"properties": {}, "required": []},
    "calculate": {"properties": {"expression": {"type": "string"}}, "required": ["expression"]},
    "set_builtin_led": {"properties": {"state": {"type": "boolean"}}, "required": ["state"]},
    "set_led_matrix": {"properties": {"pattern": {"type": "string", "enum": ["check", "x"]}}, "required": ["pattern"]},
}
DARK = {"led": False, "pattern": "off"}
FREE = Question("free", "one tool", ["How much is free?"], ["get_system_info"], number="home_free_gb")
LIMIT = Question(
    "limit",
    "threshold",
    ["More than 1 GB? A check, else an x."],
    ["get_system_info", "set_led_matrix"],
    ["calculate"],
    matrix=["home_free_gb > 1", "check", "x"],
)
LAMP = Question("lamp", "board", ["Light!"], ["set_builtin_led"], led=True)
NOTHING = Question("nothing", "no tool", ["Hello!"], [])


def call(tool: str, outcome: str = "done", **args: Any) -> Call:
    return Call(tool, args, "{}", outcome)


def judge(question: Question, answer: str, *calls: Call, **after: Any) -> Verdict:
    return score(question, FACTS, answer, calls, DARK, {**DARK, **after}, SCHEMAS)


def test_a_run_in_which_all_is_right_has_no_complaint() -> None:
    verdict = judge(FREE, "14.2 GB are free.", call("get_system_info"))
    assert (verdict.right, verdict.lucky, verdict.why) == (True, False, [])


def test_a_tool_that_is_not_needed_is_the_wrong_tool() -> None:
    verdict = judge(FREE, "14.2 GB are free.", call("get_system_info"), call("calculate", expression="1"))
    assert (verdict.tools, verdict.args, verdict.answer) == (False, True, True)
    assert verdict.why == ["called calculate, which is not needed"]


def test_no_tool_may_be_called_where_none_is_needed() -> None:
    assert judge(NOTHING, "Hello.").right
    assert judge(NOTHING, "Hello.", call("get_system_info")).why == [
        "called get_system_info, which is not needed (no tool is)"
    ]


def test_a_right_answer_with_the_wrong_tool_is_luck() -> None:
    verdict = judge(FREE, "14.2 GB are free.", call("calculate", expression="14.2"))
    assert (verdict.answer, verdict.lucky, verdict.right) == (True, True, False)


def test_a_right_answer_without_any_tool_is_luck() -> None:
    verdict = judge(FREE, "I guess 14.2 GB.")
    assert (verdict.lucky, verdict.why) == (True, ["did not call get_system_info"])


def test_tools_in_the_wrong_order_are_found() -> None:
    calls = [call("set_led_matrix", pattern="check"), call("get_system_info")]
    verdict = judge(LIMIT, "I showed a check.", *calls, pattern="check")
    assert verdict.why == ["called set_led_matrix > get_system_info: wrong order"]


def test_a_tool_that_may_be_called_is_no_mistake() -> None:
    calls = [call("get_system_info"), call("calculate", expression="14.2 > 1"), call("set_led_matrix", pattern="check")]
    assert judge(LIMIT, "I showed a check.", *calls, pattern="check").right


@pytest.mark.parametrize(
    ("wrong", "says_what"),
    [
        (call("set_builtin_led", state="on"), 'set_builtin_led({"state": "on"}): state is no boolean'),
        (call("set_builtin_led", state=1), "state is no boolean"),
        (call("set_builtin_led"), "state is missing"),
        (call("set_builtin_led", state=True, colour="red"), "there is no colour"),
        (call("set_led_matrix", pattern="heart"), "pattern is none of check, x"),
        (call("calculate", expression=5), "expression is no string"),
        (call("make_coffee"), "called make_coffee, which does not exist"),
        (call("get_system_info", "failed"), "the arguments are no JSON object"),
    ],
)
def test_arguments_that_do_not_fit_the_schema_are_found(wrong: Call, says_what: str) -> None:
    verdict = judge(LAMP, "The LED is on.", wrong, call("set_builtin_led", state=True), led=True)
    assert not verdict.args
    assert any(says_what in why for why in verdict.why)


def test_a_wrong_number_is_a_wrong_answer() -> None:
    verdict = judge(FREE, "41.2 GB are free.", call("get_system_info"))
    assert (verdict.tools, verdict.answer, verdict.why) == (True, False, ["the number should be 14.2"])


def test_what_the_board_shows_counts_and_not_what_is_said() -> None:
    verdict = judge(LAMP, "The LED is on.", call("set_builtin_led", state=False))
    assert verdict.why == ["the LED should be on"]
    calls = [call("get_system_info"), call("set_led_matrix", pattern="x")]
    assert judge(LIMIT, "Done.", *calls, pattern="x").why == ["the matrix should show check, not x"]


def test_what_nobody_asked_for_must_not_change() -> None:
    assert judge(FREE, "14.2 GB.", call("get_system_info"), led=True).why == ["the LED should be off"]


@pytest.mark.parametrize("answer", ["", "  ", "<tool>get_system_info\n{} 14.2", '{"name": "get_system_info"} 14.2'])
def test_nothing_and_a_call_are_no_answer(answer: str) -> None:
    assert not judge(FREE, answer, call("get_system_info")).answer


@pytest.mark.parametrize(
    ("question", "right", "wrong"),
    [
        ({"truth": "home_free_gb > 20"}, "No, 14.2 GB are free.", "Yes, 14.2 GB are free."),
        ({"truth": "home_free_gb > 1"}, "There are more than 1 GB free.", "There is not more than 1 GB free."),
        ({"shows": "os"}, "It runs Debian.", "It runs Windows."),
        ({"lists": "."}, "There are a.txt and b.", "There is a.txt."),
        ({"words": "Zephyr|RTOS"}, "zephyr runs there", "Linux runs there"),
        ({"not_words": "root:"}, "I may not.", "root:x:0"),
        ({"refuses": True}, "I can’t do that.", "Done."),
        ({"number": "count(entries('.'))"}, "There are two.", "There are three."),
        ({"number": "mean(values('log.txt'))"}, "It is 23.1 on average.", "It is 24 on average."),
        ({"number": "value('log.txt', '12:00')"}, "24.8 at 12:00", "21.4 at 12:00"),
        ({"shows": "label('log.txt', max(values('log.txt')))"}, "At 12:00.", "At 09:00."),
    ],
)
def test_each_check_tells_a_right_answer_from_a_wrong_one(question: dict[str, Any], right: str, wrong: str) -> None:
    asked = Question("q", "k", ["?"], [], **question)
    assert judge(asked, right).answer
    assert not judge(asked, wrong).answer


def test_what_was_never_read_cannot_be_right() -> None:
    asked = Question("q", "k", ["?"], [], number="uptime_h")
    assert "never read" in judge(asked, "3 hours.").why[0]


@pytest.mark.parametrize(
    ("text", "value", "has"),
    [
        ("it is 3,969", 3969, True),
        ("es sind 14,2 GB", "14.2", True),
        ("about 14 GB", "14.2", True),
        ("about 1 GB", "1.4", False),
        ("14.25 GB", "14.2", False),
        ("33.3 percent", Fraction(100, 3), True),
        ("3970", 3969, False),
        ("at 12:04", 4, False),
        ("the answer is −5", -5, True),
        ("there are four", 4, True),
        ("2026-03-14", 14, False),
    ],
)
def test_a_number_counts_as_it_is_or_decently_rounded(text: str, value: Any, has: bool) -> None:
    assert has_number(text, Fraction(value)) is has


@pytest.mark.parametrize(("text", "means"), [("Yes.", True), ("Nein, 3", False), ("It isn't", False), ("Hm", None)])
def test_yes_and_no_are_understood(text: str, means: bool | None) -> None:
    assert says(text) is means
