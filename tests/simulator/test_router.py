"""Our router as a thing that is started and stopped."""

import signal
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path

import msgpack
import pytest
from arduino.router_bridge import Bridge

from simulator.router import MAX_MESSAGE, Router

ROOT = Path(__file__).parent.parent.parent


@pytest.fixture
def folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(dir="/tmp") as name:
        yield Path(name)


def router_threads() -> list[threading.Thread]:
    return [thread for thread in threading.enumerate() if thread.name == "router"]


def test_it_serves_at_a_tcp_port_the_system_chose() -> None:
    with Router("tcp://127.0.0.1:0") as router, Bridge(router.address) as client:
        assert not router.address.endswith(":0")
        assert client.call("$/reset", timeout=5) is True


def test_stopping_closes_connections_and_leaves_no_thread_and_no_file(folder: Path) -> None:
    router = Router(f"unix://{folder}/router.sock")
    router.start()
    with socket.socket(socket.AF_UNIX) as client:
        client.settimeout(5)
        client.connect(str(folder / "router.sock"))
        client.sendall(msgpack.packb([0, 1, "$/reset", []]))
        assert client.recv(100)
        router.stop()
        assert client.recv(100) == b""
    assert not router_threads()
    assert list(folder.iterdir()) == []
    router.stop()


def test_it_can_be_started_again(folder: Path) -> None:
    router = Router(f"unix://{folder}/router.sock")
    for _ in range(2):
        with router, Bridge(router.address) as client:
            client.provide("again", lambda: None)


def test_a_socket_left_behind_is_replaced_and_any_other_file_is_not(folder: Path) -> None:
    path = folder / "router.sock"
    with socket.socket(socket.AF_UNIX) as dead:
        dead.bind(str(path))
    with Router(f"unix://{path}") as router, Bridge(router.address) as client:
        assert client.call("$/reset", timeout=5) is True
    path.write_text("precious")
    with pytest.raises(OSError, match="in use"):
        Router(f"unix://{path}").start()
    assert path.read_text() == "precious"
    assert not router_threads()


@pytest.mark.parametrize("address", ["", "unix://", "unix://relative/path", "tcp://host", "http://host:1", "/path"])
def test_a_wrong_address_is_named(address: str) -> None:
    with pytest.raises(ValueError, match=r"a router's address is unix:///path or tcp://host:port"):
        Router(address).start()


def test_a_message_without_an_end_is_cut_off_and_others_are_still_served(folder: Path) -> None:
    with Router(f"unix://{folder}/router.sock") as router, socket.socket(socket.AF_UNIX) as flood:
        flood.settimeout(10)
        flood.connect(str(folder / "router.sock"))
        with pytest.raises(OSError, match=r"[Bb]roken pipe|reset"):
            flood.sendall(b"\xc6\xff\xff\xff\xff" + bytes(2 * MAX_MESSAGE))
        with Bridge(router.address) as client:
            assert client.call("$/reset", timeout=5) is True


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_as_a_program_it_ends_cleanly(folder: Path, number: signal.Signals) -> None:
    address = f"unix://{folder}/router.sock"
    command = [sys.executable, "-m", "simulator.router", "--listen", address]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == f"Router at {address}\n"
        process.send_signal(number)
        _, errors = process.communicate(timeout=10)
    assert process.returncode == 0
    assert errors == ""
    assert list(folder.iterdir()) == []


def test_as_a_program_it_says_why_it_cannot_start() -> None:
    command = [sys.executable, "-m", "simulator.router", "--listen", "unix:///nowhere/at/all.sock"]
    ended = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=20)
    assert ended.returncode == 1
    assert "The router cannot listen at unix:///nowhere/at/all.sock: " in ended.stderr
    assert "Traceback" not in ended.stderr
