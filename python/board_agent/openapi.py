"""The HTTP interface as an OpenAPI document, served at `/openapi.json`; the tests hold the app to it."""

from __future__ import annotations

from typing import Any

from board_agent import __version__

Json = dict[str, Any]

TEXT: Json = {"type": "string"}
WHOLE: Json = {"type": "integer"}
NUMBER: Json = {"type": "number"}
FLAG: Json = {"type": "boolean"}
ERROR: Json = {"type": "object", "properties": {"error": TEXT}, "required": ["error"]}
NAME: Json = {"type": "string", "minLength": 1, "maxLength": 64}
NAME_OR_NONE: Json = {**NAME, "type": ["string", "null"]}
SEEN = r"[^\x00-\x20\x7f-\xa0\u061c\u1680\u2000-\u200f\u2028-\u202f\u205f-\u2069\u3000]"
"""At least one character that can be seen."""
QUESTION: Json = {"type": "string", "pattern": SEEN, "maxLength": 2000}
STOPPED: Json = {"type": "string", "enum": ["answered", "turn_limit", "time_limit", "stopped", "error"]}


def _object(required: Json, **optional: Json) -> Json:
    return {"type": "object", "properties": {**required, **optional}, "required": list(required)}


def _list(items: Json) -> Json:
    return {"type": "array", "items": items}


TRACE = _object(
    {"turn": WHOLE, "call": WHOLE, "tool": TEXT, "args": {"type": "object"}, "result": TEXT, "state": TEXT},
    llm_ms=WHOLE,
    tool_ms=WHOLE,
    repairs=_list(TEXT),
)
ANSWER = _object(
    {"run": TEXT, "answer": TEXT, "trace": _list(TRACE), "total_ms": WHOLE, "stopped": STOPPED},
    error=TEXT,
    conversation=TEXT,
    tokens_read=WHOLE,
    tokens_reused=WHOLE,
    tokens_written=WHOLE,
)
ACCEPTED = _object({"run": TEXT, "position": WHOLE}, conversation=TEXT)
LINK = _object(
    {
        "name": TEXT,
        "state": {"type": "string", "enum": ["ok", "broken", "unknown"]},
        "saw": TEXT,
        "why": TEXT,
        "do": TEXT,
    }
)
WAITING = _object({"run": TEXT, "question": TEXT, "position": WHOLE, "ahead_s": NUMBER})
TOOL = _object({"name": TEXT, "risk": TEXT, "decision": TEXT, "description": TEXT, "available": FLAG})
STATUS = _object(
    {
        "version": TEXT,
        "model": _object({"ok": FLAG}),
        "server_url": TEXT,
        "policy": {"type": "object", "additionalProperties": TEXT},
        "tools": _list(TOOL),
        "counters": {"type": "object", "additionalProperties": WHOLE},
        "memory_mb": NUMBER,
        "uptime_s": NUMBER,
        "queue": _object({"waiting": _list(WAITING)}, running={"type": ["string", "null"]}),
        "board": _object({"ok": FLAG}, led=FLAG, matrix=_list(WHOLE), error=TEXT),
    }
)
STORED = _object({"id": TEXT, "question": TEXT, "runs": WHOLE, "started": NUMBER, "used": NUMBER})
FILE = _object({"path": TEXT, "size_bytes": WHOLE, "modified": TEXT})


def _answers(ok: Json, *errors: int, **others: Json) -> Json:
    """The answers of a route: `ok` with 200, every error as JSON."""
    json_answer = {200: ok, **{int(status.removeprefix("s")): schema for status, schema in others.items()}}
    json_answer |= dict.fromkeys((401, 403, *errors), ERROR)
    return {
        str(status): {"description": _WORDS[status], "content": {"application/json": {"schema": schema}}}
        for status, schema in sorted(json_answer.items())
    }


_WORDS = {
    200: "What was asked for.",
    202: "Accepted; the run is watched through /events.",
    400: "The request cannot be used; `error` says why.",
    401: "A token is wanted (AGENT_TOKEN), or another than the one that was shown.",
    403: "A page of another site sent this, or the app was asked for under a name it does not answer to.",
    404: "There is no such thing.",
    409: "This call does not wait for an answer (any more).",
    413: "Too long.",
    415: "The Content-Type is not application/json.",
    429: "Too many wrong tokens from this address; Retry-After says how long to wait.",
    503: "Not now; Retry-After says when to try again.",
}


