"""The line: one question runs at a time, since the board has one model; the others wait in order.

Each run can be watched (through the feed), stopped, and given a person's yes or no. A run is driven in one worker
thread; asking, stopping and approving come from the web's threads and never wait for it.
"""

from __future__ import annotations

import logging
import queue
import secrets
import threading
import time
from collections import Counter, deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from board_agent import agent, events
from board_agent.conversations import Conversations, FinishedRun
from board_agent.deadline import Deadline, Ended
from board_agent.feed import Feed
from board_agent.watch import ModelWatch

log = logging.getLogger(__name__)

MAX_WAITING = 32
CLIENT_GRACE_S = 20.0
"""How long a page may be away (a reload, a bad network) before the place it holds in the line is given up."""
FIRST_GUESS_S = 20.0
KEPT = ("answered", "turn_limit")
"""How a run ends that a conversation keeps: with an answer to the question."""
TOKEN_COUNTERS = ("tokens_read", "tokens_reused", "tokens_written")


class LineFull(Exception):
    """Too many wait already. `retry_after` is in seconds."""

    def __init__(self, waiting: int, retry_after: int) -> None:
        super().__init__(f"{waiting} questions are waiting already; try again in about {retry_after} s.")
        self.retry_after = retry_after


class NotOpen(Exception):
    """There is no call that waits for this yes or no."""


@dataclass
class Run:
    """One question on its way: waiting, running, ended."""

    id: str
    question: str
    conversation: str | None
    client: str
    deadline: Deadline
    position: int = 0
    trace: list[dict[str, Any]] = field(default_factory=list)
    cost: list[dict[str, Any]] = field(default_factory=list)
    result: dict[str, Any] = field(default_factory=dict)
    ended: threading.Event = field(default_factory=threading.Event)
    changes: list[dict[str, Any]] = field(default_factory=list)
    not_kept: str | None = None
    """Why the conversation does not remember this run."""
    open_call: int | None = None
    approvals: queue.Queue[agent.Approval] = field(default_factory=queue.Queue)


