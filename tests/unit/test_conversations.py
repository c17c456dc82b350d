"""Conversations last: across restarts, power cuts, full disks; and never grow without bound."""

from __future__ import annotations

import json
import os
import random
import resource
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from board_agent import conversations
from board_agent.conversations import LONGEST_RESULT, Conversations, FinishedRun, shortened

PYTHON = Path(__file__).parents[2] / "python"
CALL = {"id": "c1", "type": "function", "function": {"name": "read_file", "arguments": '{"path":"a.txt"}'}}


def steps(result: str = '{"ok":true}') -> list[dict[str, Any]]:
    return [
        {"role": "assistant", "content": "", "tool_calls": [CALL]},
        {"role": "tool", "tool_call_id": "c1", "content": result},
    ]


def run(question: str = "Light it", result: str = '{"ok":true}', answer: str = "It is on.") -> FinishedRun:
    return FinishedRun("r1", question, steps(result), answer, "answered", "some-model", 1000.0, 1234)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "data" / "conversations.sqlite3"


def test_a_conversation_is_there_after_a_restart(path: Path) -> None:
    store = Conversations(path)
    name = store.new()
    assert store.add(name, run(), 0) is None
    store.close()
    again = Conversations(path)
    assert again.past(name).runs == [
        [{"role": "user", "content": "Light it"}, *steps(), {"role": "assistant", "content": "It is on."}]
    ]
    assert again.get(name) == {
        "id": name,
        "runs": [
            {
                "run": "r1",
                "question": "Light it",
                "answer": "It is on.",
                "stopped": "answered",
                "model": "some-model",
                "started": 1000.0,
                "total_ms": 1234,
                "calls": [{"tool": "read_file", "args": {"path": "a.txt"}, "result": '{"ok":true}'}],
            }
        ],
    }


def test_a_conversation_is_stored_with_its_first_run_and_known_before(path: Path) -> None:
    store = Conversations(path)
    name = store.new()
    assert store.known(name)
    assert store.all() == []
    assert not store.known("somebody-elses")


def test_the_last_used_is_listed_first_whatever_the_clock_says(path: Path) -> None:
    store = Conversations(path)
    first, second = store.new(), store.new()
    store.add(first, run("one"), 0)
    store.add(second, run("two"), 0)
    store.add(first, run("three"), 0)
    assert [(entry["id"], entry["question"], entry["runs"]) for entry in store.all()] == [
        (first, "one", 2),
        (second, "two", 1),
    ]


def test_what_is_deleted_is_gone_also_from_the_file(path: Path) -> None:
    store = Conversations(path)
    name = store.new()
    store.add(name, run("my secret plan"), 0)
    assert b"my secret plan" in path.read_bytes()
    assert store.delete(name)
    assert not store.delete(name)
    assert store.get(name) is None
    assert b"my secret plan" not in path.read_bytes()


def test_a_run_of_a_deleted_conversation_is_not_stored(path: Path) -> None:
    store = Conversations(path)
    name = store.new()
    store.delete(name)
    assert "deleted" in (store.add(name, run(), 0) or "")
    assert store.all() == []


def test_runs_left_out_once_stay_left_out(path: Path) -> None:
    store = Conversations(path)
    name = store.new()
    for number in range(4):
        store.add(name, run(f"q{number}"), 0 if number < 3 else 2)
    past = store.past(name)
    assert past.left_out == 2
    assert [messages[0]["content"] for messages in past.runs] == ["q2", "q3"]


