"""The loop, driven with a scripted model."""

import json
import threading
from typing import Any

import pytest

from board_agent import events
from board_agent.agent import Agent, Approval
from board_agent.deadline import Deadline
from board_agent.errors import ToolError
from board_agent.model import ModelError, Reply
from board_agent.toolbox import Tool, Toolbox
from tests.unit.scripted import ScriptedModel, call, calling, saying


class Bench:
    """A few tools that count how often they ran."""

    def __init__(self) -> None:
        self.ran: list[str] = []

    def tools(self) -> list[Tool]:
        def get_facts() -> dict[str, Any]:
            """Facts."""
            self.ran.append("get_facts")
            return {"disk_free_gb": 14.2}

        def lamp(state: bool) -> dict[str, Any]:
            """Switch the lamp."""
            self.ran.append(f"lamp {state}")
            return {"ok": True, "lamp": state}

        def broken() -> dict[str, Any]:
            """Never works."""
            raise ToolError("no such thing; use get_facts")

        return [Tool(get_facts), Tool(lamp, risk="act"), Tool(broken)]


def run(
    *script: Any, question: str = "How much?", policy: Any = None, seconds: float = 10, approve: bool | None = None
):
    """All events of one run, the model and the tools that ran."""
    bench, model = Bench(), ScriptedModel(*script)
    steps = Agent(model, Toolbox(bench.tools(), policy)).run(question, Deadline(seconds))
    seen: list[events.Event] = []
    reply = None
    while True:
        try:
            event = steps.send(reply)
        except StopIteration:
            break
        seen.append(event)
        asked = isinstance(event, events.ApprovalNeeded) and approve is not None
        reply = Approval(bool(approve), "a person") if asked else None
    return seen, model, bench


def ended(seen: list[events.Event]) -> events.RunEnded:
    assert isinstance(seen[-1], events.RunEnded)
    return seen[-1]


def results(seen: list[events.Event]) -> list[events.ToolEnded]:
    return [event for event in seen if isinstance(event, events.ToolEnded)]


