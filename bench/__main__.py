"""`make bench`: measures this app and the plain loop of the tutorials, with each model, on one llama-server each.

Prints Markdown and writes it to bench/results.md. Token counts are llama-server's own and the same each time; times are
not, and are given as ratios only.
"""

from __future__ import annotations

import logging
import signal
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from bench import own
from bench.meter import Cost, Meter
from bench.parts import AppLoop, PlainLoop, connected, simulated_board, toolbox
from bench.steps import STEPS, Step
from bench.table import Row, fastest, markdown, table
from board_agent.toolbox import Toolbox
from simulator import say
from simulator.llama_server import HYBRID, SMALL, VERSION, LlamaServer, Served
from simulator.setup import SetUpError
from simulator.sketch import SketchError

RESULTS = Path(__file__).resolve().parent / "results.md"
ROUNDS = 3
ONE_THREAD = ("--threads", "1")
"""Ratios of times are the same with more, but less steady where something else runs."""
MICRO_BATCHES = ("512", "64")


@dataclass(frozen=True)
class Measured:
    """One model: a row for each step, and what the app had read before anyone asked: at the very first start, later."""

    served: Served
    rows: list[Row]
    first_start: Cost
    next_start: Cost


def measure(served: Served, tools: Toolbox, folder: Path) -> Measured:
    """Both loops on one llama-server, each after a restart. The hybrid model's replies are scripted.

    Raises:
        ScriptError: the figures would be worth nothing.
    """
    slots = folder / served.alias
    with LlamaServer(slots=slots, served=served, options=ONE_THREAD) as llama, Meter(llama.address) as meter:
        app = AppLoop(meter, tools, slots)
        app.server_started()
        first_start = meter.take()
        llama.restart()
        state = app.server_started()
        if state != "restored":
            raise RuntimeError(f"the prefix was to be restored, and is {state}")
        next_start = meter.take()
        ours, theirs = [], []
        for _ in range(ROUNDS):
            llama.restart()
            app.server_started()
            meter.take()
            ours.append([_cost(meter, app, step, served) for step in STEPS])
            llama.restart()
            plain = PlainLoop(meter, tools, served.alias)
            theirs.append([_cost(meter, plain, step, served) for step in STEPS])
    costs = zip(zip(*ours, strict=True), zip(*theirs, strict=True), strict=True)
    rows = [Row(step.title, fastest(a), fastest(b)) for step, (a, b) in zip(STEPS, costs, strict=True)]
    return Measured(served, rows, first_start, next_start)


def _cost(meter: Meter, loop: AppLoop | PlainLoop, step: Step, served: Served) -> Cost:
    if served is HYBRID:
        meter.script = list(step.script)
    answer = loop.ask(step)
    say(f"  {served.alias}, {type(loop).__name__}, {step.title}: {answer}")
    return meter.take()


def micro_batches(tools: Toolbox, folder: Path) -> list[list[str]]:
    """What a new question has the hybrid model read, by `--ubatch-size`: a line for each size, with a head."""
    lines = [["`--ubatch-size`", "first question", "second question", "follow-up"]]
    for size in MICRO_BATCHES:
        options = (*ONE_THREAD, "--ubatch-size", size)
        slots = folder / size
        with LlamaServer(slots=slots, served=HYBRID, options=options) as llama, Meter(llama.address) as meter:
            app = AppLoop(meter, tools, slots)
            app.server_started()
            meter.take()
            read = []
            for step in STEPS[:3]:
                meter.script = list(step.script)
                app.ask(step)
                read.append(str(meter.costs[0].read))
                meter.take()
            lines.append([size, *read])
    return lines


def without_ram(tools: Toolbox, folder: Path) -> Row:
    """What the last step costs on a server that keeps no copies of earlier prompts in memory (hybrid model)."""
    costs = []
    options = (*ONE_THREAD, "--cache-ram", "0")
    with LlamaServer(slots=folder, served=HYBRID, options=options) as llama, Meter(llama.address) as meter:
        app = AppLoop(meter, tools, folder)
        app.server_started()
        meter.take()
        costs.append([_cost(meter, app, step, HYBRID) for step in STEPS][-1])
        llama.restart()
        plain = PlainLoop(meter, tools, HYBRID.alias)
        costs.append([_cost(meter, plain, step, HYBRID) for step in STEPS][-1])
    return Row(STEPS[-1].title, *costs)


def report(measured: dict[str, Measured], batches: Sequence[Sequence[str]], no_ram: Row, beside: own.Own) -> str:
    """Everything as Markdown."""
    parts = [f"Measured on llama-server (llama.cpp {VERSION.partition('.')[0]}) by `make bench`."]
    for name, model in measured.items():
        before = (
            f"Before anyone asks, the app has the model read {model.first_start.read} tokens at the very first start "
            f"and {model.next_start.read} after each later one; the plain loop none."
        )
        parts += [f"**{name}**", table(model.rows, scripted=model.served is HYBRID), before]
    parts += [
        "The plain loop's last request, without tools, drives the prompt out of the slot; llama-server keeps a copy of "
        "it in memory. Where it may not (`--cache-ram 0`), the question after that reads "
        f"{no_ram.app.read} tokens with the app and {no_ram.plain.read} with the plain loop.",
        "**Tokens that the first request of a question reads, by micro-batch** (hybrid model, this app)",
        markdown(batches),
        f"**The app itself** (on the machine that measured): {beside.question_ms:.0f} ms of a question of "
        f"{beside.whole_ms:.0f} ms are its own, {beside.memory_mb:.0f} MB resident at most, "
        f"{beside.import_ms / 1000:.1f} s to load its parts.",
    ]
    return "\n\n".join(parts) + "\n"


def main() -> int:
    """Measure, print, write."""
    logging.basicConfig(level=logging.WARNING)
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(128 + number))  # so that nothing is left running
    try:
        with tempfile.TemporaryDirectory(prefix="bench-") as name, simulated_board() as router:
            folder = Path(name)
            with connected(router) as bridge:
                tools = toolbox(bridge)
                measured = {
                    "The small model": measure(SMALL, tools, folder),
                    "A tiny model of Qwen3.5's hybrid architecture": measure(HYBRID, tools, folder),
                }
                no_ram = without_ram(tools, folder / "no-ram")
                batches = micro_batches(tools, folder)
            with LlamaServer(slots=folder / "slots", options=ONE_THREAD) as llama:
                beside = own.measure(llama, router, folder)
    except (SetUpError, SketchError) as error:
        say(str(error))
        return 1
    text = report(measured, batches, no_ram, beside)
    RESULTS.write_text(text, encoding="utf-8")
    sys.stdout.write(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
