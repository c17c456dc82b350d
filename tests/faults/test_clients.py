"""Clients that are slow, asleep, broken or hostile: what they get, and that everyone else is served meanwhile."""

from __future__ import annotations

import json
import socket
import threading
import time
from typing import Any

import pytest
import requests

from board_agent import server, web
from board_agent.events import RunEnded, TextDelta
from board_agent.feed import Feed
from tests.load.classroom import busy_class
from tests.unit.house import Hold, Make, TestHouse, until
from tests.unit.scripted import calling, saying
from tests.unit.test_web import sse


def raw(house: TestHouse, data: bytes, seconds: float = 10) -> bytes:
    """What is answered to these bytes; the connection is closed then."""
    with socket.create_connection(("127.0.0.1", house.server.server_port), timeout=seconds) as client:
        client.sendall(data)
        answer = b""
        while piece := client.recv(65536):
            answer += piece
        return answer


def post(path: str, body: bytes, *headers: str) -> bytes:
    head = [f"POST {path} HTTP/1.1", "Host: localhost", "Content-Type: application/json", *headers]
    if not any(header.lower().startswith(("content-length", "transfer-encoding")) for header in headers):
        head.append(f"Content-Length: {len(body)}")
    return "\r\n".join(head).encode() + b"\r\n\r\n" + body


QUESTION = b'{"question": "x"}'


@pytest.mark.parametrize(
    ("request_bytes", "status"),
    [
        (b"hello\r\n\r\n", 400),
        (b"GET / HTTP/9.9\r\n\r\n", 505),
        (b"GET /\x00\x1b[31m HTTP/1.1\r\nHost: localhost\r\n\r\n", 404),
        (b"GET /%00%0a%1b[31m HTTP/1.1\r\nHost: localhost\r\n\r\n", 404),
        (b"GET " + b"/" * 70_000 + b" HTTP/1.1\r\n\r\n", 414),
        (b"GET / HTTP/1.1\r\nHost: localhost\r\nX: " + b"x" * 70_000 + b"\r\n\r\n", 431),
        (b"GET / HTTP/1.1\r\nHost: localhost\r\n" + b"X: x\r\n" * 200 + b"\r\n", 431),
        (b"GET / HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\n\r\n", 403),
        (b"BREW /ask HTTP/1.1\r\nHost: localhost\r\n\r\n", 405),
        (post("/ask", QUESTION, "Content-Length: -5"), 400),
        (post("/ask", QUESTION, "Content-Length: many"), 400),
        (post("/ask", QUESTION, f"Content-Length: {10**12}"), 413),
        (post("/ask", b"", "Content-Length: 0"), 400),
        (post("/ask", b"zz\r\n", "Transfer-Encoding: chunked"), 400),
        (post("/ask", b"0\r\n\r\n", "Transfer-Encoding: chunked"), 400),
    ],
)
def test_what_is_hardly_http_is_answered_in_json_and_nothing_is_asked(
    make: Make, request_bytes: bytes, status: int
) -> None:
    house = make()
    head, _, body = raw(house, request_bytes).partition(b"\r\n\r\n")
    assert head.split()[1] == str(status).encode()
    assert json.loads(body)["error"]
    assert house.runs.counters["runs"] == 0


@pytest.mark.parametrize(
    ("body", "status"),
    [
        (b'{"question": ' + b"[" * 20_000 + b"]" * 20_000 + b"}", 400),
        (b'{"a":' * 10_000 + b"1" + b"}" * 10_000, 400),
        (b'{"question": "x", "n": ' + b"9" * 50_000 + b"}", 400),
        (b'{"question": "x", "conversation": "' + b"\\u0000" * 10 + b'"}', 404),
        (b'{"question": "\\u0000\\u0007"}', 400),
        (b'{"question": "\\ud800"}', 200),
        (b'\xef\xbb\xbf{"question": "x"}', 400),
        (b'{"question": "a", "question": "b"}', 200),
        (b'{"question": "x", "__proto__": {"a": 1}, "constructor": null}', 200),
        ('{"question": "מה השעה? كم الساعة؟ 🧑‍🚀🇩🇪 \u202eevil"}'.encode(), 200),
    ],
)
def test_odd_json_is_answered_and_the_next_question_works(make: Make, body: bytes, status: int) -> None:
    house = make(saying("First."), saying("Second."))
    assert house.client.post("/ask", data=body, content_type="application/json").status_code == status
    answer = house.client.post("/ask", data=QUESTION, content_type="application/json").get_json()
    assert answer["answer"] in ("First.", "Second.")


