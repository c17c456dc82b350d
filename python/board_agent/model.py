"""The language model as the agent sees it: a reply, streamed, and what the server can do.

Talks to llama-server, or to any other endpoint with OpenAI's Chat Completions. Requests run on an asyncio loop of
their own, because that is the one way to end a request at once in any phase of it: connecting, waiting for the first
byte, reading, writing. Closing the connection is what makes llama-server stop generating.
"""

from __future__ import annotations

import asyncio
import ipaddress
import json
import logging
import queue
import re
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

import httpx
import openai

from board_agent.deadline import Deadline
from board_agent.plain import one_line

log = logging.getLogger(__name__)

Message = dict[str, Any]

MAX_REPLY_CHARS = 65_536
MAX_CALLS = 16
MAX_ARGUMENTS_CHARS = 16_384
"""A reply is cut off where it grows past any use: 512 tokens are some 2,000 characters and a handful of calls."""
PROBE_TIMEOUT_S = 3.0


@dataclass(frozen=True)
class Profile:
    """How a model wants to be asked. `pattern` is searched for in the model's name."""

    label: str
    pattern: str
    temperature: float
    max_tokens: int
    parallel_tool_calls: bool | None = None


PROFILES = (
    Profile("board-agent", r"board-agent", temperature=0.0, max_tokens=200, parallel_tool_calls=False),
    Profile("default", r"", temperature=0.3, max_tokens=512),
)


def profile_for(name: str) -> Profile:
    """The first profile whose pattern the model's name contains; the last fits any."""
    return next(profile for profile in PROFILES if re.search(profile.pattern, name, re.IGNORECASE))


class ModelError(Exception):
    """The model gave no usable reply. The message says what happened and what to do.

    `kind`: down (nobody answers), loading, lost (the connection broke), unparsable (the server could not read the
    model's own output), context (the prompt is too long), refused (anything else the server will not do).
    """

    def __init__(self, message: str, kind: str) -> None:
        super().__init__(message)
        self.kind = kind


@dataclass(frozen=True)
class Progress:
    """Prompt tokens: in all, reused from the cache, done so far; and milliseconds so far."""

    total: int
    cached: int
    processed: int
    ms: float


@dataclass(frozen=True)
class Text:
    """The next piece of the reply's text."""

    text: str


@dataclass(frozen=True)
class ToolCall:
    """A call as the model wrote it; `arguments` should be JSON and may be anything."""

    id: str
    name: str
    arguments: str


@dataclass
class Reply:
    """A whole reply. Token counts and times are llama-server's `timings`; other servers give `usage` at most."""

    text: str = ""
    calls: list[ToolCall] = field(default_factory=list)
    finish_reason: str = ""
    reasoned: bool = False
    tokens_read: int = 0
    tokens_reused: int = 0
    tokens_written: int = 0
    read_ms: float = 0.0
    write_ms: float = 0.0
    llm_ms: int = 0


@dataclass(frozen=True)
class Server:
    """What is known of the server: the model's name, and for a llama-server what it says of itself."""

    model: str
    native: bool = False
    build: str = ""
    context: int = 0
    slots: int = 0
    identity: Mapping[str, Any] = field(default_factory=dict)
    """Everything that a saved prompt state depends on: model file and size, build, template, adapters."""
    instance: str = ""
    """Differs from one start of the server to the next, where the build tells (`media_marker` is random)."""
    capital_booleans: bool = False
    """The template replays a call's `true` as `True`, while the server lets the model write only `true`."""

    @property
    def title(self) -> str:
        """The server's name for people."""
        return f"llama-server {self.build}".strip() if self.native else "OpenAI-compatible server"


