"""Conversations that are kept: SQLite in `data/`, so that a follow-up is understood after a restart too.

Only finished runs are stored, each in one transaction, so a power cut loses at most the run in progress. The rollback
journal is used, not a write-ahead log: there is one writer that writes once a run, `synchronous=EXTRA` makes what was
stored survive the cut, and all of it lies in one file that can be copied or deleted.

A disk that is full or cannot be written never stops a question: it stands alone then, and `error` says why.
"""

from __future__ import annotations

import json
import logging
import secrets
import sqlite3
import threading
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

log = logging.getLogger(__name__)

Message = dict[str, Any]
T = TypeVar("T")

MOST_CONVERSATIONS = 200
MOST_BYTES = 20_000_000
MOST_LISTED_RUNS = 200
LONGEST_RESULT = 600
"""Characters of a result, or of a call's arguments, that are kept when their run is past."""
LONGEST_VALUE = 400
MOST_ITEMS = 20

# The n-th brings a file from version n to n + 1; `user_version` tells which it has.
MIGRATIONS = (
    """
    CREATE TABLE conversations (
        id TEXT PRIMARY KEY,
        last_run INTEGER NOT NULL, -- the order of use; a board without a clock's battery has no times to go by
        left_out INTEGER NOT NULL -- how many of its oldest runs the model is not given any more
    );
    CREATE TABLE runs (
        number INTEGER PRIMARY KEY,
        conversation TEXT NOT NULL REFERENCES conversations (id) ON DELETE CASCADE,
        run TEXT NOT NULL,
        question TEXT NOT NULL,
        steps TEXT NOT NULL, -- JSON: the messages between question and answer, long results shortened
        answer TEXT NOT NULL,
        stopped TEXT NOT NULL,
        model TEXT NOT NULL,
        started REAL NOT NULL, -- seconds since 1970
        total_ms INTEGER NOT NULL
    );
    CREATE INDEX runs_of_a_conversation ON runs (conversation, number);
    """,
)


@dataclass(frozen=True)
class FinishedRun:
    """A run that came to its answer. `steps`: the messages between question and answer, as the model was sent them."""

    run: str
    question: str
    steps: list[Message]
    answer: str
    stopped: str
    model: str
    started: float
    total_ms: int


@dataclass(frozen=True)
class Past:
    """Earlier runs, oldest first, each as its messages; and how many still older ones are not sent any more."""

    runs: list[list[Message]] = field(default_factory=list)
    left_out: int = 0


class Unreadable(Exception):
    """The file cannot be used and is left as it is; the message says why."""


