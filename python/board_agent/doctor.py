"""The chain from a question to a lit LED, link by link: what is seen of each; of a broken one why, and what mends it.

It looks and never repairs. The one thing it makes happen is a tool call that is offered to the model, and not run.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from typing import Any

from board_agent.board import Board, BoardError
from board_agent.calls import calls_in_text
from board_agent.deadline import Deadline, Ended
from board_agent.model import Model, ModelError, Reply
from board_agent.plain import one_line
from board_agent.prompt import SYSTEM_PROMPT
from board_agent.toolbox import Toolbox
from board_agent.watch import ModelWatch

QUESTION = "What is 47 times 89?"
BUSY_S = 5.0
"""How long it waits for a model that is answering somebody's question."""
CALL_S = 120.0
FRESH_S = 5.0
LEAST_DISK_GB, LEAST_MEMORY_GB, HOTTEST_C = 0.2, 0.1, 85.0

START = "llama-server --model MODEL.gguf --host 0.0.0.0 --port 8081 --jinja --parallel 1"
RESTART = "arduino-app-cli app stop . && arduino-app-cli app start ."


@dataclass(frozen=True)
class Link:
    """One link. `state`: ok, broken, or unknown where it could not be looked at; `do` is a command or an action."""

    name: str
    state: str
    saw: str
    why: str = ""
    do: str = ""


