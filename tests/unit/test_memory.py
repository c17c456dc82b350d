"""Conversations and the workspace over HTTP, as pages and scripts use them."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Any

import pytest
import requests

from board_agent.model import ModelError
from board_agent.tools.files import file_tools
from board_agent.tools.workspace import Workspace
from tests.unit.house import Hold, Make, TestHouse
from tests.unit.scripted import call, calling, saying

LAMP = call("set_builtin_led", '{"state": true}')
OFF = call("set_builtin_led", {"state": False})


def ask(house: TestHouse, question: str = "Light it", **more: Any) -> Any:
    return requests.post(f"{house.url}/ask", json={"question": question, **more}, timeout=20).json()


def get(house: TestHouse, path: str) -> Any:
    return requests.get(f"{house.url}{path}", timeout=20).json()


def test_a_follow_up_is_sent_what_was_said_and_done_before_byte_for_byte(make: Make) -> None:
    house = make(calling(LAMP), saying("It is on."), calling(OFF), saying("It is off."))
    first = ask(house, conversation="new")
    second = ask(house, "Turn it off again", conversation=first["conversation"])
    assert second["conversation"] == first["conversation"]
    last_of_first, first_of_second = house.model.requests[1]["messages"], house.model.requests[2]["messages"]
    assert first_of_second == [
        *last_of_first,
        {"role": "assistant", "content": "It is on."},
        {"role": "user", "content": "Turn it off again"},
    ]
    assert first_of_second[2]["tool_calls"][0]["function"]["arguments"] == '{"state": true}'
    assert first["history"] == {"runs_kept": 0, "runs_dropped": 0, "tokens": 0}
    assert (second["history"]["runs_kept"], second["history"]["tokens"] > 0) == (1, True)


def test_a_question_without_a_conversation_stands_alone_and_is_not_stored(make: Make) -> None:
    house = make(saying("Hello."), saying("Hello again."))
    assert "conversation" not in ask(house)
    ask(house)
    assert len(house.model.requests[1]["messages"]) == 2
    assert get(house, "/conversations") == {"conversations": []}


def test_a_detached_question_learns_its_conversation_at_once(make: Make) -> None:
    house = make(saying("Hello."))
    assert len(ask(house, conversation="new", detach=True)["conversation"]) == 12


def test_a_conversation_is_listed_shown_and_deleted(make: Make) -> None:
    house = make(calling(LAMP), saying("It is on."))
    name = ask(house, conversation="new")["conversation"]
    (entry,) = get(house, "/conversations")["conversations"]
    assert (entry["id"], entry["question"], entry["runs"]) == (name, "Light it", 1)
    (run,) = get(house, f"/conversations/{name}")["runs"]
    assert run["calls"] == [{"tool": "set_builtin_led", "args": {"state": True}, "result": '{"ok":true,"led":"on"}'}]
    assert requests.delete(f"{house.url}/conversations/{name}", timeout=20).json() == {"deleted": name}
    gone = requests.get(f"{house.url}/conversations/{name}", timeout=20)
    assert gone.status_code == 404
    assert requests.delete(f"{house.url}/conversations/{name}", timeout=20).status_code == 404


def test_an_unknown_conversation_is_refused_with_advice(make: Make) -> None:
    response = requests.post(f"{make().url}/ask", json={"question": "Hi", "conversation": "000000000000"}, timeout=20)
    assert response.status_code == 404
    assert '{"conversation": "new"}' in response.json()["error"]


@pytest.mark.parametrize("ending", ["stopped", "error"])
def test_only_finished_runs_are_stored(make: Make, ending: str) -> None:
    hold = Hold()
    house = make(hold if ending == "stopped" else ModelError("it will not.", "refused"), saying("Hello."))
    queued = ask(house, conversation="new", detach=True)
    if ending == "stopped":
        hold.reached.wait(10)
        requests.post(f"{house.url}/stop", json={}, timeout=20)
    answer = ask(house, conversation=queued["conversation"])
    assert answer["answer"] == "Hello."
    assert len(house.model.requests[-1]["messages"]) == 2
    assert [run["answer"] for run in get(house, f"/conversations/{queued['conversation']}")["runs"]] == ["Hello."]


def test_conversations_survive_a_restart_of_the_app(make: Make, tmp_path: Path) -> None:
    first = make(calling(LAMP), saying("It is on."), store=tmp_path / "c.sqlite3")
    name = ask(first, conversation="new")["conversation"]
    first.conversations.close()
    second = make(saying("Yes."), store=tmp_path / "c.sqlite3")
    ask(second, "Is it on?", conversation=name)
    assert [m["role"] for m in second.model.requests[0]["messages"]] == [
        "system", "user", "assistant", "tool", "assistant", "user",
    ]  # fmt: skip


def test_a_disk_that_takes_nothing_leaves_the_answer_and_is_said_everywhere(make: Make, tmp_path: Path) -> None:
    house = make(saying("Hello."), saying("Hello again."), store=tmp_path / "c.sqlite3")
    locked = sqlite3.connect(tmp_path / "c.sqlite3")
    house.conversations._db.execute("PRAGMA query_only = ON")
    locked.close()
    answer = ask(house, conversation="new")
    assert (answer["answer"], answer["stopped"]) == ("Hello.", "answered")
    assert "Conversations are not kept" in answer["not_kept"]
    assert get(house, "/status")["conversations"]["ok"] is False
    assert "not kept" in (house.feed.state("memory") or {})["error"]
    assert ask(house, conversation=answer["conversation"])["answer"] == "Hello again."


# --- the workspace


def test_the_workspace_is_listed_and_a_file_shown_as_text(make: Make, tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "log.txt").write_text("<b>21.4</b>\n")
    house = make(workspace=tmp_path)
    overview = get(house, "/workspace")
    assert overview["count"] == 1
    assert (overview["files"][0]["path"], overview["files"][0]["size_bytes"]) == ("data/log.txt", 12)
    response = requests.get(f"{house.url}/workspace/file", params={"path": "data/log.txt"}, timeout=20)
    assert response.headers["Content-Type"] == "application/json"
    assert response.json()["text"] == "<b>21.4</b>\n"


@pytest.mark.parametrize("path", ["../secret.txt", "/etc/passwd", "link.txt", "", "data", "no.txt", "binary"])
def test_nothing_but_text_of_the_workspace_is_shown(make: Make, tmp_path: Path, path: str) -> None:
    root = tmp_path / "workspace"
    (root / "data").mkdir(parents=True)
    (tmp_path / "secret.txt").write_text("SECRET")
    (root / "link.txt").symlink_to(tmp_path / "secret.txt")
    (root / "binary").write_bytes(b"\0\1")
    response = requests.get(f"{make(workspace=root).url}/workspace/file", params={"path": path}, timeout=20)
    assert response.status_code == 404
    assert "SECRET" not in response.text


def test_what_a_run_changed_is_told_with_its_difference(make: Make, tmp_path: Path) -> None:
    (tmp_path / "log.txt").write_text("21.4\n")
    write = call("write_file", {"path": "log.txt", "content": "21.5\n"})
    tools = file_tools(Workspace(tmp_path), lambda change: house.runs.file_changed(change))
    house = make(calling(write), saying("Done."), tools=tools, policy={"change": "allow"}, workspace=tmp_path)
    answer = ask(house)
    (change,) = answer["changes"]
    assert (change["path"], change["added"], change["removed"], change["backup"]) == ("log.txt", 1, 1, "log.txt.bak")
    assert "-21.4\n+21.5" in change["diff"]
    kinds = [entry.type for entry in house.feed.read(-1, 0) if entry.run]
    assert kinds.index("tool_started") < kinds.index("file_changed") < kinds.index("tool_ended")
