"""arduino.app_utils of laptop mode, used by small apps that run as python/main.py does."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from arduino.router_bridge import Bridge

from simulator.router import Router

SIMULATOR = Path(__file__).parent.parent.parent / "simulator"
TIMEOUT = 20

Start = Callable[..., subprocess.Popen[str]]


@pytest.fixture
def start(tmp_path: Path) -> Start:
    """Starts an app given as text, with the router's address in the environment."""

    def app(text: str, router: str = "") -> subprocess.Popen[str]:
        (tmp_path / "main.py").write_text("from arduino.app_utils import App, Bridge, Logger\n" + text)
        return subprocess.Popen(
            [sys.executable, tmp_path / "main.py"],
            env={**os.environ, "PYTHONPATH": str(SIMULATOR), "ARDUINO_ROUTER_SOCKET": router, "PYTHONUNBUFFERED": "1"},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    return app


def output(app: subprocess.Popen[str]) -> str:
    return app.communicate(timeout=TIMEOUT)[0]


def test_the_loop_is_called_until_it_raises_stop_iteration(start: Start) -> None:
    app = start(
        "count = 0\n"
        "def loop():\n"
        "    global count\n"
        "    count += 1\n"
        "    if count == 3:\n"
        "        raise StopIteration\n"
        "App.run(user_loop=loop)\n"
        "print('after', count)\n"
    )
    assert output(app) == "after 3\n"
    assert app.returncode == 0


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
@pytest.mark.parametrize("call", ["App.run()", "App.run(lambda: time.sleep(60))"], ids=["idle", "loop"])
def test_a_signal_ends_it_through_every_finally(start: Start, number: signal.Signals, call: str) -> None:
    app = start(f"import time\nprint('ready')\ntry:\n    {call}\nfinally:\n    print('cleaned up')\n")
    assert app.stdout is not None
    assert app.stderr is not None
    app.stdout.readline()
    while "App started" not in app.stderr.readline():
        pass
    app.send_signal(number)
    out, errors = app.communicate(timeout=TIMEOUT)
    assert out == "cleaned up\n"
    assert "Traceback" not in errors
    assert app.returncode == 128 + number


def test_a_loop_that_fails_is_logged_and_ends_the_app(start: Start) -> None:
    app = start("def loop():\n    raise ValueError('no such board')\nApp.run(loop)\nprint('not reached')\n")
    out, errors = app.communicate(timeout=TIMEOUT)
    assert out == ""
    assert "no such board" in errors
    assert app.returncode == 1


@pytest.mark.parametrize("scheme", ["unix://", ""])
def test_the_bridge_calls_what_others_provide_and_provides_itself(start: Start, router: Router, scheme: str) -> None:
    notes: list[str] = []
    path = router.address.removeprefix("unix://")
    with Bridge(router.address) as board:
        board.provide("add", lambda left, right: left + right)
        board.provide("note", notes.append)
        app = start(
            "Bridge.notify('note', 'hello')\n"
            "Bridge.provide('greet', lambda name: f'Hello {name}')\n"
            "print(Bridge.call('add', 2, 3, timeout=5))\n"
            "App.run()\n",
            scheme + path,
        )
        assert app.stdout is not None
        assert app.stdout.readline() == "5\n"
        assert board.call("greet", "board", timeout=TIMEOUT) == "Hello board"
        assert notes == ["hello"]
        app.terminate()
        app.communicate(timeout=TIMEOUT)


def test_what_was_provided_can_be_taken_back(start: Start, router: Router) -> None:
    app = start(
        "Bridge.provide('brief', lambda: None)\n"
        "Bridge.unprovide('brief')\n"
        "try:\n"
        "    Bridge.call('brief')\n"
        "except ValueError as error:\n"
        "    print(error)\n",
        router.address,
    )
    assert output(app) == "Request 'brief' failed: method brief not available (2)\n"


def test_a_call_without_a_router_fails_with_words(start: Start, tmp_path: Path) -> None:
    app = start(
        "try:\n    Bridge.call('add', 1, 2, timeout=1)\nexcept RuntimeError as error:\n    print(error)\n",
        str(tmp_path / "none.sock"),
    )
    assert output(app).startswith("Failed to call method 'add': Not connected to router")


def test_a_logger_writes_to_standard_error_at_the_level_that_is_set(
    start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = "log = Logger('mine')\nlog.debug('small')\nlog.info('said')\nlog.error('loud')\n"
    _, errors = start(text).communicate(timeout=TIMEOUT)
    assert "INFO mine: said\n" in errors
    assert "small" not in errors
    monkeypatch.setenv("APP_BRICKS_LOG_LEVEL", "error")
    _, errors = start(text).communicate(timeout=TIMEOUT)
    assert "said" not in errors
    assert "ERROR mine: loud\n" in errors
