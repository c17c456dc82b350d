"""Mistakes put into a model's calls on purpose."""

import json
from types import SimpleNamespace
from typing import Any

import pytest

from board_agent.agent import Agent
from board_agent.deadline import Deadline
from board_agent.events import ToolEnded
from board_agent.model import ToolCall
from board_agent.toolbox import Tool, Toolbox
from evals.clumsy import ClumsyModel, Mistakes, clumsy_client
from evals.loops import PlainLoop
from tests.unit.scripted import ScriptedModel, call, calling, saying

QUESTIONS = [f"Question {number}" for number in range(40)]


def lamp(state: bool) -> dict[str, Any]:
    """Switch the lamp."""
    return {"lamp": bool(state)}


BOX = Toolbox([Tool(lamp, risk="act")])


def spoilt(question: str) -> tuple[str, list[ToolCall]]:
    return Mistakes(1).in_reply([{"role": "user", "content": question}], "", [call("lamp", {"state": True})])


def test_about_half_of_the_calls_have_a_mistake_and_always_the_same() -> None:
    right = ("", [call("lamp", {"state": True})])
    wrong = [spoilt(question) for question in QUESTIONS if spoilt(question) != right]
    assert 10 < len(wrong) < 30
    assert [spoilt(question) for question in QUESTIONS] == [spoilt(question) for question in QUESTIONS]


def test_a_reply_in_words_is_left_alone() -> None:
    assert Mistakes(1).in_reply([], "14.2 GB.", []) == ("14.2 GB.", [])


@pytest.mark.parametrize(
    ("tool", "args"),
    [
        ("read_file", {"path": "notes.txt"}),
        ("set_led_matrix", {"pattern": "check"}),
        ("set_led_matrix", {"pattern": "7"}),
        ("calculate", {"expression": "14.2 > 1"}),
    ],
)
def test_every_kind_of_argument_gets_mistakes(tool: str, args: dict[str, str]) -> None:
    original = call(tool, args)
    replies = [Mistakes(1).in_reply([{"role": "user", "content": q}], "", [original])[1] for q in QUESTIONS]
    values = {value for calls in replies for one in calls for value in json.loads(one.arguments).values()}
    assert len(values) > 1


def test_our_loop_puts_them_right() -> None:
    for question in QUESTIONS:
        model: Any = ClumsyModel(ScriptedModel(calling(call("lamp", {"state": True})), saying("On.")), Mistakes(1))  # type: ignore[arg-type]
        ended = [e for e in Agent(model, BOX).run(question, Deadline(5)) if isinstance(e, ToolEnded)]
        assert [e.result for e in ended] == ['{"lamp":true}']


def test_the_plain_loop_is_given_the_same_mistakes() -> None:
    def create(**request: Any) -> Any:
        function = SimpleNamespace(name="lamp", arguments='{"state": true}')
        first = request["messages"][-1]["role"] == "user"
        message = SimpleNamespace(
            content="" if first else "On.", tool_calls=[SimpleNamespace(id="c1", function=function)] if first else []
        )
        return SimpleNamespace(choices=[SimpleNamespace(message=message)], timings=None)

    client = SimpleNamespace(chat=SimpleNamespace(completions=SimpleNamespace(create=create)))
    for question in QUESTIONS:
        answer = PlainLoop(clumsy_client(client, Mistakes(1)), "m", BOX).ask([question])
        text, calls = spoilt(question)
        assert [dict(c.args) for c in answer.calls] == [json.loads(c.arguments) for c in calls]
        assert answer.text == (text or "On.")
