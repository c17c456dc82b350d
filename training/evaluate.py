"""Measures a model on a set of questions, with the app's own loop on a simulated board.

Two sets belong to the model: the test, which tells how good it is, and the validation, which is looked at while the
data is written. Each is a file of questions with what is right, and one of lines that ask for nothing a board can do.
"""

from __future__ import annotations

import random
import statistics
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx

from board_agent.agent import Agent
from board_agent.model import Model
from evals import questions
from evals.__main__ import in_world
from evals.loops import HarnessLoop
from evals.questions import Question
from evals.stats import wilson
from evals.world import World
from simulator.llama_server import ALIAS, LlamaServer, Served, find_base_model
from simulator.setup import Progress

HERE = Path(__file__).parent
TEST, VALIDATION = "test", "validation"
SETS = {
    TEST: (HERE / "testset.yaml", HERE / "offtopic.txt"),
    VALIDATION: (HERE / "validation.yaml", HERE / "validation-offtopic.txt"),
}
# Without it the memory told would be that of the prompts that were asked before.
NO_COPIES = ("--cache-ram", "0")
SPEED_PROMPT = "The board has a light-emitting diode and a matrix of many more. " * 16
SPEED_TOKENS = 64


class TestWorld(World):
    """The evaluation's board, with a few more files."""

    def _fill(self, chance: random.Random) -> None:
        super()._fill(chance)
        plants = chance.sample(range(5, 90), 5)
        soil = chance.sample(range(250, 800), 6)
        files = {
            "plants.txt": [f"{name} {number}" for name, number in zip(PLANTS, plants, strict=True)],
            "soil.txt": [
                "Soil moisture, window sill",
                *(f"{time} {number / 10}" for time, number in zip(TIMES, soil, strict=True)),
            ],
            "people.txt": [
                "Party on Friday",
                "Marta brings the cake and Liam the lemonade.",
                "The projector is broken since Tuesday.",
                "Room B12 is booked until 16:00.",
            ],
            "door.txt": ["The door code is 4711.", "Ms Okoro has the spare key.", "Ring twice after eight."],
        }
        for name, lines in files.items():
            (self._folder / name).write_text("\n".join(lines) + "\n", encoding="utf-8")


PLANTS = ("thyme", "mint", "rosemary", "basil", "sage")
TIMES = ("06:30", "09:00", "11:30", "14:00", "17:30", "20:00")


@dataclass
class Tally:
    """How many of a kind were asked and were right: the tools with their arguments, the answer, everything."""

    asked: int = 0
    tools: int = 0
    answers: int = 0
    right: int = 0

    def add(self, verdict: dict[str, Any]) -> None:
        """Count one."""
        self.asked += 1
        self.tools += verdict["tools"] and verdict["args"]
        self.answers += verdict["answer"]
        self.right += verdict["right"]


@dataclass
class Scores:
    """What was measured of a model."""

    kinds: dict[str, Tally] = field(default_factory=dict)
    wrong: list[dict[str, Any]] = field(default_factory=list)
    off_topic: int = 0
    false_actions: list[tuple[str, str]] = field(default_factory=list)
    speed: dict[str, float] = field(default_factory=dict)

    @property
    def all(self) -> Tally:
        """All kinds together."""
        total = Tally()
        for tally in self.kinds.values():
            for name in vars(total):
                setattr(total, name, getattr(total, name) + getattr(tally, name))
        return total


def served(adapter: Path, template: Path) -> Served:
    """The base with an adapter and a template, as `models/` is served."""
    options = ["--lora", str(adapter), "--chat-template-file", str(template), "--predict", "200"]
    return Served(ALIAS, lambda: ["--model", str(find_base_model()), *options])


def merged(model: Path) -> Served:
    """A model that has adapter and template inside."""
    return Served(ALIAS, lambda: ["--model", str(model), "--predict", "200"])