class Model:
    """One model on one server.

    Args:
        base_url: where `/chat/completions` is, `http://127.0.0.1:8081/v1`.
        name: the model to ask for; empty for the first that the server lists.
        api_key: for a provider that wants one; never shown.
    """

    def __init__(self, base_url: str, *, name: str = "", api_key: str = "") -> None:
        self.base_url = base_url.rstrip("/")
        parts = urlsplit(self.base_url)
        self.address = parts.netloc.rpartition("@")[2]
        self.root = self.base_url.removesuffix("/v1")
        self._wanted = name
        self._key = api_key
        self._headers = {"Authorization": f"Bearer {api_key}"} if api_key else {}
        self._server: Server | None = None
        self._capitals: tuple[str, bool] = ("", False)
        # No connection is kept: llama-server closes idle ones, and a request just then would count as a lost server.
        fresh = httpx.Limits(max_keepalive_connections=0)
        proxies = not _is_near(parts.hostname or "")
        self._http = httpx.Client(timeout=PROBE_TIMEOUT_S, headers=self._headers, limits=fresh, trust_env=proxies)
        self._client = openai.AsyncOpenAI(
            base_url=self.base_url,
            api_key=api_key or "none",
            max_retries=0,
            # No limit on silence: a board reads 512 tokens in two minutes without a byte. The run's deadline ends it.
            timeout=openai.Timeout(None, connect=5.0),
            http_client=openai.DefaultAsyncHttpxClient(trust_env=proxies),
        )
        self._loop = asyncio.new_event_loop()
        threading.Thread(target=self._loop.run_forever, name="model-requests", daemon=True).start()

    @property
    def server(self) -> Server | None:
        """What `probe` found last; None before the first success."""
        return self._server

    @property
    def profile(self) -> Profile:
        """How the present model wants to be asked."""
        return profile_for(self._server.model if self._server else self._wanted)

    def probe(self) -> Server:
        """Ask the server what it is; at most a few seconds.

        Raises:
            ModelError: with the kind `down` or `loading`, or `refused`.
        """
        try:
            health = self._http.get(f"{self.root}/health")
            if health.status_code == 503:
                raise ModelError(f"llama-server at {self.address} is still loading the model; wait.", "loading")
            listed = self._http.get(f"{self.base_url}/models")
            if listed.status_code == 503:
                raise ModelError(f"llama-server at {self.address} is still loading the model; wait.", "loading")
            if listed.status_code != 200:
                raise self._refusal(listed.status_code, listed.text)
            models = [
                entry for entry in _object(listed).get("data") or [] if isinstance(entry, dict) and entry.get("id")
            ]
            names = [str(entry["id"]) for entry in models]
            if not names and not self._wanted:
                raise ModelError(f"the server at {self.address} lists no model; load one or set LLM_MODEL.", "refused")
            name = self._wanted or names[0]
            server = Server(model=name)
            if any(entry.get("owned_by") == "llamacpp" for entry in models) or health.status_code == 200:
                server = self._native(name, next((e for e in models if e["id"] == name), {}))
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            self._server = None
            raise _down(self.address, error) from error
        except ModelError:
            self._server = None
            raise
        self._server = server
        return server

    def _native(self, name: str, listed: dict[str, Any]) -> Server:
        """A llama-server's own account of itself; without `/props` it is taken as any other server."""
        answer = self._http.get(f"{self.root}/props")
        props = _object(answer) if answer.status_code == 200 else {}
        if "total_slots" not in props:
            return Server(model=name)
        adapters = self._http.get(f"{self.root}/lora-adapters")
        settings = props.get("default_generation_settings") or {}
        identity = {
            "model_path": props.get("model_path"),
            "model_meta": listed.get("meta"),
            "build": props.get("build_info"),
            "template": props.get("chat_template"),
            "adapters": adapters.json() if adapters.status_code == 200 else None,
        }
        return Server(
            model=name,
            native=True,
            build=str(props.get("build_info") or ""),
            context=int(settings.get("n_ctx") or 0),
            slots=int(props["total_slots"]),
            identity=identity,
            instance=str(props.get("media_marker") or ""),
            capital_booleans=self._capital_booleans(str(props.get("chat_template") or "")),
        )

    def _capital_booleans(self, template: str) -> bool:
        """Whether the template shows a call's `true` as `True`, as Qwen3.5's does; asked once for each template."""
        if self._capitals[0] != template:
            call = {"id": "1", "type": "function", "function": {"name": "f", "arguments": '{"on":true}'}}
            messages = [
                {"role": "user", "content": "?"},
                {"role": "assistant", "content": "", "tool_calls": [call]},
                {"role": "tool", "tool_call_id": "1", "content": "{}"},
            ]
            shown = self._http.post(f"{self.root}/apply-template", json={"messages": messages})
            self._capitals = (template, shown.status_code == 200 and "True" in str(_object(shown).get("prompt")))
        return self._capitals[1]

    def post(self, path: str, body: dict[str, Any], *, timeout: float = PROBE_TIMEOUT_S) -> dict[str, Any]:
        """One of llama-server's own endpoints, `/tokenize` for example: JSON in, JSON object out.

        Raises:
            ModelError: when it does not answer or refuses.
        """
        try:
            answer = self._http.post(f"{self.root}{path}", json=body, timeout=timeout)
        except httpx.HTTPError as error:
            raise _down(self.address, error) from error
        if answer.status_code != 200:
            raise self._refusal(answer.status_code, answer.text)
        return _object(answer)

    def stream_post(self, path: str, body: dict[str, Any]) -> Iterator[dict[str, Any]]:
        """The JSON objects that one of llama-server's own endpoints streams.

        Raises:
            ModelError: as `post`.
        """
        try:
            with self._http.stream(
                "POST", f"{self.root}{path}", json=body, timeout=httpx.Timeout(None, connect=5.0)
            ) as answer:
                if answer.status_code != 200:
                    raise self._refusal(answer.status_code, answer.read().decode(errors="replace"))
                for line in answer.iter_lines():
                    if line.startswith("data: {"):
                        yield json.loads(line[6:])
        except (httpx.HTTPError, ValueError) as error:
            raise _down(self.address, error) from error

    def stream(
        self, messages: Sequence[Message], tools: Sequence[dict[str, Any]], deadline: Deadline, *, final: bool = False
    ) -> Iterator[Progress | Text | Reply]:
        """One reply: progress, pieces of text, and last the whole `Reply`.

        Args:
            final: the tools stay in the request (leaving them out would have the whole prompt read again), but none
                may be called.

        Raises:
            ModelError: no usable reply.
            Ended: the run is to end; the connection is closed, which ends the generation.
        """
        server = self._server or self.probe()
        profile = profile_for(server.model)
        extra = {"return_progress": True, "cache_prompt": True} if server.native else {}
        request: dict[str, Any] = {
            "model": server.model,
            "messages": [_as_written(m) for m in messages] if server.capital_booleans else list(messages),
            "temperature": profile.temperature,
            "max_tokens": profile.max_tokens,
            "stream": True,
            "stream_options": {"include_usage": True},
        }
        if tools:
            request["tools"] = list(tools) if server.native else [_spelled_out(tool) for tool in tools]
            request["tool_choice"] = "none" if final else "auto"
            if profile.parallel_tool_calls is not None:
                request["parallel_tool_calls"] = profile.parallel_tool_calls
        items: queue.Queue[Progress | Text | Reply | ModelError] = queue.Queue()
        pump = asyncio.run_coroutine_threadsafe(self._pump(request, extra, items), self._loop)
        try:
            while True:
                item = deadline.get(items)
                if isinstance(item, ModelError):
                    if item.kind in ("down", "loading"):
                        self._server = None
                    raise item
                yield item
                if isinstance(item, Reply):
                    return
        finally:
            pump.cancel()

    def _refusal(self, status: int, body: str) -> ModelError:
        """The sentence for an answer that is no reply; some servers repeat the key in theirs."""
        if self._key:
            for written in (self._key, json.dumps(self._key)[1:-1]):
                body = body.replace(written, "[key]")
        return _status_error(status, body, self.address)

    async def _pump(
        self,
        request: dict[str, Any],
        extra: dict[str, Any],
        items: queue.Queue[Progress | Text | Reply | ModelError],
    ) -> None:
        """Send the request and put what comes into `items`; the last is a `Reply` or a `ModelError`."""
        started = time.monotonic()
        reply = Reply()
        try:
            async with await self._client.chat.completions.create(**request, extra_body=extra) as stream:
                async for chunk in stream:
                    _read_chunk(chunk.model_dump(exclude_unset=True, warnings=False), reply, items)
                    if len(reply.text) >= MAX_REPLY_CHARS or len(reply.calls) > MAX_CALLS:
                        reply.finish_reason = "length"
                        del reply.calls[MAX_CALLS:]
                        break
            reply.llm_ms = round((time.monotonic() - started) * 1000)
            if not reply.finish_reason:
                raise _lost(self.address)
            items.put(reply)
        except ModelError as error:
            items.put(error)
        except openai.APIStatusError as error:
            items.put(self._refusal(error.status_code, error.response.text))
        except openai.APITimeoutError as error:
            items.put(_down(self.address, error))
        except openai.APIConnectionError as error:
            began = bool(reply.text or reply.calls)
            items.put(_lost(self.address) if began or not _refused(error) else _down(self.address, error))
        except openai.APIError as error:
            items.put(self._refusal(*_in_stream(error)))
        except Exception as error:  # noqa: BLE001 - whatever a server sends, the run must hear of it
            log.warning("unreadable reply from %s: %r", self.address, error)
            items.put(_lost(self.address) if _is_transport(error) else _unreadable(self.address))


