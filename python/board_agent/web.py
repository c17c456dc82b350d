"""The app over HTTP: ask, watch, stop, approve, and how everything is. Routes only; what they do is done elsewhere.

Errors are JSON, never HTML. Every POST must be `application/json`, which a page of another site cannot send unasked.
"""

from __future__ import annotations

import json
import logging
import resource
import select
import socket
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from flask import Flask, Response, jsonify, render_template, request
from werkzeug.exceptions import HTTPException

from board_agent import __version__
from board_agent.access import Access, Refused
from board_agent.conversations import Conversations
from board_agent.doctor import Doctor
from board_agent.errors import ToolError
from board_agent.feed import Feed
from board_agent.model import Model
from board_agent.openapi import DOCUMENT
from board_agent.plain import clean
from board_agent.runs import TOKEN_COUNTERS, LineFull, NotOpen, Run, Runs
from board_agent.toolbox import Toolbox
from board_agent.tools.workspace import Workspace
from board_agent.watch import ModelWatch

log = logging.getLogger(__name__)

MAX_QUESTION_CHARS = 2000
"""Some 500 tokens: more leaves a context of 4096 no room for tools, results and an answer."""
MAX_BODY_BYTES = 65_536
KEEP_ALIVE_S = 5.0
RETRY_DOWN_S = 10
COOKIE = "board_agent"
OPEN = ("static", "page", "login", "healthz", "openapi")
"""What is served without a token: the empty page, which asks for it, whether the app is well, and how to use it."""

NO_CONVERSATION = (
    "there is no such conversation (it was deleted, or had to make room for newer ones); "
    'GET /conversations lists those there are, and {"conversation": "new"} begins one.'
)

SECURITY_HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
        "form-action 'none'; base-uri 'none'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
}


