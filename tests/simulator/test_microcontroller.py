"""The simulated microcontroller with sketches of its own, called through a router by Arduino's client."""

import os
import pty
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Self

import msgpack
import pytest
from arduino.router_bridge import Bridge, RpcError

from simulator.microcontroller import DARK, Frame, Microcontroller, draw
from simulator.router import Router

ROOT = Path(__file__).parent.parent.parent
TIMEOUT = 10

EVERYTHING = """
#include <Arduino_LED_Matrix.h>
#include <Arduino_RouterBridge.h>

#include <vector>

Arduino_LED_Matrix matrix;
bool inPass = false;
int blinks = 0;

void setup() {
  Bridge.begin();
  Bridge.provide("background", whetherInPass);
  Bridge.provide_safe("safe", whetherInPass);
  Bridge.provide_safe("add", add);
  Bridge.provide_safe("half", half);
  Bridge.provide_safe("greet", greet);
  Bridge.provide_safe("sum", sum);
  Bridge.provide_safe("squares", squares);
  Bridge.provide_safe("blink", blink);
  Bridge.provide_safe("blinked", []() { return blinks; });
  Bridge.provide_safe("grey", grey);
  Bridge.provide_safe("fall", []() { abort(); });
  Bridge.provide("ask", ask);
  Bridge.provide_safe("taken", whetherInPass);
  Bridge.provide_safe("ready", whetherInPass);
  Monitor.println("set up");
}

void loop() {
  inPass = true;
  delay(5);
  inPass = false;
}

bool whetherInPass() { return inPass; }
int add(int left, int right) { return left + right; }
float half(float value) { return value / 2; }
String greet(String name) { return "Hello " + name; }
void blink() { blinks++; }

int sum(std::vector<int> values) {
  int total = 0;
  for (int value : values) {
    total += value;
  }
  return total;
}

std::vector<int> squares(int count) {
  std::vector<int> values;
  for (int i = 0; i < count; i++) {
    values.push_back(i * i);
  }
  return values;
}

String ask(String method) {
  int number = 0;
  RpcCall call = Bridge.call(method, 20);
  return call.result(number) ? String(number) : call.getErrorMessage() + " " + call.getErrorCode();
}

bool grey(int bits) {
  uint8_t frame[104] = {0, 1, 7, 8, 32, 255};
  matrix.begin();
  matrix.setGrayscaleBits(bits);
  matrix.draw(frame);
  return true;
}
"""


@pytest.fixture
def board(boot: Callable[[str], Microcontroller]) -> Microcontroller:
    return boot(EVERYTHING)


def test_arguments_and_results_keep_their_types(board: Microcontroller, app: Bridge) -> None:
    assert app.call("add", -2_000_000_000, 70_000) == -1_999_930_000
    assert app.call("half", 5.0) == 2.5
    assert app.call("greet", "Zoë") == "Hello Zoë"
    assert app.call("sum", [1, 200, -300, 40_000]) == 39_901
    assert app.call("squares", 20) == [i * i for i in range(20)]
    assert app.call("blink") is None


@pytest.mark.parametrize(
    ("method", "params", "error"),
    [
        ("add", ("1", 2), "Wrong type parameter in position: 0 (253)"),
        ("add", (1, True), "Wrong type parameter in position: 1 (253)"),
        ("add", (1, 2**40), "Wrong type parameter in position: 1 (253)"),
        ("greet", (None,), "Wrong type parameter in position: 0 (253)"),
        ("greet", (b"bytes",), "Wrong type parameter in position: 0 (253)"),
        ("sum", ([1, "2"],), "Wrong type parameter in position: 0 (253)"),
        ("add", (1,), "Missing call parameters (WARNING: Default param resolution is not implemented) (253)"),
        ("blink", (1,), "Too many parameters (253)"),
        ("nothing", (), "method nothing not available (2)"),
    ],
)
def test_a_wrong_call_is_answered_as_on_the_board(
    board: Microcontroller, app: Bridge, method: str, params: tuple[object, ...], error: str
) -> None:
    with pytest.raises(RpcError) as failure:
        app.call(method, *params, timeout=TIMEOUT)
    assert str(failure.value) == f"Request '{method}' failed: {error}"


