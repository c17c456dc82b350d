"""Trains the adapter: so many minutes, with a checkpoint every few, from which it goes on when it was interrupted."""

from __future__ import annotations

import json
import math
import random
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

import torch
from torch.nn import functional

from simulator import say
from training.export import load_adapter, save_adapter
from training.model import AdaptedModel, quick_type
from training.template import render
from training.tokenizer import Tokenizer

HEADER = "<|im_start|>assistant\n"
END = "<|im_end|>"
CHUNK = 200
VALIDATION = 96
REPORT_STEPS = 10
COUNTERS = ("seconds", "steps", "batches", "tokens")


@dataclass(frozen=True)
class Settings:
    """How to train.

    Args:
        first: the first block that has an adapter.
        tokens: about so many are computed in a batch.
        shared: this part of the time a step is one batch, which the threads share, since many small steps learn more at
            first; then it is a batch for each thread.
        rate: the highest learning rate, of which `last_rate` is left at the end.
        b_times: the adapter's B learns so much faster than its A (LoRA+; Hayou, Ghosh and Yu, 2024).
    """

    minutes: float = 58.0
    seed: int = 1
    first: int = 10
    rank: int = 16
    alpha: float = 32.0
    tokens: int = 400
    shared: float = 0.35
    rate: float = 1e-3
    b_times: float = 3.0
    last_rate: float = 0.02
    warm_up: int = 15
    checkpoint_minutes: float = 3.0
    threads: int = 2


@dataclass(frozen=True)
class Example:
    """A conversation in tokens. `learned`: which of them the model is to say."""

    ids: list[int]
    learned: list[bool]


def example(tokenizer: Tokenizer, template: str, conversation: dict[str, Any]) -> Example:
    """Render a conversation; what the assistant says is what is learned, and what comes after it is left out."""
    text = render(template, conversation["messages"], conversation["tools"]).removesuffix("\n")
    ids: list[int] = []
    learned: list[bool] = []
    for place, part in enumerate(text.split(HEADER)):
        said, end, rest = part.partition(END) if place else ("", "", part)
        pieces = [(HEADER, False)] if place else []
        for piece, learn in [*pieces, (said + end, True), (rest, False)]:
            new = tokenizer.encode(piece)
            ids += new
            learned += [learn] * len(new)
    end_of_learned = len(learned) - learned[::-1].index(True)
    return Example(ids[:end_of_learned], learned[:end_of_learned])