def _as_written(message: Message) -> Message:
    """A message whose calls have booleans as text, which a template with capitals shows as the model wrote it.

    Otherwise the call would differ from what the model has in its cache, and be read again from there on.
    """
    if not message.get("tool_calls"):
        return message
    calls = []
    for call in message["tool_calls"]:
        args = json.loads(call["function"]["arguments"])
        shown = {key: json.dumps(value) if isinstance(value, bool) else value for key, value in args.items()}
        calls.append({**call, "function": {**call["function"], "arguments": json.dumps(shown, ensure_ascii=False)}})
    return {**message, "tool_calls": calls}


def _spelled_out(tool: dict[str, Any]) -> dict[str, Any]:
    """A tool's schema with what only llama-server can do without: OpenAI's own endpoint insists on it."""
    function = tool["function"]
    parameters = {"type": "object", "properties": {}, **function.get("parameters", {})}
    return {**tool, "function": {**function, "parameters": parameters}}


def _read_chunk(chunk: dict[str, Any], reply: Reply, items: queue.Queue[Any]) -> None:
    """Add one streamed chunk to the reply."""
    progress = chunk.get("prompt_progress")
    if isinstance(progress, dict):
        items.put(
            Progress(
                int(progress.get("total", 0)),
                int(progress.get("cache", 0)),
                int(progress.get("processed", 0)),
                float(progress.get("time_ms", 0)),
            )
        )
    timings, usage = chunk.get("timings"), chunk.get("usage")
    if isinstance(timings, dict):
        reply.tokens_read = int(timings.get("prompt_n", 0))
        reply.tokens_reused = int(timings.get("cache_n", 0))
        reply.tokens_written = int(timings.get("predicted_n", 0))
        reply.read_ms = float(timings.get("prompt_ms", 0))
        reply.write_ms = float(timings.get("predicted_ms", 0))
    elif isinstance(usage, dict) and not reply.tokens_written:
        details = usage.get("prompt_tokens_details") or {}
        reply.tokens_reused = int(details.get("cached_tokens") or 0)
        reply.tokens_read = int(usage.get("prompt_tokens") or 0) - reply.tokens_reused
        reply.tokens_written = int(usage.get("completion_tokens") or 0)
    for choice in (chunk.get("choices") or [])[:1]:
        delta = choice.get("delta") or {}
        if delta.get("content"):
            text = delta["content"][: MAX_REPLY_CHARS - len(reply.text)]
            reply.text += text
            items.put(Text(text))
        reply.reasoned = reply.reasoned or bool(delta.get("reasoning_content"))
        for piece in delta.get("tool_calls") or []:
            _read_call(piece, reply)
        if choice.get("finish_reason"):
            reply.finish_reason = choice["finish_reason"]