class BadRequest(Exception):
    """What the client sent cannot be used; `status` and the message are the answer."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


@dataclass(frozen=True)
class House:
    """What the routes need."""

    runs: Runs
    feed: Feed
    model: Model
    model_watch: ModelWatch
    toolbox: Toolbox
    safe_state: Callable[[], None]
    conversations: Conversations
    workspace: Workspace
    doctor: Doctor
    access: Access = field(default_factory=Access)


def create_app(house: House) -> Flask:
    """The Flask app; building it starts nothing."""
    app = Flask(__name__)
    app.config["MAX_CONTENT_LENGTH"] = MAX_BODY_BYTES
    app.json.sort_keys = False  # type: ignore[attr-defined]
    started = time.monotonic()

    @app.before_request
    def admit() -> None:
        house.access.check_site(request.method, dict(request.headers))
        if request.endpoint is not None and request.endpoint not in OPEN:
            authorization, cookie = request.headers.get("Authorization", ""), request.cookies.get(COOKIE, "")
            house.access.check_token(request.method, authorization, cookie, request.remote_addr or "")

    @app.errorhandler(Refused)
    def refused(error: Refused) -> tuple[Response, int, dict[str, str]]:
        headers = {"WWW-Authenticate": "Bearer"} if error.status == 401 else {}
        if error.retry_after is not None:
            headers["Retry-After"] = str(error.retry_after)
        return jsonify(error=str(error)), error.status, headers

    @app.after_request
    def secure(response: Response) -> Response:
        for name, value in SECURITY_HEADERS.items():
            response.headers.setdefault(name, value)
        if request.endpoint != "static":  # those are asked for again by their etag, which spares a board eleven files
            response.headers.setdefault("Cache-Control", "no-store")
        return response

    @app.errorhandler(BadRequest)
    def bad_request(error: BadRequest) -> tuple[Response, int]:
        return jsonify(error=str(error)), error.status

    @app.errorhandler(HTTPException)
    def http_error(error: HTTPException) -> tuple[Response, int]:
        return jsonify(error=_http_words(error)), error.code or 500

    @app.errorhandler(Exception)
    def mistake(error: Exception) -> tuple[Response, int]:
        log.exception("%s %s", request.method, request.path, exc_info=error)
        return jsonify(error="the app made a mistake; its log says more (arduino-app-cli app logs .)."), 500

    @app.get("/")
    def page() -> str:
        return render_template("index.html")

    @app.post("/login")
    def login() -> Response:
        token = _text(_body(), "token", 1000)
        if token is None:
            raise BadRequest(400, 'the body needs a "token".')
        response = jsonify(ok=True)
        if cookie := house.access.login(token, request.remote_addr or ""):
            response.set_cookie(COOKIE, cookie, httponly=True, samesite="Strict")
        return response

    @app.post("/ask")
    def ask() -> Response | tuple[Response, int] | tuple[Response, int, dict[str, str]]:
        body = _body()
        question = _question(body)
        conversation = _conversation(house.conversations, _text(body, "conversation", 64))
        client = _text(body, "client", 64)
        detach = _flag(body, "detach")
        down = house.model_watch.error
        if down is not None and down.kind != "loading":
            return _unavailable(str(down), RETRY_DOWN_S)
        after = house.feed.last
        try:
            run = house.runs.submit(question, conversation=conversation, client=(client or "") if detach else "")
        except LineFull as full:
            return _unavailable(str(full), full.retry_after)
        if detach:
            of = {"conversation": conversation} if conversation else {}
            return jsonify(run=run.id, position=run.position, **of), 202
        if _wants_events():
            return _event_stream(_run_events(house, run, after))
        return _wait_for(house, run, request.environ.get("werkzeug.socket"))

    @app.get("/events")
    def events() -> Response:
        after = _last_event_id()
        client = request.args.get("client", "")[:64]
        return _event_stream(_all_events(house, after, client))

    @app.post("/stop")
    def stop() -> Response:
        body = _body(optional=True)
        run = _text(body, "run", 64)
        stopped = house.runs.stop(run)
        if not stopped and run is None:
            # Nothing ran: the board is made safe all the same, since that is what somebody who presses Stop wants.
            threading.Thread(target=house.safe_state, name="safe-state", daemon=True).start()
        return jsonify(stopped=stopped)

    @app.post("/approve")
    def approve() -> Response | tuple[Response, int]:
        body = _body()
        run, call = _text(body, "run", 64), body.get("call")
        if run is None or not isinstance(call, int) or isinstance(call, bool):
            raise BadRequest(400, '"run" must be a run\'s id and "call" the number of its call.')
        if not isinstance(body.get("approve"), bool):
            raise BadRequest(400, '"approve" must be true or false.')
        try:
            house.runs.approve(run, call, body["approve"])
        except NotOpen as error:
            return jsonify(error=str(error)), 409
        return jsonify(ok=True)

    @app.get("/conversations")
    def conversations() -> Response:
        return jsonify(conversations=house.conversations.all())

    @app.get("/conversations/<name>")
    def conversation(name: str) -> Response:
        found = house.conversations.get(name)
        if found is None:
            raise BadRequest(404, NO_CONVERSATION)
        return jsonify(found)

    @app.delete("/conversations/<name>")
    def delete_conversation(name: str) -> Response | tuple[Response, int, dict[str, str]]:
        if not house.conversations.known(name):
            raise BadRequest(404, NO_CONVERSATION)
        if not house.conversations.delete(name):
            return _unavailable(house.conversations.error or NO_CONVERSATION, RETRY_DOWN_S)
        return jsonify(deleted=name)

    @app.get("/workspace")
    def workspace() -> Response:
        try:
            return jsonify(house.workspace.overview())
        except ToolError as error:
            raise BadRequest(404, str(error)) from None

    @app.get("/workspace/file")
    def workspace_file() -> Response:
        try:
            return jsonify(house.workspace.shown(request.args.get("path", "")))
        except ToolError as error:
            raise BadRequest(404, str(error)) from None

    @app.get("/healthz")
    def healthz() -> tuple[Response, int]:
        board = house.feed.state("board") or {"ok": False, "error": "the board has not been asked yet."}
        about_board = "ok" if board["ok"] else board["error"]
        state = house.model_watch.to_json()
        if not state["ok"]:
            return jsonify(flask="ok", llm_error=state["error"], board=about_board), 503
        llm = {key: state[key] for key in ("model", "server", "context", "profile", "prefix")}
        return jsonify(flask="ok", llm=llm, board=about_board), 200

    @app.get("/openapi.json")
    def openapi() -> Response:
        return jsonify(DOCUMENT)

    @app.get("/doctor")
    def doctor() -> Response:
        app = {"name": "app", "state": "ok", "saw": f"Board Agent {__version__} answers", "why": "", "do": ""}
        return jsonify(links=[app, *house.doctor.look()])

    @app.get("/status")
    def status() -> Response:
        board = house.feed.state("board") or {"type": "board", "ok": False, "error": "not asked yet"}
        model = house.model_watch.to_json()
        counters = {
            name: house.runs.counters[name]
            for name in ("runs", "answered", "tool_calls", "tool_failed", "tool_denied", *TOKEN_COUNTERS)
        }
        return jsonify(
            version=__version__,
            model=model,
            server_url=house.model.address,
            context={"used": house.runs.context_used, "size": model["context"]} if model.get("context") else None,
            policy=house.toolbox.policy,
            tools=_tools(house.toolbox, board),
            counters=counters,
            memory_mb=_memory_mb(),
            conversations={k: v for k, v in house.conversations.to_json().items() if k != "type"},
            uptime_s=round(time.monotonic() - started, 1),
            queue=house.runs.line(),
            board=board,
        )

    return app


def _body(*, optional: bool = False) -> dict[str, Any]:
    """The request's JSON object."""
    if optional and not request.get_data(cache=True):
        return {}
    if request.mimetype != "application/json":
        raise BadRequest(415, "send JSON with the header Content-Type: application/json.")
    try:
        value = json.loads(request.get_data(cache=True).decode("utf-8"))
    except (ValueError, RecursionError):
        raise BadRequest(400, "the body is not valid JSON.") from None
    if not isinstance(value, dict):
        raise BadRequest(400, 'the body must be a JSON object such as {"question": "..."}.')
    return value


