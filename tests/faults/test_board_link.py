"""Router and microcontroller go, come back, hang and lie; both are the simulated board's, with the real sketch."""

from __future__ import annotations

import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import pytest
from arduino.router_bridge import Bridge

from board_agent.toolbox import Tool
from board_agent.tools.calculator import calculate
from simulator.microcontroller import Microcontroller
from simulator.router import Router
from tests.unit.house import Make, TestHouse, until
from tests.unit.scripted import call, calling, saying

LAMP = call("set_builtin_led", {"state": True})
Start = Callable[..., TestHouse]


@pytest.fixture
def address() -> Iterator[str]:
    with tempfile.TemporaryDirectory(dir="/tmp") as name:
        yield f"unix://{name}/router.sock"


@pytest.fixture
def router(address: str) -> Iterator[Router]:
    with Router(address) as running:
        yield running


@pytest.fixture
def start(make: Make, address: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[Start]:
    """Builds the app on Arduino's own client of the router at `address`."""
    monkeypatch.setattr("board_agent.watch.BOARD_POLL_S", 0.1)
    with ExitStack() as bridges:

        def connect() -> Any:
            bridge = Bridge(address)
            bridge.connect(timeout=0)
            bridge.patterns = ("check", "x", "off")
            bridges.callback(bridge.disconnect)
            return bridge

        monkeypatch.setattr("tests.unit.house.FakeBridge", connect)
        yield lambda *script: make(*script, tools=[Tool(calculate)])


def ask(house: TestHouse) -> dict[str, Any]:
    """The result of one question."""
    run = house.runs.submit("Light it")
    assert run.ended.wait(20)
    return run.result


def lights(house: TestHouse) -> bool:
    """Whether a question can light the LED now."""
    house.model.script = [calling(LAMP), saying("Done.")]
    return bool(ask(house)["trace"][0]["state"] == "done")


def board_error(house: TestHouse) -> str:
    """What the page says of the board; empty when all is well."""
    return str((house.feed.state("board") or {}).get("error", ""))


def test_without_a_router_the_other_tools_work_and_the_board_comes_when_it_comes(start: Start, address: str) -> None:
    house = start(calling(LAMP, call("calculate", {"expression": "6*7"}, "c2")), saying("42, but no board."))
    result = ask(house)
    lamp, sum_ = result["trace"]
    assert lamp["state"] == "failed"
    assert "arduino-router" in lamp["result"] or "no answer" in lamp["result"]
    assert '"result":42' in sum_["result"]
    assert result["answer"] == "42, but no board."
    until(lambda: board_error(house))
    assert house.client.get("/status").get_json()["tools"][1]["reason"]
    with Router(address), Microcontroller(address) as chip:
        until(lambda: lights(house), 20)
        assert chip.state()[0]
        until(lambda: not board_error(house))


def test_a_router_that_restarts_is_used_again(start: Start, router: Router) -> None:
    with Microcontroller(router.address) as chip:
        assert chip.wait_for_route("get_board_state", 10)
        house = start()
        until(lambda: lights(house))
        router.stop()
        until(lambda: board_error(house))
        assert not lights(house)
        router.start()
        chip.reset()
        until(lambda: lights(house), 20)


def test_a_sketch_that_is_flashed_is_named_as_the_reason_and_back_afterwards(start: Start, router: Router) -> None:
    with Microcontroller(router.address) as chip:
        assert chip.wait_for_route("get_board_state", 10)
        house = start()
        until(lambda: lights(house))
        chip.stop()
        until(lambda: "being flashed" in board_error(house))
        house.model.script = [calling(LAMP), saying("It is being flashed.")]
        assert "being flashed" in ask(house)["trace"][0]["result"]
        chip.start()
        until(lambda: lights(house), 20)
        until(lambda: not board_error(house))


def test_a_reset_in_the_middle_of_calls_costs_those_calls_only(start: Start, router: Router) -> None:
    with Microcontroller(router.address) as chip:
        assert chip.wait_for_route("get_board_state", 10)
        house = start()
        flips = [call("set_builtin_led", {"state": n % 2 == 0}, f"c{n}") for n in range(8)]
        house.model.script = [calling(*flips), calling(*flips), saying("Done.")]
        run = house.runs.submit("Blink")
        chip.reset()
        assert run.ended.wait(60)
        assert run.result["answer"]
        assert {row["state"] for row in run.result["trace"]} <= {"done", "failed", "repeated"}
        until(lambda: lights(house), 20)


@pytest.fixture
def liar(router: Router) -> Iterator[Callable[[str, Callable[..., Any]], None]]:
    """Something that provides the sketch's methods and does with a call what a test says."""
    with Bridge(router.address) as bridge:
        for method in ("set_builtin_led", "set_led_matrix", "all_off", "get_board_state"):
            bridge.provide(method, lambda *params, method=method: answers[method](*params))
        answers: dict[str, Callable[..., Any]] = {
            "set_builtin_led": lambda on: on,
            "set_led_matrix": lambda name: True,
            "all_off": lambda: True,
            "get_board_state": lambda: "0" * 105,
        }
        yield answers.__setitem__


@pytest.mark.parametrize("answer", ["true", 1, None, [True], {"ok": True}, b"\x00", 1.0, "x" * 100_000, False])
def test_an_answer_of_the_wrong_type_is_a_failed_call_and_no_lie(
    start: Start, liar: Callable[[str, Callable[..., Any]], None], answer: Any
) -> None:
    house = start(calling(LAMP), saying("It did not work."))
    liar("set_builtin_led", lambda on: answer)
    row = ask(house)["trace"][0]
    assert row["state"] == "failed"
    assert "restart the app" in row["result"]
    assert len(row["result"]) < 500
    liar("set_builtin_led", lambda on: on)
    assert lights(house)


@pytest.mark.parametrize(
    "state", ["", "1", "8" * 105, "0" * 104, 5, None, "2" + "0" * 104, "0" * 104 + "\n", "٠" * 105]
)
def test_a_state_that_cannot_be_read_is_told_and_forgotten_when_it_can(
    start: Start, liar: Callable[[str, Callable[..., Any]], None], state: Any
) -> None:
    liar("get_board_state", lambda: state)
    house = start()
    until(lambda: "restart the app" in board_error(house))
    liar("get_board_state", lambda: "1" + "7" * 104)
    until(lambda: (house.feed.state("board") or {}).get("led"))


def test_a_call_that_never_returns_is_given_up_and_later_ones_work(
    start: Start, liar: Callable[[str, Callable[..., Any]], None]
) -> None:
    free = threading.Event()
    house = start(calling(LAMP), saying("It does not answer."))
    liar("set_builtin_led", lambda on: free.wait(30))
    try:
        row = ask(house)["trace"][0]
        assert row["state"] == "failed"
        assert "press reset" in row["result"]
    finally:
        free.set()
    liar("set_builtin_led", lambda on: on)
    until(lambda: lights(house), 20)


def test_stop_ends_a_run_whose_call_hangs(start: Start, liar: Callable[[str, Callable[..., Any]], None]) -> None:
    free, called = threading.Event(), threading.Event()

    def hang(on: bool) -> bool:
        called.set()
        return free.wait(30)

    house = start(calling(LAMP), saying("Never said."))
    liar("set_builtin_led", hang)
    run = house.runs.submit("x")
    try:
        assert called.wait(10)
        house.runs.stop()
        assert run.ended.wait(2)
        assert run.result["stopped"] == "stopped"
    finally:
        free.set()


def test_two_apps_at_one_board_both_reach_it(start: Start, router: Router) -> None:
    with Microcontroller(router.address) as chip:
        assert chip.wait_for_route("get_board_state", 10)
        first, second = start(), start()
        until(lambda: lights(first))
        second.model.script = [calling(call("set_builtin_led", {"state": False})), saying("Off.")]
        assert ask(second)["trace"][0]["state"] == "done"
        assert not chip.state()[0]
        until(lambda: (first.feed.state("board") or {}).get("led") is False)


def test_the_longest_text_a_model_can_send_leaves_the_board_answering(start: Start, router: Router) -> None:
    with Microcontroller(router.address) as chip:
        assert chip.wait_for_route("get_board_state", 10)
        house = start()
        for text in ("x" * 10_000, "x" * 300, "✓" * 80, "\0" * 50):
            house.model.script = [calling(call("set_led_matrix", {"pattern": text})), saying("No.")]
            assert ask(house)["trace"][0]["state"] == "failed"
        assert lights(house)