def batches(examples: Sequence[Example], tokens: int, seed: int) -> list[list[Example]]:
    """All examples once, in batches of about so many computed tokens and of about the same length."""
    chance = random.Random(seed)  # noqa: S311
    made: list[list[Example]] = []
    for first in range(0, len(examples), CHUNK):
        # The same beginning first: what a batch's examples share is computed once.
        chunk = sorted(examples[first : first + CHUNK], key=lambda one: (one.ids[:40], len(one.ids)))
        chunk.sort(key=lambda one: len(one.ids) // 40)
        some: list[list[Example]] = [[]]
        for one in chunk:
            if some[-1] and computed([*some[-1], one]) > tokens:
                some.append([])
            some[-1].append(one)
        chance.shuffle(some)
        made += some
    return made


def shared(batch: Sequence[Example]) -> int:
    """How many tokens the examples of a batch begin with in common, before the first that is learned."""
    first = batch[0].ids
    length = min(one.learned.index(True) for one in batch) - 1
    return next((n for n in range(length) if any(one.ids[n] != first[n] for one in batch)), length)


def computed(batch: Sequence[Example]) -> int:
    """How many tokens of these are computed."""
    return sum(len(one.ids) for one in batch) - shared(batch) * (len(batch) - 1)


def learned(batch: Sequence[Example]) -> int:
    """How many tokens of these are learned."""
    return sum(sum(one.learned) for one in batch)


def loss(model: AdaptedModel, batch: Sequence[Example]) -> torch.Tensor:
    """The mean loss over what is learned of a batch."""
    start = shared(batch)
    wanted: list[int] = []
    targets: list[int] = []
    offset = 0
    for one in batch:
        for place in range(start + 1, len(one.ids)):
            if one.learned[place]:
                wanted.append(offset + place - start - 1)
                targets.append(one.ids[place])
        offset += len(one.ids) - start
    logits = model(batch[0].ids[:start], [one.ids[start:] for one in batch], torch.tensor(wanted))
    return functional.cross_entropy(logits, torch.tensor(targets))


def parts(batch: Sequence[Example], count: int) -> list[list[Example]]:
    """A batch cut into parts of about the same number of tokens, one for each thread."""
    made: list[list[Example]] = [[] for _ in range(count)]
    for one in sorted(batch, key=lambda one: -len(one.ids)):
        min(made, key=lambda part: sum(len(other.ids) for other in part)).append(one)
    return [part for part in made if part]


def learn(model: AdaptedModel, whole: int, part: Sequence[Example]) -> float:
    """Add the gradients of a part of a step in which `whole` tokens are learned; the part's share of the loss."""
    value = loss(model, part) * (learned(part) / whole)
    value.backward()
    return float(value.detach())


def new_model(base: Path, settings: Settings, start: Path | None = None) -> AdaptedModel:
    """The base with an adapter that does nothing yet, or with one to begin with."""
    torch.manual_seed(settings.seed)
    model = AdaptedModel(base, settings.rank, settings.alpha, quick_type(), settings.first)
    if start:
        load_adapter(model, start)
    return model


class Training:
    """A run of training in a folder: `adapter.gguf` and `checkpoint.pt` there are its latest state.

    Args:
        digest: of the conversations; a checkpoint that was made with others is refused.
    """

    def __init__(self, model: AdaptedModel, folder: Path, settings: Settings, digest: str) -> None:
        self.settings = settings
        self.model = model
        self._made_of = {**asdict(settings), "digest": digest}
        halves = [
            {"params": [value for name, value in model.named_parameters() if name.endswith(letter)], "times": times}
            for letter, times in (("_a", 1.0), ("_b", settings.b_times))
        ]
        self.optimizer = torch.optim.AdamW(halves, lr=settings.rate, betas=(0.9, 0.98), weight_decay=0.0, fused=True)
        self.adapter, self._checkpoint = folder / "adapter.gguf", folder / "checkpoint.pt"
        self.seconds = 0.0
        self.steps = 0
        self.batches = 0
        self.tokens = 0
        if self._checkpoint.exists():
            self._resume()

    def _resume(self) -> None:
        saved = torch.load(self._checkpoint)
        if saved["made_of"] != self._made_of:
            raise ValueError(f"{self._checkpoint} was made with other settings or data; remove it to begin anew")
        self.model.load_state_dict(saved["model"])
        self.optimizer.load_state_dict(saved["optimizer"])
        self.seconds, self.steps, self.batches, self.tokens = (saved[name] for name in COUNTERS)

    def save(self) -> None:
        """Write checkpoint and adapter, each whole or not at all."""
        state = {
            "made_of": self._made_of,
            "model": self.model.state_dict(),
            "optimizer": self.optimizer.state_dict(),
            **{name: getattr(self, name) for name in COUNTERS},
        }
        unfinished = self._checkpoint.with_suffix(".unfinished")
        torch.save(state, unfinished)
        unfinished.replace(self._checkpoint)
        unfinished = self.adapter.with_suffix(".unfinished")
        save_adapter(self.model, unfinished)
        unfinished.replace(self.adapter)

    def run(self, examples: Sequence[Example]) -> None:
        """Train until the time is up, or there is nothing new to learn from."""
        # Threads that each work on a part of a step wait for each other once a step, not at each multiplication.
        torch.set_num_threads(1)
        with ThreadPoolExecutor(self.settings.threads) as pool:
            self._run(examples, pool)

    def _run(self, examples: Sequence[Example], pool: ThreadPoolExecutor) -> None:
        count = min(VALIDATION, len(examples) // 10)
        held, rest = examples[:count], examples[count:]
        some = batches(rest, self.settings.tokens, self.settings.seed)
        total = self.settings.minutes * 60
        saved = self.seconds
        smooth = None
        while self.seconds < total and self.batches < len(some):
            began = time.monotonic()
            over = max(self.seconds / total, self.batches / len(some))
            step = some[self.batches : self.batches + (1 if over < self.settings.shared else self.settings.threads)]
            work = parts(step[0], self.settings.threads) if len(step) == 1 else step
            for group in self.optimizer.param_groups:
                group["lr"] = group["times"] * self._rate(over)
            self.optimizer.zero_grad()
            value = sum(pool.map(partial(learn, self.model, sum(map(learned, work))), work))
            torch.nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
            self.optimizer.step()
            self.steps += 1
            self.batches += len(step)
            self.tokens += sum(map(computed, step))
            smooth = value if smooth is None else 0.95 * smooth + 0.05 * value
            self.seconds += time.monotonic() - began
            if self.steps % REPORT_STEPS == 0:
                left = (total - self.seconds) / 60
                pace = self.tokens / self.seconds
                say(f"step {self.steps}: loss {smooth:.4f}, {pace:.0f} tokens/s, {left:.0f} min left")
            if self.seconds - saved > self.settings.checkpoint_minutes * 60:
                saved = self.seconds
                self.save()
        self.save()
        with torch.no_grad():
            values = [loss(self.model, held[n : n + 8]).item() for n in range(0, len(held), 8)]
        say(f"trained {self.steps} steps, {self.tokens} tokens; new conversations: {sum(values) / len(values):.4f}")

    def _rate(self, over: float) -> float:
        """Warm up over a few steps, then fall along a cosine; `over`: the part of time or batches that is used up."""
        settings = self.settings
        warm = min(1.0, (self.steps + 1) / settings.warm_up)
        return (
            settings.rate
            * warm
            * (settings.last_rate + (1 - settings.last_rate) * 0.5 * (1 + math.cos(math.pi * min(1.0, over))))
        )


def read_examples(path: Path, tokenizer: Tokenizer, template: str) -> list[Example]:
    """The conversations of a file as examples."""
    with path.open(encoding="utf-8") as lines:
        return [example(tokenizer, template, json.loads(line)) for line in lines]
