"""`ask.py` as a person or a script runs it: a process of its own against a server that follows a script."""

from __future__ import annotations

import json
import os
import pty
import re
import select
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

ASK = Path(__file__).resolve().parent.parent / "ask.py"
LIMIT_S = 20.0
RESULT = {
    "type": "result",
    "run": "r1",
    "answer": "There are 14.2 GB free.",
    "trace": [],
    "total_ms": 12345,
    "stopped": "answered",
}
CALL = {"type": "tool_started", "run": "r1", "turn": 1, "call": 1, "tool": "calculate", "args": {"expression": "2 < 3"}}
CALLED = {**CALL, "type": "tool_ended", "result": '{"expression":"2 < 3","result":true}', "state": "done"}
APPROVAL = {**CALL, "type": "approval_needed", "risk": "change", "timeout_s": 30}


def event(data: dict[str, Any]) -> bytes:
    return f"id: 1\nevent: {data['type']}\ndata: {json.dumps(data)}\n\n".encode()


class Script:
    """What the server does with /ask, and what it was sent."""

    def __init__(self) -> None:
        self.requests: list[tuple[str, dict[str, str], dict[str, Any]]] = []
        self.arrived = threading.Condition()
        self.hung_up = threading.Event()
        self.on_ask: Callable[[Answer], None] = lambda answer: answer.stream(event(RESULT))
        self.listed: tuple[int, bytes] = (200, b'{"conversations": []}')
        self.port = 0

    def wait_for(self, path: str) -> dict[str, Any]:
        """The body of the first request to `path`, when it has come."""
        with self.arrived:
            found = self.arrived.wait_for(lambda: [body for seen, _, body in self.requests if seen == path], LIMIT_S)
        assert found, f"{path} was never called"
        return found[0]


class Answer(BaseHTTPRequestHandler):
    script: Script
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        with self.script.arrived:
            self.script.requests.append((self.path, dict(self.headers), body))
            self.script.arrived.notify_all()
        if self.path.endswith("/ask"):
            self.script.on_ask(self)
        else:
            self.plain(200, b'{"ok":true}')

    def do_GET(self) -> None:
        self.script.requests.append((f"{self.command} {self.path}", dict(self.headers), {}))
        self.plain(*self.script.listed)

    do_DELETE = do_GET

    def plain(self, status: int, body: bytes, **headers: str) -> None:
        self.send_response(status)
        for name, value in {"Content-Type": "application/json", **headers}.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def stream(self, *pieces: bytes, end: bool = True) -> None:
        """Each piece is a chunk of its own."""
        if not hasattr(self, "started"):
            self.started = True
            self.send_response(200)
            self.send_header("Content-Type", "text/event-stream; charset=utf-8")
            self.send_header("Transfer-Encoding", "chunked")
            self.end_headers()
        for piece in pieces:
            self.wfile.write(b"%x\r\n%s\r\n" % (len(piece), piece))
        if end:
            self.wfile.write(b"0\r\n\r\n")

    def wait_for_hang_up(self) -> None:
        if select.select([self.connection], [], [], LIMIT_S)[0] and not self.connection.recv(1, socket.MSG_PEEK):
            self.script.hung_up.set()
        self.close_connection = True

    def log_message(self, *_: Any) -> None:
        pass


@pytest.fixture
def script() -> Iterator[Script]:
    script = Script()
    server = ThreadingHTTPServer(("127.0.0.1", 0), type("Scripted", (Answer,), {"script": script}))
    server.daemon_threads = True
    script.port = server.server_port
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    yield script
    server.shutdown()
    server.server_close()
    thread.join()


def environment(**extra: str) -> dict[str, str]:
    plain = {name: value for name, value in os.environ.items() if name not in ("BOARD_AGENT_URL", "AGENT_TOKEN")}
    return {**plain, "TERM": "xterm", **extra}


def ask(
    *words: str, url: str | int | None = None, stdin: bytes = b"", **extra: str
) -> subprocess.CompletedProcess[str]:
    where = [] if url is None else ["--url", f"127.0.0.1:{url}" if isinstance(url, int) else url]
    done = subprocess.run(
        [sys.executable, str(ASK), *where, *words],
        input=stdin,
        capture_output=True,
        timeout=LIMIT_S,
        env=environment(**extra),
    )
    assert b"Traceback" not in done.stderr
    return subprocess.CompletedProcess(done.args, done.returncode, done.stdout.decode(), done.stderr.decode())