def _get(summary: str, ok: Json, *errors: int, parameters: list[Json] | None = None, **others: Json) -> Json:
    operation: Json = {"summary": summary, "responses": _answers(ok, *errors, **others)}
    return {**operation, "parameters": parameters} if parameters else operation


def _post(summary: str, body: Json, ok: Json, *errors: int, needed: bool = True, **others: Json) -> Json:
    content = {"application/json": {"schema": body}}
    return {
        "summary": summary,
        "requestBody": {"required": needed, "content": content},
        "responses": _answers(ok, 400, 413, 415, *errors, **others),
    }


_PATH_NAME = {"name": "name", "in": "path", "required": True, "schema": TEXT}
_STREAM = {"description": "Server-sent events, each with one line of JSON.", "content": {"text/event-stream": {}}}

_ASK = _post(
    "Ask a question. With `Accept: text/event-stream` the run comes as server-sent events.",
    _object({"question": QUESTION}, conversation=NAME_OR_NONE, client=NAME_OR_NONE, detach=FLAG),
    ANSWER,
    404,
    503,
    s202=ACCEPTED,
)
_ASK["responses"]["200"]["content"]["text/event-stream"] = {}

DOCUMENT: Json = {
    "openapi": "3.1.0",
    "info": {
        "title": "Board Agent",
        "version": __version__,
        "description": "Ask a small model on an Arduino UNO Q, watch what it does, stop it. POST and DELETE are "
        "refused when a browser sends them for another site; a token, where the app wants one, is a Bearer token.",
    },
    "components": {"securitySchemes": {"token": {"type": "http", "scheme": "bearer"}}},
    "security": [{}, {"token": []}],
    "paths": {
        "/": {
            "get": {
                "summary": "The page.",
                "responses": {
                    "200": {"description": "HTML.", "content": {"text/html": {}}},
                    "403": {"description": _WORDS[403], "content": {"application/json": {"schema": ERROR}}},
                },
            }
        },
        "/ask": {"post": _ASK},
        "/events": {
            "get": {
                "summary": "Everything that happens, first what is kept of the last runs. Never ends.",
                "parameters": [
                    {"name": "client", "in": "query", "schema": TEXT},
                    {"name": "Last-Event-ID", "in": "header", "schema": TEXT},
                ],
                "responses": {**_answers({}), "200": _STREAM},
            }
        },
        "/stop": {
            "post": _post(
                "Stop a run by its id, waiting or running; without an id the one that runs.",
                _object({}, run=NAME_OR_NONE),
                _object({"stopped": _list(TEXT)}),
                needed=False,
            )
        },
        "/approve": {
            "post": _post(
                "Say yes or no to a call that waits for it.",
                _object({"run": NAME, "call": WHOLE, "approve": FLAG}),
                _object({"ok": FLAG}),
                409,
            )
        },
        "/login": {
            "post": _post(
                "Show a token and get a cookie for it.",
                _object({"token": {**NAME, "maxLength": 1000}}),
                _object({"ok": FLAG}),
                429,
            )
        },
        "/conversations": {
            "get": _get("The conversations that are kept.", _object({"conversations": _list(STORED)})),
        },
        "/conversations/{name}": {
            "parameters": [_PATH_NAME],
            "get": _get(
                "One conversation with its newest runs.", _object({"id": TEXT, "runs": _list({"type": "object"})}), 404
            ),
            "delete": _get("Delete a conversation for good.", _object({"deleted": TEXT}), 404, 503),
        },
        "/workspace": {
            "get": _get("The files that the model can see.", _object({"count": WHOLE, "files": _list(FILE)}), 404),
        },
        "/workspace/file": {
            "get": _get(
                "The text of a file.",
                _object({"path": TEXT, "size_bytes": WHOLE, "text": TEXT, "truncated": FLAG}),
                404,
                parameters=[{"name": "path", "in": "query", "schema": TEXT}],
            )
        },
        "/healthz": {
            "get": _get(
                "Whether app, model and sketch answer; at once, whatever else goes on.",
                _object({"flask": TEXT, "llm": {"type": "object"}, "board": TEXT}),
                s503=_object({"flask": TEXT, "llm_error": TEXT, "board": TEXT}),
            )
        },
        "/doctor": {
            "get": _get(
                "Look at every link; of a broken one it says why, and what mends it.", _object({"links": _list(LINK)})
            )
        },
        "/status": {"get": _get("How everything is.", STATUS)},
        "/openapi.json": {"get": _get("This document.", {"type": "object"})},
    },
}
