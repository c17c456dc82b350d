"""The client of llama-server, against a server that answers whatever a test wants."""

import json
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from board_agent.deadline import Deadline, Ended
from board_agent.model import MAX_CALLS, MAX_REPLY_CHARS, Model, ModelError, Progress, Reply, Text, profile_for

TOOL = {"type": "function", "function": {"name": "get_facts", "parameters": {"properties": {}}}}
PROPS = {"total_slots": 1, "build_info": "b1", "model_path": "m.gguf", "default_generation_settings": {"n_ctx": 4096}}


class FakeServer:
    """Answers `/v1/chat/completions` with `status` and `body`, chunk by chunk; notes what it was sent."""

    def __init__(self) -> None:
        self.status = 200
        self.body: list[bytes] = []
        self.kind = "text/event-stream"
        self.hang: threading.Event | None = None
        self.requests: list[dict[str, Any]] = []
        self.closed_early = threading.Event()
        self.native = True
        self.health = 200
        self.models: Any = {"data": [{"id": "tiny", "owned_by": "llamacpp", "meta": {"size": 1}}]}
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def log_message(self, *args: Any) -> None:
                pass

            def answer(self, status: int, value: Any) -> None:
                body = value if isinstance(value, bytes) else json.dumps(value).encode()
                self.send_response(status)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def do_GET(self) -> None:
                if self.path == "/health":
                    self.answer(outer.health, {"status": "ok"})
                elif self.path == "/v1/models":
                    self.answer(200, outer.models)
                elif self.path == "/props" and outer.native:
                    self.answer(200, PROPS)
                else:
                    self.answer(404, {"error": {"message": "File Not Found"}})

            def do_POST(self) -> None:
                sent = self.rfile.read(int(self.headers["Content-Length"]))
                outer.requests.append(json.loads(sent))
                self.send_response(outer.status)
                self.send_header("Content-Type", outer.kind)
                self.send_header("Connection", "close")
                self.end_headers()
                try:
                    for piece in outer.body:
                        self.wfile.write(piece)
                        self.wfile.flush()
                    while outer.hang and not outer.hang.wait(0.02):
                        self.wfile.write(b": waiting\n\n")
                        self.wfile.flush()
                except OSError:
                    outer.closed_early.set()
                self.close_connection = True

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}/v1"
        threading.Thread(target=self.server.serve_forever, args=(0.05,), daemon=True).start()

    def says(self, *deltas: dict[str, Any], finish: str = "stop", **last: Any) -> None:
        """Stream these deltas, then the end."""
        chunks: list[dict[str, Any]] = [{"choices": [{"index": 0, "delta": delta}]} for delta in deltas]
        chunks.append({"choices": [{"index": 0, "delta": {}, "finish_reason": finish}]})
        chunks.append({"choices": [], **last})
        self.body = [f"data: {json.dumps(chunk)}\n\n".encode() for chunk in chunks] + [b"data: [DONE]\n\n"]


@pytest.fixture
def fake() -> Iterator[FakeServer]:
    server = FakeServer()
    yield server
    server.server.shutdown()
    server.server.server_close()


def stream(fake: FakeServer, seconds: float = 10, **options: Any) -> list[Any]:
    return list(Model(fake.url).stream([{"role": "user", "content": "x"}], [TOOL], Deadline(seconds), **options))


def test_a_reply_comes_in_pieces_and_then_whole(fake: FakeServer) -> None:
    timings = {"prompt_n": 5, "cache_n": 7, "predicted_n": 3, "prompt_ms": 1.5, "predicted_ms": 2.5}
    fake.says({"content": "Hel"}, {"content": "lo"}, timings=timings)
    *pieces, reply = stream(fake)
    assert pieces == [Text("Hel"), Text("lo")]
    assert (reply.text, reply.finish_reason) == ("Hello", "stop")
    assert (reply.tokens_read, reply.tokens_reused, reply.tokens_written) == (5, 7, 3)
    assert (reply.read_ms, reply.write_ms) == (1.5, 2.5)


def test_a_server_that_gives_no_timings_is_read_by_its_usage(fake: FakeServer) -> None:
    usage = {
        "prompt_tokens": 12,
        "completion_tokens": 3,
        "total_tokens": 15,
        "prompt_tokens_details": {"cached_tokens": 7},
    }
    fake.says({"content": "Hi"}, usage=usage)
    reply = stream(fake)[-1]
    assert (reply.tokens_read, reply.tokens_reused, reply.tokens_written) == (5, 7, 3)


def test_tool_calls_are_put_together_from_their_pieces(fake: FakeServer) -> None:
    def piece(index: int, **function: str) -> dict[str, Any]:
        start = {"id": f"id{index}", "type": "function"} if "name" in function else {}
        return {"tool_calls": [{"index": index, "function": function, **start}]}

    fake.says(piece(0, name="a", arguments='{"x'), piece(0, arguments='":1}'), piece(1, name="b", arguments="{}"))
    calls = stream(fake)[-1].calls
    assert [(call.id, call.name, call.arguments) for call in calls] == [("id0", "a", '{"x":1}'), ("id1", "b", "{}")]