def ask_patiently(url: int, **constants: object) -> subprocess.CompletedProcess[str]:
    """With other limits than the ones a person has the time for."""
    changes = "".join(f"ask.{name} = {value!r}; " for name, value in constants.items())
    code = f"import sys; sys.argv[1:] = ['--url', '127.0.0.1:{url}', 'Why?']; import ask; {changes}sys.exit(ask.main())"
    return subprocess.run(
        [sys.executable, "-c", code], cwd=ASK.parent, capture_output=True, text=True, timeout=LIMIT_S, env=environment()
    )


# --- what is printed ---


def test_prints_calls_results_answer_and_time(script: Script) -> None:
    script.on_ask = lambda answer: answer.stream(event(CALL), event(CALLED), event(RESULT))
    done = ask("Is 2 < 3?", url=script.port)
    assert done.stdout.splitlines() == [
        '[turn 1] tool call: calculate(expression="2 < 3")',
        '[turn 1] result: {"expression":"2 < 3","result":true}',
        "There are 14.2 GB free.",
        "(12.3s)",
    ]
    assert done.stderr == ""
    assert done.returncode == 0


def test_prints_a_call_as_soon_as_it_happens(script: Script) -> None:
    seen = threading.Event()

    def on_ask(answer: Answer) -> None:
        answer.stream(event(CALL), end=False)
        assert seen.wait(LIMIT_S)
        answer.stream(event(RESULT))

    script.on_ask = on_ask
    command = [sys.executable, str(ASK), "--url", f"127.0.0.1:{script.port}", "Is 2 < 3?"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, env=environment()) as process:
        assert process.stdout
        assert process.stdout.readline().startswith(b"[turn 1] tool call: calculate(")
        seen.set()
        assert process.stdout.read() == b"There are 14.2 GB free.\n(12.3s)\n"


def test_asks_for_a_stream_with_the_question_as_json(script: Script) -> None:
    ask("Wie", "warm", "ist", "es?", url=script.port)
    path, headers, body = script.requests[0]
    assert path == "/ask"
    assert body == {"question": "Wie warm ist es?", "conversation": "new"}
    assert headers["Content-Type"] == "application/json"
    assert headers["Accept"].startswith("text/event-stream")
    assert "Authorization" not in headers


def test_sends_the_token_it_is_given(script: Script) -> None:
    ask("Why?", url=script.port, AGENT_TOKEN="open sesame")
    assert script.requests[0][1]["Authorization"] == "Bearer open sesame"


def test_json_is_the_plain_answer_on_one_line(script: Script) -> None:
    answer = {**RESULT, "answer": "Grüße\nan \x1b[31malle"}
    script.on_ask = lambda handler: handler.stream(event(CALL), event(CALLED), event(answer))
    done = ask("--json", "Why?", url=script.port)
    assert done.stdout.count("\n") == 1
    assert "\x1b" not in done.stdout
    assert json.loads(done.stdout) == {key: value for key, value in answer.items() if key != "type"}


def test_no_terminal_no_status_line(script: Script) -> None:
    progress = {
        "type": "prompt_progress",
        "run": "r1",
        "turn": 1,
        "total": 877,
        "cached": 0,
        "processed": 23,
        "ms": 1.0,
    }
    script.on_ask = lambda answer: answer.stream(event(progress), event(RESULT))
    assert ask("Why?", url=script.port).stderr == ""


@pytest.mark.parametrize("stopped", ["turn_limit", "time_limit", "stopped", "error"])
def test_not_answered_is_status_1_with_the_reason(script: Script, stopped: str) -> None:
    result = {**RESULT, "stopped": stopped, "answer": "I could not do that.", "error": "The model\x1b[2J went away."}
    script.on_ask = lambda answer: answer.stream(event(result))
    done = ask("Why?", url=script.port)
    assert done.returncode == 1
    assert done.stdout == "I could not do that.\n(12.3s)\n"
    assert done.stderr == "The model[2J went away.\n"