class Runs:
    """The line and its worker.

    Args:
        answer: makes the generator that answers a run's question.
        feed: where its events go.
        time_limit_s: how long one run may take, from the moment it starts.
        on_stopped: called after a run was stopped, in the worker, before the next one starts (the safe state).
    """

    def __init__(
        self,
        answer: Callable[[Run], agent.Run],
        feed: Feed,
        *,
        time_limit_s: float = 900.0,
        on_stopped: Callable[[], None] = lambda: None,
    ) -> None:
        self.feed = feed
        self.counters: Counter[str] = Counter()
        self.context_used = 0
        self._answer = answer
        self._time_limit_s = time_limit_s
        self._on_stopped = on_stopped
        self._lock = threading.Condition()
        self._waiting: deque[Run] = deque()
        self._running: Run | None = None
        self._closed = False
        self._mean_s = FIRST_GUESS_S
        self._clients: dict[str, tuple[int, float]] = {}
        self._sweeping = False
        self._worker = threading.Thread(target=self._work, name="runs", daemon=True)
        self._worker.start()

    def submit(self, question: str, *, conversation: str | None = None, client: str = "") -> Run:
        """Put a question in the line.

        Raises:
            LineFull: when `MAX_WAITING` wait already.
        """
        with self._lock:
            if self._closed or len(self._waiting) >= MAX_WAITING:
                raise LineFull(len(self._waiting), max(1, round(self._mean_s)))
            run = Run(secrets.token_hex(6), question, conversation, client, Deadline(self._time_limit_s))
            self._waiting.append(run)
            if client:
                self._clients.setdefault(client, (0, time.monotonic()))
                self._sweep_later()
            run.position = len(self._waiting)
            ahead = self._ahead_s(run.position)
            self.feed.publish(
                run.id, events.RunQueued(question=question, position=run.position, ahead_s=ahead).to_json()
            )
            self._line_moved()
            self._lock.notify_all()
        return run

    def stop(self, run_id: str | None = None) -> list[str]:
        """Stop a run by its id, waiting or running; without an id the one that runs. The ids of what was stopped."""
        with self._lock:
            run = self._running if run_id is None else self._find(run_id)
            if run is None:
                return []
            run.deadline.stop()
            if run in self._waiting:
                self._waiting.remove(run)
                self._leave(run)
                self._line_moved()
        return [run.id]

    def approve(self, run_id: str, call: int, approved: bool) -> None:
        """Say yes or no to the call that waits for it.

        Raises:
            NotOpen: when that call waits for nothing, or no longer.
        """
        with self._lock:
            run = self._find(run_id)
            if run is None or run.open_call != call:
                raise NotOpen("this call does not wait for an answer (any more).")
            run.open_call = None
            run.approvals.put(agent.Approval(approved, "a person agreed" if approved else "a person said no"))

    def watching(self, client: str, step: int) -> None:
        """A page has come (`step` 1) or gone (-1): one that stays away gives up its places in the line."""
        if not client:
            return
        with self._lock:
            count = max(0, self._clients.get(client, (0, 0.0))[0] + step)
            self._clients[client] = (count, time.monotonic())
            self._sweep_later()

    def close(self) -> None:
        """Take no more questions, stop what runs and wait for its end; for the end of the app."""
        with self._lock:
            self._closed = True
            for run in [*self._waiting, *([self._running] if self._running else [])]:
                run.deadline.stop()
            self._lock.notify_all()
        self._worker.join(timeout=5)

    def line(self) -> dict[str, Any]:
        """Who runs and who waits, as the `queue` event."""
        with self._lock:
            return self._line()

    def _line(self) -> dict[str, Any]:
        waiting = [
            {"run": run.id, "question": run.question, "position": n, "ahead_s": self._ahead_s(n)}
            for n, run in enumerate(self._waiting, 1)
        ]
        return {"type": "queue", "running": self._running.id if self._running else None, "waiting": waiting}

    def _line_moved(self) -> None:
        for position, run in enumerate(self._waiting, 1):
            run.position = position
        self.feed.set_state(self._line())

    def _ahead_s(self, position: int) -> float:
        """A guess at the wait: what the running question may still need, and the mean for each one in between."""
        rest = max(1.0, self._mean_s - self._running.deadline.elapsed_ms() / 1000) if self._running else 0.0
        return round(rest + (position - 1) * self._mean_s, 1)

    def _find(self, run_id: str) -> Run | None:
        known = [*self._waiting, *([self._running] if self._running else [])]
        return next((run for run in known if run.id == run_id), None)

    def _work(self) -> None:
        while True:
            with self._lock:
                while not self._waiting and not self._closed:
                    self._lock.wait()
                if self._closed:
                    for run in self._waiting:
                        self._leave(run)
                    return
                run = self._waiting.popleft()
                run.deadline = Deadline(self._time_limit_s)
                self._running = run
                self._line_moved()
            try:
                self._drive(run)
            finally:
                with self._lock:
                    self._running = None
                    seconds = run.deadline.elapsed_ms() / 1000
                    self._mean_s = 0.7 * self._mean_s + 0.3 * seconds
                    self._line_moved()

    def _sweep_later(self) -> None:
        """Sweep when the first of those that are away has been so too long. One timer serves all."""
        away = [since for count, since in self._clients.values() if count == 0]
        if not away or self._sweeping:
            return
        self._sweeping = True
        timer = threading.Timer(max(0.0, min(away) + CLIENT_GRACE_S - time.monotonic()) + 0.1, self._sweep)
        timer.daemon = True
        timer.start()

    def _sweep(self) -> None:
        """Give up the places of pages that have gone."""
        with self._lock:
            self._sweeping = False
            gone = {client for client, seen in self._clients.items() if _absent(*seen)}
            for run in [run for run in self._waiting if run.client in gone]:
                self._waiting.remove(run)
                self._leave(run)
            for client in gone:
                del self._clients[client]
            self._line_moved()
            self._sweep_later()

    def _leave(self, run: Run) -> None:
        """End a run that never started."""
        self._end(run, events.RunEnded(answer="Stopped before it began.", stopped="stopped"))

    def _drive(self, run: Run) -> None:
        """Run one question to its end; whatever goes wrong, it ends."""
        self.feed.publish(run.id, events.RunStarted(question=run.question).to_json())
        steps = self._answer(run)
        try:
            event = next(steps)
            while True:
                approval = None
                if isinstance(event, events.RunEnded):
                    next(steps, None)  # it is kept before anyone hears of its end
                    break
                self._publish(run, event)
                if isinstance(event, events.ApprovalNeeded):
                    try:
                        approval = self._approval(run, event)
                    except Ended as end:
                        event = steps.throw(end)
                        continue
                event = steps.send(approval)
            ended = event
        except Ended as end:
            ended = events.RunEnded(answer="Stopped before the model was asked.", stopped=end.reason)
        except Exception:
            log.exception("run %s broke off", run.id)
            error = "the app made a mistake; its log says more (arduino-app-cli app logs .)."
            ended = events.RunEnded(answer=f"No answer: {error}", stopped="error", error=error)
        finally:
            steps.close()
        self._end(run, ended)
        if ended.stopped == "stopped":
            try:
                self._on_stopped()
            except Exception:  # the line must go on
                log.exception("after run %s", run.id)

    def file_changed(self, event: events.FileChanged) -> None:
        """Tell what a tool has done to a file, as a part of the run that called it."""
        with self._lock:
            if run := self._running:
                run.changes.append(event.to_json())
                self.feed.publish(run.id, event.to_json())

    def _publish(self, run: Run, event: events.Event) -> None:
        data = event.to_json()
        if isinstance(event, events.ToolEnded):
            run.trace.append({key: value for key, value in data.items() if key != "type"})
            self.counters["tool_calls"] += 1
            self.counters[f"tool_{event.state}"] += 1
            log.info("run %s [turn %d] %s -> %s", run.id, event.turn, event.tool, event.state)
        elif isinstance(event, events.TurnEnded):
            run.cost.append({key: value for key, value in data.items() if key not in ("type", "text")})
            self.context_used = event.tokens_read + event.tokens_reused + event.tokens_written
        self.feed.publish(run.id, data)

    def _approval(self, run: Run, event: events.ApprovalNeeded) -> agent.Approval:
        """A person's answer; no answer in time is a no."""
        with self._lock:
            run.open_call = event.call
        try:
            return run.deadline.get(run.approvals, event.timeout_s)
        except TimeoutError:
            with self._lock:
                answered = run.open_call is None
                run.open_call = None
            if answered:
                return run.deadline.get(run.approvals)
            return agent.Approval(False, f"nobody answered within {event.timeout_s:g} s")

    def _end(self, run: Run, ended: events.RunEnded) -> None:
        data = ended.to_json()
        self.counters["runs"] += 1
        self.counters[ended.stopped] += 1
        for key in TOKEN_COUNTERS:
            self.counters[key] += data[key]
        del data["type"]
        run.result = {"run": run.id, "answer": data.pop("answer"), "trace": run.trace, **data, "cost": run.cost}
        for key in ("error", "history"):
            if run.result[key] is None:
                del run.result[key]
        if run.changes:
            run.result["changes"] = [{k: v for k, v in change.items() if k != "type"} for change in run.changes]
        if run.conversation:
            run.result["conversation"] = run.conversation
        if run.not_kept:
            run.result["not_kept"] = run.not_kept
        run.open_call = None
        self.feed.publish(run.id, ended.to_json())
        run.ended.set()
        log.info("run %s %s after %.1f s", run.id, ended.stopped, ended.total_ms / 1000)


def answering(model_agent: agent.Agent, watch: ModelWatch, conversations: Conversations) -> Callable[[Run], agent.Run]:
    """What answers a run: the agent, once it has the model, with what the run's conversation holds and then keeps."""

    def answer(run: Run) -> agent.Run:
        asked_at = time.time()
        grant = yield from watch.hold(run.deadline)
        try:
            past = conversations.past(run.conversation) if run.conversation else None
            finished = yield from model_agent.run(run.question, run.deadline, past)
        finally:
            watch.release(grant)
        ended = finished.ended
        if run.conversation and ended.history and ended.stopped in KEPT:
            server = model_agent.model.server
            kept = FinishedRun(
                run=run.id,
                question=run.question,
                steps=finished.steps,
                answer=ended.answer,
                stopped=ended.stopped,
                model=server.model if server else "",
                started=asked_at,
                total_ms=ended.total_ms,
            )
            run.not_kept = conversations.add(run.conversation, kept, ended.history["runs_dropped"])

    return answer


def _absent(count: int, since: float) -> bool:
    return count == 0 and time.monotonic() - since > CLIENT_GRACE_S
