"""The sketch itself, on the simulated board, called as the app calls it."""

import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from arduino.router_bridge import Bridge, RpcError

from simulator.microcontroller import DARK, Frame, Microcontroller
from simulator.router import Router

SKETCH = Path(__file__).parent.parent.parent / "sketch"
LAST_ROUTE = "get_board_state"
TIMEOUT = 15

CHECK = {(5, 2), (6, 3), (7, 4), (6, 5), (5, 6), (4, 7), (3, 8), (2, 9), (1, 10)}
X = {(row, 2 + row) for row in range(8)} | {(row, 10 - row) for row in range(8)}
SMILEY = {(1, 3), (1, 4), (1, 8), (1, 9), (5, 2), (5, 10)} | {(6, column) for column in range(3, 10)}

# The usual 3x5 digits, each row of three pixels as a number, the left one counting 4.
DIGITS = {
    "0": (7, 5, 5, 5, 7),
    "1": (2, 6, 2, 2, 7),
    "2": (7, 1, 7, 4, 7),
    "3": (7, 1, 7, 1, 7),
    "4": (5, 5, 7, 1, 1),
    "5": (7, 4, 7, 1, 7),
    "6": (7, 4, 7, 5, 7),
    "7": (7, 1, 1, 1, 1),
    "8": (7, 5, 7, 5, 7),
    "9": (7, 5, 7, 1, 7),
}


def digit(rows: tuple[int, ...]) -> set[tuple[int, int]]:
    return {(1 + row, 5 + column) for row in range(5) for column in range(3) if rows[row] & (4 >> column)}


LIT = {"check": CHECK, "x": X, "smiley": SMILEY, "off": set(), **{name: digit(rows) for name, rows in DIGITS.items()}}


@pytest.fixture(scope="module")
def folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(dir="/tmp") as name:
        yield Path(name)


@pytest.fixture(scope="module")
def board(folder: Path) -> Iterator[Microcontroller]:
    with Router(f"unix://{folder}/router.sock") as router, Microcontroller(router.address) as running:
        assert running.wait_for_route(LAST_ROUTE, TIMEOUT)
        yield running


@pytest.fixture
def app(board: Microcontroller, folder: Path) -> Iterator[Bridge]:
    with Bridge(f"unix://{folder}/router.sock") as bridge:
        bridge.call("all_off")
        yield bridge


def lit(frame: Frame) -> set[tuple[int, int]]:
    """Where a frame is bright; anything between dark and bright is an error."""
    assert {pixel for row in frame for pixel in row} <= {0, 7}
    return {(row, column) for row in range(8) for column in range(13) if frame[row][column] == 7}


def reported(app: Bridge) -> tuple[str, set[tuple[int, int]]]:
    state = app.call(LAST_ROUTE)
    assert len(state) == 105
    pixels = [int(pixel) for pixel in state[1:]]
    return state[0], lit(tuple(tuple(pixels[start : start + 13]) for start in range(0, 104, 13)))


@pytest.mark.parametrize("name", LIT)
def test_a_pattern_lights_exactly_its_pixels(board: Microcontroller, app: Bridge, name: str) -> None:
    assert app.call("set_led_matrix", "x" if name == "off" else "off") is True
    assert app.call("set_led_matrix", name) is True
    assert lit(board.state()[1]) == LIT[name]
    assert reported(app) == ("0", LIT[name])


@pytest.mark.parametrize("name", ["", "Check", "check ", "tick", "10", "-1", "x" * 200, "✓"])
def test_an_unknown_pattern_is_refused_and_the_matrix_untouched(board: Microcontroller, app: Bridge, name: str) -> None:
    app.call("set_led_matrix", "smiley")
    assert app.call("set_led_matrix", name) is False
    assert lit(board.state()[1]) == SMILEY
    assert reported(app)[1] == SMILEY


def test_the_led_is_lit_and_turned_off_and_the_answer_says_so(board: Microcontroller, app: Bridge) -> None:
    assert app.call("set_builtin_led", True) is True
    assert board.state()[0] is True
    assert reported(app)[0] == "1"
    assert app.call("set_builtin_led", False) is False
    assert board.state()[0] is False
    assert reported(app)[0] == "0"