def test_nothing_of_the_server_can_drive_the_terminal(script: Script) -> None:
    evil = "\x1b]0;owned\x07\x9b31m\r\b\u202e\u2066\x7f"
    call = {**CALL, "tool": f"calc{evil}", "args": {"a": f"{evil}\n[turn 9] result: fake"}}
    ended = {**CALLED, "result": f'{{"x":"{evil}"}}\n[turn 9] result: fake'}
    result = {**RESULT, "answer": f"{evil}\ttab\nline", "stopped": "error", "error": evil + "oops"}
    script.on_ask = lambda answer: answer.stream(event(call), event(ended), event(result))
    done = ask("Why?", url=script.port)
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", done.stdout + done.stderr)
    assert "\ttab\nline\n" in done.stdout
    assert len([line for line in done.stdout.splitlines() if line.startswith("[turn ")]) == 2


def test_lone_surrogates_are_no_reason_to_fail(script: Script) -> None:
    script.on_ask = lambda answer: answer.stream(event({**RESULT, "answer": "odd \ud800 end"}))
    done = ask("Why?", url=script.port)
    assert done.stdout.startswith("odd \\ud800 end\n")
    assert done.returncode == 0


def test_goes_on_when_nobody_reads_its_output_any_more(script: Script) -> None:
    asked = threading.Event()

    def on_ask(answer: Answer) -> None:
        answer.stream(event(CALL), end=False)
        assert asked.wait(LIMIT_S)
        answer.stream(event(CALLED), event(RESULT))

    script.on_ask = on_ask
    command = [sys.executable, str(ASK), "--url", f"127.0.0.1:{script.port}", "Is 2 < 3?"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment()) as process:
        assert process.stdout
        assert process.stderr
        process.stdout.readline()
        process.stdout.close()
        asked.set()
        assert process.stderr.read() == b""
    assert process.returncode == 0


def test_closed_streams_are_no_reason_to_fail(script: Script) -> None:
    line = f"'{sys.executable}' '{ASK}' --url 127.0.0.1:{script.port} 'Why?' <&- >&- 2>&-"
    assert subprocess.run(["sh", "-c", line], timeout=LIMIT_S, env=environment(), check=False).returncode == 0


# --- the question ---


def test_piped_input_is_one_question(script: Script) -> None:
    ask(url=script.port, stdin="First line\nsecond: 2 × 3?\n".encode())
    assert [body for _, _, body in script.requests] == [
        {"question": "First line\nsecond: 2 × 3?", "conversation": "new"}
    ]


@pytest.mark.parametrize(("words", "stdin"), [((), b""), ((), b" \n"), (("",), b""), (("--nonsense", "x"), b"")])
def test_no_question_is_wrong_usage(script: Script, words: tuple[str, ...], stdin: bytes) -> None:
    done = ask(*words, url=script.port, stdin=stdin)
    assert done.returncode == 2
    assert done.stderr
    assert script.requests == []


@pytest.mark.parametrize(
    "url", ["ftp://board", "http://", "board:port", "board:99999", "http://user@board", "http://[::1"]
)
def test_what_is_no_address_is_wrong_usage(url: str) -> None:
    done = ask("Why?", url=url)
    assert done.returncode == 2
    assert "is no address" in done.stderr


def test_a_token_that_cannot_be_sent_is_wrong_usage(script: Script) -> None:
    assert ask("Why?", url=script.port, AGENT_TOKEN="a\nb").returncode == 2
    assert script.requests == []


@pytest.mark.parametrize("form", ["127.0.0.1:{}", "http://127.0.0.1:{}", "http://127.0.0.1:{}/", " localhost:{} "])
def test_the_address_may_be_written_in_several_ways(script: Script, form: str) -> None:
    assert ask("Why?", url=form.format(script.port)).returncode == 0
    assert ask("Why?", BOARD_AGENT_URL=form.format(script.port)).returncode == 0


def test_a_path_before_the_app_is_kept(script: Script) -> None:
    ask("Why?", url=f"http://127.0.0.1:{script.port}/board/")
    assert script.requests[0][0] == "/board/ask"


