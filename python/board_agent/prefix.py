"""The fixed beginning of every prompt (system prompt and tools), read by the model once and kept.

Reading it is what makes a first answer slow: hundreds of tokens at 95 to 241 ms each on a board. So it is read in the
background before anyone asks, and where llama-server has one slot and `--slot-save-path`, its state is saved to disk
and restored after the next start.

A snapshot is used only when it is certain to be right: its name carries everything it depends on, it must hold as many
tokens and bytes as were written, and the restored state must give the same probabilities for the word after a fixed
probe as it did when it was saved. Otherwise it is made anew.
"""

from __future__ import annotations

import hashlib
import json
import logging
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from board_agent.model import Model, ModelError, Server

log = logging.getLogger(__name__)

NAME = "board-agent-{}.bin"
PROBE_QUESTION = "How much is 2 + 3?"
_QUESTIONS = (PROBE_QUESTION, "\n", " 1")
"""What all prompts share is found by comparing some that differ as much as they can in how their first token joins."""
LOGPROB_TOLERANCE = 0.01
READ_TIMEOUT_S = 60.0


@dataclass(frozen=True)
class Status:
    """State (cold, reading, ready, restored, unsupported), tokens done and in all, milliseconds taken."""

    state: str = "cold"
    read: int = 0
    total: int = 0
    ms: int = 0

    @property
    def text(self) -> str:
        """The state in words."""
        seconds = f"{self.ms / 1000:.1f} s"
        return {
            "cold": "not read yet",
            "reading": f"reading {self.read} of {self.total}",
            "ready": f"ready, {self.total} tokens read in {seconds}",
            "restored": f"restored from disk in {seconds}",
            "unsupported": "read with the first question (this server cannot prepare it)",
        }[self.state]

    def to_json(self) -> dict[str, Any]:
        """The status as the `model` event and `/healthz` carry it."""
        return {"state": self.state, "read": self.read, "total": self.total, "ms": self.ms, "text": self.text}