def test_led_and_matrix_do_not_touch_each_other(board: Microcontroller, app: Bridge) -> None:
    app.call("set_builtin_led", True)
    app.call("set_led_matrix", "7")
    assert board.state()[0] is True
    app.call("set_builtin_led", False)
    assert lit(board.state()[1]) == LIT["7"]


def test_all_off_is_the_safe_state(board: Microcontroller, app: Bridge) -> None:
    app.call("set_builtin_led", True)
    app.call("set_led_matrix", "x")
    assert app.call("all_off") is True
    assert board.state() == (False, DARK)
    assert reported(app) == ("0", set())


@pytest.mark.parametrize(
    ("method", "params"),
    [("set_builtin_led", ("on",)), ("set_builtin_led", (1,)), ("set_led_matrix", (7,)), ("all_off", (True,))],
)
def test_a_wrong_type_is_refused_and_changes_nothing(
    board: Microcontroller, app: Bridge, method: str, params: tuple[object, ...]
) -> None:
    app.call("set_led_matrix", "check")
    before = board.state()
    with pytest.raises(RpcError, match=r"\(253\)"):
        app.call(method, *params)
    assert board.state() == before


def test_after_a_reset_the_board_is_dark_and_answers_again(board: Microcontroller, app: Bridge) -> None:
    app.call("set_builtin_led", True)
    app.call("set_led_matrix", "check")
    board.reset()
    assert board.state() == (False, DARK)
    assert board.wait_for_route(LAST_ROUTE, TIMEOUT)
    assert reported(app) == ("0", set())


def test_a_request_that_is_too_long_makes_the_board_deaf_until_it_is_reset(board: Microcontroller, app: Bridge) -> None:
    for params in [("set_led_matrix", "x" * 240), ("all_off",)]:
        with pytest.raises(TimeoutError):
            app.call(*params, timeout=0.3)
    board.reset()
    assert board.wait_for_route(LAST_ROUTE, TIMEOUT)
    assert app.call("all_off") is True


@pytest.mark.parametrize(
    ("upside_down", "back_to_front"), [(True, False), (False, True), (True, True)], ids=["rows", "columns", "both"]
)
def test_a_matrix_mounted_otherwise_is_driven_otherwise_and_reported_as_seen(
    folder: Path, tmp_path: Path, upside_down: bool, back_to_front: bool
) -> None:
    text = (SKETCH / "sketch.ino").read_text()
    for name, value in [("UPSIDE_DOWN", upside_down), ("BACK_TO_FRONT", back_to_front)]:
        assert f"const bool {name} = false;" in text
        text = text.replace(f"const bool {name} = false;", f"const bool {name} = {str(value).lower()};")
    (tmp_path / "sketch.ino").write_text(text)
    (tmp_path / "patterns.h").write_text((SKETCH / "patterns.h").read_text())
    with Router(f"unix://{folder}/mounted.sock") as router, Microcontroller(router.address, tmp_path) as board:
        assert board.wait_for_route(LAST_ROUTE, TIMEOUT)
        with Bridge(router.address) as app:
            app.call("set_led_matrix", "check")
            driven = {
                (7 - row if upside_down else row, 12 - column if back_to_front else column) for row, column in CHECK
            }
            assert lit(board.state()[1]) == driven
            assert reported(app)[1] == CHECK


def test_it_works_when_the_router_starts_after_the_sketch_and_when_it_starts_again(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("arduino.router_bridge.connection._reconnect_delay", 0.1)
    address = f"unix://{folder}/late.sock"
    with Microcontroller(address) as board:
        assert not board.wait_for_route(LAST_ROUTE, 0.5)
        for name in ("check", "x"):
            with Router(address), Bridge(address) as app:
                assert board.wait_for_route(LAST_ROUTE, TIMEOUT)
                assert _call_soon(app, "set_led_matrix", name) is True
                assert lit(board.state()[1]) == LIT[name]


def _call_soon(app: Bridge, *call: str) -> object:
    deadline = time.monotonic() + TIMEOUT
    while True:
        try:
            return app.call(*call, timeout=1)
        except (RpcError, ConnectionError, RuntimeError, TimeoutError):
            assert time.monotonic() < deadline
            time.sleep(0.05)