def test_a_bare_name_means_port_7000() -> None:
    done = ask("Why?", url="no-such-board.invalid")
    assert done.returncode == 3
    assert "no-such-board.invalid is not known" in done.stderr


def test_proxies_are_not_used(script: Script) -> None:
    nowhere = "http://127.0.0.1:9"
    assert ask("Why?", url=script.port, http_proxy=nowhere, HTTP_PROXY=nowhere, ALL_PROXY=nowhere).returncode == 0


# --- what goes wrong ---


def closed_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def test_nothing_there_says_how_to_start_the_app() -> None:
    port = closed_port()
    done = ask("Why?", url=port)
    assert done.returncode == 3
    assert done.stdout == ""
    assert f"Nothing answers at http://127.0.0.1:{port}. Start the app (`make run`" in done.stderr


def test_the_default_is_this_machine_at_port_7000() -> None:
    code = "import ask; print(ask.Server(ask.DEFAULT_URL, None).name)"
    done = subprocess.run([sys.executable, "-c", code], cwd=ASK.parent, capture_output=True, text=True, check=True)
    assert done.stdout == "http://127.0.0.1:7000\n"


def test_a_busy_app_says_when_to_try_again(script: Script) -> None:
    script.on_ask = lambda answer: answer.plain(503, b'{"error":"The line is full."}', Retry_After="20")
    done = ask("Why?", url=script.port)
    assert done.returncode == 3
    assert done.stderr == "The line is full. Try again in 20 s.\n"


@pytest.mark.parametrize(("status", "code"), [(400, 2), (413, 2), (500, 3)])
def test_the_apps_own_words_are_shown(script: Script, status: int, code: int) -> None:
    script.on_ask = lambda answer: answer.plain(status, b'{"error":"What is wrong; what to do."}')
    done = ask("Why?", url=script.port)
    assert done.returncode == code
    assert done.stderr == "What is wrong; what to do.\n"


def test_a_wanted_token_is_named(script: Script) -> None:
    script.on_ask = lambda answer: answer.plain(401, b'{"error":"This app wants a token."}')
    assert "AGENT_TOKEN" in ask("Why?", url=script.port).stderr
    script.on_ask = lambda answer: answer.plain(403, b'{"error":"This app does not answer to that name."}')
    assert ask("Why?", url=script.port).stderr == "This app does not answer to that name.\n"


@pytest.mark.parametrize(
    "on_ask",
    [
        lambda answer: answer.plain(403, b"", Server="AirTunes/1.0"),
        lambda answer: answer.plain(404, b"<h1>Not Found</h1>", Content_Type="text/html"),
        lambda answer: answer.plain(200, b"<h1>Hello</h1>", Content_Type="text/html"),
        lambda answer: answer.plain(302, b"", Location="http://elsewhere/"),
        lambda answer: answer.wfile.write(b"SSH-2.0-OpenSSH_9.2\r\n"),
    ],
    ids=["airplay", "404", "web page", "redirect", "no http"],
)
def test_another_server_at_that_address_is_recognised(script: Script, on_ask: Callable[[Answer], None]) -> None:
    def answer(handler: Answer) -> None:
        on_ask(handler)
        handler.close_connection = True

    script.on_ask = answer
    done = ask("Why?", url=script.port)
    assert done.returncode == 3
    assert "is not Board Agent" in done.stderr


def test_a_stream_that_ends_early_is_no_answer(script: Script) -> None:
    script.on_ask = lambda answer: answer.stream(event(CALL))
    done = ask("Why?", url=script.port)
    assert done.returncode == 3
    assert "ended the connection before the answer" in done.stderr


def test_a_connection_cut_in_the_middle_is_no_answer(script: Script) -> None:
    def on_ask(answer: Answer) -> None:
        answer.stream(event(CALL), end=False)
        answer.wfile.write(b"ffff\r\ndata: {")
        answer.close_connection = True

    script.on_ask = on_ask
    done = ask("Why?", url=script.port)
    assert done.returncode == 3
    assert "ended the connection before the answer" in done.stderr