def _question(body: dict[str, Any]) -> str:
    question = body.get("question")
    if isinstance(question, str) and len(question) > MAX_QUESTION_CHARS:
        raise BadRequest(413, f"the question is longer than {MAX_QUESTION_CHARS} characters; shorten it.")
    question = clean(question).strip() if isinstance(question, str) else ""
    if not question:
        raise BadRequest(400, 'the body needs a "question": a text that is not empty.')
    return question


def _conversation(conversations: Conversations, name: str | None) -> str | None:
    """The conversation that a question belongs to; `new` begins one, None leaves the question alone."""
    if name == "new":
        return conversations.new()
    if name is not None and not conversations.known(name):
        raise BadRequest(404, NO_CONVERSATION)
    return name


def _text(body: dict[str, Any], key: str, longest: int) -> str | None:
    value = body.get(key)
    if value is not None and not (isinstance(value, str) and 0 < len(value) <= longest):
        raise BadRequest(400, f'"{key}" must be a text of 1 to {longest} characters.')
    return value


def _flag(body: dict[str, Any], key: str) -> bool:
    value = body.get(key, False)
    if not isinstance(value, bool):
        raise BadRequest(400, f'"{key}" must be true or false.')
    return value


def _wants_events() -> bool:
    accept = request.accept_mimetypes
    return "text/event-stream" in accept.values() and accept["text/event-stream"] >= accept["application/json"]


def _last_event_id() -> int:
    text = request.headers.get("Last-Event-ID", "")
    return int(text) if text.isascii() and text.isdigit() and len(text) < 20 else -1


