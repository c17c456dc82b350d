#!/usr/bin/env python3
"""Ask the board agent a question from a terminal and watch what it does. Needs nothing but Python.

What the server says reaches the terminal as plain text only: control characters are dropped.
"""

from __future__ import annotations

import argparse
import contextlib
import http.client
import json
import os
import queue
import re
import select
import socket
import sys
import threading
import time
import unicodedata
from collections.abc import Iterator
from io import TextIOWrapper
from pathlib import Path
from typing import Any, TextIO
from urllib.parse import quote, urlsplit

ANSWERED, NOT_ANSWERED, USAGE, UNREACHABLE, INTERRUPTED = 0, 1, 2, 3, 130
DEFAULT_URL = "http://127.0.0.1:7000"
CONNECT_S = 10.0
DOCTOR_S = 180.0  # the model may have to be asked, which takes long on a board
SILENCE_S = 60.0  # the server gives a sign of life every few seconds
MAX_EVENT = 4_000_000  # bytes; a long result has a few thousand

MORE_HELP = """\
Without a question on the command line it is read from standard input: in a terminal one per line until Ctrl-D,
from a pipe or a file the whole of it as one question. Ctrl-C ends the run on the board too.

Each command begins a conversation, which -c goes on with; with --json alone a question stands for itself.

exit status: 0 answered, 1 not answered, 2 wrong usage, 3 the app cannot be reached, 130 ended by Ctrl-C;
with --doctor 0 when all is well

environment: BOARD_AGENT_URL is the address when --url is not given, AGENT_TOKEN is sent along when it is set
"""

Json = dict[str, Any]


class AskError(Exception):
    """There is no answer to be had: what happened and what to do, and the exit status."""

    def __init__(self, message: str, status: int = UNREACHABLE) -> None:
        super().__init__(message)
        self.status = status


# Control characters could drive the terminal; marks of writing direction could make a call look like another one.
UNSAFE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")


def clean(text: object) -> str:
    """`text` with nothing in it but characters to be read, newlines and tabs."""
    return UNSAFE.sub("", str(text))


def one_line(text: object) -> str:
    """The same without newlines, for what must not look like a line of its own."""
    return clean(text).replace("\n", " ")


def as_call(event: Json) -> str:
    """`name(key="value")`; a character that is not to be seen is written as its escape."""
    args = event.get("args")
    pairs = args.items() if isinstance(args, dict) else {"args": args}.items()
    words = ", ".join(f"{key}={json.dumps(value, ensure_ascii=False)}" for key, value in pairs)
    return one_line(UNSAFE.sub(lambda found: f"\\u{ord(found[0]):04x}", f"{event.get('tool')}({words})"))


def say(text: str, stream: TextIO | None = None) -> None:
    """Print a line at once. When nobody reads it any more, the run still goes on to its end."""
    stream = stream or sys.stdout
    try:
        print(text, file=stream, flush=True)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


class StatusLine:
    """A line on the terminal that says what is going on, and vanishes. Elsewhere there is none."""

    def __init__(self) -> None:
        self._on = sys.stderr.isatty()
        self._start = time.monotonic()
        self._text = ""
        self._shown = 0

    def set(self, text: str) -> None:
        """Show `text`, and the seconds so far, until something else is set."""
        self._text = one_line(text)
        self.draw()

    def draw(self) -> None:
        """Show it again, as time goes by or after another line was printed."""
        if not self._on or not self._text:
            return
        columns = os.get_terminal_size(sys.stderr.fileno()).columns or 80
        clock = f"  {time.monotonic() - self._start:.0f} s"
        text = _end_of(self._text, columns - len(clock) - 1) + clock
        self.erase()
        print(text, end="", file=sys.stderr, flush=True)
        self._shown = _width(text)

    def erase(self) -> None:
        """Make room for a line that stays."""
        if self._shown:
            print("\r" + " " * self._shown + "\r", end="", file=sys.stderr, flush=True)
            self._shown = 0