def test_a_server_that_falls_silent_is_given_up(script: Script) -> None:
    def on_ask(answer: Answer) -> None:
        answer.stream(event(CALL), end=False)
        answer.wait_for_hang_up()

    script.on_ask = on_ask
    done = ask_patiently(script.port, SILENCE_S=0.3)
    assert done.returncode == 3
    assert "does not answer" in done.stderr


def test_an_endless_event_is_given_up(script: Script) -> None:
    def on_ask(answer: Answer) -> None:
        answer.stream(b"data: " + b"x" * 5000, end=False)
        answer.wait_for_hang_up()

    script.on_ask = on_ask
    done = ask_patiently(script.port, MAX_EVENT=4000)
    assert done.returncode == 3
    assert "more than 4000 bytes" in done.stderr


# --- server-sent events ---


def test_events_may_be_cut_anywhere(script: Script) -> None:
    whole = event({**RESULT, "answer": "15.3 °C, d’accord 🙂"}).replace(b"\\u00b0", "°".encode())
    script.on_ask = lambda answer: answer.stream(*(whole[at : at + 1] for at in range(len(whole))))
    assert ask("Why?", url=script.port).stdout == "15.3 °C, d’accord 🙂\n(12.3s)\n"


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_line_ends_comments_and_split_data_are_understood(script: Script, end: str) -> None:
    lines = [
        ": keep-alive",
        "",
        "retry: 5",
        "data",
        "data: {",
        'data:"type":"result",',
        'data: "answer":"Yes"}',
        "",
        ": bye",
        "",
    ]
    text = end.join(lines).encode()
    script.on_ask = lambda answer: answer.stream(*(text[at : at + 3] for at in range(0, len(text), 3)))
    assert ask("Why?", url=script.port).stdout == "Yes\n"


def test_what_is_no_event_is_passed_over(script: Script) -> None:
    odd = b"data: no json\n\ndata: [1]\n\ndata: " + b"[" * 100_000 + b"\n\ndata: {}\n\ndata: \xff\xfe\n\n"
    script.on_ask = lambda answer: answer.stream(odd, event({"type": "news of tomorrow"}), event(RESULT))
    assert ask("Why?", url=script.port).returncode == 0


def test_a_huge_result_comes_through(script: Script) -> None:
    script.on_ask = lambda answer: answer.stream(event({**CALLED, "result": "x" * 1_000_000}), event(RESULT))
    assert len(ask("Why?", url=script.port).stdout.splitlines()[0]) > 1_000_000


# --- stopping and approving ---


def test_ctrl_c_ends_the_run_on_the_server_too(script: Script) -> None:
    def on_ask(answer: Answer) -> None:
        answer.stream(event(CALL), end=False)
        answer.wait_for_hang_up()

    script.on_ask = on_ask
    command = [sys.executable, str(ASK), "--url", f"127.0.0.1:{script.port}", "Why?"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment()) as process:
        assert process.stdout
        assert process.stderr
        process.stdout.readline()
        process.send_signal(signal.SIGINT)
        assert process.stderr.read().decode().strip() == "Stopped."
    assert process.returncode == 130
    assert script.wait_for("/stop") == {"run": "r1"}
    assert script.hung_up.wait(LIMIT_S)


def test_ctrl_c_before_the_run_has_a_name_hangs_up(script: Script) -> None:
    script.on_ask = lambda answer: answer.wait_for_hang_up()
    with subprocess.Popen(
        [sys.executable, str(ASK), "--url", f"127.0.0.1:{script.port}", "Why?"],
        stderr=subprocess.PIPE,
        env=environment(),
    ) as process:
        script.wait_for("/ask")
        process.send_signal(signal.SIGINT)
    assert process.returncode == 130
    assert script.hung_up.wait(LIMIT_S)
    assert [path for path, _, _ in script.requests] == ["/ask"]


def answer_after_approval(script: Script) -> Callable[[Answer], None]:
    def on_ask(answer: Answer) -> None:
        answer.stream(event(APPROVAL), end=False)
        approved = script.wait_for("/approve")["approve"]
        answer.stream(event({**RESULT, "answer": f"approved: {approved}"}))

    return on_ask


