"""What can happen in a run, as plain values with one JSON form.

The agent yields these; the line of runs hands them to everyone who watches: the asker, every open page, the log.
An event knows nothing of HTTP, of the Bridge or of who reads it.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, field, fields
from typing import Any, ClassVar


@dataclass(frozen=True, kw_only=True)
class Event:
    """Base of all events; `type` is its name on the wire."""

    type: ClassVar[str] = ""

    def to_json(self) -> dict[str, Any]:
        """The event as a JSON object: `type` first, then its fields under their own names."""
        return {"type": self.type, **asdict(self)}


@dataclass(frozen=True, kw_only=True)
class RunQueued(Event):
    """A question was accepted. `position` is 1 for the next to run; `ahead_s` guesses the wait in seconds."""

    type: ClassVar[str] = "run_queued"
    question: str
    position: int
    ahead_s: float | None = None


@dataclass(frozen=True, kw_only=True)
class RunStarted(Event):
    """It is this question's turn."""

    type: ClassVar[str] = "run_started"
    question: str


@dataclass(frozen=True, kw_only=True)
class Waiting(Event):
    """Nothing moves and this is why, in one sentence (the model is loading, the prefix is being read, ...)."""

    type: ClassVar[str] = "waiting"
    reason: str


@dataclass(frozen=True, kw_only=True)
class TurnStarted(Event):
    """A request to the model begins. `final`: the reserved turn, in which no tool may be called."""

    type: ClassVar[str] = "turn_started"
    turn: int
    final: bool = False


@dataclass(frozen=True, kw_only=True)
class PromptProgress(Event):
    """The model reads its prompt: tokens in all, reused from its cache, done so far (with those reused), ms so far."""

    type: ClassVar[str] = "prompt_progress"
    turn: int
    total: int
    cached: int
    processed: int
    ms: float


@dataclass(frozen=True, kw_only=True)
class TextDelta(Event):
    """The next piece of the model's text."""

    type: ClassVar[str] = "text"
    turn: int
    text: str


@dataclass(frozen=True, kw_only=True)
class TurnEnded(Event):
    """The model's reply is complete. Token counts and times are llama-server's own (`timings`); 0 where it gives none.

    `tokens_read` were evaluated, `tokens_reused` came from the cache, `tokens_written` were generated.
    `text` is the whole text of the reply, `llm_ms` the wall time of the request.
    """

    type: ClassVar[str] = "turn_ended"
    turn: int
    text: str
    tokens_read: int = 0
    tokens_reused: int = 0
    tokens_written: int = 0
    read_ms: float = 0.0
    write_ms: float = 0.0
    llm_ms: int = 0


@dataclass(frozen=True, kw_only=True)
class ToolStarted(Event):
    """A tool call begins. `call` numbers the calls of a run from 1; `risk` is read, act, change or disruptive."""

    type: ClassVar[str] = "tool_started"
    turn: int
    call: int
    tool: str
    args: dict[str, Any]
    risk: str = "read"


@dataclass(frozen=True, kw_only=True)
class ApprovalNeeded(Event):
    """The policy wants a person's yes before this call runs; no answer within `timeout_s` seconds is a no."""

    type: ClassVar[str] = "approval_needed"
    turn: int
    call: int
    tool: str
    args: dict[str, Any]
    risk: str
    timeout_s: float


@dataclass(frozen=True, kw_only=True)
class ApprovalAnswered(Event):
    """Somebody said yes or no, or nobody did in time. `reason` says which, for people."""

    type: ClassVar[str] = "approval_answered"
    turn: int
    call: int
    approved: bool
    reason: str


@dataclass(frozen=True, kw_only=True)
class ToolEnded(Event):
    """A tool call is over. `result` is the JSON text the model is given.

    `state`: done, failed (the result is an error), denied (by policy or a person), repeated (answered from before).
    `repairs`: what the harness put right in the model's call, in words.
    """

    type: ClassVar[str] = "tool_ended"
    turn: int
    call: int
    tool: str
    args: dict[str, Any]
    result: str
    state: str
    tool_ms: int
    llm_ms: int
    repairs: list[str] = field(default_factory=list)


@dataclass(frozen=True, kw_only=True)
class RunEnded(Event):
    """The run is over. `stopped`: answered, turn_limit, time_limit, stopped or error; `answer` is never empty.

    `doubtful` lists numbers of the answer that are no number of the results or the question.
    `history`: in a conversation, how much of it was sent: `runs_kept`, `runs_dropped`, `tokens`.
    """

    type: ClassVar[str] = "run_ended"
    answer: str
    stopped: str
    error: str | None = None
    total_ms: int = 0
    turns: int = 0
    tokens_read: int = 0
    tokens_reused: int = 0
    tokens_written: int = 0
    doubtful: list[str] = field(default_factory=list)
    history: dict[str, int] | None = None


@dataclass(frozen=True, kw_only=True)
class FileChanged(Event):
    """A tool has written a file. `diff` is unified, cut where it is long; `backup` has the old text, "" for none."""

    type: ClassVar[str] = "file_changed"
    path: str
    created: bool
    added: int
    removed: int
    diff: str
    backup: str = ""


def event_types() -> dict[str, list[str]]:
    """Every event's name on the wire and its fields, for documentation and for tests."""
    return {cls.type: [f.name for f in fields(cls)] for cls in Event.__subclasses__()}