def _width(text: str) -> int:
    """How many columns `text` takes on a terminal."""
    return sum(2 if unicodedata.east_asian_width(letter) in "WF" else 1 for letter in text)


def _end_of(text: str, columns: int) -> str:
    """As much of the end of `text` as fits: of the words being written the newest matter."""
    if _width(text) <= columns:
        return text
    text = text[-columns:]
    while text and _width(text) > columns - 2:
        text = text[1:]
    return "… " + text


class Server:
    """Where the app is, and how to talk to it: directly, never through a proxy."""

    def __init__(self, url: str, token: str | None) -> None:
        bare = "://" not in url
        try:
            parts = urlsplit(f"http://{url}" if bare else url)
            port = parts.port
        except ValueError as error:
            raise AskError(f"{one_line(url)} is no address: {error}.", USAGE) from error
        if parts.scheme not in ("http", "https") or not parts.hostname or parts.username or parts.query:
            raise AskError(
                f"{one_line(url)} is no address. Write for example uno-q.local or http://192.168.1.20:7000.", USAGE
            )
        if token and not (token.isascii() and token.isprintable()):
            raise AskError("AGENT_TOKEN holds characters that cannot be sent.", USAGE)
        self._connect = http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
        self._host = parts.hostname
        self._port = port or (7000 if bare else None)
        self._path = parts.path.rstrip("/")
        self._headers = {
            "Content-Type": "application/json",
            "Accept": "text/event-stream, application/json;q=0.9",
            **({"Authorization": f"Bearer {token}"} if token else {}),
        }
        host = f"[{self._host}]" if ":" in self._host else self._host
        self.name = one_line(f"{parts.scheme}://{host}{f':{self._port}' if self._port else ''}{self._path}")

    def post(self, path: str, body: Json, silence_s: float) -> tuple[socket.socket, http.client.HTTPResponse]:
        """Send JSON and wait for the head of the answer, at most `silence_s`. The socket is there to hang up."""
        return self._send("POST", path, json.dumps(body).encode(), silence_s)

    def get(self, path: str, silence_s: float) -> http.client.HTTPResponse:
        """Ask for something; otherwise as `post`."""
        return self._send("GET", path, None, silence_s)[1]

    def fetch(self, method: str, path: str) -> Json:
        """The JSON object that is the answer to a GET or a DELETE. Raises AskError for anything else."""
        _, response = self._send(method, path, None, SILENCE_S)
        if response.status != 200 or response.headers.get_content_type() != "application/json":
            raise self.refusal(response)
        try:
            return parse(response.read(MAX_EVENT))
        except (OSError, http.client.HTTPException) as error:
            raise AskError(self.why(error)) from error

    def _send(
        self, method: str, path: str, body: bytes | None, silence_s: float
    ) -> tuple[socket.socket, http.client.HTTPResponse]:
        try:
            connection = self._connect(self._host, self._port, timeout=CONNECT_S)
            connection.connect()
            sock: socket.socket = connection.sock
            sock.settimeout(silence_s)
            connection.request(method, self._path + path, body, self._headers)
            return sock, connection.getresponse()
        except (OSError, http.client.HTTPException, UnicodeError) as error:
            raise AskError(self.why(error)) from error

    def why(self, error: Exception) -> str:
        """What went wrong with the connection, and what to do."""
        if isinstance(error, ConnectionRefusedError):
            return (
                f"Nothing answers at {self.name}. Start the app (`make run` on a laptop, `arduino-app-cli app start .` "
                "on the board), or name the board with --url, for example --url uno-q.local."
            )
        if isinstance(error, (socket.gaierror, UnicodeError)):
            return (
                f"The name {self._host} is not known here. Check its spelling and that this computer is in the same "
                "network as the board, or give the board's IP address with --url."
            )
        if isinstance(error, TimeoutError):
            return (
                f"{self.name} does not answer. Check that the board is on, that it is in the same network and that "
                "the app runs on it, then ask again."
            )
        if isinstance(error, (ConnectionError, http.client.IncompleteRead)):
            return f"{self.name} ended the connection before the answer. Check that the app still runs, then ask again."
        if isinstance(error, http.client.HTTPException):
            return self.stranger("it does not speak HTTP")
        return f"{self.name} cannot be reached ({error}). Check the network, and the address with --url."

    def stranger(self, reason: str) -> str:
        """Something else than the app lives at that address."""
        return (
            f"What answers at {self.name} is not Board Agent: {reason}. Check the address and the port with --url. "
            "(On a Mac port 7000 may be AirPlay Receiver's: turn that off, or give the app another AGENT_PORT.)"
        )

    def refusal(self, response: http.client.HTTPResponse) -> AskError:
        """What an answer means that is no stream of events."""
        kind = response.headers.get_content_type()
        try:
            message = parse(response.read(MAX_EVENT)).get("error")
        except (OSError, http.client.HTTPException) as error:
            return AskError(self.why(error))
        if response.status == 200:
            return AskError(self.stranger(f"its answer is {one_line(kind)}"))
        if not isinstance(message, str):
            return AskError(self.stranger(f"it answers {response.status} {one_line(response.reason)}"))
        message = one_line(message)
        if response.status == 401:
            message += " Set AGENT_TOKEN to the app's token."
        wait = response.getheader("Retry-After") or ""
        if wait.isdigit():
            message += f" Try again in {int(wait)} s."
        return AskError(message, USAGE if response.status in (400, 404, 413, 415) else UNREACHABLE)