def test_without_a_terminal_the_answer_to_a_question_is_no(script: Script) -> None:
    script.on_ask = answer_after_approval(script)
    done = ask("Why?", url=script.port)
    assert script.wait_for("/approve") == {"run": "r1", "call": 1, "approve": False}
    assert done.stdout.startswith("approved: False\n")
    assert 'calculate(expression="2 < 3")' in done.stderr
    assert "the answer is no" in done.stderr


IN_TERMINAL = "import fcntl, runpy, sys, termios; fcntl.ioctl(0, termios.TIOCSCTTY, 0); sys.argv.pop(0); " + (
    "runpy.run_path(sys.argv[0], run_name='__main__')"
)


class Terminal:
    """`ask.py` in a terminal of its own."""

    def __init__(self, *words: str) -> None:
        self.shown = ""
        self._master, slave = pty.openpty()
        self.process = subprocess.Popen(
            [sys.executable, "-c", IN_TERMINAL, str(ASK), *words],
            stdin=slave,
            stdout=slave,
            stderr=slave,
            start_new_session=True,
            env=environment(),
        )
        os.close(slave)

    def wait_for(self, text: str) -> None:
        deadline = time.monotonic() + LIMIT_S
        while text not in self.shown:
            assert time.monotonic() < deadline, f"{text!r} never came: {self.shown!r}"
            if select.select([self._master], [], [], 0.1)[0]:
                self.shown += os.read(self._master, 65536).decode()

    def type(self, text: str) -> None:
        os.write(self._master, text.encode())

    def end(self) -> int:
        """Read to the end; the exit status."""
        while True:
            try:
                piece = os.read(self._master, 65536)
            except OSError:  # Linux reports the end of a terminal so
                break
            if not piece:
                break
            self.shown += piece.decode()
        os.close(self._master)
        return self.process.wait(LIMIT_S)

    def screen(self) -> list[str]:
        """The lines as they stand in the end."""
        return [line.split("\r")[-1] for line in self.shown.replace("\r\n", "\n").split("\n")]


@pytest.fixture
def terminal(script: Script) -> Iterator[Callable[..., Terminal]]:
    opened: list[Terminal] = []

    def open_terminal(*words: str) -> Terminal:
        opened.append(Terminal("--url", f"127.0.0.1:{script.port}", *words))
        return opened[-1]

    yield open_terminal
    for window in opened:
        window.process.kill()
        window.process.wait()


def test_a_terminal_shows_what_goes_on_and_keeps_nothing_of_it(
    script: Script, terminal: Callable[..., Terminal]
) -> None:
    more = threading.Event()
    steps: list[tuple[dict[str, Any], str]] = [
        (
            {"type": "run_queued", "run": "r1", "question": "?", "position": 3, "ahead_s": 40.0},
            "place 3, about 40 s to wait",
        ),
        ({"type": "waiting", "run": "r1", "reason": "The model is \x1b[31mloading."}, "The model is [31mloading."),
        (
            {"type": "prompt_progress", "run": "r1", "turn": 1, "total": 877, "processed": 23},
            "reading 23 of 877 tokens",
        ),
        ({"type": "text", "run": "r1", "turn": 1, "text": "There are"}, "There are"),
        ({"type": "text", "run": "r1", "turn": 1, "text": " 14.2 GB"}, "There are 14.2 GB"),
        ({"type": "text", "run": "r1", "turn": 1, "text": " of them" * 100}, "… "),
        (CALL, "calculate is running"),
    ]

    def on_ask(answer: Answer) -> None:
        for step, _ in steps:
            answer.stream(event(step), end=False)
            assert more.wait(LIMIT_S)
            more.clear()
        answer.stream(event(CALLED), event(RESULT))

    script.on_ask = on_ask
    window = terminal("Why?")
    for _, text in steps:
        window.wait_for(text)
        more.set()
    assert window.end() == 0
    assert "\x1b" not in window.shown
    assert [line.strip() for line in window.screen() if line.strip()] == [
        '[turn 1] tool call: calculate(expression="2 < 3")',
        '[turn 1] result: {"expression":"2 < 3","result":true}',
        "There are 14.2 GB free.",
        "(12.3s)",
    ]


