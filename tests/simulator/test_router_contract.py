"""What a client can rely on from a router, the same cases for ours and for the real arduino-router."""

import os
import socket
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgpack
import pytest
from arduino.router_bridge import Bridge, RpcError

from simulator.real_router import MISSING, RealRouter, find
from simulator.router import Router

TIMEOUT = 5.0


class Peer:
    """A client that sends what a test wants to send, right or wrong."""

    def __init__(self, address: str) -> None:
        self._socket = socket.socket(socket.AF_UNIX)
        self._socket.settimeout(TIMEOUT)
        self._socket.connect(address.removeprefix("unix://"))
        self._unpacker = msgpack.Unpacker(max_buffer_size=0)
        self._last_id = 0

    def send_bytes(self, data: bytes) -> None:
        self._socket.sendall(data)

    def send(self, *message: Any) -> None:
        self.send_bytes(msgpack.packb(message))

    def receive(self) -> Any:
        """The next message; raises TimeoutError when none comes, EOFError when the router has closed."""
        for message in self._unpacker:
            return message
        while data := self._socket.recv(65536):
            self._unpacker.feed(data)
            for message in self._unpacker:
                return message
        raise EOFError

    def call(self, method: str, *params: Any) -> tuple[Any, Any]:
        """Returns (error, result)."""
        self._last_id += 1
        self.send(0, self._last_id, method, params)
        kind, message_id, error, result = self.receive()
        assert (kind, message_id) == (1, self._last_id)
        return error, result

    def hears_nothing(self) -> bool:
        """Whether the router has nothing for this peer: its answer to a question of ours comes next."""
        return self.call("$/reset") == (None, True)

    def close(self) -> None:
        self._socket.close()


class Peers:
    def __init__(self, address: str) -> None:
        self.address = address
        self.all: list[Peer] = []

    def __call__(self) -> Peer:
        self.all.append(Peer(self.address))
        return self.all[-1]


@pytest.fixture(scope="module", params=["ours", "real"])
def address(request: pytest.FixtureRequest) -> Iterator[str]:
    # A Unix socket's path may have about 100 characters; the folders pytest makes are too long on some machines.
    with tempfile.TemporaryDirectory(dir="/tmp") as folder:
        if request.param == "ours":
            router: Router | RealRouter = Router(f"unix://{folder}/router.sock")
        else:
            program = find()
            if program is None:
                if "router" in os.environ.get("BOARD_AGENT_REQUIRE", "").split(","):
                    pytest.fail(MISSING)
                pytest.skip(MISSING)
            router = RealRouter(program, Path(folder))
        with router:
            yield router.address


@pytest.fixture
def peer(address: str) -> Iterator[Peers]:
    peers = Peers(address)
    yield peers
    for one in peers.all:
        one.close()


def wait_until_gone(asker: Peer, method: str) -> None:
    """The router learns of a peer that has left when it reads from it next."""
    deadline = time.monotonic() + TIMEOUT
    while time.monotonic() < deadline:
        error, _result = asker.call("$/register", method)
        if error is None:
            return
        time.sleep(0.01)
    pytest.fail(f"{method} is still registered")


def test_a_registered_method_is_called_and_its_answer_comes_back(peer: Peers) -> None:
    board, app = peer(), peer()
    assert board.call("$/register", "add") == (None, True)
    app.send(0, 77, "add", [1, "two", None, 2.5, b"\x00\xff", [True], {"key": -1}])
    kind, message_id, method, params = board.receive()
    assert (kind, method) == (0, "add")
    assert params == [1, "two", None, 2.5, b"\x00\xff", [True], {"key": -1}]
    board.send(1, message_id, None, [3, "done"])
    assert app.receive() == [1, 77, None, [3, "done"]]


def test_an_error_of_the_peer_comes_back_as_it_is(peer: Peers) -> None:
    board, app = peer(), peer()
    board.call("$/register", "fails")
    app.send(0, 1, "fails", [])
    _, message_id, _, _ = board.receive()
    board.send(1, message_id, [253, "Too many parameters"], None)
    assert app.receive() == [1, 1, [253, "Too many parameters"], None]