def parse(text: str | bytes) -> Json:
    """A JSON object, or an empty one for anything else."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


class EventReader:
    """Server-sent events out of pieces of bytes that may be cut anywhere."""

    def __init__(self) -> None:
        self._rest = b""
        self._data: list[bytes] = []
        self._size = 0

    def feed(self, piece: bytes) -> Iterator[Json]:
        """The events that this piece completes. Raises ValueError when one grows beyond all measure."""
        # A carriage return at the end of a piece may be half of a line end.
        *lines, self._rest = re.split(rb"\r\n|\n|\r(?!\Z)", self._rest + piece)
        for line in lines:
            if not line:
                event = parse(b"\n".join(self._data).decode("utf-8", "replace"))
                self._data, self._size = [], 0
                if event:
                    yield event
            elif line.startswith(b"data:"):
                self._data.append(line[5:])
                self._size += len(line)
        if len(self._rest) + self._size > MAX_EVENT:
            raise ValueError(f"it sent an event of more than {MAX_EVENT} bytes")


class Run:
    """One question, from asking it to its result."""

    def __init__(self, server: Server, quiet: bool) -> None:
        self._server = server
        self._quiet = quiet
        self._events: queue.Queue[Json | AskError] = queue.Queue()
        self._status = StatusLine()
        self._id: Any = None
        self._written = ""
        self._open_call: Json | None = None

    def ask(self, question: str, conversation: str | None) -> Json:
        """Ask, show what happens, return the result. Raises AskError; Ctrl-C ends the run on the server."""
        self._status.set("connecting")
        body = {"question": question} if conversation is None else {"question": question, "conversation": conversation}
        try:
            sock, response = self._server.post("/ask", body, SILENCE_S)
            try:
                if response.status != 200 or response.headers.get_content_type() != "text/event-stream":
                    raise self._server.refusal(response)
                threading.Thread(target=self._read, args=(response,), daemon=True).start()
                return self._follow()
            except KeyboardInterrupt:
                self._stop()
                raise
            finally:
                with contextlib.suppress(OSError):  # the server may have been first
                    sock.shutdown(socket.SHUT_RDWR)
        finally:
            self._status.erase()

    def _read(self, response: http.client.HTTPResponse) -> None:
        """In a thread of its own: hand on the events, then why there are no more."""
        reader = EventReader()
        try:
            while piece := response.read1(65536):
                for event in reader.feed(piece):
                    self._events.put(event)
            reason = self._server.why(ConnectionError())
        except ValueError as error:
            reason = self._server.stranger(str(error))
        except (OSError, http.client.HTTPException) as error:
            reason = self._server.why(error)
        self._events.put(AskError(reason))

    def _follow(self) -> Json:
        while True:
            if self._open_call and (line := typed_line()) is not None:
                self._answer(line.strip().lower() in ("y", "yes"))
            try:
                event = self._events.get(timeout=0.1 if self._open_call else 1.0)
            except queue.Empty:
                if not self._open_call:
                    self._status.draw()
                continue
            if isinstance(event, AskError):
                raise event
            self._id = event.get("run", self._id)
            if event.get("type") == "result":
                return event
            self._show(event)

    def _show(self, event: Json) -> None:
        kind, turn = event.get("type"), one_line(event.get("turn"))
        if kind == "approval_needed":
            self._ask_approval(event)
        elif kind == "approval_answered":
            if self._open_call:
                self._open_call = None
                say(one_line(event.get("reason", "")), sys.stderr)
        elif kind == "tool_started":
            self._line(f"[turn {turn}] tool call: {as_call(event)}")
            self._status.set(f"{event.get('tool')} is running")
        elif kind == "tool_ended":
            self._line(f"[turn {turn}] result: {one_line(event.get('result'))}")
            self._status.set("going on")
        elif kind == "file_changed":
            self._line(clean(event.get("diff")))
        elif kind == "text":
            self._written += str(event.get("text"))
            self._status.set(self._written)
        elif kind == "turn_started":
            self._written = ""
            self._status.set(f"turn {turn}")
        elif kind == "prompt_progress":
            self._status.set(f"reading {event.get('processed')} of {event.get('total')} tokens")
        elif kind == "run_queued":
            ahead = event.get("ahead_s")
            wait = f", about {ahead:.0f} s to wait" if isinstance(ahead, (int, float)) else ""
            self._status.set(f"in line: place {event.get('position')}{wait}")
        elif kind == "run_started":
            self._status.set("started")
        elif kind == "waiting":
            self._status.set(str(event.get("reason")))

    def _line(self, text: str) -> None:
        if not self._quiet:
            self._status.erase()
            say(text)

    def _ask_approval(self, event: Json) -> None:
        self._status.erase()
        self._open_call = event
        if not (sys.stdin.isatty() and sys.stderr.isatty()):
            say(f"{as_call(event)} needs a yes, and there is no terminal to ask for it: the answer is no.", sys.stderr)
            self._answer(False)
            return
        forget_typing()
        print(f"{as_call(event)} needs a yes. Run it? [y/N] ", end="", file=sys.stderr, flush=True)

    def _answer(self, approve: bool) -> None:
        call, self._open_call = self._open_call or {}, None
        answer = {"run": self._id, "call": call.get("call"), "approve": approve}
        try:
            _, response = self._server.post("/approve", answer, CONNECT_S)
            if response.status != 200:
                raise self._server.refusal(response)
        except AskError as error:
            say(str(error), sys.stderr)  # the run itself tells how it goes on

    def _stop(self) -> None:
        self._status.erase()
        if self._id is None:
            return
        # Hanging up, which follows, ends the run too.
        with contextlib.suppress(AskError):
            self._server.post("/stop", {"run": self._id}, CONNECT_S)


def typed_line() -> str | None:
    """The line that was typed at the terminal; None as long as there is none."""
    # Windows cannot tell whether there is one: there it waits.
    if os.name != "nt" and not select.select([sys.stdin], [], [], 0)[0]:
        return None
    return sys.stdin.readline()


def forget_typing() -> None:
    """Drop what was typed before a question was asked: it was no answer to it."""
    with contextlib.suppress(ImportError):
        import termios

        termios.tcflush(sys.stdin, termios.TCIFLUSH)


class Conversation:
    """What the questions of one command belong to: `id` is None for nothing, `new` until the app has named it."""

    def __init__(self, name: str | None) -> None:
        self.id = name


def ask(server: Server, question: str, as_json: bool, conversation: Conversation) -> int:
    """Ask one question and print its answer. Returns the exit status."""
    try:
        question = question.strip().encode("utf-8", "replace").decode()
        if not question:
            raise AskError('There is no question. Ask for example: ask.py "Light the LED"', USAGE)
        result = Run(server, quiet=as_json).ask(question, conversation.id)
    except AskError as error:
        say(str(error), sys.stderr)
        return error.status
    if isinstance(result.get("conversation"), str):
        conversation.id = result["conversation"]
    answered = result.get("stopped") == "answered"
    if as_json:
        say(json.dumps({key: value for key, value in result.items() if key != "type"}))
    else:
        answer, error_text, total_ms = (result.get(key) for key in ("answer", "error", "total_ms"))
        say(clean(answer))
        if isinstance(total_ms, (int, float)):
            say(f"({total_ms / 1000:.1f}s)")
        doubtful = result.get("doubtful")
        if isinstance(doubtful, list) and doubtful:
            say(f"In no result: {one_line(', '.join(map(str, doubtful)))}. Small models garble numbers.", sys.stderr)
        if isinstance(error_text, str) and error_text not in str(answer):
            say(clean(error_text), sys.stderr)
    if isinstance(result.get("not_kept"), str):
        say(f"This answer will not be remembered. {clean(result['not_kept'])}", sys.stderr)
    return ANSWERED if answered else NOT_ANSWERED


def look(server: Server) -> Iterator[Json]:
    """The links from here to the board's matrix, each with `name`, `state` (ok, broken, unknown) and what was seen."""
    try:
        response = server.get("/doctor", DOCTOR_S)
        reached = True
        answer = parse(response.read(MAX_EVENT)) if response.status == 200 else {}
        links = [link for link in answer.get("links") or [] if isinstance(link, dict)]
        if not any(link.get("name") == "app" for link in links):
            raise server.refusal(response)
    except (AskError, OSError, http.client.HTTPException) as error:
        cause = error.__cause__ or error
        reached = isinstance(cause, (AskError, ConnectionError, http.client.HTTPException))
        message = str(error) if isinstance(error, AskError) else server.why(error)
        links = [{"name": "app" if reached else "network", "state": "broken", "saw": message}]
    if reached:
        yield {"name": "network", "state": "ok", "saw": f"{server.name} is reached"}
    yield from links


