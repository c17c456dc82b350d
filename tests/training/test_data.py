"""The conversations that are made up: the same again from the same seed, true, and never what measures the model."""

from __future__ import annotations

import json
import re
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from board_agent.toolbox import Tool
from training import data
from training.__main__ import held_out
from training.data import conversations, normal, template_of
from training.draw import Draw
from training.kinds.facts import yes_or_no
from training.scene import Conversation, Scene
from training.template import render
from training.tools import COMMON, ENTRIES, Entry


@pytest.fixture(scope="module")
def made() -> list[Conversation]:
    return list(conversations(2500, seed=5))


def calls(conversation: Conversation) -> list[tuple[str, dict[str, Any]]]:
    functions = [m["tool_calls"][0]["function"] for m in conversation.messages if m.get("tool_calls")]
    return [(function["name"], json.loads(function["arguments"])) for function in functions]


def asked(conversation: Conversation) -> list[str]:
    return [m["content"] for m in conversation.messages if m["role"] == "user"]


def test_the_same_seed_makes_the_same_conversations_and_another_makes_others() -> None:
    first, again, other = (list(data.as_lines(conversations(40, seed))) for seed in (1, 1, 2))
    assert first == again
    assert first != other


def test_the_hash_in_the_record_is_that_of_the_file(tmp_path: Path) -> None:
    one = data.write(tmp_path / "a", conversations(10, 1))
    assert one == data.write(tmp_path / "b", conversations(10, 1))
    assert one != data.write(tmp_path / "c", conversations(10, 2))


def test_every_kind_comes_up(made: list[Conversation]) -> None:
    kinds = {kind.__name__ for entry in ENTRIES for kind, _ in entry.kinds} | {kind.__name__ for kind, _ in COMMON}
    assert {conversation.kind for conversation in made} == kinds


def test_a_conversation_begins_with_a_person_and_ends_with_a_sentence_or_a_calculation(
    made: list[Conversation],
) -> None:
    for conversation in made:
        first, last = conversation.messages[0], conversation.messages[-1]
        assert first["role"] == "user"
        if last["role"] == "tool":
            assert calls(conversation)[-1][0] == "calculate"
        else:
            assert re.search(r"[.!?]$", last["content"]), last["content"]
            assert not re.search(r"[{}|]", last["content"]), conversation
        assert not re.search(r"[{}|]", " ".join(asked(conversation))), conversation


def test_no_tool_is_called_that_is_not_listed(made: list[Conversation]) -> None:
    for conversation in made:
        assert {name for name, _ in calls(conversation)} <= set(conversation.tools)


def test_lists_without_a_tool_come_up(made: list[Conversation]) -> None:
    shorter = Counter(len(conversation.tools) for conversation in made)
    assert shorter[len(ENTRIES)] > shorter[len(ENTRIES) - 1] > 30


def test_a_switched_off_tool_is_refused_in_a_sentence_and_nothing_is_called(made: list[Conversation]) -> None:
    off = [conversation for conversation in made if conversation.kind == "switched_off"]
    assert off
    assert all(not calls(one) and "can't" in one.messages[-1]["content"] for one in off)


def test_nothing_is_called_for_what_no_tool_can_do(made: list[Conversation]) -> None:
    refused = [one for one in made if one.kind in ("impossible", "no_such_picture")]
    assert len(refused) > 30
    assert all(not calls(one) and "can't" in one.messages[-1]["content"] for one in refused)


def test_numbers_of_answers_come_from_the_tools_or_the_question(made: list[Conversation]) -> None:
    for conversation in made:
        if conversation.messages[-1]["role"] == "tool":
            continue
        answer = conversation.messages[-1]["content"]
        known = " ".join(str(m["content"]) for m in conversation.messages[:-1]) + str(calls(conversation))
        for number in re.findall(r"\d+\.\d+", answer):
            assert number in known, (answer, known)


@pytest.mark.parametrize(
    ("words", "operator"), [("at least", ">="), ("at most", "<="), ("more than", ">"), ("less than", "<")]
)
def test_a_comparison_is_calculated_as_it_was_said(words: str, operator: str) -> None:
    only = [replace(one, kinds=[(yes_or_no, 4000)] if one.name == "get_system_info" else []) for one in ENTRIES]
    said = re.compile(rf"(?<!no )(?<!not )\b{words}\b")
    found = 0
    for conversation in conversations(120, 5, only):
        question = asked(conversation)[0].lower()
        if conversation.kind == "yes_or_no" and said.search(question):
            expression = next(args["expression"] for name, args in calls(conversation) if name == "calculate")
            assert f" {operator} " in expression, (question, expression)
            found += 1
    assert found


def test_questions_that_measure_the_model_are_never_trained_on() -> None:
    held = held_out()
    assert len(held) > 400
    taken = normal(asked(next(conversations(1, seed=9)))[0])
    again = list(conversations(30, seed=9, held_out={taken}))
    assert all(taken not in map(normal, asked(one)) for one in again)


def play(scene: Scene) -> None:
    """A conversation about the toy tool."""
    loud = scene.draw.randint(1, 9)
    scene.ask(scene.draw.order(f"ring the bell {loud} times"))
    result = scene.call("ring_bell", times=loud)
    scene.say(f"The bell rang {result['rung']} times.")


def make_bell(draw: Draw) -> Tool:
    def ring_bell(times: int) -> dict[str, Any]:
        """Ring the bell."""
        return {"rung": times, "decibel": 40 + draw.randint(1, 9)}

    return Tool(ring_bell, risk="act")


BELL = Entry("ring_bell", [(play, 30)], shorten=[(',"decibel":', " at dB ")], make=make_bell)


def test_a_tool_that_is_added_comes_up_in_the_data() -> None:
    ringing = [one for one in conversations(60, 1, [*ENTRIES, BELL]) if ("ring_bell") in dict(calls(one))]
    assert ringing
    assert all(one.messages[-1]["content"].startswith("The bell rang") for one in ringing)
    assert all("ring_bell" in one.tools for one in ringing)


def test_a_tool_that_is_added_is_listed_and_its_results_are_shortened_by_the_template() -> None:
    template = template_of([*ENTRIES, BELL])
    one = next(one for one in conversations(60, 1, [*ENTRIES, BELL]) if one.kind == "play")
    text = render(template, one.messages, one.tools)
    assert text.partition("\n")[2].startswith("Tools: ")
    assert " ring_bell" in text.partition("<|im_end|>")[0]
    assert re.search(r"<tool>ring_bell\n\{\"times\": \d\}<\|im_end\|>", text)
    assert re.search(r"<\|im_start\|>tool\nrung: \d at dB \d\d<\|im_end\|>", text)