class Conversations:
    """The store. All methods may be called from any thread, and none raises for what is wrong with the disk.

    Args:
        path: the file; made, with its folder, when it is not there.
        on_change: told whenever a conversation or `error` has changed.
    """

    def __init__(self, path: Path, on_change: Callable[[], None] = lambda: None) -> None:
        self._lock = threading.RLock()
        self._on_change = on_change
        self._failure = ""
        self._begun: deque[str] = deque(maxlen=MOST_CONVERSATIONS)
        self._unusable = ""
        try:
            self._db = _open(path)
        except (Unreadable, OSError, sqlite3.Error) as error:
            self._unusable = f"Conversations are kept until the app ends only: {error}."
            log.warning("%s", self._unusable)
            self._db = _open(Path(":memory:"))

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._db.close()

    @property
    def error(self) -> str | None:
        """Why conversations are not kept, and what to do; None when they are."""
        return self._unusable or self._failure or None

    def to_json(self) -> dict[str, Any]:
        """The `memory` event."""
        return {"type": "memory", "ok": self.error is None, "count": self.count(), "error": self.error}

    def new(self) -> str:
        """Begin a conversation: its id. It is stored with its first finished run."""
        name = secrets.token_hex(6)
        with self._lock:
            self._begun.append(name)
        return name

    def known(self, name: str) -> bool:
        """Whether there is such a conversation."""

        def look(db: sqlite3.Connection) -> bool:
            stored = db.execute("SELECT 1 FROM conversations WHERE id = ?", (name,)).fetchone()
            return stored is not None or name in self._begun

        return self._read(look, False)

    def count(self) -> int:
        """How many conversations are stored."""
        return self._read(lambda db: int(db.execute("SELECT count(*) FROM conversations").fetchone()[0]), 0)

    def past(self, name: str) -> Past:
        """What the model may be given of a conversation's earlier runs."""

        def read(db: sqlite3.Connection) -> Past:
            row = db.execute("SELECT left_out FROM conversations WHERE id = ?", (name,)).fetchone()
            left_out = row["left_out"] if row else 0
            runs = db.execute(
                "SELECT question, steps, answer FROM runs WHERE conversation = ? ORDER BY number LIMIT -1 OFFSET ?",
                (name, left_out),
            )
            return Past([_messages(run) for run in runs], left_out)

        return self._read(read, Past())

    def add(self, name: str, run: FinishedRun, left_out: int) -> str | None:
        """Store a run of a conversation; the oldest conversations make room. Returns why it was not; None when it was.

        Args:
            left_out: how many of the conversation's oldest runs were not sent with this one, and will not be again.
        """
        if not self.known(name):
            return "this conversation was deleted meanwhile."
        steps = json.dumps(shortened(run.steps), ensure_ascii=False, separators=(",", ":"))
        values = (run.run, run.question, steps, run.answer, run.stopped, run.model, run.started, run.total_ms)

        def store(db: sqlite3.Connection) -> None:
            number = 1 + (db.execute("SELECT max(number) FROM runs").fetchone()[0] or 0)
            db.execute(
                "INSERT INTO conversations VALUES (?1, ?2, ?3)"
                " ON CONFLICT (id) DO UPDATE SET last_run = ?2, left_out = ?3",
                (name, number, left_out),
            )
            db.execute("INSERT INTO runs VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", (number, name, *values))
            while _too_much(db):
                _forget_oldest(db)

        self._write(store, None)
        return self.error

    def all(self) -> list[dict[str, Any]]:
        """Every stored conversation, the one that was used last first: id, first question, number of runs, times."""
        query = (
            "SELECT c.id,"
            " (SELECT question FROM runs WHERE conversation = c.id ORDER BY number LIMIT 1) AS question,"
            " count(*) AS runs, min(r.started) AS started, max(r.started) AS used"
            " FROM conversations c JOIN runs r ON r.conversation = c.id GROUP BY c.id ORDER BY c.last_run DESC"
        )
        return self._read(lambda db: [dict(row) for row in db.execute(query)], [])

    def get(self, name: str) -> dict[str, Any] | None:
        """One conversation with its newest runs in order; None when there is none with that id."""
        query = "SELECT * FROM runs WHERE conversation = ? ORDER BY number DESC LIMIT ?"
        if not self.known(name):
            return None
        rows: list[sqlite3.Row] = self._read(lambda db: db.execute(query, (name, MOST_LISTED_RUNS)).fetchall(), [])
        return {"id": name, "runs": [_for_people(row) for row in reversed(rows)]}

    def delete(self, name: str) -> bool:
        """Delete a conversation for good. Whether it is gone; when it is not, there was none or `error` says why."""

        def remove(db: sqlite3.Connection) -> bool:
            stored = db.execute("DELETE FROM conversations WHERE id = ?", (name,)).rowcount > 0
            if name in self._begun:
                self._begun.remove(name)
                return True
            return stored

        return self._write(remove, False)

    def _read(self, work: Callable[[sqlite3.Connection], T], otherwise: T) -> T:
        """What `work` finds; `otherwise` where the file cannot be read."""
        return self._do("BEGIN", work, otherwise)

    def _write(self, work: Callable[[sqlite3.Connection], T], otherwise: T) -> T:
        """What `work` does, as a whole or not at all; `otherwise` where the file cannot be written."""
        done = self._do("BEGIN IMMEDIATE", work, otherwise)
        self._on_change()
        return done

    def _do(self, begin: str, work: Callable[[sqlite3.Connection], T], otherwise: T) -> T:
        with self._lock:
            try:
                self._db.execute(begin)
                done = work(self._db)
                self._db.execute("COMMIT")
            except sqlite3.Error as error:
                self._failure = f"Conversations are not kept: {_why(error)}"
                log.warning("%s (%s)", self._failure, error)
                return otherwise
            finally:
                if self._db.in_transaction:
                    self._db.execute("ROLLBACK")
            if begin != "BEGIN":
                self._failure = ""
            return done


def _open(path: Path) -> sqlite3.Connection:
    """Open a file of conversations, make it where there is none, bring an old one up to date.

    A damaged one is put aside. Raises Unreadable for one that a newer app has written; OSError, sqlite3.Error.
    """
    if str(path) != ":memory:":
        path.parent.mkdir(parents=True, exist_ok=True)
    db = sqlite3.connect(path, timeout=2, isolation_level=None, check_same_thread=False)
    if not _is_sound(db):
        db.close()
        aside = path.with_name(f"{path.name}.damaged")
        path.replace(aside)
        log.warning("%s is damaged; it is kept as %s and a new one begun", path.name, aside.name)
        return _open(path)
    db.row_factory = sqlite3.Row
    db.execute("PRAGMA synchronous = EXTRA")
    db.execute("PRAGMA foreign_keys = ON")
    db.execute("PRAGMA secure_delete = ON")  # what somebody deletes is gone from the file too
    version = db.execute("PRAGMA user_version").fetchone()[0]
    if version > len(MIGRATIONS):
        raise Unreadable(f"{path.name} was written by a newer Board Agent; update the app, or move the file away")
    for number, migration in enumerate(MIGRATIONS[version:], version + 1):
        db.executescript(f"BEGIN IMMEDIATE; {migration} PRAGMA user_version = {number}; COMMIT;")
    return db