def test_two_callers_with_the_same_message_id_get_their_own_answers_in_any_order(peer: Peers) -> None:
    board, first, second = peer(), peer(), peer()
    board.call("$/register", "echo")
    first.send(0, 5, "echo", ["first"])
    one = board.receive()
    second.send(0, 5, "echo", ["second"])
    two = board.receive()
    assert one[1] != two[1]
    board.send(1, two[1], None, two[3][0])
    board.send(1, one[1], None, one[3][0])
    assert first.receive() == [1, 5, None, "first"]
    assert second.receive() == [1, 5, None, "second"]


def test_a_client_may_call_what_it_registered_itself(peer: Peers) -> None:
    both = peer()
    both.call("$/register", "self")
    both.send(0, 9, "self", [])
    _, message_id, _, _ = both.receive()
    both.send(1, message_id, None, "me")
    assert both.receive() == [1, 9, None, "me"]


def test_a_method_nobody_provides_is_error_2(peer: Peers) -> None:
    assert peer().call("nobody", 1) == ([2, "method nobody not available"], None)


def test_a_name_can_be_registered_once(peer: Peers) -> None:
    board, other = peer(), peer()
    assert board.call("$/register", "taken") == (None, True)
    assert other.call("$/register", "taken") == ([5, "route already exists: taken"], None)
    assert board.call("$/register", "taken") == ([5, "route already exists: taken"], None)


@pytest.mark.parametrize(
    ("method", "params"),
    [("$/register", []), ("$/register", ["a", "b"]), ("$/register", [1]), ("$/register", [None]), ("$/reset", [1])],
)
def test_wrong_parameters_to_the_router_are_error_1(peer: Peers, method: str, params: list[Any]) -> None:
    error, result = peer().call(method, *params)
    assert error[0] == 1
    assert error[1].startswith("invalid params: ")
    assert result is None


def test_reset_drops_the_routes_of_the_caller_only(peer: Peers) -> None:
    board, other, app = peer(), peer(), peer()
    board.call("$/register", "mine")
    other.call("$/register", "theirs")
    assert board.call("$/reset") == (None, True)
    assert app.call("mine")[0] == [2, "method mine not available"]
    app.send(0, 50, "theirs", [])
    assert other.receive()[2] == "theirs"


def test_unregister_takes_one_name_away(peer: Peers) -> None:
    board, app = peer(), peer()
    board.call("$/register", "brief")
    error, result = board.call("$/unregister", "brief")
    if error is not None and error[0] == 2:
        pytest.skip("this router is older than $/unregister")
    assert (error, result) == (None, True)
    assert app.call("brief")[0][0] == 2


def test_the_version_is_a_word(peer: Peers) -> None:
    error, version = peer().call("$/version")
    assert error is None
    assert isinstance(version, str)
    assert version


def test_a_notification_is_forwarded_and_not_answered(peer: Peers) -> None:
    board, app = peer(), peer()
    board.call("$/register", "blink")
    app.send(2, "blink", [3])
    assert board.receive() == [2, "blink", [3]]
    assert app.hears_nothing()


def test_a_notification_nobody_provides_is_lost_without_a_word(peer: Peers) -> None:
    app = peer()
    app.send(2, "nobody", [3])
    assert app.hears_nothing()


def test_the_routes_of_a_client_that_leaves_are_dropped(peer: Peers) -> None:
    board, app = peer(), peer()
    board.call("$/register", "gone")
    board.close()
    wait_until_gone(app, "gone")


def test_a_caller_whose_peer_leaves_gets_no_answer_and_may_go_on(peer: Peers) -> None:
    board, app = peer(), peer()
    board.call("$/register", "vanish")
    app.send(0, 400, "vanish", [])
    board.receive()
    board.close()
    wait_until_gone(app, "vanish")
    assert app.hears_nothing()


def test_an_answer_for_a_caller_that_left_harms_nobody(peer: Peers) -> None:
    board, app = peer(), peer()
    board.call("$/register", "late")
    app.send(0, 1, "late", [])
    _, message_id, _, _ = board.receive()
    app.close()
    board.send(1, message_id, None, "too late")
    assert board.hears_nothing()


