"""A router at a socket short enough for every system, and boards that run a sketch of a test."""

import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from arduino.router_bridge import Bridge

from simulator.microcontroller import Microcontroller
from simulator.router import Router

Boot = Callable[[str], Microcontroller]


@pytest.fixture
def folder() -> Iterator[Path]:
    # A Unix socket's path may have about 100 characters; the folders pytest makes are too long on some machines.
    with tempfile.TemporaryDirectory(dir="/tmp") as name:
        yield Path(name)


@pytest.fixture
def router(folder: Path) -> Iterator[Router]:
    with Router(f"unix://{folder}/router.sock") as running:
        yield running


@pytest.fixture
def app(router: Router) -> Iterator[Bridge]:
    with Bridge(router.address) as bridge:
        yield bridge


@pytest.fixture
def boot(router: Router, tmp_path: Path) -> Iterator[Boot]:
    """Starts a board with the text of a sketch, and waits for the route `ready` that the sketch registers last."""
    with ExitStack() as boards:

        def start(sketch: str) -> Microcontroller:
            (tmp_path / "sketch.ino").write_text(sketch)
            board = boards.enter_context(Microcontroller(router.address, tmp_path))
            assert board.wait_for_route("ready", 10)
            return board

        yield start
