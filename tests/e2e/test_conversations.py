"""A real model understands a follow-up, reads nothing of the past again, and remembers after a crash of the app."""

import re
from pathlib import Path
from typing import Any

import requests

from simulator.llama_server import LlamaServer
from tests.e2e.conftest import App, Board
from tests.unit.house import until

RUNS = 11  # more than a quarter of the context holds


def first_turn(answer: dict[str, Any]) -> dict[str, Any]:
    return dict(answer["cost"][0])


def last_turn(answer: dict[str, Any]) -> int:
    """The tokens that the conversation has when its last answer is written."""
    return sum(answer["cost"][-1][key] for key in ("tokens_read", "tokens_reused", "tokens_written"))


def test_a_follow_up_is_understood_and_reads_only_itself(app: App, board: Board) -> None:
    first = app.ask("Turn on the LED.", conversation="new")
    assert board.led
    second = app.ask("Turn it off again.", conversation=first["conversation"])
    assert [(row["tool"], row["args"]) for row in second["trace"]] == [("set_builtin_led", {"state": False})]
    assert not board.led
    assert second["history"]["runs_kept"] == 1
    assert first_turn(second)["tokens_reused"] >= last_turn(first) - 1
    assert first_turn(second)["tokens_read"] < 25


def test_the_past_is_bounded_by_the_servers_own_count_and_seldom_changes(app: App) -> None:
    prefix = app.health()["llm"]["prefix"]["total"]
    conversation, history = "new", []
    for _ in range(RUNS):
        answer = app.ask("What is the average temperature in readings.txt?", conversation=conversation)
        conversation = answer["conversation"]
        history.append(answer["history"])
        sent = first_turn(answer)["tokens_read"] + first_turn(answer)["tokens_reused"]
        assert 5 < sent - prefix - answer["history"]["tokens"] < 25
        assert answer["history"]["tokens"] <= 1024
    dropped = [kept["runs_dropped"] for kept in history]
    assert [kept["runs_kept"] + kept["runs_dropped"] for kept in history] == list(range(RUNS))
    assert dropped[-1] > 0
    assert len(set(dropped)) == 2


def test_a_conversation_goes_on_after_the_app_was_killed(llama: LlamaServer, board: Board, tmp_path: Path) -> None:
    app = App(llama.base_url, board.router.address, tmp_path).ready()
    conversation = app.ask("Turn on the LED.", conversation="new")["conversation"]
    app.process.kill()
    app.process.wait()
    again = App(llama.base_url, board.router.address, tmp_path).ready()
    try:
        answer = again.ask("Turn it off again.", conversation=conversation)
        assert [row["args"] for row in answer["trace"]] == [{"state": False}]
        assert not board.led
    finally:
        again.stop()


def test_ask_py_continues_lists_and_deletes(app: App, board: Board) -> None:
    app.command("Turn on the LED.")
    assert app.command("-c", "Turn it off again.").returncode == 0
    assert not board.led
    listed = app.command("--list").stdout.splitlines()[0]
    name = listed.split()[0]
    assert re.fullmatch(r"[0-9a-f]{12}  \d{4}-\d\d-\d\d \d\d:\d\d    2  Turn on the LED\.", listed)
    assert app.command("--delete", name).stdout == f"Deleted {name}.\n"
    assert name not in app.command("--list").stdout
    gone = app.command("--resume", name, "Hello")
    assert gone.returncode == 2
    assert "no such conversation" in gone.stderr


def test_the_file_tools_come_after_the_six_and_only_when_wanted(
    app: App, llama: LlamaServer, board: Board, tmp_path: Path
) -> None:
    def tools(of: App) -> list[tuple[str, str]]:
        status = requests.get(f"{of.url}/status", timeout=10).json()
        return [(tool["name"], tool["decision"]) for tool in status["tools"]]

    more = App(llama.base_url, board.router.address, tmp_path, AGENT_TOOLS="files")
    try:
        until(more.health)
        six = tools(app)
        assert len(six) == 6
        assert tools(more) == [
            *six,
            ("file_info", "allow"),
            ("search_files", "allow"),
            ("read_range", "allow"),
            ("write_file", "ask"),
            ("patch_file", "ask"),
        ]
    finally:
        more.stop()