def test_of_two_keys_of_one_name_the_last_counts_everywhere(make: Make) -> None:
    house = make(saying("Hello."))
    house.client.post("/ask", data=b'{"question": "a", "question": "b"}', content_type="application/json")
    assert house.model.requests[0]["messages"][-1]["content"] == "b"
    assert {json.loads(e.data)["question"] for e in house.feed.read(-1, 0) if e.type == "run_queued"} == {"b"}


def test_text_of_every_script_arrives_as_it_was_typed(make: Make) -> None:
    text = "מה השעה? كم الساعة؟ 🧑‍🚀🇩🇪 ñ\tü\n漢字"
    house = make(saying(text))
    answer = requests.post(f"{house.url}/ask", json={"question": text}, timeout=10).json()["answer"]
    assert answer == text
    assert house.model.requests[0]["messages"][-1]["content"] == text


@pytest.mark.parametrize("last", ["9" * 30, "-1", "1e3", "\u0663", "0x10", "", "1 2"])
def test_an_odd_last_event_id_starts_from_the_beginning(make: Make, last: str) -> None:
    house = make()
    headers = {"Last-Event-ID": last.encode()}
    with requests.get(f"{house.url}/events", headers=headers, stream=True, timeout=10) as stream:
        assert next(sse(stream))[1]["resumed"] is False


def test_a_sleeping_tab_costs_nothing_and_catches_up(make: Make) -> None:
    house = make()
    with socket.socket() as tab:
        tab.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        tab.connect(("127.0.0.1", house.server.server_port))
        tab.sendall(b"GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n")
        until(lambda: house.feed.state("board"))
        for number in range(10_000):
            house.feed.publish("r1", TextDelta(turn=1, text=f"word {number} " * 5).to_json())
        house.feed.publish("r1", RunEnded(answer="The end.", stopped="answered").to_json())
        assert requests.get(f"{house.url}/status", timeout=5).status_code == 200
        tab.settimeout(10)
        received = b""
        while b"The end." not in received:
            received += tab.recv(65536)
    numbers = [int(line[4:]) for line in received.split(b"\n") if line.startswith(b"id: ")]
    assert numbers == sorted(set(numbers))
    assert received.count(b"event: text") == 10_000


def test_a_reader_that_never_reads_is_dropped(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server._Handler, "timeout", 0.5)
    house = make()
    with socket.socket() as tab:
        tab.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        tab.connect(("127.0.0.1", house.server.server_port))
        tab.sendall(b"GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n")
        until(lambda: house.server._open)
        for _ in range(100):
            house.feed.publish("r1", TextDelta(turn=1, text="x" * 100_000).to_json())
        until(lambda: not house.server._open)


def test_a_client_that_sends_a_byte_now_and_then_holds_nobody_up(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server._Handler, "timeout", 0.3)
    house = make(saying("Hello."))
    with socket.create_connection(("127.0.0.1", house.server.server_port)) as slow:
        slow.sendall(post("/ask", b"", "Content-Length: 1000"))
        assert requests.post(f"{house.url}/ask", json={"question": "x"}, timeout=5).json()["answer"] == "Hello."
        slow.settimeout(5)
        while slow.recv(4096):
            pass


def test_one_address_cannot_take_every_connection(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server, "MAX_FROM_ONE_ADDRESS", 5)
    house = make()
    port = house.server.server_port
    held = [socket.create_connection(("127.0.0.1", port)) for _ in range(5)]
    until(lambda: house.server._open["127.0.0.1"] == 5)
    refused = requests.get(f"{house.url}/healthz", timeout=5)
    assert refused.status_code == 503
    assert int(refused.headers["Retry-After"]) > 0
    with socket.create_connection(("127.0.0.1", port), source_address=("127.0.0.2", 0), timeout=5) as other:
        other.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
        assert b"200 OK" in other.recv(4096)
    for connection in held:
        connection.close()
    until(lambda: not house.server._open)
    assert requests.get(f"{house.url}/", timeout=5).status_code == 200


