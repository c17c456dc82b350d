"""The HTTP contract that pages, ask.py and users' scripts rely on."""

import json
import socket
import threading
from collections.abc import Iterator
from typing import Any

import pytest
import requests

from board_agent import events, web
from board_agent.model import ModelError
from board_agent.server import make_server
from tests.unit.house import Hold, Make, TestHouse, until
from tests.unit.scripted import call, calling, saying

LAMP = call("set_builtin_led", {"state": True})


def sse(response: requests.Response) -> Iterator[tuple[str, dict[str, Any]]]:
    """The events of a stream as (type, data)."""
    kind = ""
    for line in response.iter_lines(decode_unicode=True):
        if line.startswith("event: "):
            kind = line[7:]
        elif line.startswith("data: "):
            yield kind, json.loads(line[6:])


def ask(house: TestHouse, question: Any = "Light it", **more: Any) -> requests.Response:
    return requests.post(f"{house.url}/ask", json={"question": question, **more}, timeout=20)


def test_ask_answers_with_the_documented_keys(make: Make) -> None:
    house = make(calling(LAMP), saying("The LED is on."))
    response = ask(house)
    body = response.json()
    assert response.status_code == 200
    assert list(body)[:3] == ["run", "answer", "trace"]
    assert (body["answer"], body["stopped"]) == ("The LED is on.", "answered")
    assert isinstance(body["total_ms"], int)
    row = body["trace"][0]
    assert (row["turn"], row["tool"], row["args"]) == (1, "set_builtin_led", {"state": True})
    assert row["result"] == '{"ok":true,"led":"on"}'
    assert isinstance(row["llm_ms"], int)
    first = {
        "turn": 1,
        "tokens_read": 5,
        "tokens_reused": 0,
        "tokens_written": 7,
        "read_ms": 0,
        "write_ms": 0,
        "llm_ms": 3,
    }
    assert body["cost"][0] == first
    assert sum(turn["tokens_read"] for turn in body["cost"]) == body["tokens_read"]
    assert house.bridge.led


@pytest.mark.parametrize(
    ("body", "status", "says"),
    [
        (b"", 400, "valid JSON"),
        (b"{", 400, "valid JSON"),
        (b"\xff\xfe", 400, "valid JSON"),
        (b"[" * 30_000, 400, "valid JSON"),
        (b"[]", 400, "JSON object"),
        (b"null", 400, "JSON object"),
        (b"{}", 400, "question"),
        (b'{"question": ""}', 400, "question"),
        (b'{"question": "  \\n"}', 400, "question"),
        (b'{"question": 5}', 400, "question"),
        (b'{"question": "x", "conversation": 5}', 400, "conversation"),
        (b'{"question": "x", "detach": "yes"}', 400, "detach"),
        (json.dumps({"question": "x" * 2001}).encode(), 413, "2000 characters"),
        (json.dumps({"question": "x" * 70_000}).encode(), 413, "65536 bytes"),
    ],
)
def test_what_is_no_question_is_refused_in_words(make: Make, body: bytes, status: int, says: str) -> None:
    response = make().client.post("/ask", data=body, content_type="application/json")
    assert response.status_code == status
    assert says in response.get_json()["error"]


@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", ""])
@pytest.mark.parametrize("path", ["/ask", "/approve", "/stop"])
def test_what_another_sites_form_can_send_is_refused(make: Make, kind: str, path: str) -> None:
    response = make().client.post(path, data=b'{"question": "x"}', content_type=kind)
    assert response.status_code == 415
    assert "application/json" in response.get_json()["error"]


@pytest.mark.parametrize(
    ("method", "path", "status"), [("GET", "/nothing", 404), ("GET", "/ask", 405), ("PUT", "/", 405)]
)
def test_errors_are_json_and_never_html(make: Make, method: str, path: str, status: int) -> None:
    response = make().client.open(path, method=method)
    assert response.status_code == status
    assert "error" in response.get_json()