def test_reading_progress_is_passed_on(fake: FakeServer) -> None:
    progress = {"prompt_progress": {"total": 9, "cache": 2, "processed": 5, "time_ms": 3}}
    fake.says({"content": "x"})
    fake.body.insert(0, f"data: {json.dumps({'choices': [], **progress})}\n\n".encode())
    assert stream(fake)[0] == Progress(9, 2, 5, 3.0)


def test_the_last_turn_keeps_the_tools_in_the_request(fake: FakeServer) -> None:
    fake.says({"content": "x"})
    stream(fake)
    stream(fake, final=True)
    first, last = fake.requests
    assert (first["tool_choice"], last["tool_choice"]) == ("auto", "none")
    assert {**first, "tool_choice": ""} == {**last, "tool_choice": ""}


def test_only_a_llama_server_is_sent_what_only_it_understands(fake: FakeServer) -> None:
    fake.says({"content": "x"})
    stream(fake)
    fake.native = False
    stream(fake)
    native, other = fake.requests
    assert native["return_progress"]
    assert native["tools"] == [TOOL]
    assert "return_progress" not in other
    assert other["tools"][0]["function"]["parameters"]["type"] == "object"


def test_a_model_is_asked_as_its_profile_says(fake: FakeServer) -> None:
    fake.says({"content": "x"})
    fake.models = {"data": [{"id": "board-agent-135m", "owned_by": "llamacpp"}]}
    stream(fake)
    assert (fake.requests[0]["temperature"], fake.requests[0]["parallel_tool_calls"]) == (0, False)
    assert profile_for("Qwen3.5-0.8B").temperature == 0.3
    assert "parallel_tool_calls" not in {k: v for k, v in vars(profile_for("x")).items() if v is not None}


def test_stop_closes_the_connection_at_once(fake: FakeServer) -> None:
    fake.says({"content": "x"})
    fake.body, fake.hang = fake.body[:1], threading.Event()
    deadline = Deadline(30)
    items = Model(fake.url).stream([], [], deadline)
    assert next(items) == Text("x")
    deadline.stop()
    with pytest.raises(Ended, match="stopped"):
        next(items)
    assert fake.closed_early.wait(5)


def test_a_server_that_hangs_without_a_byte_is_left_at_the_deadline(fake: FakeServer) -> None:
    fake.body, fake.hang = [], threading.Event()
    with pytest.raises(Ended, match="time_limit"):
        stream(fake, seconds=0.5)
    assert fake.closed_early.wait(5)


def test_a_slow_server_is_not_cut_off(fake: FakeServer) -> None:
    fake.says({"content": "x"})
    fake.body.insert(0, b": nothing yet\n\n")
    fake.hang = threading.Event()
    threading.Timer(0.3, fake.hang.set).start()
    assert stream(fake)[-1].text == "x"


def kind_of(fake: FakeServer) -> tuple[str, str]:
    with pytest.raises(ModelError) as caught:
        stream(fake)
    return caught.value.kind, str(caught.value)


CONTEXT = {
    "error": {"code": 400, "type": "exceed_context_size_error", "message": "m", "n_prompt_tokens": 5000, "n_ctx": 4096}
}


@pytest.mark.parametrize(
    ("status", "body", "kind", "says"),
    [
        (400, CONTEXT, "context", "5000 tokens is longer than the 4096"),
        (400, {"error": {"message": "bad thing"}}, "refused", "bad thing"),
        (401, {"error": "no"}, "refused", "LLM_API_KEY"),
        (404, {"error": {"message": "no"}}, "refused", "LLM_MODEL"),
        (429, {"error": {"message": "slow down"}}, "refused", "wait a minute"),
        (500, {"error": {"message": "Failed to parse input"}}, "unparsable", "--jinja"),
        (503, {"error": {"message": "Loading model"}}, "loading", "loading"),
        (502, b"<html><h1>Bad Gateway</h1></html>", "unparsable", "502"),
    ],
)
def test_an_error_status_becomes_a_sentence_that_says_what_to_do(
    fake: FakeServer, status: int, body: Any, kind: str, says: str
) -> None:
    fake.status, fake.kind = status, "application/json"
    fake.body = [body if isinstance(body, bytes) else json.dumps(body).encode()]
    found, sentence = kind_of(fake)
    assert found == kind
    assert says in sentence


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        ([b'data: {"error": {"code": 500, "message": "Failed to parse"}}\n\n'], "unparsable"),
        ([b"data: " + json.dumps(CONTEXT).encode() + b"\n\n"], "context"),
        ([b'data: {"choices": [{"de'], "lost"),
        ([b'data: {"choices": [{"de\n\n'], "unparsable"),
        ([b"data: \xff\xfe\n\n"], "unparsable"),
        ([b"<html>hello</html>"], "lost"),
        ([], "lost"),
        ([b'data: {"choices": [{"index": 0, "delta": {"content": "Hel"}}]}\n\n'], "lost"),
        ([b"data: [1, 2]\n\n"], "unparsable"),
        ([b'data: {"choices": 5}\n\n'], "unparsable"),
    ],
)
def test_a_broken_stream_is_an_error_and_not_an_answer(fake: FakeServer, body: list[bytes], kind: str) -> None:
    fake.body = body
    assert kind_of(fake)[0] == kind