def doctor(server: Server) -> int:
    """Check every link; say of the first broken one why it is, and what mends it. Returns the exit status."""
    broken: Json | None = None
    for link in look(server):
        name, state, saw = (one_line(link.get(key, "")) for key in ("name", "state", "saw"))
        say(f"{state:<9}{name:<14}{saw}")
        if state == "broken" and broken is None:
            broken = link
            for key in ("why", "do"):
                if link.get(key):
                    say(f"{'':<9}{key + ':':<5}{one_line(link[key])}")
    if broken is None:
        say("All is well.")
        return ANSWERED
    return UNREACHABLE if broken.get("name") in ("network", "app") else NOT_ANSWERED


def last_conversation(server: Server) -> str:
    """The one that was used last, from here or from a page; `new` when there is none."""
    entries = listed(server)
    return str(entries[0].get("id")) if entries else "new"


def listed(server: Server) -> list[Json]:
    """The conversations that the app keeps, the one used last first. Raises AskError."""
    entries = server.fetch("GET", "/conversations").get("conversations")
    return [entry for entry in entries if isinstance(entry, dict)] if isinstance(entries, list) else []


def list_conversations(server: Server, as_json: bool) -> int:
    """Print a line for each conversation: id, when it was used, how many questions, the first of them."""
    entries = listed(server)
    if as_json:
        say(json.dumps(entries))
        return ANSWERED
    if not entries:
        say("No conversation is kept yet.", sys.stderr)
    for entry in entries:
        used, runs = entry.get("used"), entry.get("runs")
        day = time.strftime("%Y-%m-%d %H:%M", time.localtime(used)) if isinstance(used, (int, float)) else "?"
        question = one_line(entry.get("question"))
        words = question if len(question) <= 60 else question[:59] + "…"
        say(f"{one_line(entry.get('id'))}  {day}  {one_line(runs):>3}  {words}")
    return ANSWERED


