"""A handful of questions, asked for real: llama-server with the small model, the sketch, both loops and the app."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from evals.__main__ import facts_of, main
from evals.ablations import ABLATIONS
from evals.loops import Answer
from evals.questions import Question, load
from evals.score import Call
from evals.world import World
from simulator.llama_server import LlamaServer

HANDFUL = "^(fact-home-free|led-on|sum-product|limit-home-check|follow-off)$"


@pytest.fixture(scope="module")
def llama(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LlamaServer]:
    # One thread: on a busy machine two wait for each other, and a handful of questions takes minutes.
    with LlamaServer(slots=tmp_path_factory.mktemp("slots"), options=["--threads", "1"]) as server:
        yield server


@pytest.fixture(scope="module")
def world() -> Iterator[World]:
    with World() as world:
        yield world


def question(name: str) -> Question:
    return next(one for one in load() if one.id == name)


def asked(llama: LlamaServer, out: Path, *options: str) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """What a run of the command leaves: what it says of itself, and its records."""
    assert main(["--base-url", llama.base_url, "--questions", HANDFUL, "--out", str(out), *options]) == 0
    (file,) = out.glob("*.jsonl")
    first, *lines = map(json.loads, file.read_text(encoding="utf-8").splitlines())
    return first, lines


def test_what_the_small_model_can_do_is_found_right(llama: LlamaServer, tmp_path: Path) -> None:
    about, records = asked(llama, tmp_path, "--n", "2")
    assert (about["model"], about["quantization"], about["loop"]) == ("board-agent-135m", "Q4_1", "harness")
    assert about["build"].startswith("llama-server")
    assert [r["verdict"]["why"] for r in records if not r["verdict"]["right"]] == []
    assert len(records) == 10
    assert {r["after"]["pattern"] for r in records if r["id"] == "limit-home-check"} == {"check", "x"}
    assert all(r["tokens_read"] > 0 and r["tokens_written"] > 0 and r["turns"] > 0 for r in records)
    assert (tmp_path / "board-agent-135m-harness.md").read_text(encoding="utf-8").startswith("# board-agent-135m")


def test_the_plain_loop_is_asked_the_same(llama: LlamaServer, tmp_path: Path) -> None:
    about, records = asked(llama, tmp_path, "--loop", "plain")
    assert about["loop"] == "plain"
    assert [r["verdict"]["tools"] for r in records] == [True] * 5


@pytest.mark.parametrize("name", ABLATIONS)
def test_every_ablation_is_one_option(llama: LlamaServer, tmp_path: Path, name: str) -> None:
    about, records = asked(llama, tmp_path, "--ablation", name, "--kind", "board")
    assert about["change"] == ABLATIONS[name].title
    assert [r["stopped"] for r in records] == ["answered"]


def test_a_calculator_that_cannot_compare_says_so(world: World) -> None:
    box = world.toolbox(ABLATIONS["no-comparisons"].tools)
    with pytest.raises(Exception, match="'>' is not understood"):
        box.tools["calculate"].function(expression="2 > 1")


def test_results_as_sentences_have_the_same_schema(world: World) -> None:
    world.prepare(question("led-on"), 0)
    box = world.toolbox(ABLATIONS["sentences"].tools)
    assert box.schemas() == world.toolbox().schemas()
    assert "the home free gb is " in box.tools["get_system_info"].function()["text"]


def test_the_board_is_never_already_as_it_should_be(world: World) -> None:
    for name, key, wish in (("led-on", "led", True), ("led-off", "led", False), ("matrix-clear", "pattern", "off")):
        world.prepare(question(name), 0)
        assert world.board()[key] != wish


def test_a_threshold_is_asked_on_both_sides(world: World) -> None:
    facts = [world.prepare(question("limit-home-check"), run).value("home_free_gb > 1") for run in range(2)]
    assert sorted(facts) == [False, True]


def test_the_same_seed_gives_the_same_readings_and_another_run_others(world: World) -> None:
    one, again, other = (world.prepare(question("fact-uptime"), run).system for run in (0, 0, 1))
    assert one == again
    assert one != other


def test_what_an_app_read_is_taken_from_its_trace() -> None:

    results = {"get_system_info": {"cpu_count": 4}, "read_file": {"path": "a.txt", "content": "x 3\n"}}
    calls = [Call(tool, {}, json.dumps(result), "done") for tool, result in results.items()]
    facts = facts_of(Answer("", "answered", calls))
    assert (facts.value("cpu_count"), facts.value("value('a.txt', 'x')")) == (4, 3)
    with pytest.raises(KeyError):
        facts.value("uptime_h")


def test_no_question_left_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--questions", "no such id"]) == 1
    assert "no question is left" in capsys.readouterr().err


def test_a_server_that_is_not_there_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--base-url", "http://127.0.0.1:9/v1", "--questions", "led-on"]) == 1
    assert "does not answer" in capsys.readouterr().err
