"""The fixed beginning of a prompt is read once, and what is restored from disk is right or is not used.

Two real models: the small one, and a tiny one of Qwen3.5's architecture with Qwen3.5's own template, which cannot go
back in its cache. Where it has to say something, the meter makes it.
"""

from __future__ import annotations

import json
import shutil
import threading
from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from bench.meter import Call, Meter
from bench.parts import toolbox
from board_agent import events
from board_agent.agent import Agent
from board_agent.deadline import Deadline
from board_agent.feed import Feed
from board_agent.model import Model
from board_agent.prefix import Prefix, Status
from board_agent.prompt import SYSTEM_PROMPT
from board_agent.watch import ModelWatch
from simulator.llama_server import HYBRID, SMALL, LlamaServer, Served
from simulator.router import Router
from tests.e2e.conftest import App
from tests.unit.house import until
from tests.unit.scripted import FakeBridge

RECORDED = Path(__file__).with_name("prefix_size.json")
MOST = 600
"""Tokens under Qwen3.5's template: on a board each takes 95 to 241 ms."""
BRIDGE = FakeBridge(["check", "smiley", "off"])
QUESTION = "Turn on the LED."
TURN_ON = [Call("set_builtin_led", {"state": True}), "The LED is on."]


@dataclass
class House:
    """A llama-server that is measured, and the app's parts on it."""

    llama: LlamaServer
    meter: Meter
    slots: Path

    def __post_init__(self) -> None:
        self.tools = toolbox(BRIDGE)
        self.model = Model(self.meter.base_url)
        self.agent = Agent(self.model, self.tools)
        self.prefix = self.new_prefix()

    def new_prefix(self, slots: Path | None = None, prompt: str = SYSTEM_PROMPT) -> Prefix:
        return Prefix(self.model, prompt, self.tools.schemas(), slots=slots or self.slots)

    def make_ready(self) -> str:
        """As after a start of the app: the state of the prefix, and nothing counted so far."""
        self.prefix = self.new_prefix()
        self.prefix.make_ready(self.model.probe())
        self.meter.take()
        return self.prefix.status.state

    def restart(self) -> None:
        self.llama.restart()

    def first_reads(self, question: str = QUESTION) -> int:
        """The tokens that the first request of a question reads."""
        self.meter.script = ["Yes."]
        self.answer(question)
        read = self.meter.costs[0].read
        self.meter.take()
        return read

    def answer(self, question: str = QUESTION) -> events.RunEnded:
        last = list(self.agent.run(question, Deadline(60)))[-1]
        assert isinstance(last, events.RunEnded)
        assert last.error is None
        return last

    def prompt(self, question: str) -> list[int]:
        """The tokens of a whole prompt."""
        messages = [{"role": "system", "content": SYSTEM_PROMPT}, {"role": "user", "content": question}]
        text = self.model.post("/apply-template", {"messages": messages, "tools": self.tools.schemas()})["prompt"]
        return list(
            self.model.post("/tokenize", {"content": text, "add_special": True, "parse_special": True})["tokens"]
        )

    def reply(self) -> str:
        """What the model says at temperature 0 with nothing but its own words."""
        messages = [{"role": "system", "content": SYSTEM_PROMPT}, {"role": "user", "content": "What is 2 + 2?"}]
        body = {"messages": messages, "tools": self.tools.schemas(), "tool_choice": "none", "temperature": 0}
        answer = self.model.post("/v1/chat/completions", {**body, "max_tokens": 40}, timeout=60)
        return str(answer["choices"][0]["message"]["content"])

    def snapshots(self) -> list[Path]:
        return sorted(self.slots.glob("board-agent-*.bin"))


def house(served: Served, slots: Path, *options: str, server: type[LlamaServer] = LlamaServer) -> Iterator[House]:
    with server(slots=slots, served=served, options=options) as llama, Meter(llama.address) as meter:
        yield House(llama, meter, slots)


