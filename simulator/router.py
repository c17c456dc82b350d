"""A MessagePack-RPC router, the stand-in for arduino-router on a machine that has none.

Clients connect to it by a Unix or TCP socket, register method names and call each other through it. It behaves as
the real one does; tests/simulator/test_router_contract.py runs the same cases against both. It never looks inside
the parameters it forwards.
"""

import argparse
import asyncio
import contextlib
import logging
import signal
import stat
import threading
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Any, Self, cast
from urllib.parse import urlsplit

import msgpack  # type: ignore[import-untyped]

VERSION = "0.0.0-board-agent"

REQUEST, RESPONSE, NOTIFICATION = 0, 1, 2

INVALID_PARAMS = 1
METHOD_NOT_AVAILABLE = 2
FAILED_TO_SEND = 3
ROUTE_EXISTS = 5
MESSAGE_TOO_LARGE = 6

MAX_MESSAGE = 16 * 1024 * 1024
"""Bytes; the real router has no such bound, this one closes a connection that goes beyond it."""

SMALLEST_LIMIT = 128
"""Bytes; a client may ask for no lower limit on what it is sent ($/setMaxMsgSize)."""

log = logging.getLogger(__name__)

Error = list[Any]  # [code, message]
Answer = Callable[[Error | None, Any], None]


class Router:
    """A router at `unix:///path` or `tcp://host:port`; with port 0 the system chooses, and `address` says which."""

    def __init__(self, address: str) -> None:
        self.address = address
        self._routes: dict[str, _Client] = {}
        self._clients: set[_Client] = set()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._stopping: asyncio.Event | None = None
        self._thread: threading.Thread | None = None
        self._started = threading.Event()
        self._failure: OSError | None = None

    def start(self) -> None:
        """Listen; returns when clients can connect. Raises OSError when it cannot, ValueError for a wrong address."""
        _parse(self.address)
        self._started.clear()
        self._failure = None
        self._thread = threading.Thread(target=lambda: asyncio.run(self._serve()), name="router", daemon=True)
        self._thread.start()
        self._started.wait()
        if self._failure is not None:
            self.stop()
            raise self._failure

    def stop(self) -> None:
        """Close every connection and stop listening; does nothing when it is not running."""
        if self._thread is None:
            return
        with contextlib.suppress(RuntimeError):  # the loop has ended by itself
            if self._loop is not None and self._stopping is not None:
                self._loop.call_soon_threadsafe(self._stopping.set)
        self._thread.join()
        self._thread = None

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    async def _serve(self) -> None:
        """All state belongs to this thread's event loop, so nothing needs a lock."""
        self._loop = asyncio.get_running_loop()
        self._stopping = asyncio.Event()
        try:
            server = await self._listen(self._loop)
        except OSError as failure:
            self._failure = failure
            self._started.set()
            return
        self._started.set()
        await self._stopping.wait()
        server.close()
        for client in list(self._clients):
            client.close()
        scheme, path = _parse(self.address)
        if scheme == "unix":
            Path(path).unlink(missing_ok=True)
        await asyncio.sleep(0)  # lets the connections close before the loop ends

    async def _listen(self, loop: asyncio.AbstractEventLoop) -> asyncio.Server:
        scheme, place = _parse(self.address)
        if scheme == "unix":
            path = Path(place)
            if path.exists() and stat.S_ISSOCK(path.stat().st_mode):
                path.unlink()  # what a router that was killed left behind
            return await loop.create_unix_server(lambda: _Client(self), place)
        host, _, port = place.rpartition(":")
        server = await loop.create_server(lambda: _Client(self), host.strip("[]"), int(port))
        self.address = f"tcp://{host}:{server.sockets[0].getsockname()[1]}"
        return server

    # What follows is called by the clients, in the loop's thread.

    def joined(self, client: "_Client") -> None:
        self._clients.add(client)

    def left(self, client: "_Client") -> None:
        self._clients.discard(client)
        self._drop_routes(client)

    def notified(self, client: "_Client", method: str, params: list[Any]) -> None:
        """Forward a notification; one that nobody provides is lost, which is no error."""
        if method == "$/setMaxMsgSize":
            self._limit(client, params)
        elif method in self._routes:
            self._routes[method].notify(method, params)

    def requested(self, client: "_Client", method: str, params: list[Any], answer: Answer) -> None:
        """Answer a request to the router itself, forward any other to whoever registered the method."""
        own = {
            "$/register": self._register,
            "$/unregister": self._unregister,
            "$/reset": self._reset,
            "$/setMaxMsgSize": self._limit,
        }.get(method)
        if own is not None:
            error = own(client, params)
            answer(error, None if error else True)
        elif method == "$/version":
            answer(None, VERSION)
        elif method in self._routes:
            self._routes[method].request(method, params, answer)
        else:
            answer([METHOD_NOT_AVAILABLE, f"method {method} not available"], None)

    def _register(self, client: "_Client", params: list[Any]) -> Error | None:
        error = _one_name(params)
        if error is None and params[0] in self._routes:
            error = [ROUTE_EXISTS, f"route already exists: {params[0]}"]
        if error is None:
            self._routes[params[0]] = client
        return error

    def _unregister(self, client: "_Client", params: list[Any]) -> Error | None:
        error = _one_name(params)
        if error is None and self._routes.get(params[0]) is not client:
            error = [METHOD_NOT_AVAILABLE, f"method {params[0]} not available"]
        if error is None:
            del self._routes[params[0]]
        return error

    def _reset(self, client: "_Client", params: list[Any]) -> Error | None:
        if params:
            return [INVALID_PARAMS, "invalid params: no params are expected"]
        self._drop_routes(client)
        return None

    def _limit(self, client: "_Client", params: list[Any]) -> Error | None:
        if len(params) != 1:
            return [INVALID_PARAMS, f"invalid params: only one param is expected, got {len(params)}"]
        if isinstance(params[0], bool) or not isinstance(params[0], int):
            return [INVALID_PARAMS, "invalid params: expected int"]
        if params[0] < SMALLEST_LIMIT:
            return [INVALID_PARAMS, f"invalid params: max buffer size must be greater than {SMALLEST_LIMIT - 1}"]
        client.limit = params[0]
        return None

    def _drop_routes(self, client: "_Client") -> None:
        for method in [method for method, owner in self._routes.items() if owner is client]:
            del self._routes[method]