@pytest.mark.parametrize(
    ("typed", "approve"), [("y\n", True), ("YES\n", True), ("\n", False), ("n\n", False), ("yo\n", False)]
)
def test_a_terminal_is_asked_for_a_yes(
    script: Script, terminal: Callable[..., Terminal], typed: str, approve: bool
) -> None:
    script.on_ask = answer_after_approval(script)
    window = terminal("Why?")
    window.wait_for('calculate(expression="2 < 3") needs a yes. Run it? [y/N] ')
    window.type(typed)
    assert window.end() == 0
    assert script.wait_for("/approve") == {"run": "r1", "call": 1, "approve": approve}
    assert f"approved: {approve}" in window.shown


def test_what_was_typed_before_the_question_approves_nothing(script: Script, terminal: Callable[..., Terminal]) -> None:
    typed = threading.Event()

    def on_ask(answer: Answer) -> None:
        answer.stream(event({"type": "run_started", "run": "r1"}), end=False)
        assert typed.wait(LIMIT_S)
        answer_after_approval(script)(answer)

    script.on_ask = on_ask
    window = terminal("Why?")
    window.wait_for("started")
    window.type("y\n")
    window.wait_for("y\r\n")
    typed.set()
    window.wait_for("[y/N] ")
    window.type("n\n")
    window.end()
    assert script.wait_for("/approve")["approve"] is False


def test_a_yes_given_elsewhere_closes_the_question(script: Script, terminal: Callable[..., Terminal]) -> None:
    elsewhere = threading.Event()

    def on_ask(answer: Answer) -> None:
        answer.stream(event(APPROVAL), end=False)
        assert elsewhere.wait(LIMIT_S)
        answered = {
            "type": "approval_answered",
            "run": "r1",
            "turn": 1,
            "call": 1,
            "approved": True,
            "reason": "Approved.",
        }
        answer.stream(event(answered), event(CALL), event(CALLED), event(RESULT))

    script.on_ask = on_ask
    window = terminal("Why?")
    window.wait_for("[y/N] ")
    elsewhere.set()
    assert window.end() == 0
    assert "[y/N] Approved." in window.shown
    assert [path for path, _, _ in script.requests] == ["/ask"]


def test_a_call_to_approve_hides_nothing(script: Script, terminal: Callable[..., Terminal]) -> None:
    hidden = {**APPROVAL, "tool": "write_file", "args": {"path": "a\u202etxt.exe\x9b8m"}}

    def on_ask(answer: Answer) -> None:
        answer.stream(event(hidden), end=False)
        script.wait_for("/approve")
        answer.stream(event(RESULT))

    script.on_ask = on_ask
    window = terminal("Why?")
    window.wait_for(r'write_file(path="a\u202etxt.exe\u009b8m") needs a yes.')
    window.type("n\n")
    assert window.end() == 0


def test_a_terminal_asks_line_by_line_until_the_end(script: Script, terminal: Callable[..., Terminal]) -> None:
    window = terminal()
    window.wait_for("> ")
    window.type("One?\n")
    window.wait_for("(12.3s)")
    window.shown = ""
    window.type("\nTwo?\n")
    window.wait_for("(12.3s)")
    # Typed while nobody asks for a line, a Ctrl-D is lost.
    window.shown = window.shown.partition("(12.3s)")[2]
    window.wait_for("> ")
    window.type("\x04")
    assert window.end() == 0
    assert [body["question"] for _, _, body in script.requests] == ["One?", "Two?"]


def test_ctrl_c_in_a_terminal_stops_the_run(script: Script, terminal: Callable[..., Terminal]) -> None:
    def on_ask(answer: Answer) -> None:
        answer.stream(event(CALL), end=False)
        answer.wait_for_hang_up()

    script.on_ask = on_ask
    window = terminal("Why?")
    window.wait_for("is running")
    window.type("\x03")
    assert window.end() == 130
    assert script.wait_for("/stop") == {"run": "r1"}


# --- conversations ---

KEPT = {"id": "abc123", "question": "Turn on\nthe \x1b[31mLED " + "x" * 90, "runs": 2, "started": 1.0, "used": 86400.0}


def body_of(script: Script) -> dict[str, Any]:
    return next(body for path, _, body in script.requests if path == "/ask")