@pytest.fixture(autouse=True)
def _no_pause(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("board_agent.agent.LOADING_PAUSE_S", 0.0)


def test_a_tool_is_called_and_its_result_answered() -> None:
    seen, model, bench = run(calling(call("get_facts")), saying("14.2 GB are free."))
    assert bench.ran == ["get_facts"]
    assert (ended(seen).answer, ended(seen).stopped) == ("14.2 GB are free.", "answered")
    assert model.requests[1]["messages"][-1] == {
        "role": "tool",
        "tool_call_id": "c1",
        "content": '{"disk_free_gb":14.2}',
    }


def test_events_come_in_the_order_that_is_documented() -> None:
    seen, _, _ = run(calling(call("get_facts")), saying("14.2"))
    assert [event.type for event in seen] == [
        *("turn_started", "prompt_progress", "turn_ended", "tool_started", "tool_ended"),
        *("turn_started", "prompt_progress", "text", "turn_ended", "run_ended"),
    ]


def test_tokens_of_all_turns_are_added_up() -> None:
    end = ended(run(calling(call("get_facts")), saying("14.2"))[0])
    assert (end.turns, end.tokens_read, end.tokens_reused, end.tokens_written) == (2, 7, 9, 11)


def test_several_calls_in_one_turn_are_done_in_order_each_with_its_own_result() -> None:
    two = calling(call("lamp", {"state": True}, "a"), call("get_facts", "{}", "b"))
    seen, model, bench = run(two, saying("Done."))
    assert bench.ran == ["lamp True", "get_facts"]
    assert [m["tool_call_id"] for m in model.requests[1]["messages"] if m["role"] == "tool"] == ["a", "b"]
    assert [event.call for event in results(seen)] == [1, 2]


def test_after_six_turns_with_tools_one_more_may_only_answer() -> None:
    turns = [calling(call("lamp", {"state": n % 2 == 0})) for n in range(6)]
    seen, model, bench = run(*turns, saying("It blinked."))
    assert [request["final"] for request in model.requests] == [False] * 6 + [True]
    assert all(request["tools"] == model.requests[0]["tools"] for request in model.requests)
    assert (len(bench.ran), ended(seen).answer, ended(seen).stopped) == (6, "It blinked.", "turn_limit")


@pytest.mark.parametrize(
    "last",
    [
        saying('<tool>get_facts\n{"a":1}'),
        saying('{"name": "get_facts", "arguments": {}}'),
        calling(call("get_facts")),
        saying(""),
    ],
)
def test_a_reserved_turn_without_a_sentence_is_answered_from_the_results(last: Reply) -> None:
    turns = [calling(call("lamp", {"state": n % 2 == 0})) for n in range(5)]
    again = [saying("")] if not last.text and not last.calls else []
    seen, _, bench = run(*turns, calling(call("get_facts")), last, *again)
    assert len(bench.ran) == 6
    assert "disk_free_gb 14.2" in ended(seen).answer
    assert "<tool>" not in ended(seen).answer
    assert ended(seen).stopped == "turn_limit"


def test_the_same_call_again_is_not_run_but_answered_from_before() -> None:
    seen, model, bench = run(calling(call("get_facts")), calling(call("get_facts", "")), saying("14.2"))
    assert bench.ran == ["get_facts"]
    assert [event.state for event in results(seen)] == ["done", "repeated"]
    second = json.loads(model.requests[2]["messages"][-1]["content"])
    assert second["disk_free_gb"] == 14.2
    assert "already answered" in second["note"]


def test_a_third_time_ends_the_tool_turns() -> None:
    same = [calling(call("get_facts")) for _ in range(3)]
    seen, model, bench = run(*same, saying("14.2 GB."))
    assert bench.ran == ["get_facts"]
    assert [request["final"] for request in model.requests] == [False, False, False, True]
    assert ended(seen).answer == "14.2 GB."


def test_switching_on_off_and_on_again_is_no_repetition() -> None:
    turns = [calling(call("lamp", {"state": state})) for state in (True, False, True)]
    _, _, bench = run(*turns, saying("On."))
    assert bench.ran == ["lamp True", "lamp False", "lamp True"]


def test_a_failed_tool_tells_the_model_what_to_do() -> None:
    seen, model, _ = run(calling(call("broken")), saying("It does not work."))
    assert results(seen)[0].state == "failed"
    assert model.requests[1]["messages"][-1]["content"] == '{"error":"no such thing; use get_facts"}'


@pytest.mark.parametrize(
    "arguments",
    ["{", "null", "[1]", '"on"', "42", "{'state': true}", '{"state": NaN}', '{"state": 1e999}', '{"a": "\\ud800"}'],
)
def test_broken_arguments_are_replayed_as_an_empty_object_with_the_reason(arguments: str) -> None:
    seen, model, bench = run(calling(call("lamp", arguments)), saying("Sorry."))
    assert bench.ran == []
    replayed = model.requests[1]["messages"][-2]["tool_calls"][0]["function"]["arguments"]
    assert replayed == "{}"
    assert "call it as lamp(state: boolean)" in results(seen)[0].result


@pytest.mark.parametrize(
    ("name", "arguments", "advice"),
    [
        ("no_such_tool", {}, "the tools are: get_facts, lamp, broken"),
        ("lamp", {"on": True}, 'no argument \\"on\\"; call it as lamp(state: boolean)'),
        ("lamp", {}, "needs the argument state"),
        ("lamp", {"state": "bright"}, 'cannot take \\"bright\\" as state'),
        ("lamp", {"state": None}, "cannot take null as state"),
    ],
)
def test_wrong_calls_are_answered_with_what_is_right(name: str, arguments: dict[str, Any], advice: str) -> None:
    seen, _, bench = run(calling(call(name, arguments)), saying("Sorry."))
    assert bench.ran == []
    assert advice in results(seen)[0].result


def test_a_call_cut_off_for_length_says_so() -> None:
    seen, _, _ = run(calling(call("lamp", '{"sta'), finish_reason="length"), saying("Sorry."))
    assert "cut off for length" in results(seen)[0].result


def test_a_call_written_as_text_is_taken_as_the_call_it_means() -> None:
    seen, model, bench = run(saying('I switch it on. <tool>lamp\n{"state": true}'), saying("It is on."))
    assert bench.ran == ["lamp True"]
    assert model.requests[1]["messages"][-2]["content"] == "I switch it on."
    assert ended(seen).answer == "It is on."


def test_an_empty_reply_is_tried_once_more() -> None:
    seen, model, _ = run(saying(" "), saying("Here I am."))
    assert len(model.requests) == 2
    assert model.requests[0] == model.requests[1]
    assert ended(seen).answer == "Here I am."


def test_two_empty_replies_without_results_are_an_error_that_says_what_to_do() -> None:
    end = ended(run(saying(""), saying(""))[0])
    assert end.stopped == "error"
    assert "ask again in other words" in end.answer


def test_two_empty_replies_after_results_lead_to_the_reserved_turn() -> None:
    seen, model, _ = run(calling(call("get_facts")), saying(""), saying(""), saying("14.2 GB."))
    assert model.requests[-1]["final"]
    assert ended(seen).answer == "14.2 GB."


def test_a_model_that_only_thinks_is_named_as_such() -> None:
    thinking = Reply(text="<think>hm, hm", reasoned=True, finish_reason="length")
    assert "--reasoning off" in ended(run(thinking, thinking)[0]).answer


@pytest.mark.parametrize("kind", ["lost", "unparsable"])
def test_what_may_pass_by_itself_is_tried_once_more_and_only_once(kind: str) -> None:
    seen, model, _ = run(ModelError("it broke.", kind), saying("Hello."))
    assert ended(seen).answer == "Hello."
    assert any(isinstance(event, events.Waiting) and "once more" in event.reason for event in seen)
    seen, model, _ = run(ModelError("it broke.", kind), ModelError("it broke.", kind))
    assert len(model.requests) == 2
    assert (ended(seen).stopped, ended(seen).error) == ("error", "it broke.")


@pytest.mark.parametrize("kind", ["down", "context", "refused"])
def test_what_will_not_pass_is_said_at_once(kind: str) -> None:
    seen, model, _ = run(ModelError("do this instead.", kind))
    assert len(model.requests) == 1
    assert ended(seen).answer == "No answer: do this instead."


def test_a_model_that_loads_is_waited_for() -> None:
    loading = [ModelError("still loading.", "loading") for _ in range(5)]
    assert ended(run(*loading, saying("Hello."))[0]).answer == "Hello."


def test_a_model_that_loads_for_ever_is_waited_for_until_the_time_is_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("board_agent.agent.LOADING_PAUSE_S", 0.02)
    seen, _, _ = run(*[ModelError("still loading.", "loading")] * 100, seconds=0.1)
    assert ended(seen).stopped == "time_limit"


def test_an_error_after_results_keeps_what_is_known() -> None:
    seen, _, _ = run(calling(call("get_facts")), ModelError("it is gone.", "down"))
    assert "it is gone." in ended(seen).answer
    assert "disk_free_gb 14.2" in ended(seen).answer


def test_stop_while_the_model_writes_ends_the_run_with_what_is_known() -> None:
    def stopped(deadline: Deadline) -> Reply:
        threading.Timer(0.05, deadline.stop).start()
        deadline.sleep(30)
        raise AssertionError("the run went on")

    seen, _, _ = run(calling(call("get_facts")), stopped)
    assert ended(seen).stopped == "stopped"
    assert "disk_free_gb 14.2" in ended(seen).answer


def test_a_denied_tool_is_not_offered_and_does_not_run() -> None:
    seen, model, bench = run(calling(call("lamp", {"state": True})), saying("No."), policy={"act": "deny"})
    assert "lamp" not in [tool["function"]["name"] for tool in model.requests[0]["tools"]]
    assert bench.ran == []
    assert results(seen)[0].state == "denied"


def test_a_tool_that_asks_runs_after_a_yes() -> None:
    seen, _, bench = run(calling(call("lamp", {"state": True})), saying("On."), policy={"act": "ask"}, approve=True)
    assert bench.ran == ["lamp True"]
    assert [event.type for event in seen if "approval" in event.type] == ["approval_needed", "approval_answered"]


@pytest.mark.parametrize("approve", [False, None])
def test_a_tool_that_asks_does_not_run_without_a_yes(approve: bool | None) -> None:
    script = (calling(call("lamp", {"state": True})), saying("Not allowed."))
    seen, model, bench = run(*script, policy={"act": "ask"}, approve=approve)
    assert bench.ran == []
    assert "did not agree" in model.requests[1]["messages"][-1]["content"]
    assert results(seen)[0].state == "denied"


def test_numbers_that_no_result_has_are_doubted() -> None:
    assert ended(run(calling(call("get_facts")), saying("41.2 GB are free."))[0]).doubtful == ["41.2"]


def test_what_was_sent_before_is_sent_again_exactly() -> None:
    _, model, _ = run(calling(call("get_facts", "{ }")), calling(call("lamp", '{"state":true}')), saying("Done."))
    first, second, third = (request["messages"] for request in model.requests)
    assert second[: len(first)] == first
    assert third[: len(second)] == second
    assert second[2]["tool_calls"][0]["function"]["arguments"] == "{ }"