@pytest.fixture(scope="module")
def hybrid(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    yield from house(HYBRID, tmp_path_factory.mktemp("hybrid"))


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    yield from house(SMALL, tmp_path_factory.mktemp("small"), "--threads", "1")


@pytest.fixture(params=["small", "hybrid"])
def either(request: pytest.FixtureRequest) -> House:
    found: House = request.getfixturevalue(request.param)
    return found


@pytest.fixture
def cold(hybrid: House) -> House:
    """The hybrid model just started, with nothing on disk."""
    for file in hybrid.slots.iterdir():
        shutil.rmtree(file) if file.is_dir() else file.unlink()
    hybrid.restart()
    return hybrid


def ended(generator: Generator[events.Event, None, Any]) -> Any:
    """What a generator returns in the end."""
    while True:
        try:
            next(generator)
        except StopIteration as end:
            return end.value


# --- the prefix is the same every time, and short ---


def test_two_questions_begin_with_the_same_tokens(either: House) -> None:
    prefix = either.new_prefix().tokens()
    for question in ("How much memory is free?", "  2+2", "Ü", "?\n\n"):
        prompt = either.prompt(question)
        assert prompt[: len(prefix)] == prefix
        assert len(prompt) > len(prefix)


def test_the_app_sends_what_is_measured_here(small: House, folder: Path) -> None:
    with Router(f"unix://{folder}/prefix.sock") as router:
        app = App(small.meter.base_url, router.address, folder)
        try:
            until(lambda: app.prefix() in ("ready", "restored"))
            app.ask(QUESTION)
        finally:
            app.stop()
    sent = small.meter.requests[-1]
    small.meter.take()
    assert sent["tools"] == small.tools.schemas()
    assert sent["messages"][0] == {"role": "system", "content": SYSTEM_PROMPT}


def test_the_size_of_the_prefix_is_the_recorded_one(either: House) -> None:
    recorded = json.loads(RECORDED.read_text())
    name = either.model.probe().model
    assert len(either.new_prefix().tokens()) == recorded[name], (
        f"prompt or tools have changed what every question begins with: if that is meant, record it in {RECORDED.name}"
    )


def test_the_prefix_is_short_under_qwens_template(hybrid: House) -> None:
    assert len(hybrid.new_prefix().tokens()) <= MOST


# --- warm at start ---


def test_after_the_warm_up_the_first_question_reads_only_itself(cold: House) -> None:
    assert cold.make_ready() == "ready"
    own = len(cold.prompt(QUESTION)) - len(cold.prefix.tokens())
    assert cold.first_reads() == own < 30


def test_without_the_warm_up_the_first_question_reads_everything(cold: House) -> None:
    cold.model.probe()
    assert cold.first_reads() == len(cold.prompt(QUESTION))


def test_a_second_question_reads_only_itself(cold: House) -> None:
    cold.make_ready()
    cold.first_reads()
    other = "How much memory is free on this board just now?"
    assert cold.first_reads(other) == len(cold.prompt(other)) - len(cold.prefix.tokens())


def test_a_question_waits_for_the_prefix_and_nothing_is_read_twice(cold: House) -> None:
    reading, go_on = threading.Event(), threading.Event()

    def make_prefix(tell: Callable[[Status], None]) -> Prefix:
        def on_change(status: Status) -> None:
            tell(status)
            if status.state == "reading" and status.read == 0:
                reading.set()
                go_on.wait(20)

        return Prefix(cold.model, SYSTEM_PROMPT, cold.tools.schemas(), slots=cold.slots, on_change=on_change)

    watch = ModelWatch(cold.model, Feed(), make_prefix)
    watch.start()
    try:
        assert reading.wait(20)
        deadline = Deadline(60)
        cold.meter.script = ["Yes."]
        hold = watch.hold(deadline)
        first = next(hold)
        assert isinstance(first, events.Waiting)
        assert "reads its instructions" in first.reason
        go_on.set()
        grant = ended(hold)
        assert list(cold.agent.run(QUESTION, deadline))[-1].type == "run_ended"
        grant.over = True
    finally:
        go_on.set()
        watch.close()
    prefix = cold.prefix.tokens()
    reads = [cost.read for cost in cold.meter.costs]
    cold.meter.take()
    assert sum(read >= len(prefix) for read in reads) == 1
    assert reads[-1] == len(cold.prompt(QUESTION)) - len(prefix)


# --- the snapshot ---


def test_after_a_restart_the_first_question_reads_only_itself(cold: House) -> None:
    cold.make_ready()
    assert len(cold.snapshots()) == 1, "saved at the very first start"
    cold.restart()
    assert cold.make_ready() == "restored"
    assert cold.first_reads() == len(cold.prompt(QUESTION)) - len(cold.prefix.tokens())


def test_a_restored_run_gives_the_same_reply_as_a_cold_one(cold: House) -> None:
    read_whole = cold.reply()
    cold.restart()
    cold.make_ready()
    warmed = cold.reply()
    cold.restart()
    assert cold.make_ready() == "restored"
    assert cold.reply() == warmed == read_whole != ""


def flip_a_byte(file: Path) -> None:
    content = bytearray(file.read_bytes())
    for place in range(len(content) // 2, len(content) // 2 + 64):
        content[place] ^= 0xFF
    file.write_bytes(content)


def cut_off(file: Path) -> None:
    file.write_bytes(file.read_bytes()[: file.stat().st_size // 2])


def empty(file: Path) -> None:
    file.write_bytes(b"")


def record_of(file: Path) -> Path:
    return file.with_name(f"{file.name}.json")


def misfit_record(file: Path) -> None:
    record = json.loads(record_of(file).read_text())
    record["fingerprint"][0][1] += 1
    record_of(file).write_text(json.dumps(record))


def broken_record(file: Path) -> None:
    record_of(file).write_text("[]")


def no_record(file: Path) -> None:
    record_of(file).unlink()


DAMAGES = [flip_a_byte, cut_off, empty, misfit_record, broken_record, no_record]


@pytest.mark.parametrize("damage", DAMAGES, ids=lambda damage: damage.__name__)
def test_a_snapshot_that_does_not_fit_is_made_anew(cold: House, damage: Callable[[Path], None]) -> None:
    right = cold.reply()
    cold.restart()
    cold.make_ready()
    damage(cold.snapshots()[0])
    cold.restart()
    assert cold.make_ready() == "ready"
    assert cold.reply() == right
    cold.restart()
    assert cold.make_ready() == "restored"
    assert cold.reply() == right


def test_a_snapshot_of_another_prompt_under_the_right_name_is_made_anew(cold: House) -> None:
    right = cold.reply()
    cold.restart()
    cold.make_ready()
    mine = cold.snapshots()[0]
    kept = {file: file.read_bytes() for file in (mine, record_of(mine))}
    # As many tokens, other words: only what the model makes of them can tell.
    other = cold.new_prefix(prompt=SYSTEM_PROMPT.replace("one short sentence", "two long sentences"))
    assert len(other.tokens()) == len(cold.prefix.tokens())
    cold.restart()
    other.make_ready(cold.model.probe())
    foreign = cold.snapshots()[0]
    assert foreign != mine
    mine.write_bytes(foreign.read_bytes())
    record_of(mine).write_bytes(kept[record_of(mine)])
    cold.restart()
    assert cold.make_ready() == "ready"
    assert cold.reply() == right


def test_old_snapshots_are_removed(cold: House) -> None:
    cold.new_prefix(prompt="Another prompt.").make_ready(cold.model.probe())
    (old,) = cold.snapshots()
    stranger = cold.slots / "mine.bin"
    stranger.write_text("not ours")
    cold.restart()
    assert cold.make_ready() == "ready"
    (new,) = cold.snapshots()
    assert new != old
    assert not record_of(old).exists()
    assert stranger.read_text() == "not ours"


def test_a_missing_slots_folder_leaves_the_prefix_read(cold: House) -> None:
    cold.make_ready()
    shutil.rmtree(cold.slots)
    try:
        cold.restart()
        state = cold.make_ready()
        assert state == "ready"
        assert cold.first_reads() < 30
    finally:
        cold.slots.mkdir(exist_ok=True)


def test_a_slots_folder_that_the_app_cannot_write_leaves_the_prefix_read(cold: House, tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("a file where the app looks for the folder")
    for _ in range(2):
        prefix = cold.new_prefix(slots=blocked / "slots")
        prefix.make_ready(cold.model.probe())
        assert prefix.status.state == "ready"
        cold.meter.take()
        assert cold.first_reads() < 30
        cold.restart()


class WithoutSlots(LlamaServer):
    """A server that was started without `--slot-save-path`."""

    def _command(self, server: Path, model: list[str]) -> list[str]:
        command = super()._command(server, model)
        place = command.index("--slot-save-path")
        return command[:place] + command[place + 2 :]


def test_a_server_without_the_option_simply_gets_the_warm_up(tmp_path: Path) -> None:
    for one in house(HYBRID, tmp_path, server=WithoutSlots):
        for _ in range(2):
            assert one.make_ready() == "ready"
            assert one.first_reads() < 30
            one.restart()
        assert list(tmp_path.iterdir()) == []


def test_a_server_with_two_slots_gets_the_warm_up_and_no_snapshot(tmp_path: Path) -> None:
    for one in house(HYBRID, tmp_path, "--parallel", "2"):
        assert one.make_ready() == "ready"
        assert one.first_reads() < 30
        assert one.snapshots() == []


# --- a run reads nothing twice ---


CALLS = [
    TURN_ON[0],
    Call("set_builtin_led", {"state": False}),
    Call("get_system_info"),
    Call("list_files"),
    Call("list_files", {"path": "."}),
    Call("calculate", {"expression": '(47 * 89) / 2 > 17% "°"'}),
    Call("set_led_matrix", {"pattern": "smiley"}),
]


@pytest.mark.parametrize("call", CALLS, ids=lambda call: f"{call.name} {call.arguments}")
def test_under_qwens_template_the_second_turn_reads_only_the_result(cold: House, call: Call) -> None:
    cold.make_ready()
    cold.meter.script = [call, "Done."]
    cold.answer()
    first, second = cold.meter.costs
    cold.meter.take()
    assert second.reused == first.read + first.reused + first.written - 1


def test_the_small_models_second_turn_reads_only_the_result(small: House) -> None:
    small.make_ready()
    for question in (QUESTION, "What is 47 times 89?"):
        small.answer(question)
        first, second = small.meter.costs
        small.meter.take()
        assert second.reused == first.read + first.reused + first.written - 1


def test_the_reserved_turn_reads_only_the_result(hybrid: House) -> None:
    hybrid.make_ready()
    hybrid.meter.script = [Call("get_system_info"), "Done."]
    last = list(Agent(hybrid.model, hybrid.tools, max_turns=1).run(QUESTION, Deadline(60)))[-1]
    assert isinstance(last, events.RunEnded)
    assert last.stopped == "turn_limit"
    first, second = hybrid.meter.costs
    hybrid.meter.take()
    assert second.reused == first.read + first.reused + first.written - 1