def _is_sound(db: sqlite3.Connection) -> bool:
    try:
        return [row[0] for row in db.execute("PRAGMA quick_check(1)")] == ["ok"]
    except sqlite3.OperationalError:
        raise  # of the disk, not of the file
    except sqlite3.DatabaseError:
        return False


def _too_much(db: sqlite3.Connection) -> bool:
    count = db.execute("SELECT count(*) FROM conversations").fetchone()[0]
    pages, free, size = (
        db.execute(f"PRAGMA {name}").fetchone()[0] for name in ("page_count", "freelist_count", "page_size")
    )
    return bool(count > MOST_CONVERSATIONS or (pages - free) * size > MOST_BYTES)


def _forget_oldest(db: sqlite3.Connection) -> None:
    """Delete the conversation that was not used for longest; of the only one that is left, its oldest run."""
    oldest, *others = db.execute("SELECT id FROM conversations ORDER BY last_run LIMIT 2").fetchall()
    if others:
        db.execute("DELETE FROM conversations WHERE id = ?", (oldest["id"],))
    else:
        db.execute("DELETE FROM runs WHERE number = (SELECT min(number) FROM runs)")
        db.execute("UPDATE conversations SET left_out = max(0, left_out - 1)")


def _messages(row: sqlite3.Row) -> list[Message]:
    """A stored run as the model is sent it."""
    return [
        {"role": "user", "content": row["question"]},
        *json.loads(row["steps"]),
        {"role": "assistant", "content": row["answer"]},
    ]


def _for_people(row: sqlite3.Row) -> dict[str, Any]:
    shown = {name: row[name] for name in ("run", "question", "answer", "stopped", "model", "started", "total_ms")}
    steps = json.loads(row["steps"])
    results = {step["tool_call_id"]: step["content"] for step in steps if step["role"] == "tool"}
    calls = [
        {
            "tool": call["function"]["name"],
            "args": json.loads(call["function"]["arguments"]),
            "result": results.get(call["id"]),
        }
        for step in steps
        for call in step.get("tool_calls", [])
    ]
    return {**shown, "calls": calls}


def _why(error: sqlite3.Error) -> str:
    """What is wrong with the disk, in words, and what to do."""
    name = getattr(error, "sqlite_errorname", "")
    if name.startswith("SQLITE_FULL"):
        return "the disk is full; free some space. Questions are answered all the same."
    if name.startswith(("SQLITE_READONLY", "SQLITE_CANTOPEN", "SQLITE_PERM", "SQLITE_AUTH")):
        return "the app's data folder cannot be written; make it writable. Questions are answered all the same."
    return f"the file cannot be used ({error}); check the disk. Questions are answered all the same."


def shortened(steps: Sequence[Message]) -> list[Message]:
    """The messages of a run that is past: long results and arguments cut to their beginnings, all else as it was."""
    short = []
    for step in steps:
        if step["role"] == "tool":
            step = {**step, "content": _short(step["content"], note=True)}
        elif step.get("tool_calls"):
            step = {**step, "tool_calls": [_short_call(call) for call in step["tool_calls"]]}
        short.append(step)
    return short


def _short_call(call: dict[str, Any]) -> dict[str, Any]:
    function = call["function"]
    return {**call, "function": {**function, "arguments": _short(function["arguments"], note=False)}}


def _short(text: str, *, note: bool) -> str:
    """JSON text of an object, cut where it is long, as JSON text again."""
    if len(text) <= LONGEST_RESULT:
        return text
    value = {key: _cut(item) for key, item in json.loads(text).items()}
    if len(_compact(value)) > 2 * LONGEST_RESULT:
        value = {}
    if note:
        value["note"] = "shortened; call the tool again for all of it"
    return _compact(value)


def _cut(value: Any) -> Any:
    if isinstance(value, str) and len(value) > LONGEST_VALUE:
        return value[:LONGEST_VALUE] + "…"
    if isinstance(value, list) and len(value) > MOST_ITEMS:
        return [*value[:MOST_ITEMS], "…"]
    return value


def _compact(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