class Doctor:
    """Looks at one link after another, for one person at a time; what was seen is shown to others for some seconds.

    Args:
        facts: what get_system_info reports.
        kept: why conversations are not kept, None when they are.
    """

    def __init__(
        self,
        model: Model,
        watch: ModelWatch,
        toolbox: Toolbox,
        board: Board,
        facts: Callable[[], dict[str, Any]],
        kept: Callable[[], str | None],
    ) -> None:
        self._model = model
        self._watch = watch
        self._toolbox = toolbox
        self._board = board
        self._facts = facts
        self._kept = kept
        self._lock = threading.Lock()
        self._seen: list[Link] = []
        self._seen_at = 0.0
        self._called: tuple[str, Link] | None = None

    def look(self) -> list[dict[str, str]]:
        """Every link in order, each as a JSON object."""
        with self._lock:
            if not self._seen or time.monotonic() - self._seen_at > FRESH_S:
                self._seen = [*self._model_links(), *self._board_links(), *self._machine_links()]
                self._seen_at = time.monotonic()
            return [asdict(link) for link in self._seen]

    def _model_links(self) -> Iterator[Link]:
        error = self._watch.error
        if error is None:
            state = self._watch.to_json()
            yield Link("llama-server", "ok", f"{state['server']} at {self._model.address} serves {state['model']}")
            yield self._tool_call()
            return
        why, do = {
            "loading": ("a model is read from the card after each start of llama-server", "wait a minute, look again"),
            "down": ("none runs there, or it listens on 127.0.0.1, where the app's container cannot reach it", START),
        }.get(
            error.kind, ("LLM_BASE_URL or LLM_MODEL name something else", "set them in settings.env, restart the app")
        )
        yield Link("llama-server", "broken", str(error), why, do)
        yield Link("tool call", "unknown", "not tried without a model")

    def _tool_call(self) -> Link:
        """Whether the model calls a tool that it is offered. Asked once for each start of llama-server."""
        server = self._model.server
        key = f"{server.model} {server.build} {server.instance}" if server else ""
        if self._called is None or self._called[0] != key or self._called[1].state != "ok":
            self._called = (key, self._try_tool_call())
        return self._called[1]

    def _try_tool_call(self) -> Link:
        try:
            grant = _last(self._watch.hold(Deadline(BUSY_S)))
        except Ended:
            return Link("tool call", "unknown", "the model is busy with a question; look again when it is answered")
        try:
            reply = self._reply()
        except (ModelError, Ended) as error:
            seen = str(error) if isinstance(error, ModelError) else f"no reply within {CALL_S:g} s"
            return Link("tool call", "broken", seen, "llama-server was started without --jinja, or is too slow", START)
        finally:
            self._watch.release(grant)
        calls = [(call.name, call.arguments) for call in reply.calls] or calls_in_text(reply.text, self._toolbox.tools)
        if calls:
            name, arguments = calls[0]
            return Link("tool call", "ok", one_line(f"asked {QUESTION!r}, the model called {name}({arguments})")[:200])
        return Link(
            "tool call",
            "broken",
            one_line(f"asked {QUESTION!r}, the model called no tool and said: {reply.text}")[:200],
            "llama-server was started without --jinja, or the model is none that calls tools",
            START,
        )

    def _reply(self) -> Reply:
        messages = [{"role": "system", "content": SYSTEM_PROMPT}, {"role": "user", "content": QUESTION}]
        for item in self._model.stream(messages, self._toolbox.schemas(), Deadline(CALL_S)):
            if isinstance(item, Reply):
                return item
        raise ModelError("the reply has no end", "lost")

    def _board_links(self) -> Iterator[Link]:
        try:
            yield Link("router", "ok", f"arduino-router {self._board.router()} answers")
        except BoardError as error:
            yield Link(
                "router",
                "broken",
                str(error),
                "arduino-router is no part of the app; it starts with the board and may have ended",
                "sudo systemctl restart arduino-router",
            )
            yield Link("sketch", "unknown", "not tried without a router")
            yield Link("matrix", "unknown", "not tried without a sketch")
            return
        try:
            state = self._board.state()
        except BoardError as error:
            why, do = {
                "route": ("no sketch has registered: it is being flashed, starting, or another sketch runs", RESTART),
                "silent": ("the sketch hangs, or its Bridge was sent more than it can take", "press the reset button"),
            }.get(error.kind, ("sketch and app are of different versions", RESTART))
            yield Link("sketch", "broken", str(error), why, do)
            yield Link("matrix", "unknown", "not tried without a sketch")
            return
        yield Link("sketch", "ok", f"it answers; its LED is {'on' if state.led else 'off'}")
        lit = sum(level > 0 for level in state.matrix)
        yield Link(
            "matrix", "ok", f"it shows {lit} of {len(state.matrix)} dots, says the sketch; compare with the board"
        )

    def _machine_links(self) -> Iterator[Link]:
        facts = self._facts()
        free = facts.get("home_free_gb")
        lost = self._kept()
        if free is None:
            yield Link("disk", "unknown", "the free space cannot be read here")
        elif lost or free < LEAST_DISK_GB:
            seen = f"{free} GB are free" + (f"; {lost}" if lost else "")
            yield Link("disk", "broken", seen, "models and other apps fill it", "df -h; rm what is not needed")
        else:
            yield Link("disk", "ok", f"{free} GB are free where the app lies")
        yield _measure(
            "memory",
            facts.get("memory_free_gb"),
            "{} GB can be had",
            lambda gb: gb >= LEAST_MEMORY_GB,
            "a model too large for this board, or other programs; without memory the system ends llama-server",
            f"use a smaller model or context: {START} --ctx-size 2048",
        )
        yield _measure(
            "temperature",
            facts.get("cpu_temp_c"),
            "{} °C",
            lambda celsius: celsius < HOTTEST_C,
            "a hot processor is slowed down",
            "give the board air, or a heat sink",
        )


def _measure(name: str, value: float | None, words: str, good: Callable[[float], bool], why: str, do: str) -> Link:
    if value is None:
        return Link(name, "unknown", "it cannot be read here")
    return Link(name, "ok", words.format(value)) if good(value) else Link(name, "broken", words.format(value), why, do)


def _last(steps: Any) -> Any:
    """What a generator returns."""
    while True:
        try:
            next(steps)
        except StopIteration as end:
            return end.value
