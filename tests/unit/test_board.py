"""The microcontroller as Python sees it, with a Bridge of Python."""

import threading
from typing import Any

import pytest

from board_agent.board import Board, BoardError
from board_agent.toolbox import Toolbox
from board_agent.tools.board import board_tools
from tests.unit.scripted import FakeBridge
from tests.unit.test_toolbox import outcome


def test_led_and_matrix_are_set_and_read_back() -> None:
    bridge = FakeBridge()
    board = Board(bridge)
    board.set_led(True)
    assert board.set_matrix("check")
    state = board.state()
    assert (state.led, len(state.matrix)) == (True, 104)
    board.all_off()
    assert board.state().matrix == (0,) * 104


@pytest.mark.parametrize(
    ("error", "says"),
    [
        (TimeoutError("timed out"), "no answer from the sketch"),
        (ValueError("Request failed: method set_builtin_led not available (2)"), "being flashed or starting"),
        (ValueError("Wrong type parameter in position: 0 (253)"), "one version"),
        (ConnectionError("lost"), "arduino-router"),
        (RuntimeError("Failed to call"), "arduino-router"),
        (OSError("broken pipe"), "arduino-router"),
    ],
)
def test_each_failure_says_what_to_do(error: Exception, says: str) -> None:
    bridge = FakeBridge()
    bridge.error = error
    with pytest.raises(BoardError, match=says):
        Board(bridge).set_led(True)


def test_a_call_that_never_returns_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    bridge = FakeBridge()
    bridge.hang = threading.Event()
    with pytest.raises(BoardError, match="no answer"):
        Board(bridge).all_off(0.05)
    bridge.hang.set()


def test_nothing_long_is_ever_sent() -> None:
    bridge = FakeBridge()
    with pytest.raises(BoardError, match="too long"):
        Board(bridge).set_matrix("é" * 150)
    assert bridge.calls == []


@pytest.mark.parametrize("value", ["", "1", "2" + "0" * 104, "1" + "8" * 104, "1" + "0" * 105, None, 5, True])
def test_a_state_that_cannot_be_read_is_an_error(value: Any) -> None:
    bridge = FakeBridge()
    bridge.answers["get_board_state"] = value
    with pytest.raises(BoardError, match="restart the app"):
        Board(bridge).state()


@pytest.mark.parametrize("value", ["yes", None, 1])
def test_an_answer_of_the_wrong_type_is_an_error(value: Any) -> None:
    bridge = FakeBridge()
    bridge.answers["set_builtin_led"] = value
    with pytest.raises(BoardError):
        Board(bridge).set_led(True)


def test_the_tools_answer_as_documented() -> None:
    box = Toolbox(board_tools(Board(FakeBridge()), ["check", "x", "off", "smiley"]))
    assert outcome(box, "set_builtin_led", '{"state": true}').result == '{"ok":true,"led":"on"}'
    assert outcome(box, "set_builtin_led", '{"state": false}').result == '{"ok":true,"led":"off"}'
    assert outcome(box, "set_led_matrix", '{"pattern": "check"}').result == '{"ok":true,"pattern":"check"}'
    assert "use one of check, x" in outcome(box, "set_led_matrix", '{"pattern": "smiley"}').result
    assert "one of check, x, off, smiley" in outcome(box, "set_led_matrix", '{"pattern": "tick"}')


def test_without_a_sketch_the_tools_say_so() -> None:
    bridge = FakeBridge()
    bridge.error = TimeoutError("x")
    box = Toolbox(board_tools(Board(bridge), ["check"]))
    assert "no answer from the sketch" in outcome(box, "set_builtin_led", '{"state": true}').result
    assert "no answer from the sketch" in outcome(box, "set_led_matrix", '{"pattern": "check"}').result