def test_safe_handlers_run_between_passes_of_the_loop_and_others_at_any_time(
    board: Microcontroller, app: Bridge
) -> None:
    assert not any(app.call("safe", timeout=TIMEOUT) for _ in range(30))
    deadline = time.monotonic() + TIMEOUT
    while not app.call("background", timeout=TIMEOUT):
        assert time.monotonic() < deadline


def test_a_notification_runs_the_handler(board: Microcontroller, app: Bridge) -> None:
    app.notify("blink")
    app.notify("blink")
    assert app.call("blinked") == 2


def test_the_sketch_can_call_the_linux_side(board: Microcontroller, app: Bridge) -> None:
    app.provide("double", lambda number: 2 * number)
    with Bridge(app.address) as asker:
        assert asker.call("ask", "double") == "40"
        assert asker.call("ask", "nobody") == "method nobody not available 2"


def test_what_the_sketch_prints_is_sent_to_the_monitor(router: Router, folder: Path, tmp_path: Path) -> None:
    lines: list[str] = []
    heard = threading.Event()

    def write(text: str) -> None:
        lines.append(text)
        heard.set()

    (tmp_path / "sketch.ino").write_text(EVERYTHING)
    with Bridge(router.address) as monitor:
        monitor.provide("mon/write", write)
        with Microcontroller(router.address, tmp_path):
            assert heard.wait(TIMEOUT)
    assert lines == ["set up\r\n"]


def test_a_name_that_is_taken_is_not_provided(router: Router, tmp_path: Path) -> None:
    (tmp_path / "sketch.ino").write_text(EVERYTHING)
    with Bridge(router.address) as other:
        other.provide("taken", lambda: "by the app")
        with Microcontroller(router.address, tmp_path) as board, Bridge(router.address) as app:
            assert board.wait_for_route("ready", TIMEOUT)
            assert app.call("taken") == "by the app"
            assert not board.wait_for_route("taken", 0)


@pytest.mark.parametrize(("bits", "levels"), [(3, (0, 1, 7, 7, 7, 7)), (8, (0, 0, 0, 0, 1, 7))])
def test_the_matrix_shows_grey_as_the_sketch_has_set_its_bits(
    board: Microcontroller, app: Bridge, bits: int, levels: tuple[int, ...]
) -> None:
    app.call("grey", bits)
    assert board.state()[1][0][:6] == levels


def test_many_calls_at_once_are_all_answered(board: Microcontroller, app: Bridge) -> None:
    results: list[int] = []

    def call(start: int) -> None:
        results.extend(app.call("add", start, number, timeout=TIMEOUT) for number in range(25))

    callers = [threading.Thread(target=call, args=(100 * caller,)) for caller in range(8)]
    for caller in callers:
        caller.start()
    for caller in callers:
        caller.join()
    assert sorted(results) == sorted(100 * caller + number for caller in range(8) for number in range(25))


def test_a_request_of_256_bytes_passes_and_a_longer_one_makes_the_board_deaf_until_it_is_reset(
    board: Microcontroller, app: Bridge
) -> None:
    longest = "x" * 244
    assert len(msgpack.packb([0, 1, "greet", [longest]])) == 256
    assert app.call("greet", longest, timeout=TIMEOUT) == f"Hello {longest}"
    for params in [("greet", longest + "x"), ("add", 1, 2), ("background",)]:
        with pytest.raises(TimeoutError):
            app.call(*params, timeout=0.3)
    board.reset()
    assert board.wait_for_route("ready", TIMEOUT)
    assert app.call("add", 1, 2, timeout=TIMEOUT) == 3


def test_a_reset_forgets_everything(board: Microcontroller, app: Bridge) -> None:
    app.call("blink")
    app.call("grey", 3)
    board.reset()
    assert board.state() == (False, DARK)
    assert board.wait_for_route("ready", TIMEOUT)
    assert app.call("blinked") == 0


def test_the_routes_of_a_board_that_is_off_are_gone(board: Microcontroller, app: Bridge) -> None:
    board.stop()
    board.stop()
    error = None
    while error is None:
        try:
            app.call("add", 1, 2, timeout=0.5)
        except TimeoutError:
            pass  # it was asked before the router knew
        except RpcError as failure:
            error = failure
    assert str(error) == "Request 'add' failed: method add not available (2)"