def _read_call(piece: dict[str, Any], reply: Reply) -> None:
    """Add a piece of a tool call: the first of an index brings id and name, later ones more of the arguments."""
    function = piece.get("function") or {}
    index = piece.get("index")
    if not isinstance(index, int) or not 0 <= index <= len(reply.calls):
        index = len(reply.calls)
    if index == len(reply.calls):
        reply.calls.append(ToolCall((piece.get("id") or f"call_{index + 1}")[:100], "", ""))
    call = reply.calls[index]
    arguments = (call.arguments + (function.get("arguments") or ""))[:MAX_ARGUMENTS_CHARS]
    reply.calls[index] = ToolCall(call.id, call.name or (function.get("name") or "")[:100], arguments)


def _is_near(host: str) -> bool:
    """Whether a host is in this network: a school's proxy, set in the environment, does not lead there."""
    try:
        return ipaddress.ip_address(host).is_private
    except ValueError:
        return "." not in host or host.endswith(".local")


def _object(answer: httpx.Response) -> dict[str, Any]:
    try:
        value = answer.json()
    except ValueError:
        value = None
    if not isinstance(value, dict):
        raise ModelError(
            f"{answer.request.url.netloc.decode()} is no llama-server (it sent no JSON object); check LLM_BASE_URL.",
            "refused",
        )
    return value


