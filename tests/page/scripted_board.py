"""A server for the page's tests: the real template, script and style; what happens on the board is what a test says.

`push` sends an event to every open page. Runs are told with `Run`, which numbers and times the events as the app does.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from flask import Flask, Response, jsonify, render_template, request
from werkzeug.serving import make_server

APP = Path(__file__).parents[2] / "python" / "board_agent"
CSP = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "form-action 'none'; base-uri 'none'; frame-ancestors 'none'"
)
OFF = [0] * 104
CHECK = [0] * 104
for _row, _column in [(5, 2), (6, 3), (7, 4), (6, 5), (5, 6), (4, 7), (3, 8), (2, 9), (1, 10)]:
    CHECK[_row * 13 + _column] = 7
MODEL_READY = {
    "ok": True,
    "model": "board-agent-135m",
    "server": "llama-server b11434",
    "context": 4096,
    "prefix": {"state": "ready", "read": 850, "total": 850, "ms": 100, "text": "ready"},
}
STATUS = {
    "server_url": "http://127.0.0.1:8081/v1",
    "context": {"used": 412, "size": 4096},
    "policy": {"read": "allow", "act": "allow", "change": "ask", "disruptive": "deny"},
    "tools": [
        {
            "name": name,
            "risk": risk,
            "decision": "allow",
            "description": "",
            "available": reason is None,
            "reason": reason,
        }
        for name, risk, reason in [
            ("get_system_info", "read", None),
            ("calculate", "read", None),
            ("set_builtin_led", "act", None),
            ("set_led_matrix", "act", "no answer from the sketch"),
        ]
    ],
    "counters": {
        "runs": 12,
        "answered": 11,
        "tool_calls": 31,
        "tool_failed": 2,
        "tool_denied": 1,
        "tokens_read": 1402,
        "tokens_reused": 20311,
        "tokens_written": 655,
    },
    "conversations": {"ok": True, "count": 3, "error": None},
    "memory_mb": 61.4,
    "uptime_s": 3725.0,
    "version": "0.1.0",
}


class ScriptedBoard:
    """The server. `posts` lists what pages sent: (path, JSON). `refusal` is what /ask answers instead of 202."""

    def __init__(self) -> None:
        self.changed = threading.Condition()
        self.web = make_server("127.0.0.1", 0, self.make_app(), threaded=True)
        self.url = f"http://127.0.0.1:{self.web.server_port}"
        self.seq = 0
        self.reset()
        threading.Thread(target=self.web.serve_forever, daemon=True).start()

    def reset(self) -> None:
        """Forget everything, as a restarted server does; open pages are disconnected and start anew."""
        with self.changed:
            self.events: list[tuple[int, dict[str, Any]]] = []
            self.now: dict[str, dict[str, Any]] = {
                "queue": {"running": None, "waiting": []},
                "board": {"ok": True, "led": False, "matrix": OFF, "pattern": "off"},
                "model": MODEL_READY,
            }
            self.posts: list[tuple[str, Any]] = []
            self.refusal: tuple[int, str] | None = None
            self.asked_as = "r1"
            self.files = [("log.txt", "09:00 21.4\n"), ("data/<b>.txt", "<b>bold</b>")]
            self.hellos: list[bool] = []
            self.status_reads = 0
            self.away = False
            self.drop()

    def drop(self) -> None:
        """Break every open stream."""
        with self.changed:
            self.generation = getattr(self, "generation", 0) + 1
            self.changed.notify_all()

    def push(self, event_type: str, **fields: Any) -> None:
        with self.changed:
            self.seq += 1
            event = {"type": event_type, "seq": self.seq, **fields}
            if event_type in self.now:
                self.now[event_type] = fields
            self.events.append((self.seq, event))
            self.changed.notify_all()

    def close(self) -> None:
        self.drop()
        self.web.shutdown()

    def stream(self, last_seen: int | None) -> Iterator[str]:
        with self.changed:
            generation = self.generation
            resumed = last_seen is not None and any(seq == last_seen for seq, _ in self.events)
            self.hellos.append(resumed)
            seen = last_seen if resumed and last_seen is not None else 0
            first = [{"type": "hello", "resumed": resumed}]
            first += [{"type": event_type, **fields} for event_type, fields in self.now.items()]
        yield "retry: 100\n\n"
        for event in first:
            yield sse(event)
        while True:
            with self.changed:
                self.changed.wait_for(
                    lambda: self.generation != generation or any(seq > seen for seq, _ in self.events),  # noqa: B023
                    timeout=5,
                )
                if self.generation != generation:
                    return
                fresh = [(seq, event) for seq, event in self.events if seq > seen]
            for seq, event in fresh:
                if event["type"] not in self.now or seq > (last_seen or 0):
                    yield sse(event, seq)
                seen = seq
            if not fresh:
                yield ": keep-alive\n\n"

    def make_app(self) -> Flask:
        app = Flask("page", template_folder=str(APP / "templates"), static_folder=str(APP / "static"))

        @app.after_request
        def secure(response: Response) -> Response:
            response.headers["Content-Security-Policy"] = CSP
            return response

        @app.get("/")
        def page() -> str:
            return render_template("index.html")

        @app.get("/events")
        def events() -> Response | tuple[str, int]:
            if self.away:
                return "", 503
            last = request.headers.get("Last-Event-ID", "")
            return Response(self.stream(int(last) if last.isdigit() else None), mimetype="text/event-stream")

        @app.get("/status")
        def status() -> Response:
            self.status_reads += 1
            return jsonify(
                {**STATUS, "model": self.now["model"], "queue": self.now["queue"], "board": self.now["board"]}
            )

        @app.post("/ask")
        def ask() -> Response | tuple[Response, int]:
            self.posts.append(("/ask", request.json))
            if self.refusal:
                return jsonify({"error": self.refusal[1]}), self.refusal[0]
            if request.json.get("conversation") == "forgotten":
                return jsonify({"error": "there is no such conversation"}), 404
            return jsonify({"run": self.asked_as, "position": 1, "conversation": "c1"}), 202

        @app.get("/workspace")
        def workspace() -> Response:
            files = [{"path": path, "size_bytes": len(text), "modified": "2026-03-14"} for path, text in self.files]
            return jsonify({"count": len(files), "files": files})

        @app.get("/workspace/file")
        def workspace_file() -> Response:
            text = dict(self.files)[request.args["path"]]
            return jsonify({"path": request.args["path"], "text": text, "truncated": False})

        @app.post("/stop")
        def stop() -> Response:
            self.posts.append(("/stop", request.json))
            return jsonify({"stopped": [request.json.get("run")]})

        @app.post("/approve")
        def approve() -> Response | tuple[Response, int]:
            self.posts.append(("/approve", request.json))
            if request.json["run"] == "late":
                return jsonify({"error": "this question is answered already"}), 409
            return jsonify({"ok": True})

        return app


def sse(event: dict[str, Any], seq: int | None = None) -> str:
    head = "" if seq is None else f"id: {seq}\n"
    return f"{head}event: {event['type']}\ndata: {json.dumps(event)}\n\n"


class Run:
    """Tells one run: each method is one thing that happens to it."""

    def __init__(self, board: ScriptedBoard, question: str, run: str = "r1") -> None:
        self.board, self.question, self.run = board, question, run
        self.turns = 0
        self.calls = 0

    def push(self, event_type: str, **fields: Any) -> None:
        self.board.push(event_type, run=self.run, **{"at": time.time(), **fields})

    def start(self) -> Run:
        self.push("run_queued", question=self.question, position=1, ahead_s=None)
        self.push("run_started", question=self.question)
        return self

    def turn(self, final: bool = False) -> None:
        self.turns += 1
        self.push("turn_started", turn=self.turns, final=final)

    def read(self, processed: int, total: int = 877, cached: int = 27, ms: float = 2000) -> None:
        self.push("prompt_progress", turn=self.turns, total=total, cached=cached, processed=processed, ms=ms)

    def write(self, text: str) -> None:
        self.push("text", turn=self.turns, text=text)

    def end_turn(self, text: str = "") -> None:
        self.push(
            "turn_ended",
            turn=self.turns,
            text=text,
            tokens_read=23,
            tokens_reused=854,
            tokens_written=17,
            read_ms=800.0,
            write_ms=1100.0,
            llm_ms=1900,
        )

    def call(self, tool: str, args: dict[str, Any], risk: str = "read") -> None:
        self.calls += 1
        self.doing = {"turn": self.turns, "call": self.calls, "tool": tool, "args": args}
        self.risk = risk
        self.push("tool_started", **self.doing, risk=risk)

    def need_yes(self, timeout_s: float = 30) -> None:
        self.push("approval_needed", **self.doing, risk=self.risk, timeout_s=timeout_s)

    def got(self, result: str, state: str = "done", repairs: list[str] | None = None, tool_ms: int = 12) -> None:
        ended = {"result": result, "state": state, "tool_ms": tool_ms, "llm_ms": 1900, "repairs": repairs or []}
        self.push("tool_ended", **self.doing, **ended)

    def step(self, tool: str, args: dict[str, Any], result: str, state: str = "done", risk: str = "read") -> None:
        """A whole turn with one call."""
        self.turn()
        self.end_turn()
        self.call(tool, args, risk)
        self.got(result, state)

    def end(
        self,
        answer: str,
        stopped: str = "answered",
        error: str | None = None,
        doubtful: list[str] | None = None,
        history: dict[str, int] | None = None,
    ) -> None:
        self.push(
            "run_ended",
            answer=answer,
            stopped=stopped,
            error=error,
            total_ms=9800,
            turns=self.turns,
            tokens_read=112,
            tokens_reused=790,
            tokens_written=61,
            doubtful=doubtful or [],
            history=history,
        )