def test_an_answer_to_nothing_is_ignored(peer: Peers) -> None:
    board = peer()
    board.send(1, 12345, None, "what?")
    assert board.hears_nothing()


@pytest.mark.parametrize(
    "message",
    [
        7,
        "text",
        None,
        {"a": 1},
        [],
        [0],
        [0, 1],
        [9, 1, "x", []],
        ["0", 1, "x", []],
        [0, "id", "x", []],
        [0, -1, "x", []],
        [0, 1, 2, []],
        [0, 1, "x", None],
        [0, 1, "x", {}],
        [0, 1, "x", [], 5],
        [1, "id", None, None],
        [2, "x"],
        [2, 3, []],
        [2, "x", "params"],
    ],
    ids=str,
)
def test_what_is_no_rpc_message_is_ignored_and_the_connection_lives(peer: Peers, message: Any) -> None:
    client = peer()
    client.send_bytes(msgpack.packb(message))
    assert client.hears_nothing()


def test_bytes_that_are_no_messagepack_close_the_connection_and_no_other(peer: Peers) -> None:
    bad, good = peer(), peer()
    bad.send_bytes(b"\xc1" * 8)
    with pytest.raises((EOFError, ConnectionResetError)):
        bad.receive()
    assert good.hears_nothing()


def test_a_message_may_come_in_pieces_and_several_at_once(peer: Peers) -> None:
    client = peer()
    one = msgpack.packb([0, 1, "$/reset", []])
    for byte in one:
        client.send_bytes(bytes([byte]))
    assert client.receive() == [1, 1, None, True]
    client.send_bytes(one + msgpack.packb([0, 2, "$/reset", []]))
    assert [client.receive()[1], client.receive()[1]] == [1, 2]


@pytest.mark.parametrize("size", [300, 70_000, 1_000_000])
def test_a_large_message_passes(peer: Peers, size: int) -> None:
    board, app = peer(), peer()
    board.call("$/register", "large")
    app.send(0, 1, "large", ["x" * size])
    _, message_id, _, params = board.receive()
    assert len(params[0]) == size
    board.send(1, message_id, None, "y" * size)
    assert len(app.receive()[3]) == size


def test_a_peer_can_limit_what_it_is_sent(peer: Peers) -> None:
    board, app = peer(), peer()
    error, _ = board.call("$/setMaxMsgSize", 200)
    if error is not None and error[0] == 2:
        pytest.skip("this router is older than $/setMaxMsgSize")
    board.call("$/register", "narrow")
    assert app.call("narrow", "x" * 200) == ([6, "message size exceeds the limit"], None)
    app.send(0, 9, "narrow", ["x" * 100])
    assert board.receive()[3] == ["x" * 100]
    assert board.call("$/setMaxMsgSize", 10)[0][0] == 1


def test_an_answer_above_the_callers_limit_is_error_6(peer: Peers) -> None:
    board, app = peer(), peer()
    error, _ = app.call("$/setMaxMsgSize", 200)
    if error is not None and error[0] == 2:
        pytest.skip("this router is older than $/setMaxMsgSize")
    board.call("$/register", "verbose")
    app.send(0, 8, "verbose", [])
    _, message_id, _, _ = board.receive()
    board.send(1, message_id, None, "y" * 300)
    assert app.receive() == [1, 8, [6, "message size exceeds the limit"], None]


def test_arduinos_own_client_is_served(address: str) -> None:
    with Bridge(address) as board, Bridge(address) as app:
        board.provide("greet", lambda name: f"Hello {name}")
        assert app.call("greet", "board", timeout=TIMEOUT) == "Hello board"
        with pytest.raises(ValueError, match="already provided by another client"):
            app.provide("greet", print)
        with pytest.raises(RpcError, match=r"method nobody not available \(2\)"):
            app.call("nobody", timeout=TIMEOUT)
        board.unprovide("greet")
        with pytest.raises(RpcError) as error:
            app.call("greet", "board", timeout=TIMEOUT)
        assert error.value.code in (2, 254)  # 254 from a router without $/unregister: the client itself says no
