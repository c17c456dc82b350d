"""The chat template: what the model reads of a result, and that llama-server renders it as the training did."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import requests

from simulator.llama_server import ALIAS, LlamaServer, Served, find_base_model
from training.data import conversations, template_of
from training.template import render

TEMPLATE = template_of()
LOG = "Temperature log\n09:00  21.4\n12:00  24.8\n15:00  26.1\n18:00  23.7\n"
NOTES = "Notes\n\nThe key is in the blue box.\nAnna looks after the pump.\n"


def after(
    question: str, result: dict[str, Any], tools: list[str] | None = None, separators: tuple[str, str] = (",", ":")
) -> str:
    """What the model reads when a tool gave this result to this question."""
    call = {"id": "1", "type": "function", "function": {"name": "read_file", "arguments": "{}"}}
    messages: list[dict[str, Any]] = [
        {"role": "user", "content": question},
        {"role": "assistant", "content": "", "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "1", "content": json.dumps(result, separators=separators)},
    ]
    return render(TEMPLATE, messages, tools or ["read_file"], generate=True).partition("<|im_start|>tool\n")[2]


def file(text: str, path: str = "readings.txt") -> dict[str, Any]:
    return {"path": path, "content": text, "truncated": False}


def test_only_the_tools_of_the_request_are_listed() -> None:
    text = render(TEMPLATE, [{"role": "user", "content": "Hi"}], ["calculate", "set_builtin_led"])
    assert text.splitlines()[:2] == ["<|im_start|>system", "Tools: calculate set_builtin_led<|im_end|>"]


def test_the_line_that_is_asked_for_comes_last() -> None:
    assert after("What was it at 12:00?", file(LOG)).partition("<|im_end|>")[0].endswith("> 12:00 24.8")


def test_the_question_stands_again_behind_a_file() -> None:
    assert "\nWhat was it at 12:00?\n" in after("What was it at 12:00?", file(LOG))


def test_a_log_comes_with_its_count_and_its_least_and_most_number() -> None:
    assert "4 numbers, least 21.4 (09:00), most 26.1 (15:00)\n" in after("What is the average?", file(LOG))


def test_how_many_numbers_are_above_a_limit_in_the_question_is_said() -> None:
    assert "\n2 of them above 24, 2 below\n" in after("How many are above 24?", file(LOG))


def test_what_stands_above_the_numbers_is_found_when_no_number_is_asked_for() -> None:
    log = file(LOG.replace("Temperature log", "Temperature log, lab bench, 2026-03-14"))
    asked = after("Where was the temperature taken?", log).partition("<|im_end|>")[0]
    assert asked.endswith("> Temperature log, lab bench, 2026-03-14")
    assert after("What was the temperature at 12:00?", log).partition("<|im_end|>")[0].endswith("> 12:00 24.8")


@pytest.mark.parametrize(
    "result",
    [
        file(NOTES + 'She said "wait", and left.\n', "notes.txt"),
        {"path": "logs", "count": 2, "entries": ["a.txt", "b.txt"]},
        {"expression": "2 + 2", "result": 4},
        {"os": "Debian", "machine": "aarch64", "cpu_count": 4, "uptime_h": 1.5},
        {"error": "there is no such file; files here: a.txt, b.txt"},
    ],
)
def test_spaces_in_the_json_make_no_difference(result: dict[str, Any]) -> None:
    assert after("What is it?", result, separators=(", ", ": ")) == after("What is it?", result)


def test_a_text_comes_with_the_number_of_its_lines_and_no_statistics() -> None:
    text = after("Where is the key?", file(NOTES, "notes.txt"))
    assert text.startswith("notes.txt, 4 lines:\n")
    assert "numbers" not in text


def test_the_line_with_most_words_of_the_question_is_found_in_a_text() -> None:
    text = after("Who looks after the pump?", file(NOTES, "notes.txt"))
    assert "> Anna looks after the pump." in text
    assert "> The key" not in text


def test_a_file_that_was_cut_off_says_so() -> None:
    assert "2 lines, cut off:\n" in after("Read it", {"path": "a.txt", "content": "x\ny", "truncated": True})


def test_negative_numbers_and_commas_count_as_numbers_of_a_log() -> None:
    text = after("Lowest?", file("day,value\nMon,-3.5\nTue,12\nWed,4.0\n", "data.csv"))
    assert "3 numbers, least -3.5 (Mon), most 12 (Tue)" in text


def test_a_date_is_no_number_of_a_log() -> None:
    assert "2 numbers, least 4" in after("Lowest?", file("Log of 2026-03-14\n4\n7\n"))


@pytest.mark.parametrize(
    ("result", "text"),
    [
        ({"expression": "2 > 1", "result": True}, "2 > 1 = true"),
        ({"path": ".", "count": 2, "entries": ["a.txt", "b.txt"]}, ". has 2: a.txt, b.txt"),
        ({"ok": True, "led": "on"}, "ok: true, led: on"),
        ({"error": "'a.txt' is not a file"}, "error: 'a.txt' is not a file"),
    ],
)
def test_other_results_are_read_as_words(result: dict[str, Any], text: str) -> None:
    assert after("?", result).partition("<|im_end|>")[0] == text


FACTS = {"os": "Debian GNU/Linux 13 (trixie)", "machine": "aarch64", "cpu_count": 4, "cpu_temp_c": 48.2}
FACTS |= {"uptime_h": 3.4, "memory_free_gb": 1.2, "memory_total_gb": 3.6, "disk_free_gb": 1.4}
FACTS |= {"disk_total_gb": 9.8, "home_free_gb": 14.2, "home_total_gb": 17.9}


@pytest.mark.parametrize(
    ("question", "text"),
    [
        (
            "How are you?",
            "os Debian GNU/Linux 13 (trixie), machine aarch64, cpus 4, cpu temp 48.2, uptime 3.4, "
            "memory free 1.2 of 3.6, disk free 1.4 of 9.8, home free 14.2 of 17.9",
        ),
        ("How much is free on /home?", "home free 14.2 of 17.9"),
        ("How warm is it?", "cpu temp 48.2"),
        (
            "Do 12 GB of photos fit on the disk, and how much RAM is there?",
            "memory free 1.2 of 3.6, disk free 1.4 of 9.8",
        ),
        ("Wie heiß ist der Prozessor?", "cpu temp 48.2"),
    ],
)
def test_of_the_facts_of_the_board_those_are_read_that_are_asked_for(question: str, text: str) -> None:
    assert after(question, FACTS).partition("<|im_end|>")[0] == text


def test_a_fact_that_is_asked_for_and_not_there_is_said_to_be_missing() -> None:
    facts = {name: value for name, value in FACTS.items() if name != "cpu_temp_c"}
    read = after("How hot is the CPU, and for how long has it been on?", facts).partition("<|im_end|>")[0]
    assert read == "cpu temp not available, uptime 3.4"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LlamaServer]:
    template: Path = tmp_path_factory.mktemp("template") / "template.jinja"
    template.write_text(TEMPLATE, encoding="utf-8")
    options = ["--model", str(find_base_model()), "--chat-template-file", str(template)]
    with LlamaServer(served=Served(ALIAS, lambda: options)) as running:
        yield running


def test_llama_server_renders_conversations_as_they_are_trained_on(server: LlamaServer) -> None:
    for conversation in conversations(60, seed=3):
        last = max(n for n, message in enumerate(conversation.messages) if message["role"] in ("user", "tool"))
        messages = conversation.messages[: last + 1]
        tools = [{"type": "function", "function": {"name": name}} for name in conversation.tools]
        system = {"role": "system", "content": "You control a board."}
        body = {"messages": [system, *messages], "tools": tools}
        answer = requests.post(f"{server.address}/apply-template", json=body, timeout=20)
        assert answer.json()["prompt"] == render(TEMPLATE, messages, conversation.tools, generate=True)
