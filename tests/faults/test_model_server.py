"""llama-server, or what stands in its place, misbehaves: what the asker is told, and that the next question works."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import requests

from board_agent.model import Model
from board_agent.plain import OneLine
from tests.unit.house import Make, TestHouse, until
from tests.unit.test_model import FakeServer

KEY = "sk-open-sesame"
House = Callable[..., TestHouse]


@pytest.fixture
def fake() -> Iterator[FakeServer]:
    server = FakeServer()
    server.native = False
    yield server
    server.server.shutdown()
    server.server.server_close()


@pytest.fixture
def house(make: Make, fake: FakeServer, monkeypatch: pytest.MonkeyPatch) -> TestHouse:
    """The app on the real client of a server that does what a test says."""
    monkeypatch.setattr("tests.unit.house.ScriptedModel", lambda: Model(fake.url, api_key=KEY))
    monkeypatch.setattr("board_agent.agent.LOADING_PAUSE_S", 0.01)
    monkeypatch.setattr("board_agent.watch.POLL_S", 0.1)
    built = make(seconds=5)
    until(lambda: built.model_watch.error is None)
    return built


def ask(house: TestHouse, question: str = "Why?") -> dict[str, Any]:
    body: dict[str, Any] = requests.post(f"{house.url}/ask", json={"question": question}, timeout=20).json()
    return body


def chunk(**delta: Any) -> bytes:
    return b"data: " + json.dumps({"choices": [{"index": 0, "delta": delta}]}).encode() + b"\n\n"


END = b'data: {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}\n\ndata: [DONE]\n\n'
HALF_CALL = {"index": 0, "id": "c", "function": {"name": "set_builtin_led", "arguments": '{"state": tr'}}
CONTEXT = {"error": {"type": "exceed_context_size_error", "message": "m", "n_prompt_tokens": 5000, "n_ctx": 4096}}


@pytest.mark.parametrize(
    ("status", "body", "says"),
    [
        (400, [b'{"error": {"message": "bad thing"}}'], "bad thing"),
        (400, [json.dumps(CONTEXT).encode()], "ask something shorter"),
        (404, [b"File Not Found"], "LLM_MODEL"),
        (429, [b'{"error": {"message": "slow down"}}'], "wait a minute"),
        (500, [b'{"error": {"message": "Failed to parse"}}'], "--jinja"),
        (502, [b"<html><script>alert(1)</script></html>"], "--jinja"),
        (200, [b"<html><script>alert(1)</script></html>"], "broke off"),
        (200, [b'data: {"choices": [{"index": 0, "delta": {"content": "half'], "broke off"),
        (200, [b"data: \xff\xfe\n\n"], "could not be read"),
        (200, [chunk(content="Hello \xff").replace(b"\\u00ff", b"\xff"), END], "could not be read"),
        (200, [], "broke off"),
        (200, [chunk(content="Hel")], "broke off"),
        (200, [chunk(reasoning_content="Let me think"), END], "--reasoning off"),
        (200, [END], "empty reply"),
    ],
)
def test_an_asker_is_told_what_is_wrong_and_the_next_question_works(
    house: TestHouse, fake: FakeServer, status: int, body: list[bytes], says: str
) -> None:
    fake.status, fake.body = status, body
    answer = ask(house)
    assert answer["stopped"] == "error"
    assert says in answer["error"]
    assert says in answer["answer"]
    fake.status = 200
    fake.says({"content": "Fine."})
    assert ask(house)["answer"] == "Fine."


def test_a_reply_of_a_megabyte_is_cut_and_the_next_question_works(house: TestHouse, fake: FakeServer) -> None:
    fake.body = [chunk(content="x" * 10_000)] * 100 + [END]
    answer = ask(house)
    assert answer["stopped"] == "answered"
    assert 60_000 < len(answer["answer"]) < 80_000
    fake.says({"content": "Fine."})
    assert ask(house)["answer"] == "Fine."


def test_one_chunk_of_a_megabyte_is_cut_too(house: TestHouse, fake: FakeServer) -> None:
    fake.body = [chunk(content="x" * 1_000_000), END]
    assert len(ask(house)["answer"]) < 80_000
    assert max(len(entry.data) for entry in house.feed.read(-1, 0)) < 100_000


def test_a_call_with_a_megabyte_of_arguments_is_refused_in_few_words(house: TestHouse, fake: FakeServer) -> None:
    call = {
        "index": 0,
        "id": "c",
        "function": {"name": "set_led_matrix", "arguments": json.dumps({"pattern": "x" * 10**6})},
    }
    fake.body = [chunk(tool_calls=[call]), END]
    answer = ask(house)
    assert answer["trace"]
    assert all(row["state"] in ("failed", "repeated") for row in answer["trace"])
    assert max(len(json.dumps(row)) for row in answer["trace"]) < 100_000
    assert not [called for called in house.bridge.calls if called[0] == "set_led_matrix"]
    assert max(len(json.dumps(request)) for request in fake.requests) < 1_000_000


def test_thousands_of_calls_are_a_handful_and_end(house: TestHouse, fake: FakeServer) -> None:
    calls = [
        {"index": n, "id": f"c{n}", "function": {"name": "set_builtin_led", "arguments": '{"state": true}'}}
        for n in range(3000)
    ]
    fake.body = [chunk(tool_calls=calls), END]
    answer = ask(house)
    assert len(answer["trace"]) <= 7 * 16
    assert answer["stopped"] in ("turn_limit", "answered")
    fake.says({"content": "Fine."})
    assert ask(house)["answer"] == "Fine."


def test_control_characters_of_a_reply_reach_no_terminal_and_no_log(
    house: TestHouse, fake: FakeServer, caplog: pytest.LogCaptureFixture
) -> None:
    fake.body = [chunk(content="\x1b]0;title\x07\x1b[2J\x00\u202eHello"), END]
    raw = requests.post(f"{house.url}/ask", json={"question": "x"}, timeout=20).content
    assert not [byte for byte in raw if byte < 0x20 and byte != 0x0A]
    assert b"Hello" in raw
    assert "\x1b" not in caplog.text


def test_a_tool_name_that_is_a_line_of_the_log_stays_in_its_line(
    house: TestHouse, fake: FakeServer, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO")
    forged = "x\n2026-01-01 00:00:00 INFO run 1 answered\x1b[2J"
    fake.body = [chunk(tool_calls=[{"index": 0, "id": "c", "function": {"name": forged, "arguments": "{}"}}]), END]
    answer = ask(house)
    assert answer["trace"][0]["state"] == "failed"
    for record in caplog.records:
        assert "\n" not in OneLine().format(record)


def test_a_half_call_ends_in_a_sentence(house: TestHouse, fake: FakeServer) -> None:
    fake.body = [chunk(tool_calls=[HALF_CALL]), END.replace(b'"stop"', b'"length"')]
    answer = ask(house)
    assert answer["answer"]
    assert "valid JSON" in answer["trace"][0]["result"]
    assert not house.bridge.led
    assert all(
        call["function"]["arguments"] == "{}"
        for request in fake.requests
        for message in request["messages"]
        for call in message.get("tool_calls", [])
    )


def test_a_server_that_hangs_without_a_byte_is_left_at_the_deadline(house: TestHouse, fake: FakeServer) -> None:
    fake.hang = threading.Event()
    answer = ask(house)
    fake.hang.set()
    assert answer["stopped"] == "time_limit"
    fake.hang = None
    fake.says({"content": "Fine."})
    assert ask(house)["answer"] == "Fine."


def test_a_server_that_loads_again_is_waited_for(house: TestHouse, fake: FakeServer) -> None:
    fake.health, fake.status, fake.body = 503, 503, [b'{"error": {"message": "Loading model"}}']
    answers: list[dict[str, Any]] = []
    asking = threading.Thread(target=lambda: answers.append(ask(house)))
    asking.start()
    until(lambda: any(entry.type == "waiting" and "loading" in entry.data for entry in house.feed.read(-1, 0)))
    fake.says({"content": "Fine."})
    fake.health, fake.status = 200, 200
    asking.join(10)
    assert answers[0]["answer"] == "Fine."


def test_a_server_restarted_with_another_model_is_asked_for_that_one(house: TestHouse, fake: FakeServer) -> None:
    fake.says({"content": "One."})
    assert ask(house)["answer"] == "One."
    fake.models = {"data": [{"id": "another", "owned_by": "llamacpp"}]}
    fake.says({"content": "Two."})
    assert ask(house)["answer"] == "Two."
    assert [request["model"] for request in fake.requests] == ["tiny", "another"]
    assert house.client.get("/healthz").get_json()["llm"]["model"] == "another"


@pytest.mark.parametrize("status", [200, 400, 401, 500])
def test_the_key_goes_to_the_provider_and_to_nobody_else(
    house: TestHouse, fake: FakeServer, caplog: pytest.LogCaptureFixture, status: int
) -> None:
    caplog.set_level("DEBUG", logger="board_agent")
    error = {"error": {"message": "x" * 190 + f" wrong key: {KEY}", "code": 400}}
    fake.status = status
    fake.body = [(b"data: " if status == 200 else b"") + json.dumps(error).encode() + b"\n\n"]
    assert ask(house)["stopped"] == "error"
    told = [house.client.get(path).get_data(as_text=True) for path in ("/status", "/healthz", "/")]
    told += [entry.data for entry in house.feed.read(-1, 0)] + [caplog.text]
    assert "sk-ope" not in "".join(told)


def test_text_that_looks_like_html_or_a_link_is_passed_on_as_text(house: TestHouse, fake: FakeServer) -> None:
    html = "<img src=x onerror=alert(1)> [click](javascript:alert(1)) </script>"
    fake.says({"content": html})
    response = requests.post(f"{house.url}/ask", json={"question": "x"}, timeout=20)
    assert response.json()["answer"] == html
    assert response.headers["Content-Type"] == "application/json"
    assert response.headers["X-Content-Type-Options"] == "nosniff"