def test_switching_off_leaves_no_thread_and_no_process(router: Router, tmp_path: Path) -> None:
    before = set(threading.enumerate())
    (tmp_path / "sketch.ino").write_text(EVERYTHING)
    with Microcontroller(router.address, tmp_path) as board:
        assert board.wait_for_route("ready", TIMEOUT)
        assert board._run is not None
        process = board._run._process
    assert process.returncode is not None
    deadline = time.monotonic() + TIMEOUT
    while set(threading.enumerate()) - before:
        assert time.monotonic() < deadline


def test_a_sketch_that_crashes_is_reported_and_a_reset_revives_it(
    board: Microcontroller, app: Bridge, capfd: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(TimeoutError):
        app.call("fall", timeout=1)
    assert "The sketch has crashed (SIGABRT)" in capfd.readouterr().err
    board.reset()
    assert board.wait_for_route("ready", TIMEOUT)
    assert app.call("add", 1, 1, timeout=TIMEOUT) == 2


def test_it_is_drawn_without_colour_as_characters() -> None:
    frame: Frame = ((0, 1, 7) + (0,) * 10, *DARK[1:])
    lines = draw(True, frame, colour=False).splitlines()
    assert lines[:2] == ["LED on", ". 1 # . . . . . . . . . ."]
    assert len(lines) == 9


class Shown:
    """The board as a program with --show, its output read line by line."""

    def __init__(self, address: str, terminal: bool = False) -> None:
        command = [sys.executable, "-m", "simulator.microcontroller", "--router", address, "--show"]
        reading, writing = pty.openpty() if terminal else os.pipe()
        environment = {name: value for name, value in os.environ.items() if name != "NO_COLOR"}
        self.process = subprocess.Popen(
            command, cwd=ROOT, stdout=writing, stderr=subprocess.PIPE, text=True, env=environment
        )
        os.close(writing)
        self._output = os.fdopen(reading, "r", errors="replace")

    def picture(self) -> str:
        lines = [self._output.readline()]
        while lines[-1].strip():
            lines.append(self._output.readline())
        return "".join(lines)

    def end(self, number: signal.Signals) -> str:
        """Returns what else it had to say."""
        self.process.send_signal(number)
        _, errors = self.process.communicate(timeout=TIMEOUT)
        return errors

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.process.communicate()
        self._output.close()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_as_a_program_it_draws_what_changes_and_only_then(router: Router, app: Bridge, number: signal.Signals) -> None:
    with Shown(router.address) as shown:
        assert shown.picture().startswith("LED off\n. . .")
        while True:
            try:
                app.call("set_builtin_led", True, timeout=TIMEOUT)
                break
            except RpcError:
                time.sleep(0.05)
        assert shown.picture().startswith("LED on\n. . .")
        app.call("set_builtin_led", True)
        app.call("set_led_matrix", "off")
        app.call("set_led_matrix", "check")
        picture = shown.picture()
        assert picture.startswith("LED on\n")
        assert picture.count("#") == 9
        assert "\x1b" not in picture
        assert "Traceback" not in shown.end(number)
        assert shown.process.returncode == 0


def test_in_a_terminal_it_draws_in_colour(router: Router) -> None:
    with Shown(router.address, terminal=True) as shown:
        picture = shown.picture()
    assert "LED off" in picture
    assert re.search(r"\x1b\[38;5;237m●", picture)


def test_the_board_dies_with_the_program_that_runs_it(router: Router, app: Bridge) -> None:
    with Shown(router.address) as shown:
        shown.picture()
        children = subprocess.run(
            ["pgrep", "-P", str(shown.process.pid)], capture_output=True, text=True, check=True
        ).stdout.split()
        assert children
        shown.end(signal.SIGKILL)
    deadline = time.monotonic() + TIMEOUT
    while any(_alive(int(child)) for child in children):
        assert time.monotonic() < deadline
        time.sleep(0.05)


def _alive(process: int) -> bool:
    state = subprocess.run(["ps", "-o", "stat=", "-p", str(process)], capture_output=True, text=True).stdout.strip()
    return state != "" and not state.startswith("Z")


def test_as_a_program_it_says_why_it_cannot_start(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "simulator.microcontroller", "--router", "unix:///tmp/none.sock"]
    environment = {**os.environ, "CXX": "no-such-compiler"}
    ended = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, env=environment, timeout=TIMEOUT)
    assert ended.returncode == 1
    assert "CXX names no-such-compiler, which is no program here" in ended.stderr
    assert "Traceback" not in ended.stderr
