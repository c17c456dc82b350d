"""Calls that a model writes as text."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from board_agent.calls import calls_in_text, text_before_calls

TOOLS = ("set_led_matrix", "get_system_info")
X = ("set_led_matrix", {"pattern": "x"})
INFO = ("get_system_info", {})


@pytest.mark.parametrize(
    ("text", "calls"),
    [
        ('<tool>set_led_matrix\n{"pattern":"x"}', [X]),
        ("<tool>get_system_info\n{}", [INFO]),
        ('Let me see. <tool>get_system_info\n{} <tool>set_led_matrix\n{"pattern":"x"}', [INFO, X]),
        ('<tool_call>\n{"name": "set_led_matrix", "arguments": {"pattern": "x"}}\n</tool_call>', [X]),
        ('<tool_call>{"name": "unknown", "arguments": {}}', [("unknown", {})]),
        ("<tool_call><function=set_led_matrix>\n<parameter=pattern>\nx\n</parameter>\n</function>\n</tool_call>", [X]),
        ("<function=led><parameter=state>true</parameter></function>", [("led", {"state": True})]),
        ('{"name": "set_led_matrix", "arguments": {"pattern": "x"}}', [X]),
        ('```json\n{"tool": "set_led_matrix", "args": {"pattern": "x"}}\n```', [X]),
        ('{"function": {"name": "get_system_info"}}', [INFO]),
        ('[{"name": "get_system_info"}, {"name": "set_led_matrix", "parameters": {"pattern": "x"}}]', [INFO, X]),
        ('{"name": "get_system_info", "arguments": "{}"}', [INFO]),
    ],
)  # fmt: skip
def test_a_call_in_disguise_is_found(text: str, calls: list[tuple[str, dict]]) -> None:
    assert [(name, json.loads(arguments)) for name, arguments in calls_in_text(text, TOOLS)] == calls


@pytest.mark.parametrize(
    "text",
    [
        "14.2 GB are free.",
        "I used set_led_matrix.",
        '{"name": "Ada", "age": 36}',
        '{"answer": 42}',
        "[1, 2, 3]",
        "{",
        '{"name": 5}',
        "",
        "a < b and b > c",
        "[]",
    ],
)
def test_a_sentence_is_no_call(text: str) -> None:
    assert calls_in_text(text, TOOLS) == []


def test_broken_arguments_are_passed_on_as_they_stand() -> None:
    assert calls_in_text("<tool>set_led_matrix\n{pattern: x", TOOLS) == [("set_led_matrix", "{pattern: x")]


def test_what_stands_before_a_call_is_kept() -> None:
    assert text_before_calls("I look. <tool>get_system_info\n{}") == "I look."
    assert text_before_calls('{"name": "get_system_info"}') == ""


@given(st.text(alphabet="<>tool_calfunction={}[]\"':,/\n `json", max_size=300))
@settings(max_examples=300, deadline=None)
def test_no_text_breaks_the_search(text: str) -> None:
    for name, arguments in calls_in_text(text, TOOLS):
        assert isinstance(name, str)
        assert isinstance(arguments, str)