def delete_conversation(server: Server, name: str) -> int:
    """Delete a conversation for good."""
    server.fetch("DELETE", f"/conversations/{quote(name, safe='')}")
    say(f"Deleted {one_line(name)}.")
    return ANSWERED


def converse(server: Server, as_json: bool, conversation: Conversation) -> int:
    """Ask what is typed, line by line. Returns the exit status of the last question."""
    with contextlib.suppress(ImportError):
        import readline  # noqa: F401  gives input() its line editing
    status = ANSWERED
    while True:
        try:
            if not sys.stdout.isatty():
                print("> ", end="", file=sys.stderr, flush=True)
            question = input("> " if sys.stdout.isatty() else "")
        except EOFError:
            say("")
            return status
        if question.strip():
            status = ask(server, question, as_json, conversation)


def prepare_streams() -> None:
    """Make odd characters and closed streams no reason to fail."""
    sys.stdin = sys.stdin or Path(os.devnull).open(encoding="utf-8")  # noqa: SIM115
    sys.stdout = sys.stdout or Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115
    sys.stderr = sys.stderr or Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115
    for stream, errors in ((sys.stdin, "replace"), (sys.stdout, "backslashreplace"), (sys.stderr, "backslashreplace")):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors=errors)


def main() -> int:
    """Read the command line, ask, return the exit status."""
    parser = argparse.ArgumentParser(
        prog="ask.py",
        description="Ask the board agent a question and watch what it does.",
        epilog=MORE_HELP,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("question", nargs="*", help="what to ask")
    parser.add_argument("--url", help=f"where the app is: uno-q.local, HOST:PORT or a URL (default {DEFAULT_URL})")
    parser.add_argument("--json", action="store_true", help="print the whole answer as one line of JSON, nothing else")
    parser.add_argument("--doctor", action="store_true", help="check every link from here to the board's matrix")
    which = parser.add_mutually_exclusive_group()
    which.add_argument("-c", "--continue", action="store_true", dest="again", help="go on with the last conversation")
    which.add_argument("--resume", metavar="ID", help="go on with that conversation")
    which.add_argument(
        "--list", action="store_true", help="list the conversations, the last one first, and ask nothing"
    )
    which.add_argument("--delete", metavar="ID", help="delete that conversation, and ask nothing")
    options = parser.parse_args()
    prepare_streams()
    try:
        url = options.url or os.environ.get("BOARD_AGENT_URL") or DEFAULT_URL
        server = Server(url.strip(), os.environ.get("AGENT_TOKEN"))
        if options.doctor:
            return doctor(server)
        if options.list:
            return list_conversations(server, options.json)
        if options.delete is not None:
            return delete_conversation(server, options.delete)
        # What a script asks for its JSON stands alone, so that it does not push out what people want to go on with.
        begun = None if options.json else "new"
        conversation = Conversation(options.resume or (last_conversation(server) if options.again else begun))
        if options.question:
            return ask(server, " ".join(options.question), options.json, conversation)
        if sys.stdin.isatty():
            return converse(server, options.json, conversation)
        return ask(server, sys.stdin.read(), options.json, conversation)
    except AskError as error:
        say(str(error), sys.stderr)
        return error.status
    except KeyboardInterrupt:
        say("\nStopped.", sys.stderr)
        return INTERRUPTED


if __name__ == "__main__":
    sys.exit(main())