def _refused(error: openai.APIConnectionError) -> bool:
    return type(error.__cause__).__name__ in ("ConnectError", "ConnectTimeout")


def _is_transport(error: Exception) -> bool:
    return type(error).__name__ in ("RemoteProtocolError", "ReadError", "WriteError", "CloseError")


def _down(address: str, error: Exception) -> ModelError:
    what = "is too slow to answer" if "Timeout" in type(error).__name__ else "does not answer"
    return ModelError(f"llama-server {what} at {address}. Start it on the board with --host 0.0.0.0.", "down")


def _lost(address: str) -> ModelError:
    return ModelError(f"the connection to llama-server at {address} broke off; it may have run out of memory.", "lost")


def _unreadable(address: str) -> ModelError:
    return ModelError(f"the reply from {address} could not be read; is LLM_BASE_URL a llama-server?", "unparsable")


def _in_stream(error: openai.APIError) -> tuple[int, str]:
    """Status and body of an error that came inside the stream, after the status line had said 200."""
    body = error.body if isinstance(error.body, dict) else {}
    code = body.get("code")
    return code if isinstance(code, int) else 500, json.dumps({"error": body or str(error)})


def _status_error(status: int, body: str, address: str) -> ModelError:
    """The sentence for a status that is not 200."""
    try:
        detail = json.loads(body).get("error")
    except (ValueError, AttributeError):
        detail = None
    detail = detail if isinstance(detail, dict) else {"message": detail}
    said = one_line(str(detail.get("message") or ""))[:200]
    if detail.get("type") == "exceed_context_size_error" or "context size" in said:
        needs, has = detail.get("n_prompt_tokens", "?"), detail.get("n_ctx", "?")
        return ModelError(
            f"the prompt of {needs} tokens is longer than the {has} that the model can hold; "
            "ask something shorter, or start llama-server with a larger --ctx-size.",
            "context",
        )
    if status == 503:
        return ModelError(f"llama-server at {address} is still loading the model; wait.", "loading")
    if status in (401, 403):
        return ModelError(f"the server at {address} refuses the key; check LLM_API_KEY.", "refused")
    if status == 404:
        return ModelError(f"{address} knows no such address or model; check LLM_BASE_URL and LLM_MODEL.", "refused")
    if status == 429:
        return ModelError(f"the server at {address} has had too many requests; wait a minute and ask again.", "refused")
    if status >= 500:
        return ModelError(
            f"llama-server could not read what the model wrote (HTTP {status}: {said or 'no reason given'}); "
            "start it with --jinja, and ask again.",
            "unparsable",
        )
    return ModelError(
        f"the server at {address} refused the request (HTTP {status}: {said or 'no reason given'}).", "refused"
    )