def test_pages_that_come_and_go_cost_no_thread_each(make: Make) -> None:
    house = make()

    def timers() -> int:
        return sum(isinstance(thread, threading.Timer) for thread in threading.enumerate())

    before = timers()
    for number in range(60):
        house.runs.watching(f"page {number}", 1)
        house.runs.watching(f"page {number}", -1)
    assert timers() <= before + 1


def test_pages_that_are_gone_are_forgotten(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("board_agent.runs.CLIENT_GRACE_S", 0.1)
    hold = Hold()
    house = make(hold)
    house.runs.submit("x", client="never seen again")
    for number in range(60):
        house.runs.watching(f"page {number}", 1)
        house.runs.watching(f"page {number}", -1)
    until(lambda: not house.runs._clients)
    hold.release()


def test_a_safe_state_that_fails_does_not_end_the_line(make: Make) -> None:
    hold = Hold()
    house = make(hold, saying("Still here."))
    house.bridge.error = ConnectionError("gone")
    first = house.runs.submit("x")
    hold.reached.wait(10)
    house.runs.stop()
    assert first.ended.wait(10)
    second = house.runs.submit("y")
    assert second.ended.wait(10)
    assert second.result["answer"] == "Still here."


@pytest.mark.parametrize("jump", [-10 * 365 * 86_400, 10 * 365 * 86_400])
def test_a_clock_that_is_set_shortens_no_run_and_loses_no_event(
    make: Make, monkeypatch: pytest.MonkeyPatch, jump: float
) -> None:
    hold = Hold(saying("Done."))
    house = make(hold)
    run = house.runs.submit("x")
    hold.reached.wait(10)
    real = time.time
    monkeypatch.setattr(time, "time", lambda: real() + jump)
    last = house.feed.last
    hold.release()
    assert run.ended.wait(10)
    assert run.result["stopped"] == "answered"
    assert 0 <= run.result["total_ms"] < 20_000
    assert house.feed.can_resume(last)
    assert "run_ended" in [entry.type for entry in house.feed.read(last, 0)]


def test_an_app_that_starts_at_the_same_time_again_is_known_to_be_another(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(time, "time", lambda: 1000.0)
    first, second = Feed(), Feed()
    for feed in (first, second):
        for number in range(100):
            feed.set_state({"type": "queue", "n": number})
    assert not second.can_resume(first.last - 50)


class Endless:
    """A model that always has an answer, after a moment."""

    def __init__(self) -> None:
        self.count = 0

    def pop(self, index: int) -> Any:
        self.count += 1

        def reply(deadline: Any) -> Any:
            deadline.sleep(0.02)
            return saying(f"Answer {self.count}.")

        return reply


def test_thirty_at_once_ask_watch_leave_and_stop_each_other_and_leave_nothing_behind(
    make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("board_agent.runs.CLIENT_GRACE_S", 0.5)
    monkeypatch.setattr(web, "KEEP_ALIVE_S", 0.2)
    house = make()
    house.model.script = Endless()
    until(lambda: house.client.get("/healthz").status_code == 200)
    before = threading.active_count()
    assert busy_class(house.url, seconds=8, students=30) == []
    until(lambda: not house.runs.line()["waiting"] and not house.runs.line()["running"], 30)
    until(lambda: not house.server._open)
    until(lambda: threading.active_count() <= before)
    until(lambda: not house.runs._clients)
    assert len(house.feed._open) <= 21
    house.runs.counters.clear()
    assert requests.post(f"{house.url}/ask", json={"question": "x"}, timeout=10).json()["stopped"] == "answered"


def test_a_call_in_every_reply_for_ever_still_ends(make: Make) -> None:
    house = make()
    house.model.script = Endless()
    house.model.script.pop = lambda index: calling()  # type: ignore[method-assign]
    run = house.runs.submit("x")
    assert run.ended.wait(20)
    assert run.result["answer"]