class _Client(asyncio.Protocol):
    """One connection: takes messages apart, and keeps the requests that were forwarded to this peer."""

    def __init__(self, router: Router) -> None:
        self.limit = MAX_MESSAGE
        self._router = router
        self._unpacker = msgpack.Unpacker(max_buffer_size=MAX_MESSAGE, unicode_errors="surrogateescape")
        self._transport: asyncio.Transport | None = None
        self._waiting: dict[int, Answer] = {}
        self._last_id = 0

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)
        self._router.joined(self)

    def connection_lost(self, exc: Exception | None) -> None:
        # Whoever still waits for this peer gets no answer, as with the real router: its own timeout tells it.
        self._transport = None
        self._waiting.clear()
        self._router.left(self)

    def data_received(self, data: bytes) -> None:
        try:
            self._unpacker.feed(data)
            for message in self._unpacker:
                self._received(message)
        except (ValueError, msgpack.UnpackException, RecursionError) as error:
            # The stream cannot be followed any further: where the next message starts is not known.
            log.warning("closing a connection: %s", str(error) or type(error).__name__)
            self.close()

    def close(self) -> None:
        if self._transport is not None:
            self._transport.abort()

    def notify(self, method: str, params: list[Any]) -> None:
        self._send([NOTIFICATION, method, params])

    def request(self, method: str, params: list[Any], answer: Answer) -> None:
        """Forward a request under an id of our own; `answer` is called when the peer answers."""
        self._last_id = (self._last_id + 1) % 2**32
        self._waiting[self._last_id] = answer
        error = self._send([REQUEST, self._last_id, method, params])
        if error is not None:
            del self._waiting[self._last_id]
            answer(error, None)

    def _respond(self, message_id: int, error: Error | None, result: Any) -> None:
        failure = self._send([RESPONSE, message_id, error, result])
        if failure is not None:
            self._send([RESPONSE, message_id, failure, None])

    def _send(self, message: list[Any]) -> Error | None:
        packed = msgpack.packb(message, unicode_errors="surrogateescape")
        if len(packed) > self.limit:
            return [MESSAGE_TOO_LARGE, "message size exceeds the limit"]
        if self._transport is None:
            return [FAILED_TO_SEND, "failed to send request: the peer is gone"]
        if self._transport.get_write_buffer_size() > MAX_MESSAGE:
            log.warning("closing a connection: the peer does not read what it is sent")
            self.close()
            return [FAILED_TO_SEND, "failed to send request: the peer does not read"]
        self._transport.write(packed)
        return None

    def _received(self, message: Any) -> None:
        """Act on one message; one that is no MessagePack-RPC is ignored."""
        match message:
            case [0, int(message_id), str(method), list(params)] if _is_id(message_id):
                self._router.requested(
                    self, method, params, lambda error, result: self._respond(message_id, error, result)
                )
            case [1, int(message_id), error, result] if _is_id(message_id):
                answer = self._waiting.pop(message_id, None)
                if answer is None:
                    log.warning("ignoring the answer to a request that was not made: %s", message_id)
                else:
                    answer(error, result)
            case [2, str(method), list(params)]:
                self._router.notified(self, method, params)
            case _:
                log.warning("ignoring what is no MessagePack-RPC message")


def _is_id(value: int) -> bool:
    return not isinstance(value, bool) and value >= 0


def _one_name(params: list[Any]) -> Error | None:
    if len(params) != 1:
        return [INVALID_PARAMS, f"invalid params: only one param is expected, got {len(params)}"]
    if not isinstance(params[0], str):
        return [INVALID_PARAMS, "invalid params: expected string"]
    return None


def _parse(address: str) -> tuple[str, str]:
    """Return ("unix", path) or ("tcp", "host:port"); ValueError for anything else."""
    parts = urlsplit(address)
    if parts.scheme == "unix" and parts.path and not parts.netloc:
        return "unix", parts.path
    if parts.scheme == "tcp" and parts.hostname and parts.port is not None:
        return "tcp", parts.netloc
    raise ValueError(f"{address}: a router's address is unix:///path or tcp://host:port")


def main() -> None:
    """Run a router until SIGTERM or Ctrl-C."""
    parser = argparse.ArgumentParser(description="A MessagePack-RPC router for the simulated board.")
    parser.add_argument("--listen", metavar="ADDRESS", required=True, help="unix:///path or tcp://host:port")
    address = parser.parse_args().listen
    logging.basicConfig(format="router: %(message)s")
    ended = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda _number, _frame: ended.set())
    try:
        with Router(address) as router:
            print(f"Router at {router.address}", flush=True)
            ended.wait()
    except (OSError, ValueError) as error:
        parser.exit(1, f"The router cannot listen at {address}: {error}\n")


if __name__ == "__main__":
    main()