class Prefix:
    """Makes the prefix ready on a server.

    Args:
        prompt: the system prompt.
        schemas: the tools, exactly as every request lists them.
        slots: llama-server's `--slot-save-path` as seen from here, to remove old snapshots from; need not exist.
        on_change: told of every new status.
    """

    def __init__(
        self,
        model: Model,
        prompt: str,
        schemas: Sequence[dict[str, Any]],
        *,
        slots: Path,
        on_change: Callable[[Status], None] = lambda status: None,
    ) -> None:
        self._model = model
        self._prompt = prompt
        self._schemas = list(schemas)
        self._slots = slots
        self._on_change = on_change
        self.status = Status()

    def forget(self) -> None:
        """The server has gone, and its cache with it."""
        self._set(Status())

    def make_ready(self, server: Server) -> None:
        """Restore the prefix, or read and save it. Takes as long as the model needs to read it; raises nothing.

        A server that refuses is left as it is: the first question then reads the prefix.
        """
        if not server.native:
            self._set(Status("unsupported"))
            return
        started = time.monotonic()
        try:
            tokens = self.tokens()
            name = NAME.format(self._key(server))
            keeps = server.slots == 1
            if keeps and self._restore(name, tokens):
                self._set(Status("restored", len(tokens), len(tokens), _ms(started)))
                return
            self._read(tokens, started)
            took = _ms(started)
            if keeps:
                self._save(name, tokens)
            self._set(Status("ready", len(tokens), len(tokens), took))
        except ModelError as error:
            log.warning("the prefix could not be made ready: %s", error)
            self._set(Status())

    def tokens(self) -> list[int]:
        """The token ids that every prompt begins with.

        Raises:
            ModelError: the server does not say.
        """
        shared: list[int] | None = None
        for question in _QUESTIONS:
            tokens = self._prompt_tokens(question)
            shared = tokens if shared is None else shared[: _common(shared, tokens)]
        return shared or []

    def _prompt_tokens(self, question: str) -> list[int]:
        """The token ids of a whole prompt."""
        messages = [{"role": "system", "content": self._prompt}, {"role": "user", "content": question}]
        text = self._model.post("/apply-template", {"messages": messages, "tools": self._schemas})["prompt"]
        body = {"content": text, "add_special": True, "parse_special": True}
        return list(self._model.post("/tokenize", body)["tokens"])

    def _key(self, server: Server) -> str:
        """A hash over everything that the state of the prefix depends on."""
        parts = json.dumps([server.identity, server.context, self._prompt, self._schemas], sort_keys=True)
        return hashlib.sha256(parts.encode()).hexdigest()[:16]

    def _read(self, tokens: Sequence[int], started: float) -> None:
        """Have the model read the prefix and write nothing."""
        body = {
            "prompt": list(tokens),
            "n_predict": 0,
            "cache_prompt": True,
            "id_slot": 0,
            "stream": True,
            "return_progress": True,
        }
        self._set(Status("reading", 0, len(tokens)))
        for chunk in self._model.stream_post("/completion", body):
            if "error" in chunk:
                raise ModelError(f"the server would not read the prefix: {chunk['error']}", "refused")
            progress = chunk.get("prompt_progress") or {}
            if progress:
                self._set(Status("reading", int(progress.get("processed", 0)), len(tokens), _ms(started)))

    def _restore(self, name: str, tokens: Sequence[int]) -> bool:
        """Restore the snapshot of that name; whether it is there and proven right."""
        try:
            record = json.loads(self._record_path(name).read_text())
            restored = self._slot("restore", name)
            if (restored.get("n_restored"), restored.get("n_read")) != (len(tokens), record["bytes"]):
                raise ValueError(f"holds {restored.get('n_restored')} tokens")
            if not _alike(self._fingerprint(tokens, restored=True), record["fingerprint"]):
                raise ValueError("gives other probabilities than when it was saved")
            # The probe has moved the state on, and a recurrent model cannot go back.
            self._slot("restore", name)
        except FileNotFoundError:
            return False
        except (ModelError, ValueError, KeyError, TypeError, OSError) as error:
            log.warning("the snapshot %s is not used and made anew: %s", name, error)
            return False
        return True

    def _save(self, name: str, tokens: Sequence[int]) -> None:
        """Save the prefix that the slot holds now; a server that cannot is left with the prefix read."""
        try:
            saved = self._slot("save", name)
            record = {"bytes": saved["n_written"], "fingerprint": self._fingerprint(tokens)}
            self._slot("restore", name)
            self._slots.mkdir(parents=True, exist_ok=True)
            self._record_path(name).write_text(json.dumps(record))
            for old in self._slots.glob(NAME.format("*") + "*"):
                if not old.name.startswith(name):
                    old.unlink(missing_ok=True)
        except (ModelError, KeyError, OSError) as error:
            log.info("no snapshot of the prefix: %s", error)

    def _slot(self, action: str, name: str) -> dict[str, Any]:
        return self._model.post(f"/slots/0?action={action}", {"filename": name}, timeout=READ_TIMEOUT_S)

    def _fingerprint(self, tokens: Sequence[int], *, restored: bool = False) -> list[list[float]]:
        """The most probable tokens after prefix and probe, each with its logarithm: changes when the state is wrong.

        Raises:
            ValueError: `restored` is of other tokens, so that the server had to read the prefix for the probe.
        """
        probe = self._prompt_tokens(PROBE_QUESTION)[len(tokens) :]
        body = {
            "prompt": [*tokens, *probe],
            "n_predict": 1,
            "n_probs": 5,
            "temperature": 0,
            "cache_prompt": True,
            "id_slot": 0,
        }
        answer = self._model.post("/completion", body, timeout=READ_TIMEOUT_S)
        if restored and answer["timings"]["cache_n"] < len(tokens):
            raise ValueError("is of another prompt")
        top = answer["completion_probabilities"][0]["top_logprobs"]
        return [[entry["id"], entry["logprob"]] for entry in top]

    def _record_path(self, name: str) -> Path:
        return self._slots / f"{name}.json"

    def _set(self, status: Status) -> None:
        self.status = status
        self._on_change(status)


def _alike(now: Sequence[Sequence[float]], then: Sequence[Sequence[float]]) -> bool:
    return len(now) == len(then) > 0 and all(
        a[0] == b[0] and abs(a[1] - b[1]) <= LOGPROB_TOLERANCE for a, b in zip(now, then, strict=True)
    )


def _common(a: Sequence[int], b: Sequence[int]) -> int:
    """How many items two lists begin with in common."""
    return next((n for n, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), min(len(a), len(b)))


def _ms(started: float) -> int:
    return round((time.monotonic() - started) * 1000)
