"""The server that the web app runs behind: a thread for each connection, with what a classroom needs around it.

Knows sockets and HTTP's first line, nothing of questions and answers.
"""

from __future__ import annotations

import json
import logging
import socket
import sys
import threading
from collections import Counter
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

from werkzeug.serving import ThreadedWSGIServer, WSGIRequestHandler

if TYPE_CHECKING:
    from _typeshed.wsgi import WSGIApplication

log = logging.getLogger(__name__)

SOCKET_TIMEOUT_S = 60
MAX_CONNECTIONS = 200
MAX_FROM_ONE_ADDRESS = 100
"""Thirty pages behind one address (a school's router) need some 90; and half is left to everyone else."""


def make_server(app: WSGIApplication, host: str, port: int) -> ThreadedWSGIServer:
    """The server that the app runs behind: Werkzeug's, a thread for each connection.

    Most connections here are open streams that each need a thread wherever they come from, so a pool would only add
    a limit at which one student's page blocks another's Stop; a server of its own would add to the 2 GB. What is
    missing in Werkzeug's for a classroom is added: time-outs for slow clients and a limit on connections.

    Raises:
        OSError: the address cannot be used.
    """
    with socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET) as probe:
        # Werkzeug ends the process where it cannot listen; this raises instead.
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        probe.bind((host, port))
    return _Server(host, port, app, handler=_Handler)


class _Server(ThreadedWSGIServer):
    daemon_threads = True
    block_on_close = False
    request_queue_size = 128

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self._open: Counter[str] = Counter()
        self._counting = threading.Lock()
        super().__init__(*args, **kwargs)

    def process_request(self, request: Any, client_address: Any) -> None:
        address = client_address[0]
        with self._counting:
            full = self._open.total() >= MAX_CONNECTIONS or self._open[address] >= MAX_FROM_ONE_ADDRESS
            if not full:
                self._open[address] += 1
        if full:
            body = b'{"error":"too many connections; close a few pages."}'
            head = "HTTP/1.1 503 Service Unavailable\r\nRetry-After: 5\r\nContent-Type: application/json\r\n"
            request.settimeout(1)
            request.sendall(f"{head}Content-Length: {len(body)}\r\nConnection: close\r\n\r\n".encode() + body)
            self.shutdown_request(request)
            return
        try:
            super().process_request(request, client_address)
        except RuntimeError:  # no thread to be had
            self._left(address)
            raise

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        try:
            super().process_request_thread(request, client_address)
        finally:
            self._left(client_address[0])

    def _left(self, address: str) -> None:
        with self._counting:
            self._open[address] -= 1
            if not self._open[address]:
                del self._open[address]

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that goes away is nothing to report; anything else is."""
        if not isinstance(sys.exc_info()[1], OSError):
            log.exception("connection of %s", client_address)


class _Handler(WSGIRequestHandler):
    timeout = SOCKET_TIMEOUT_S
    server_version = "BoardAgent"
    sys_version = ""

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        """What is no HTTP, or has too many or too long headers, is answered in JSON too."""
        self.request_version = "HTTP/1.0"  # where even that was not understood, no header would be sent
        words = (message or HTTPStatus(code).phrase).rstrip(".")
        body = json.dumps({"error": f"this request cannot be understood: {words[:200]}."}).encode()
        self.send_response(code)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(body)
        self.close_connection = True

    def log_request(self, code: int | str = "-", size: int | str = "-") -> None:
        """Quiet: what happens in runs is logged, who looks at the page is not."""

    def log(self, type: str, message: str, *args: Any) -> None:
        log.debug(message, *args)