def test_a_mistake_of_the_program_is_json_too(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    house = make()
    monkeypatch.setattr(house.runs, "submit", lambda *a, **k: 1 / 0)
    response = house.client.post("/ask", json={"question": "x"})
    assert response.status_code == 500
    assert "log" in response.get_json()["error"]


def test_every_answer_forbids_scripts_and_frames_of_others(make: Make) -> None:
    house = make()
    for path in ("/", "/healthz", "/nothing"):
        policy = house.client.get(path).headers["Content-Security-Policy"]
        assert "default-src 'none'" in policy
        assert "frame-ancestors 'none'" in policy
        assert "unsafe" not in policy


def test_the_same_run_comes_as_events(make: Make) -> None:
    house = make(calling(LAMP), saying("On."))
    headers = {"Accept": "text/event-stream"}
    response = requests.post(f"{house.url}/ask", json={"question": "x"}, headers=headers, stream=True, timeout=20)
    assert response.headers["Content-Type"].startswith("text/event-stream")
    seen = [(kind, data) for kind, data in sse(response) if kind != "queue"]
    assert [kind for kind, _ in seen] == [
        *("run_queued", "run_started"),
        *("turn_started", "prompt_progress", "turn_ended", "tool_started", "tool_ended"),
        *("turn_started", "prompt_progress", "text", "turn_ended", "run_ended", "result"),
    ]
    assert {data["run"] for _, data in seen} == {seen[0][1]["run"]}
    assert seen[-1][1]["answer"] == "On."
    assert seen[-1][1]["trace"][0]["tool"] == "set_builtin_led"


def test_events_have_the_fields_that_are_documented(make: Make) -> None:
    house = make(calling(LAMP), saying("On."))
    ask(house)
    fields = events.event_types()
    entries = [json.loads(entry.data) for entry in house.feed.read(-1, 0) if entry.run]
    assert entries
    for data in entries:
        assert set(data) - {"type", "run", "seq", "at"} == set(fields[data["type"]])


def test_healthz_tells_of_model_and_board(make: Make) -> None:
    house = make()
    until(lambda: house.client.get("/healthz").status_code == 200)
    until(lambda: house.client.get("/healthz").get_json()["board"] == "ok")
    body = house.client.get("/healthz").get_json()
    assert body["flask"] == "ok"
    assert body["llm"]["model"] == "scripted"


def test_without_a_model_healthz_and_ask_say_what_to_do(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    def gone(self: Any) -> Any:
        raise ModelError("llama-server does not answer at x:1. Start it.", "down")

    monkeypatch.setattr("tests.unit.scripted.ScriptedModel.probe", gone)
    house = make()
    until(lambda: "Start it" in house.client.get("/healthz").get_json().get("llm_error", ""))
    assert house.client.get("/healthz").status_code == 503
    response = ask(house)
    assert response.status_code == 503
    assert int(response.headers["Retry-After"]) > 0
    assert "Start it" in response.json()["error"]


def test_a_model_lost_before_the_first_answer_is_a_503(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    house = make(ModelError("it is gone. Start it.", "down"))
    until(lambda: house.model_watch.error is None)
    monkeypatch.setattr(type(house.model_watch), "error", property(lambda self: None))
    assert ask(house).json()["stopped"] == "error"


def test_detached_questions_are_accepted_and_watched_through_events(make: Make) -> None:
    house = make(saying("Hello."))
    response = ask(house, detach=True, client="page1")
    assert response.status_code == 202
    run = response.json()["run"]
    stream = requests.get(f"{house.url}/events?client=page1", stream=True, timeout=20)
    for kind, data in sse(stream):
        if kind == "run_ended":
            assert (data["run"], data["answer"]) == (run, "Hello.")
            break
    stream.close()


def test_a_page_opened_in_the_middle_sees_the_run_from_its_beginning(make: Make) -> None:
    hold = Hold(saying("Done."))
    house = make(calling(LAMP), hold)
    run = ask(house, detach=True).json()["run"]
    hold.reached.wait(10)
    stream = requests.get(f"{house.url}/events", stream=True, timeout=20)
    seen = []
    for kind, data in sse(stream):
        seen.append(kind)
        if kind == "tool_ended":
            hold.release()
        if kind == "run_ended":
            assert data["run"] == run
            break
    stream.close()
    assert seen[0] == "hello"
    assert [kind for kind in seen if kind.startswith("run_")] == ["run_queued", "run_started", "run_ended"]


def test_a_dropped_page_goes_on_where_it_was(make: Make) -> None:
    house = make(saying("One."), saying("Two."))
    ask(house)
    last = house.feed.last
    ask(house)
    stream = requests.get(f"{house.url}/events", headers={"Last-Event-ID": str(last)}, stream=True, timeout=20)
    seen = []
    for kind, data in sse(stream):
        seen.append((kind, data))
        if kind == "run_ended":
            break
    stream.close()
    assert seen[0][0] == "hello"
    assert seen[0][1]["resumed"] is True
    assert [data["answer"] for kind, data in seen if kind == "run_ended"] == ["Two."]


@pytest.mark.parametrize("last", ["99999999999999999", "abc", "-1", "1"])
def test_a_page_from_before_a_restart_starts_anew(make: Make, last: str) -> None:
    house = make()
    stream = requests.get(f"{house.url}/events", headers={"Last-Event-ID": last}, stream=True, timeout=20)
    assert next(sse(stream))[1]["resumed"] is False
    stream.close()


def test_stop_ends_the_run_at_once_and_makes_the_board_safe(make: Make) -> None:
    hold = Hold()
    house = make(calling(LAMP), hold)
    answers: list[dict[str, Any]] = []
    thread = threading.Thread(target=lambda: answers.append(ask(house).json()))
    thread.start()
    hold.reached.wait(10)
    stopped = requests.post(f"{house.url}/stop", json={}, timeout=5).json()["stopped"]
    thread.join(10)
    assert answers[0]["stopped"] == "stopped"
    assert stopped == [answers[0]["run"]]
    assert "led on" in answers[0]["answer"]
    until(lambda: not house.bridge.led)


def test_stop_with_nothing_running_still_makes_the_board_safe(make: Make) -> None:
    house = make()
    house.bridge.led = True
    assert house.client.post("/stop").get_json() == {"stopped": []}
    until(lambda: not house.bridge.led)


def test_a_waiting_question_can_be_stopped_by_its_id(make: Make) -> None:
    hold = Hold()
    house = make(hold, saying("never"))
    ask(house, detach=True)
    hold.reached.wait(10)
    second = ask(house, "second", detach=True).json()
    assert second["position"] == 1
    assert requests.post(f"{house.url}/stop", json={"run": second["run"]}, timeout=5).json()["stopped"] == [
        second["run"]
    ]
    assert house.runs.line()["waiting"] == []
    hold.release()


def test_an_asker_who_leaves_while_running_ends_the_run(make: Make) -> None:
    hold = Hold()
    house = make(hold)
    with pytest.raises(requests.exceptions.ReadTimeout):
        requests.post(f"{house.url}/ask", json={"question": "x"}, timeout=0.5)
    until(lambda: house.runs.counters["stopped"] == 1)


def test_a_stream_that_is_closed_ends_the_run(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(web, "KEEP_ALIVE_S", 0.1)
    hold = Hold()
    house = make(hold)
    headers = {"Accept": "text/event-stream"}
    response = requests.post(f"{house.url}/ask", json={"question": "x"}, headers=headers, stream=True, timeout=20)
    hold.reached.wait(10)
    response.close()
    until(lambda: house.runs.counters["stopped"] == 1)


def test_an_asker_who_leaves_the_line_gives_the_place_up(make: Make) -> None:
    hold = Hold()
    house = make(hold)
    ask(house, detach=True)
    hold.reached.wait(10)
    with pytest.raises(requests.exceptions.ReadTimeout):
        requests.post(f"{house.url}/ask", json={"question": "second"}, timeout=0.5)
    until(lambda: not house.runs.line()["waiting"])
    hold.release()


def test_a_page_that_goes_away_gives_its_place_up(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("board_agent.runs.CLIENT_GRACE_S", 0.2)
    monkeypatch.setattr(web, "KEEP_ALIVE_S", 0.1)
    hold = Hold()
    house = make(hold)
    ask(house, detach=True)
    hold.reached.wait(10)
    stream = requests.get(f"{house.url}/events?client=gone", stream=True, timeout=20)
    next(sse(stream))
    ask(house, "second", detach=True, client="gone")
    assert len(house.runs.line()["waiting"]) == 1
    stream.close()
    until(lambda: not house.runs.line()["waiting"])
    hold.release()


def test_a_full_line_is_a_503_that_says_when_to_come_back(make: Make) -> None:
    hold = Hold()
    house = make(hold, *[saying("x")] * 40)
    ask(house, detach=True)
    hold.reached.wait(10)
    assert {ask(house, detach=True).status_code for _ in range(32)} == {202}
    response = ask(house, detach=True)
    assert response.status_code == 503
    assert int(response.headers["Retry-After"]) >= 1
    hold.release()


def test_thirty_askers_at_once_are_all_answered_in_order_while_the_rest_stays_quick(make: Make) -> None:
    house = make(*[saying(f"answer {n}") for n in range(30)])
    runs = [house.runs.submit(f"question {n}") for n in range(30)]
    assert house.client.get("/healthz").status_code in (200, 503)
    for run in runs:
        assert run.ended.wait(20)
    assert [run.result["answer"] for run in runs] == [f"answer {n}" for n in range(30)]


def test_a_call_that_asks_waits_for_the_yes_of_a_person(make: Make) -> None:
    house = make(calling(LAMP), saying("On."), policy={"act": "ask"})
    run = ask(house, detach=True).json()["run"]
    until(lambda: any(entry.type == "approval_needed" for entry in house.feed.read(-1, 0)))
    assert not house.bridge.led
    body = {"run": run, "call": 1, "approve": True}
    assert requests.post(f"{house.url}/approve", json=body, timeout=5).json() == {"ok": True}
    until(lambda: house.bridge.led)
    assert requests.post(f"{house.url}/approve", json=body, timeout=5).status_code == 409


def test_nobody_answering_is_a_no(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("board_agent.agent.APPROVAL_TIMEOUT_S", 0.2)
    house = make(calling(LAMP), saying("Not allowed."), policy={"act": "ask"})
    trace = ask(house).json()["trace"]
    assert trace[0]["state"] == "denied"
    assert not any(call[0] == "set_builtin_led" for call in house.bridge.calls)


def test_stop_works_while_a_yes_is_waited_for(make: Make) -> None:
    house = make(calling(LAMP), policy={"act": "ask"})
    run = house.runs.submit("x")
    until(lambda: run.open_call)
    house.runs.stop()
    assert run.ended.wait(5)
    assert run.result["stopped"] == "stopped"


@pytest.mark.parametrize(
    "body",
    [{}, {"run": "a"}, {"run": "a", "call": "1", "approve": True}, {"run": "a", "call": 1, "approve": "yes"}],
)
def test_a_wrong_approval_is_refused(make: Make, body: dict[str, Any]) -> None:
    assert make().client.post("/approve", json=body).status_code == 400


def test_status_tells_what_there_is(make: Make) -> None:
    house = make(calling(LAMP), saying("On."))
    ask(house)
    status = house.client.get("/status").get_json()
    assert status["counters"]["runs"] == status["counters"]["answered"] == status["counters"]["tool_calls"] == 1
    assert status["policy"] == {"read": "allow", "act": "allow", "change": "ask", "disruptive": "deny"}
    assert [tool["name"] for tool in status["tools"]] == ["set_builtin_led", "set_led_matrix"]
    assert status["memory_mb"] > 1


def test_a_tool_without_its_sketch_is_shown_with_the_reason(make: Make) -> None:
    house = make()
    house.bridge.error = ValueError("method get_board_state not available (2)")
    until(lambda: "flashed" in (house.client.get("/status").get_json()["tools"][0]["reason"] or ""))
    assert not house.client.get("/status").get_json()["tools"][0]["available"]


def test_the_page_is_served_with_what_it_needs(make: Make) -> None:
    house = make()
    page = house.client.get("/").get_data(as_text=True)
    assert "<script>" not in page
    assert " style=" not in page


def test_control_characters_of_a_question_are_dropped(make: Make) -> None:
    house = make(saying("Hi."))
    ask(house, "say\x1b[31m\x00 \ud83d\ude00 hi\u202e")
    sent = house.model.requests[0]["messages"][-1]["content"]
    assert "\x1b" not in sent
    assert "\x00" not in sent
    assert "hi" in sent


def test_a_client_that_sends_nothing_does_not_block_others(make: Make) -> None:
    house = make(saying("Hello."))
    with socket.create_connection(("127.0.0.1", house.server.server_port)) as idle:
        idle.sendall(b"POST /ask HTTP/1.1\r\nContent-Length: 100\r\n")
        assert ask(house).json()["answer"] == "Hello."


def test_a_port_that_is_taken_is_an_error_and_not_an_exit(make: Make) -> None:
    house = make()
    with pytest.raises(OSError, match="in use"):
        make_server(house.client.application, "127.0.0.1", house.server.server_port)


def test_stopping_a_run_that_is_over_leaves_what_it_did(make: Make) -> None:
    house = make(calling(LAMP), saying("On."))
    run = ask(house).json()["run"]
    assert requests.post(f"{house.url}/stop", json={"run": run}, timeout=5).json() == {"stopped": []}
    assert ("all_off",) not in house.bridge.calls