def _unavailable(message: str, retry_after: int) -> tuple[Response, int, dict[str, str]]:
    return jsonify(error=message), 503, {"Retry-After": str(retry_after)}


def _event_stream(lines: Iterator[str]) -> Response:
    headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no", "Connection": "close"}
    return Response(lines, mimetype="text/event-stream", headers=headers)


def _sse(seq: int, kind: str, data: str) -> str:
    return f"id: {seq}\nevent: {kind}\ndata: {data}\n\n"


def _run_events(house: House, run: Run, after: int) -> Iterator[str]:
    """One run's events for the one who asked, and the line while it waits in it; a client that leaves ends the run."""
    try:
        done = False
        while not done:
            entries = house.feed.read(after, KEEP_ALIVE_S)
            if not entries:
                yield ": keep-alive\n\n"
            for entry in entries:
                after = entry.seq
                if entry.run == run.id or entry.type == "queue":
                    yield _sse(entry.seq, entry.type, entry.data)
                done = done or (entry.run == run.id and entry.type == "run_ended")
            done = done or (not entries and run.ended.is_set())
        run.ended.wait()
        yield _sse(after, "result", json.dumps({"type": "result", **run.result}))
    finally:
        if not run.ended.is_set():
            house.runs.stop(run.id)


def _wait_for(house: House, run: Run, client: socket.socket | None) -> Response | tuple[Response, int, dict[str, str]]:
    """The plain JSON answer; a client that leaves ends the run."""
    while not run.ended.wait(0.25):
        if client is not None and _has_left(client):
            house.runs.stop(run.id)
            run.ended.wait(5)
            break
    if run.result.get("stopped") == "error" and not run.result["trace"] and house.model_watch.error is not None:
        return _unavailable(run.result["error"], RETRY_DOWN_S)
    return jsonify(run.result)


def _has_left(client: socket.socket) -> bool:
    """Whether the other side has closed its connection."""
    try:
        readable, _, _ = select.select([client], [], [], 0)
        return bool(readable) and not client.recv(1, socket.MSG_PEEK)
    except (OSError, ValueError):
        return True


def _all_events(house: House, after: int, client: str) -> Iterator[str]:
    """Everything that is kept and everything that comes."""
    resumed = house.feed.can_resume(after)
    after = after if resumed else -1
    house.runs.watching(client, 1)
    try:
        hello = {"type": "hello", "resumed": resumed, "at": round(time.time(), 3)}
        yield f"retry: 1000\nevent: hello\ndata: {json.dumps(hello)}\n\n"
        while True:
            entries = house.feed.read(after, KEEP_ALIVE_S)
            if not entries:
                yield ": keep-alive\n\n"
                continue
            after = entries[-1].seq
            yield "".join(_sse(entry.seq, entry.type, entry.data) for entry in entries)
    finally:
        house.runs.watching(client, -1)


def _tools(toolbox: Toolbox, board: dict[str, Any]) -> list[dict[str, Any]]:
    """The tools, what policy says of each, and why one cannot work now."""
    rows = []
    for tool in toolbox.tools.values():
        reason = None if tool.risk != "act" or board["ok"] else board["error"]
        rows.append(
            {
                "name": tool.name,
                "description": tool.description,
                "risk": tool.risk,
                "decision": toolbox.decision(tool.name),
                "available": reason is None,
                "reason": reason,
            }
        )
    return rows


def _memory_mb() -> float:
    """The most memory that this process has had resident, in MB (Linux counts in kB, macOS in bytes)."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return round(peak / (1_000_000 if sys.platform == "darwin" else 1_000), 1)


def _http_words(error: HTTPException) -> str:
    """What a status means, for someone who did not read the documentation."""
    return {
        404: f"there is nothing at {request.path}; the page is at /, questions go to POST /ask.",
        405: f"{request.path} does not take {request.method}.",
        413: f"the body is larger than {MAX_BODY_BYTES} bytes.",
    }.get(error.code or 500, error.description or error.name)