def test_continue_goes_on_with_the_last_conversation(script: Script) -> None:
    script.listed = (200, json.dumps({"conversations": [KEPT, {**KEPT, "id": "older"}]}).encode())
    assert ask("-c", "And off again", url=script.port).returncode == 0
    assert body_of(script) == {"question": "And off again", "conversation": "abc123"}


def test_continue_begins_one_when_there_is_none(script: Script) -> None:
    ask("--continue", "Hello", url=script.port)
    assert body_of(script)["conversation"] == "new"


def test_resume_names_the_conversation(script: Script) -> None:
    ask("--resume", "abc123", "And now?", url=script.port)
    assert body_of(script)["conversation"] == "abc123"


def test_a_scripts_question_stands_alone_unless_it_says_otherwise(script: Script) -> None:
    ask("--json", "Why?", url=script.port)
    assert "conversation" not in body_of(script)


def test_lines_typed_one_after_another_are_one_conversation(script: Script) -> None:
    script.on_ask = lambda answer: answer.stream(event({**RESULT, "conversation": "c7"}))
    code = (
        "import sys; sys.argv[1:] = sys.argv[1:]; import ask, io; "
        f"server = ask.Server('127.0.0.1:{script.port}', None); sys.stdin = io.StringIO('one\\ntwo\\n'); "
        "ask.converse(server, False, ask.Conversation('new'))"
    )
    subprocess.run([sys.executable, "-c", code], cwd=ASK.parent, check=True, capture_output=True, timeout=LIMIT_S)
    assert [body.get("conversation") for path, _, body in script.requests if path == "/ask"] == ["new", "c7"]


def test_a_conversation_that_is_gone_is_wrong_usage(script: Script) -> None:
    script.on_ask = lambda answer: answer.plain(404, b'{"error": "there is no such conversation"}')
    done = ask("--resume", "gone", "Why?", url=script.port)
    assert (done.returncode, done.stderr) == (2, "there is no such conversation\n")


def test_an_answer_that_is_not_kept_says_so(script: Script) -> None:
    script.on_ask = lambda answer: answer.stream(event({**RESULT, "not_kept": "The disk\x1b is full."}))
    done = ask("Why?", url=script.port)
    assert done.returncode == 0
    assert done.stderr == "This answer will not be remembered. The disk is full.\n"


def test_list_prints_one_line_for_each_conversation(script: Script) -> None:
    script.listed = (200, json.dumps({"conversations": [KEPT]}).encode())
    done = ask("--list", url=script.port, TZ="UTC")
    assert done.returncode == 0
    assert done.stdout == "abc123  1970-01-02 00:00    2  Turn on the [31mLED " + "x" * 39 + "…\n"
    assert not any(path == "/ask" for path, _, _ in script.requests)


def test_list_says_when_there_is_nothing(script: Script) -> None:
    done = ask("--list", url=script.port)
    assert (done.stdout, done.stderr) == ("", "No conversation is kept yet.\n")


def test_delete_deletes_exactly_the_one_that_is_named(script: Script) -> None:
    script.listed = (200, b'{"deleted": "a/b"}')
    done = ask("--delete", "a/b", url=script.port)
    assert (done.returncode, done.stdout) == (0, "Deleted a/b.\n")
    assert script.requests[0][0] == "DELETE /conversations/a%2Fb"


def test_what_a_tool_did_to_a_file_is_printed(script: Script) -> None:
    changed = {"type": "file_changed", "run": "r1", "path": "a.txt", "diff": "--- a.txt\n+++ a.txt\n-old\n+new\x1b"}
    script.on_ask = lambda answer: answer.stream(event(changed), event(RESULT))
    assert ask("Why?", url=script.port).stdout.splitlines()[:4] == ["--- a.txt", "+++ a.txt", "-old", "+new"]


def test_a_number_that_stands_in_no_result_is_marked(script: Script) -> None:
    script.on_ask = lambda answer: answer.stream(event({**RESULT, "doubtful": ["35", "4\x1b2"]}))
    done = ask("Why?", url=script.port)
    assert done.returncode == 0
    assert done.stderr == "In no result: 35, 42. Small models garble numbers.\n"
