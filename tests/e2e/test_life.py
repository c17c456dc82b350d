"""The app's life: start, stop, a server that dies and comes back, a sketch that is reset, a Stop in the middle."""

import json
import threading
from pathlib import Path
from typing import Any

import pytest
import requests

from simulator.llama_server import LlamaServer
from tests.e2e.conftest import App, Board
from tests.unit.house import until

LONG = (
    "Check the free space on /home. If there's more than 1GB free, show a checkmark on the matrix, otherwise show an X"
)


@pytest.fixture
def own_llama(tmp_path: Path):
    with LlamaServer(slots=tmp_path / "slots") as server:
        yield server


def busy(llama: LlamaServer) -> bool:
    return any(slot["is_processing"] for slot in requests.get(f"{llama.address}/slots", timeout=5).json())


@pytest.mark.parametrize("how", ["the answer as JSON", "events"])
def test_stop_ends_the_generation_on_the_server(app: App, llama: LlamaServer, board: Board, how: str) -> None:
    app.ask("Turn on the LED.")
    assert board.led
    answers: list[dict[str, Any]] = []
    asking = threading.Thread(target=lambda: answers.append(app.ask(LONG)))
    asking.start()
    until(lambda: busy(llama))
    stopped = requests.post(f"{app.url}/stop", json={}, timeout=5).json()["stopped"]
    asking.join(20)
    assert answers[0]["stopped"] == "stopped"
    assert stopped == [answers[0]["run"]]
    until(lambda: not busy(llama), 5)
    until(lambda: not board.led, 5)
    assert app.ask("Turn on the LED.")["stopped"] == "answered"


def test_the_first_answer_after_a_restart_reads_only_the_question(
    own_llama: LlamaServer, board: Board, tmp_path: Path
) -> None:
    app = App(own_llama.base_url, board.router.address, tmp_path)
    try:
        app.ready()
        assert app.prefix() == "ready"
        fresh = app.ask("Turn off the LED.")
        own_llama.restart()
        until(lambda: app.prefix() == "restored")
        again = app.ask("Turn off the LED.")
        assert again["answer"] == fresh["answer"]
        assert again["tokens_read"] == fresh["tokens_read"]
        first = [turn for turn in app.turns() if turn["turn"] == 1]
        assert first[-1]["tokens_reused"] >= app.health()["llm"]["prefix"]["total"]
    finally:
        app.stop()


def test_a_killed_server_is_said_to_be_gone_and_used_again_when_it_is_back(
    own_llama: LlamaServer, board: Board, tmp_path: Path
) -> None:
    app = App(own_llama.base_url, board.router.address, tmp_path)
    try:
        app.ready()
        own_llama.kill()
        until(lambda: "llm_error" in app.health())
        response = requests.post(f"{app.url}/ask", json={"question": "Hello"}, timeout=20)
        assert response.status_code == 503
        assert "Start it on the board" in response.json()["error"]
        assert app.command("Hello").returncode == 3
        own_llama.start()
        app.ready()
        assert app.ask("Turn off the LED.")["stopped"] == "answered"
    finally:
        app.stop()


def test_a_server_killed_in_the_middle_ends_the_run_with_a_sentence(
    own_llama: LlamaServer, board: Board, tmp_path: Path
) -> None:
    app = App(own_llama.base_url, board.router.address, tmp_path)
    try:
        app.ready()
        answers: list[dict[str, Any]] = []
        asking = threading.Thread(target=lambda: answers.append(app.ask(LONG)))
        asking.start()
        until(lambda: busy(own_llama))
        own_llama.kill()
        asking.join(60)
        # Killed before its first result the run is a 503, later an answer that says what is known.
        assert "llama-server" in str(answers[0].get("error") or answers[0]["answer"])
    finally:
        app.stop()


def test_an_app_started_before_its_server_is_ready_by_itself(llama: LlamaServer, board: Board, tmp_path: Path) -> None:
    late = LlamaServer(slots=tmp_path / "slots")
    app = App(late.base_url, board.router.address, tmp_path)
    try:
        until(lambda: "llm_error" in (app.health() or {}))
        late.start()
        app.ready()
        assert app.ask("Turn off the LED.")["stopped"] == "answered"
    finally:
        app.stop()
        late.stop()


def test_without_a_sketch_the_other_tools_work_and_the_board_tools_say_so(llama: LlamaServer, tmp_path: Path) -> None:
    app = App(llama.base_url, f"unix://{tmp_path}/nobody.sock", tmp_path)
    try:
        until(lambda: app.prefix() in ("ready", "restored"))
        assert "4183" in app.ask("What is 47 times 89?")["answer"].replace(",", "")
        answer = app.ask("Turn on the LED.")
        assert answer["trace"][0]["state"] == "failed"
        assert "arduino-router" in answer["trace"][0]["result"]
        assert answer["stopped"] in ("answered", "turn_limit")
    finally:
        app.stop()


def test_sigterm_ends_it_cleanly_with_the_board_in_its_safe_state(
    llama: LlamaServer, board: Board, tmp_path: Path
) -> None:
    app = App(llama.base_url, board.router.address, tmp_path).ready()
    app.ask("Turn on the LED and show a smiley on the matrix.")
    assert board.led
    assert app.stop() in (0, 143)
    assert not board.led
    assert board.lit == set()
    assert "Traceback" not in app.log.read_text()


def test_a_port_in_use_and_a_wrong_setting_are_said_in_one_line(llama: LlamaServer, app: App, tmp_path: Path) -> None:
    for settings, says in (({"AGENT_PORT": str(app.port)}, "in use"), ({"AGENT_MAX_TURNS": "lots"}, "AGENT_MAX_TURNS")):
        other = App(llama.base_url, f"unix://{tmp_path}/nobody.sock", tmp_path, **settings)
        assert other.process.wait(30) == 1
        said = other.log.read_text()
        assert "Board Agent cannot start" in said
        assert says in said
        assert "Traceback" not in said


def test_a_line_of_questions_is_answered_in_order_while_everything_else_answers(app: App) -> None:
    asked = [
        requests.post(f"{app.url}/ask", json={"question": f"What is {n} + {n}?", "detach": True}, timeout=10).json()[
            "run"
        ]
        for n in range(1, 9)
    ]
    for path in ("/healthz", "/", "/status"):
        assert requests.get(f"{app.url}{path}", timeout=5).status_code == 200
    ended: list[str] = []
    with requests.get(f"{app.url}/events", stream=True, timeout=60) as stream:
        for line in stream.iter_lines(decode_unicode=True):
            event = json.loads(line[6:]) if line.startswith("data: ") else {}
            if event.get("type") == "run_ended" and event["run"] in asked:
                ended.append(event["run"])
                if len(ended) == len(asked):
                    break
    assert ended == asked