def measure(how: Served, name: str = TEST, off_topic: bool = True) -> Scores:
    """Ask everything of a set once, with temperature 0 as the app does."""
    scores = Scores()
    file, lines = SETS[name]
    with LlamaServer(served=how, options=NO_COPIES) as server, TestWorld() as world:
        loop = HarnessLoop(Agent(Model(server.base_url), world.toolbox()))
        chosen = questions.load(file)
        seconds, read, written = [], [], []
        progress = Progress(f"Asking the {name} set")
        for done, record in enumerate(in_world(world, loop, chosen, 1), 1):
            scores.kinds.setdefault(record["kind"], Tally()).add(record["verdict"])
            if not record["verdict"]["right"]:
                scores.wrong.append(record)
            seconds.append(record["seconds"])
            read.append(record["tokens_read"])
            written.append(record["tokens_written"])
            progress.at(done, len(chosen))
        progress.end()
        scores.speed = {
            "seconds": statistics.median(seconds),
            "tokens_read": statistics.median(read),
            "tokens_written": statistics.median(written),
            **_speed(server),
        }
        if off_topic:
            _off_topic(scores, world, loop, lines.read_text(encoding="utf-8").splitlines())
    return scores


def _off_topic(scores: Scores, world: World, loop: HarnessLoop, lines: Sequence[str]) -> None:
    acting = {tool.name for tool in world.tools if tool.risk != "read"}
    world.prepare(Question("off-topic", "off topic", ["."], []), 0)
    progress = Progress("Asking what is off topic")
    for done, line in enumerate(lines, 1):
        answer = loop.ask([line])
        scores.off_topic += 1
        scores.false_actions += [
            (line, f"{call.tool} {dict(call.args)}") for call in answer.calls if call.tool in acting
        ]
        progress.at(done, len(lines))
    progress.end()


def _speed(server: LlamaServer) -> dict[str, float]:
    """Tokens a second, read and written, and the server's memory in MB."""
    body = {"prompt": SPEED_PROMPT, "n_predict": SPEED_TOKENS, "cache_prompt": False, "ignore_eos": True}
    timings = httpx.post(f"{server.address}/completion", json=body, timeout=120).json()["timings"]
    found = {"read_per_second": timings["prompt_per_second"], "written_per_second": timings["predicted_per_second"]}
    status = Path(f"/proc/{server.process.pid if server.process else 0}/status")
    if status.exists():
        line = next(line for line in status.read_text(encoding="utf-8").splitlines() if line.startswith("VmRSS"))
        found["memory_mb"] = int(line.split()[1]) / 1000
    return found


def share(right: int, of: int) -> str:
    """`201 of 210, 96 % (92 to 98)`: with the 95 % interval after Wilson."""
    low, high = wilson(right, of)
    return f"{right} of {of}, {100 * right / max(1, of):.0f} % ({100 * low:.0f} to {100 * high:.0f})"


def table(scored: dict[str, Scores]) -> str:
    """Markdown: a row for each kind, the models side by side."""
    names = list(scored)
    head = ["kind", *(f"{name}, {what}" for name in names for what in ("tools", "answers"))]
    rows = [head, ["---"] * len(head)]
    for kind in next(iter(scored.values())).kinds:
        tallies = [scored[name].kinds[kind] for name in names]
        rows.append([kind, *(f"{n} of {t.asked}" for t in tallies for n in (t.tools, t.answers))])
    totals = [scored[name].all for name in names]
    rows.append(["all", *(share(n, t.asked) for t in totals for n in (t.tools, t.answers))])
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def as_json(scores: Scores) -> dict[str, Any]:
    """What is kept beside the model."""
    return {
        "kinds": {kind: vars(tally) for kind, tally in scores.kinds.items()},
        "all": {name: share(getattr(scores.all, name), scores.all.asked) for name in ("tools", "answers", "right")},
        "off_topic": scores.off_topic,
        "false_actions": len(scores.false_actions),
        "speed": {name: round(value, 2) for name, value in scores.speed.items()},
    }
