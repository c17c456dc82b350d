"""Stands between a loop and llama-server: counts what the model reads and writes, and can make it say what it is told.

A model with random weights says nothing that a loop could act on. With a script it says exactly what it would have to:
the reply is forced upon it by a grammar, token by token, so that what the model has in its cache afterwards is what it
would have had if it had thought of it. The requests are the loops' own, and so is everything else.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any

import httpx

TIMEOUT_S = 300.0
PREFERENCE = 100
"""Added to the logit of a token of the scripted reply, and as much again for each character of it: the longest that
fits comes first, so that the reply is cut into tokens as a model cuts it."""


@dataclass(frozen=True)
class Call:
    """A tool call that the model is to write, as Qwen3.5's template teaches it."""

    name: str
    arguments: dict[str, Any] = field(default_factory=dict)

    @property
    def text(self) -> str:
        """The call in the model's own syntax; llama-server lets it write `true`, not `True`."""
        values = {k: v if isinstance(v, str) else json.dumps(v) for k, v in self.arguments.items()}
        given = "".join(f"<parameter={key}>\n{value}\n</parameter>\n" for key, value in values.items())
        return f"<tool_call>\n<function={self.name}>\n{given}</function>\n</tool_call>"


@dataclass(frozen=True)
class Cost:
    """What some requests cost, as llama-server's `timings` have it: tokens, and seconds of reading and writing."""

    requests: int = 0
    read: int = 0
    reused: int = 0
    written: int = 0
    seconds: float = 0.0

    def __add__(self, other: Cost) -> Cost:
        """Both together."""
        return Cost(
            self.requests + other.requests,
            self.read + other.read,
            self.reused + other.reused,
            self.written + other.written,
            self.seconds + other.seconds,
        )


class ScriptError(Exception):
    """The model did not write what the script says, or the server refused; the figures would be worth nothing."""


class Meter:
    """A server at `url` that passes everything on to the llama-server at `upstream`.

    `costs` has one entry for each request that had the model read, `requests` the bodies of the chat requests.
    """

    def __init__(self, upstream: str) -> None:
        self.costs: list[Cost] = []
        self.requests: list[dict[str, Any]] = []
        self.script: list[Call | str] = []
        self._error: ScriptError | None = None
        # No connection is kept: llama-server closes idle ones, and a request just then would be lost.
        self._server = httpx.Client(
            base_url=upstream, timeout=TIMEOUT_S, limits=httpx.Limits(max_keepalive_connections=0)
        )
        meter = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                answer = meter._server.get(self.path)
                self._answer(answer.status_code, answer.headers["Content-Type"], answer.content)

            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                if not self.path.endswith("/chat/completions"):
                    answer = meter._post(self.path, body)
                    self._answer(answer.status_code, answer.headers["Content-Type"], answer.content)
                    return
                try:
                    reply = meter._chat(self.path, body)
                except ScriptError as error:
                    meter._error = error
                    self._answer(400, "application/json", json.dumps({"error": {"message": str(error)}}).encode())
                    return
                if body.get("stream"):
                    text = "".join(f"data: {json.dumps(chunk)}\n\n" for chunk in _chunks(reply)) + "data: [DONE]\n\n"
                    self._answer(200, "text/event-stream", text.encode())
                else:
                    self._answer(200, "application/json", json.dumps(reply).encode())

            def _answer(self, status: int, kind: str, content: bytes) -> None:
                self.send_response(status)
                self.send_header("Content-Type", kind)
                self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)

            def log_message(self, format: str, *args: Any) -> None:
                """Nothing: the figures are the output."""

        self._proxy = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._proxy.server_port}"
        self.base_url = f"{self.url}/v1"

    def __enter__(self) -> Meter:
        threading.Thread(target=self._proxy.serve_forever, args=(0.05,), daemon=True).start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._proxy.shutdown()
        self._proxy.server_close()
        self._server.close()

    def take(self) -> Cost:
        """What the requests since the last call cost together.

        Raises:
            ScriptError: one of them went wrong, or some of the script was not asked for.
        """
        if self._error:
            raise self._error
        if self.script:
            raise ScriptError(f"the loop never asked for {self.script}")
        cost = sum(self.costs, Cost())
        self.costs.clear()
        return cost

    def _post(self, path: str, body: dict[str, Any]) -> httpx.Response:
        answer = self._server.post(path, json=body)
        for line in answer.text.splitlines():
            if '"prompt_n"' in line:
                timings = json.loads(line.removeprefix("data: "))["timings"]
                read, reused, written = (int(timings[key]) for key in ("prompt_n", "cache_n", "predicted_n"))
                seconds = (timings["prompt_ms"] + timings["predicted_ms"]) / 1000
                self.costs.append(Cost(1, read, reused, written, seconds))
        return answer

    def _chat(self, path: str, body: dict[str, Any]) -> dict[str, Any]:
        """The whole reply to a chat request, scripted if there is a script."""
        self.requests.append(body)
        asked = {key: value for key, value in body.items() if key not in ("stream", "stream_options")}
        scripted = self.script.pop(0) if self.script else None
        text, tokens = "", []
        if scripted is not None:
            text = scripted.text if isinstance(scripted, Call) else scripted
            question = {"content": text, "parse_special": True, "with_pieces": True}
            tokens = self._server.post("/tokenize", json=question).json()["tokens"]
            asked |= {"grammar": f"root ::= {json.dumps(text)}", "temperature": 0}
            asked["logit_bias"] = {str(t["id"]): PREFERENCE * (1 + len(t["piece"])) for t in tokens}
            if "tools" in asked:
                asked["tool_choice"] = "none"  # the same prompt; with "auto" no grammar is allowed
        answer = self._post(path, asked)
        reply: dict[str, Any] = answer.json()
        if answer.status_code != 200:
            raise ScriptError(answer.text)
        if scripted is not None:
            choice = reply["choices"][0]
            if choice["message"]["content"] != text or reply["timings"]["predicted_n"] != len(tokens) + 1:
                written = reply["timings"]["predicted_n"]
                raise ScriptError(f"{choice['message']['content']!r} in {written} tokens, not {len(tokens) + 1}")
            if isinstance(scripted, Call):
                function = {"name": scripted.name, "arguments": json.dumps(scripted.arguments)}
                call = {"id": f"call{len(self.requests)}", "type": "function", "function": function}
                choice["message"] |= {"content": "", "tool_calls": [call]}
                choice["finish_reason"] = "tool_calls"
        return reply


def _chunks(reply: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """A whole reply as llama-server streams it, in the fewest pieces."""
    choice = reply["choices"][0]
    message = choice["message"]
    about = {"id": reply["id"], "created": reply["created"], "model": reply["model"], "object": "chat.completion.chunk"}
    delta = {"role": "assistant", "content": message.get("content")}
    calls = [{"index": n, **call} for n, call in enumerate(message.get("tool_calls") or [])]
    if calls:
        delta["tool_calls"] = calls
    yield {**about, "choices": [{"index": 0, "delta": delta, "finish_reason": None}]}
    yield {**about, "choices": [{"index": 0, "delta": {}, "finish_reason": choice["finish_reason"]}]}
    yield {**about, "choices": [], "usage": reply["usage"], "timings": reply["timings"]}