def test_nobody_there_says_how_to_start_it() -> None:
    with pytest.raises(ModelError, match=r"127.0.0.1:9. Start it on the board with --host 0.0.0.0") as caught:
        Model("http://127.0.0.1:9/v1").probe()
    assert caught.value.kind == "down"


def test_a_server_that_goes_away_between_questions_is_down(fake: FakeServer) -> None:
    fake.says({"content": "x"})
    model = Model(fake.url)
    model.probe()
    fake.server.shutdown()
    fake.server.server_close()
    with pytest.raises(ModelError) as caught:
        list(model.stream([], [], Deadline(5)))
    assert caught.value.kind in ("down", "lost")


def test_a_reply_that_never_ends_is_cut(fake: FakeServer) -> None:
    fake.says(*[{"content": "x" * 10_000}] * 20)
    reply = stream(fake)[-1]
    assert reply.finish_reason == "length"
    assert len(reply.text) <= MAX_REPLY_CHARS + 10_000


def test_thousands_of_calls_are_cut(fake: FakeServer) -> None:
    fake.says(
        *[{"tool_calls": [{"index": n, "id": "i", "function": {"name": "a", "arguments": "{}"}}]} for n in range(3000)]
    )
    reply = stream(fake)[-1]
    assert len(reply.calls) == MAX_CALLS


def test_odd_call_pieces_do_no_harm(fake: FakeServer) -> None:
    fake.says({"tool_calls": [{"index": 10**9, "function": {"name": None, "arguments": None}}]}, finish="tool_calls")
    assert [(call.name, call.arguments) for call in stream(fake)[-1].calls] == [("", "")]


def test_thinking_is_noticed(fake: FakeServer) -> None:
    fake.says({"reasoning_content": "hm"})
    reply = stream(fake)[-1]
    assert isinstance(reply, Reply)
    assert reply.reasoned
    assert reply.text == ""


def test_a_loading_server_is_told_apart(fake: FakeServer) -> None:
    fake.health = 503
    with pytest.raises(ModelError) as caught:
        Model(fake.url).probe()
    assert caught.value.kind == "loading"


@pytest.mark.parametrize("models", [{"data": []}, {}, {"data": [5]}, {"data": [{"name": "x"}]}])
def test_a_server_without_models_says_so(fake: FakeServer, models: Any) -> None:
    fake.models = models
    with pytest.raises(ModelError, match="LLM_MODEL"):
        Model(fake.url).probe()


@pytest.mark.parametrize("models", [b"<html>", [1], b"\xff"])
def test_what_is_no_model_server_is_named_as_such(fake: FakeServer, models: Any) -> None:
    fake.models = models
    with pytest.raises(ModelError, match="check LLM_BASE_URL"):
        Model(fake.url).probe()


def test_the_server_is_described(fake: FakeServer) -> None:
    server = Model(fake.url).probe()
    assert (server.model, server.title, server.context, server.slots) == ("tiny", "llama-server b1", 4096, 1)
    assert server.identity["model_path"] == "m.gguf"


def test_the_key_is_sent_and_never_shown(fake: FakeServer) -> None:
    model = Model(fake.url, api_key="sk-secret")
    assert "sk-secret" not in repr(vars(model)["base_url"])
    fake.status, fake.kind = 401, "application/json"
    fake.body = [b'{"error": {"message": "wrong key sk-secret"}}']
    with pytest.raises(ModelError) as caught:
        list(model.stream([], [], Deadline(5)))
    assert "sk-secret" not in str(caught.value)


def test_a_schools_proxy_is_not_asked_for_what_is_near(fake: FakeServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")
    fake.says({"content": "x"})
    assert stream(fake)[-1].text == "x"


def test_native_endpoints_stream_objects(fake: FakeServer) -> None:
    fake.body = [b'data: {"a": 1}\n\n', b": comment\n\n", b'data: {"a": 2}\n\n']
    assert list(Model(fake.url).stream_post("/completion", {})) == [{"a": 1}, {"a": 2}]
    fake.status = 501
    with pytest.raises(ModelError):
        list(Model(fake.url).stream_post("/completion", {}))


def test_elapsed_time_is_measured(fake: FakeServer) -> None:
    fake.says({"content": "x"})
    started = time.monotonic()
    reply = stream(fake)[-1]
    assert 0 <= reply.llm_ms <= (time.monotonic() - started) * 1000 + 1