def test_the_oldest_conversations_make_room(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(conversations, "MOST_CONVERSATIONS", 3)
    store = Conversations(path)
    names = []
    for number in range(5):
        names.append(store.new())
        store.add(names[-1], run(), 0)
        if number == 2:
            store.add(names[0], run(), 0)
    assert [entry["id"] for entry in store.all()] == [names[4], names[3], names[0]]


def test_the_file_does_not_grow_beyond_its_limit(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(conversations, "MOST_BYTES", 100_000)
    store = Conversations(path)
    names = [store.new() for _ in range(60)]
    for name in names:
        store.add(name, run("x" * 5000), 0)
    kept = [entry["id"] for entry in store.all()]
    assert kept == names[: -len(kept) - 1 : -1]
    assert 5 < len(kept) < 20
    for _ in range(60):
        store.add(names[-1], run("y" * 5000), 0)
    assert [entry["id"] for entry in store.all()] == [names[-1]]
    assert path.stat().st_size < 150_000


def test_a_write_killed_at_any_moment_leaves_the_file_whole(path: Path) -> None:
    """Every run that was reported as stored is there, and the file is sound, after each of many kills."""
    code = (
        f"import sys; sys.path.insert(0, {str(PYTHON)!r})\n"
        "from pathlib import Path\n"
        "from board_agent.conversations import *\n"
        "store = Conversations(Path(sys.argv[1]))\n"
        "name = 'the-one'; store._begun.append(name)\n"
        "while True:\n"
        "    run = FinishedRun('r', 'q' * 3000, [], 'a' * 9000, 'answered', 'm', 1.0, 1)\n"
        "    assert store.add(name, run, 0) is None\n"
        "    sys.stdout.write('.'); sys.stdout.flush()\n"
    )
    stored = 0
    dice = random.Random(1)  # noqa: S311
    for _ in range(15):
        writer = subprocess.Popen([sys.executable, "-c", code, str(path)], stdout=subprocess.PIPE)
        assert writer.stdout
        assert writer.stdout.read(1) == b"."
        time.sleep(dice.random() / 20)
        writer.send_signal(signal.SIGKILL)
        stored += 1 + len(writer.stdout.read())
        writer.wait()
        store = Conversations(path)
        assert store.error is None
        assert len(store.past("the-one").runs) >= stored
        stored = len(store.past("the-one").runs)
        store.close()
    with sqlite3.connect(path) as db:
        assert db.execute("PRAGMA integrity_check").fetchone() == ("ok",)


def test_a_full_disk_is_said_and_the_next_success_takes_it_back(path: Path) -> None:
    told: list[str | None] = []
    store = Conversations(path, lambda: told.append(store.error))
    name = store.new()
    store.add(name, run("first"), 0)
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (path.stat().st_size, hard))
    try:
        error = store.add(name, run("x" * 50_000), 0)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert "not kept" in (error or "")
    assert [entry["question"] for entry in store.get(name)["runs"]] == ["first"]
    assert store.add(name, run("second"), 0) is None
    assert [bool(error) for error in told] == [False, True, False]


def test_the_limit_of_sqlite_is_told_as_a_full_disk(path: Path) -> None:
    store = Conversations(path)
    store._db.execute("PRAGMA max_page_count = 1")
    assert "the disk is full" in (store.add(store.new(), run("x" * 50_000), 0) or "")


def test_a_file_that_cannot_be_written_is_still_read(path: Path) -> None:
    store = Conversations(path)
    name = store.new()
    store.add(name, run(), 0)
    store._db.execute("PRAGMA query_only = ON")
    assert "cannot be written" in (store.add(name, run(), 0) or "")
    assert len(store.past(name).runs) == 1


@pytest.mark.skipif(not Path("/proc/1").exists(), reason="there is no file system here that nobody can write")
def test_without_a_folder_to_write_to_conversations_last_until_the_end() -> None:
    store = Conversations(Path("/proc/board-agent/conversations.sqlite3"))
    name = store.new()
    assert "until the app ends" in (store.add(name, run(), 0) or "")
    assert len(store.past(name).runs) == 1
    assert store.to_json()["ok"] is False


def test_a_file_of_a_newer_app_is_left_alone(path: Path) -> None:
    Conversations(path).close()
    with sqlite3.connect(path) as db:
        db.execute("PRAGMA user_version = 99")
    db.close()
    before = path.read_bytes()
    store = Conversations(path)
    store.add(store.new(), run(), 0)
    assert "newer Board Agent" in (store.error or "")
    assert path.read_bytes() == before


def test_a_file_of_an_older_app_is_brought_up_to_date(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = Conversations(path)
    name = store.new()
    store.add(name, run(), 0)
    store.close()
    later = (*conversations.MIGRATIONS, "ALTER TABLE conversations ADD COLUMN title TEXT NOT NULL DEFAULT 'none';")
    monkeypatch.setattr(conversations, "MIGRATIONS", later)
    again = Conversations(path)
    assert again.error is None
    assert len(again.past(name).runs) == 1
    with sqlite3.connect(path) as db:
        assert db.execute("PRAGMA user_version").fetchone() == (len(later),)
        assert db.execute("SELECT title FROM conversations").fetchall() == [("none",)]


@pytest.mark.parametrize("damage", ["not a database", "torn pages"])
def test_a_damaged_file_is_put_aside_and_a_new_one_begun(path: Path, damage: str) -> None:
    store = Conversations(path)
    name = store.new()
    for number in range(50):
        store.add(name, run(f"{number}" * 1000), 0)
    store.close()
    data = bytearray(path.read_bytes())
    start, end = (0, 4096) if damage == "not a database" else (4096, len(data))
    data[start:end] = os.urandom(end - start)
    path.write_bytes(data)
    again = Conversations(path)
    assert again.all() == []
    assert again.add(again.new(), run(), 0) is None
    assert path.with_name(path.name + ".damaged").read_bytes() == bytes(data)


def test_long_results_and_arguments_are_kept_in_short_and_as_json() -> None:
    long = json.dumps({"path": "a.txt", "content": "line\n" * 800, "entries": list(range(100)), "truncated": False})
    written = {**CALL, "function": {"name": "write_file", "arguments": json.dumps({"content": "x" * 4000})}}
    call, tool = shortened([{"role": "assistant", "content": "", "tool_calls": [written]}, steps(long)[1]])
    result = json.loads(tool["content"])
    assert len(tool["content"]) < 2 * LONGEST_RESULT
    assert result["content"].startswith("line\nline")
    assert (result["path"], result["truncated"], len(result["entries"])) == ("a.txt", False, 21)
    assert "shortened" in result["note"]
    assert len(json.loads(call["tool_calls"][0]["function"]["arguments"])["content"]) < 500


def test_what_is_short_stays_as_it_was_sent() -> None:
    assert shortened(steps('{"ok": true,  "odd":"spaces"}')) == steps('{"ok": true,  "odd":"spaces"}')


def test_what_is_shortened_stays_the_same_when_shortened_again() -> None:
    once = shortened(steps(json.dumps({"content": "é\n" * 3000})))
    assert shortened(once) == once
