"""How a run ends early."""

import queue
import threading

import pytest

from board_agent import deadline as module
from board_agent.deadline import Deadline, Ended


def test_what_is_ready_is_returned_at_once() -> None:
    source: queue.Queue[int] = queue.Queue()
    source.put(5)
    assert Deadline(1).get(source) == 5


def test_time_that_is_up_ends_the_run() -> None:
    with pytest.raises(Ended) as caught:
        Deadline(0.05).get(queue.Queue())
    assert caught.value.reason == "time_limit"


def test_a_limit_of_ones_own_is_a_timeout_and_no_end() -> None:
    with pytest.raises(TimeoutError):
        Deadline(5).get(queue.Queue(), 0.02)


def test_stop_wakes_whoever_waits() -> None:
    deadline = Deadline(60)
    threading.Timer(0.05, deadline.stop).start()
    with pytest.raises(Ended) as caught:
        deadline.sleep(60)
    assert caught.value.reason == "stopped"
    with pytest.raises(Ended):
        deadline.check()
    assert deadline.stopped


def test_a_function_is_called_and_its_value_or_error_comes_back() -> None:
    assert Deadline(5).call(lambda: 42, 1) == 42
    with pytest.raises(ZeroDivisionError):
        Deadline(5).call(lambda: 1 // 0, 1)


def test_calls_that_hang_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_free", threading.BoundedSemaphore(2))
    gate = threading.Event()
    for _ in range(2):
        with pytest.raises(TimeoutError):
            Deadline(5).call(gate.wait, 0.01)
    with pytest.raises(RuntimeError, match="still hang"):
        Deadline(5).call(gate.wait, 0.01)
    gate.set()
