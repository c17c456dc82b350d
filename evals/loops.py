"""The ways a question can be asked: our loop, the plain one, or an app that runs somewhere."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import httpx
import openai

from board_agent import events
from board_agent.agent import Agent, Finished
from board_agent.conversations import Past, shortened
from board_agent.deadline import Deadline
from board_agent.model import Message
from board_agent.toolbox import Toolbox, json_object
from evals import plain_loop
from evals.score import Call

TIME_LIMIT_S = 900.0


@dataclass
class Answer:
    """What came of a question, whichever way it was asked. `error` is set where nothing could be judged."""

    text: str
    stopped: str
    calls: list[Call] = field(default_factory=list)
    turns: int = 0
    tokens_read: int = 0
    tokens_reused: int = 0
    tokens_written: int = 0
    seconds: float = 0.0
    error: str | None = None


class Loop(Protocol):
    """Asks the questions of one conversation in turn; the answer to the last one counts."""

    def ask(self, questions: Sequence[str]) -> Answer:
        """The last answer."""


class HarnessLoop:
    """The app's own loop, in this process."""

    def __init__(self, agent: Agent) -> None:
        self._agent = agent

    def ask(self, questions: Sequence[str]) -> Answer:
        """The last answer."""
        past = Past()
        answer = Answer("", "error")
        for question in questions:
            calls, finished = self._run(question, past)
            ended = finished.ended
            asked, said = {"role": "user", "content": question}, {"role": "assistant", "content": ended.answer}
            past = Past([*past.runs, [asked, *shortened(finished.steps), said]])
            answer = Answer(
                text=ended.answer,
                stopped=ended.stopped,
                calls=calls,
                turns=ended.turns,
                tokens_read=ended.tokens_read,
                tokens_reused=ended.tokens_reused,
                tokens_written=ended.tokens_written,
                seconds=ended.total_ms / 1000,
                error=ended.error,
            )
        return answer

    def _run(self, question: str, past: Past) -> tuple[list[Call], Finished]:
        calls: list[Call] = []
        steps = self._agent.run(question, Deadline(TIME_LIMIT_S), past)
        while True:
            try:
                event = next(steps)
            except StopIteration as stop:
                return calls, stop.value
            if isinstance(event, events.ToolEnded):
                calls.append(Call(event.tool, event.args, event.result, event.state, event.turn, event.repairs))


def plain_client(base_url: str, api_key: str) -> openai.OpenAI:
    """The client as tutorials make it, but for a limit on time."""
    limit = openai.Timeout(TIME_LIMIT_S, connect=5)
    return openai.OpenAI(base_url=base_url, api_key=api_key or "none", max_retries=0, timeout=limit)


class PlainLoop:
    """The loop of most tutorials, with the same tools."""

    def __init__(self, client: Any, model: str, toolbox: Toolbox) -> None:
        self._client = client
        self._model = model
        self._toolbox = toolbox

    def ask(self, questions: Sequence[str]) -> Answer:
        """The last answer."""
        history: list[Message] = []
        answer = Answer("", "error")
        for question in questions:
            started = time.monotonic()
            try:
                run = plain_loop.ask(self._client, self._model, self._toolbox, question, history=history)
            except Exception as error:  # noqa: BLE001 - whatever breaks it, a plain loop ends there
                return Answer("", "error", error=f"{type(error).__name__}: {error}", seconds=time.monotonic() - started)
            history = run.messages
            answer = Answer(
                text=run.answer,
                stopped=run.stopped,
                calls=[_plain_call(row) for row in run.trace],
                turns=len(run.timings),
                tokens_read=run.tokens_read,
                tokens_reused=run.tokens_reused,
                tokens_written=run.tokens_written,
                seconds=time.monotonic() - started,
            )
        return answer


def _plain_call(row: dict[str, Any]) -> Call:
    failed = "error" in (json_object(row["result"]) or {})
    args = row["args"] if isinstance(row["args"], dict) else {"": row["args"]}
    return Call(row["tool"], args, row["result"], "failed" if failed else "done", row["turn"])


class AppLoop:
    """An app that runs, asked over HTTP as `ask.py` does."""

    def __init__(self, url: str, token: str = "") -> None:
        self._url = url.rstrip("/")
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        self._http = httpx.Client(timeout=httpx.Timeout(TIME_LIMIT_S, connect=5), headers=headers)

    def status(self) -> dict[str, Any]:
        """What the app says of itself.

        Raises:
            httpx.HTTPError: there is no such app.
        """
        answer = self._http.get(f"{self._url}/status")
        answer.raise_for_status()
        status: dict[str, Any] = answer.json()
        return status

    def make_safe(self) -> None:
        """LED and matrix off, as a start."""
        self._http.post(f"{self._url}/stop", json={})

    def board(self) -> dict[str, Any]:
        """LED and pattern as the sketch reports them."""
        board = self.status()["board"]
        return {"led": board.get("led"), "pattern": board.get("pattern")}

    def ask(self, questions: Sequence[str]) -> Answer:
        """The last answer."""
        conversation = {"conversation": "new"} if len(questions) > 1 else {}
        answer = Answer("", "error")
        for question in questions:
            response = self._http.post(f"{self._url}/ask", json={"question": question, **conversation})
            result: dict[str, Any] = response.json()
            if response.status_code != 200:
                return Answer("", "error", error=f"HTTP {response.status_code}: {result.get('error')}")
            conversation = {"conversation": result["conversation"]} if conversation else {}
            answer = Answer(
                text=result["answer"],
                stopped=result["stopped"],
                calls=[
                    Call(row["tool"], row["args"], row["result"], row["state"], row["turn"], row.get("repairs", []))
                    for row in result["trace"]
                ],
                turns=result["turns"],
                tokens_read=result["tokens_read"],
                tokens_reused=result["tokens_reused"],
                tokens_written=result["tokens_written"],
                seconds=result["total_ms"] / 1000,
                error=result.get("error"),
            )
        return answer
