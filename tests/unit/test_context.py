"""What is sent of the past: all that fits, the same bytes each time, and never at the cost of the question."""

from __future__ import annotations

from typing import Any

import pytest

from board_agent.context import Context
from board_agent.conversations import Past
from board_agent.model import ModelError, Profile, Server

SYSTEM = {"role": "system", "content": "be brief"}
ROOM_FOR_ANSWER = 100


class CountingModel:
    """A llama-server whose template shows every message as its text, and whose tokens are words."""

    profile = Profile("counting", "", temperature=0, max_tokens=ROOM_FOR_ANSWER)

    def __init__(self, context: int, native: bool = True) -> None:
        self.server = Server(model="counting", native=native, context=context)
        self.counted = 0

    def post(self, path: str, body: dict[str, Any]) -> dict[str, Any]:
        if path == "/apply-template":
            return {"prompt": " ".join(str(m.get("content")) for m in body["messages"])}
        self.counted += 1
        return {"tokens": body["content"].split()}


def words(count: int, word: str = "w") -> str:
    return " ".join([word] * count)


def past_run(number: int, size: int) -> list[dict[str, Any]]:
    """A run of `size` words, with a call and its result."""
    return [
        {"role": "user", "content": f"question-{number}"},
        {"role": "assistant", "content": "", "tool_calls": [{"id": "c", "function": {"name": "f", "arguments": "{}"}}]},
        {"role": "tool", "tool_call_id": "c", "content": words(size - 2)},
        {"role": "assistant", "content": "answer"},
    ]


def context(model: CountingModel, past: Past, question: str = "what now") -> Context:
    return Context(model, [], SYSTEM, {"role": "user", "content": question}, past)  # type: ignore[arg-type]


def first_question(sent: Context) -> str:
    return str(sent.messages()[1]["content"])


def test_a_past_that_fits_is_sent_whole_between_prompt_and_question() -> None:
    runs = [past_run(1, 50), past_run(2, 50)]
    sent = context(CountingModel(4000), Past(runs))
    sent.make_room()
    assert sent.messages() == [SYSTEM, *runs[0], *runs[1], {"role": "user", "content": "what now"}]
    assert sent.kept() == {"runs_kept": 2, "runs_dropped": 0, "tokens": 100}


def test_the_oldest_runs_are_left_out_whole_and_stay_out_for_a_while() -> None:
    model = CountingModel(4000)
    runs: list[list[dict[str, Any]]] = []
    left_out, cuts = 0, 0
    for number in range(60):
        sent = context(model, Past(runs[left_out:], left_out))
        sent.make_room()
        kept = sent.kept()
        assert kept["tokens"] <= 1000
        assert sent.messages()[1:-1] == [message for run in runs[kept["runs_dropped"] :] for message in run]
        cuts += kept["runs_dropped"] > left_out
        left_out = kept["runs_dropped"]
        runs.append(past_run(number, 100))
    assert left_out > 40
    assert cuts <= 60 / 5


def test_room_stays_for_answer_and_results_with_a_long_question_and_many_tools() -> None:
    runs = [past_run(number, 100) for number in range(9)]
    sent = context(CountingModel(4000), Past(runs), words(2500))
    sent.make_room()
    used = len(" ".join(str(m["content"]) for m in sent.messages()).split())
    assert used + ROOM_FOR_ANSWER + 1000 <= 4000
    assert sent.kept()["runs_kept"] < 9


def test_a_past_gives_way_when_results_need_its_room() -> None:
    sent = context(CountingModel(4000), Past([past_run(number, 100) for number in range(9)]))
    sent.make_room()
    assert sent.kept()["runs_kept"] == 9
    sent.own.append({"role": "tool", "tool_call_id": "c", "content": words(3500)})
    sent.make_room()
    assert sent.kept()["runs_kept"] < 4
    assert sent.messages()[-1]["content"] == words(3500)


def test_what_cannot_fit_is_said_before_it_is_sent() -> None:
    sent = context(CountingModel(4000), Past(), words(4000))
    with pytest.raises(ModelError, match="can hold 4000; ask something shorter") as error:
        sent.make_room()
    assert error.value.kind == "context"


def test_a_short_question_on_its_own_costs_no_counting() -> None:
    model = CountingModel(4000)
    context(model, Past()).make_room()
    assert model.counted == 0


def test_a_server_that_does_not_tell_its_size_is_given_a_bounded_past_and_never_refused() -> None:
    runs = [past_run(number, 500) for number in range(20)]
    sent = context(CountingModel(0, native=False), Past(runs))
    sent.make_room()
    assert 0 < sent.kept()["runs_kept"] < 5
    sent.own.append({"role": "tool", "tool_call_id": "c", "content": words(9000)})
    sent.make_room()
    assert sent.kept()["runs_kept"] == 0


def test_a_server_that_cannot_count_just_now_is_asked_all_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    model = CountingModel(4000)

    def too_slow(path: str, body: dict[str, Any]) -> dict[str, Any]:
        raise ModelError("llama-server is too slow to answer.", "down")

    monkeypatch.setattr(model, "post", too_slow)
    sent = context(model, Past([past_run(1, 50)]))
    sent.make_room()
    assert sent.kept()["runs_kept"] == 1
