"""Who may use the app: the names it answers to, the pages that may send to it, and the tokens that let people in.

Decides over the words of a request. Knows no routes, and keeps a token in no place where it could be read: a page
that has shown one is given a cookie that says so.
"""

from __future__ import annotations

import hashlib
import hmac
import ipaddress
import logging
import re
import secrets
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from typing import Literal

log = logging.getLogger(__name__)

Level = Literal["watch", "ask"]
READING = ("GET", "HEAD", "OPTIONS")

FREE_TRIES = 5
LONGEST_WAIT_S = 60.0
FORGET_S = 600.0
MOST_ADDRESSES = 1000

_NAME = re.compile(r"[a-z0-9_-]+(\.[a-z0-9_-]+)*")


class Refused(Exception):
    """The request is not served. `status` and the message are the answer; `retry_after` is in seconds."""

    def __init__(self, status: int, message: str, retry_after: int | None = None) -> None:
        super().__init__(message)
        self.status = status
        self.retry_after = retry_after


class Access:
    """What is asked of every request.

    Args:
        token: lets somebody ask, stop, approve and watch; empty lets everyone.
        watch_token: lets somebody watch only.
        hosts: further names that the app answers to.
        key: what cookies are signed with; the same one after a restart spares everyone showing the token again.
    """

    def __init__(self, token: str = "", watch_token: str = "", hosts: Collection[str] = (), key: bytes = b"") -> None:
        key = key or secrets.token_bytes(32)
        self._hosts = {host.lower() for host in hosts}
        tokens: dict[Level, str] = {"ask": token, "watch": watch_token}
        self._tokens: dict[Level, bytes] = {level: _digest(token) for level, token in tokens.items() if token}
        self._cookies: dict[Level, bytes] = {
            level: hmac.new(key, level.encode() + token, hashlib.sha256).hexdigest().encode()
            for level, token in self._tokens.items()
        }
        self._tries = _Tries()

    def check_site(self, method: str, headers: Mapping[str, str]) -> None:
        """Refuse what a page of another site had a browser send, in the name of whoever looks at that page.

        A page that makes its own name point to this machine ("DNS rebinding") gives itself away by that name. Pages
        of other names by `Origin`, which every browser sends with a POST; programs such as curl send neither.
        """
        host = headers.get("Host", "").lower()
        if host and not self.answers_to(host):
            raise Refused(
                403,
                f"this app does not answer to the name {host[:80]}; use its IP address or its .local name, "
                "or add the name to AGENT_ALLOWED_HOSTS.",
            )
        origin = headers.get("Origin")
        if method not in READING and origin is not None and origin.lower().partition("://")[2] != host:
            raise Refused(403, "a page of another site sent this; ask on the app's own page.")
        from_another = headers.get("Sec-Fetch-Site", "none") not in ("same-origin", "none")
        if from_another and not (method in READING and headers.get("Sec-Fetch-Mode") == "navigate"):
            raise Refused(403, "a page of another site sent this; ask on the app's own page.")

    def answers_to(self, host: str) -> bool:
        """Whether a `Host` header names this machine: an address, a name without a dot, `*.local`, or a listed name."""
        name = re.sub(r":\d*\Z", "", host).removesuffix(".")
        if name in self._hosts:
            return True
        if _NAME.fullmatch(name) and ("." not in name or name.endswith(".local")):
            return True
        try:
            ipaddress.IPv6Address(name[1:-1]) if name[:1] + name[-1:] == "[]" else ipaddress.IPv4Address(name)
        except ValueError:
            return False
        return "%" not in name  # what follows it is no part of an address, and could be anything

    def check_token(self, method: str, authorization: str, cookie: str, address: str) -> None:
        """Refuse who has shown no token, or the one for watching and wants more."""
        if not self._tokens:
            return
        scheme, _, shown = authorization.partition(" ")
        if authorization and scheme.lower() == "bearer":
            level: Level | None = self._level_of(shown.strip(), address)
        else:
            level = _match(self._cookies, cookie.encode("utf-8", "replace"))
        if level is None:
            raise Refused(401, "this app wants its token.")
        if level == "watch" and method not in READING:
            raise Refused(401, "this token is for watching only; asking, stopping and approving want the other one.")

    def login(self, token: str, address: str) -> str:
        """The cookie for somebody who shows a token; empty where none is wanted."""
        return self._cookies[self._level_of(token, address)].decode() if self._tokens else ""

    def _level_of(self, token: str, address: str) -> Level:
        return self._tries.check(address, lambda: _match(self._tokens, _digest(token)))


class _Tries:
    """The failed tries of each address: after a few, each makes the next wait twice as long. Nobody else waits."""

    def __init__(self) -> None:
        self._failed: OrderedDict[str, tuple[int, float]] = OrderedDict()
        self._lock = threading.Lock()

    def check(self, address: str, find: Callable[[], Level | None]) -> Level:
        with self._lock:  # one at a time: a hundred tries at once are a hundred tries
            now = time.monotonic()
            count, last = self._failed.get(address, (0, 0.0))
            if now - last > FORGET_S:
                count = 0
            wait = min(2.0 ** (count - FREE_TRIES), LONGEST_WAIT_S) - (now - last) if count >= FREE_TRIES else 0.0
            if wait > 0:
                seconds = round(wait) + 1
                raise Refused(429, f"too many wrong tokens came from this address; wait {seconds} s.", seconds)
            level = find()
            if level is None:
                self._failed[address] = (count + 1, now)
                self._failed.move_to_end(address)
                if len(self._failed) > MOST_ADDRESSES:
                    self._failed.popitem(last=False)
                if count + 1 >= FREE_TRIES:
                    log.warning("%d wrong tokens from %s", count + 1, address)
                raise Refused(401, "this is not the token.")
            return level


def load_key(folder: Path) -> bytes:
    """The key that cookies are signed with, made at the first start; empty where it cannot be kept."""
    file = folder / "login.key"
    try:
        if not file.exists() or file.stat().st_size != 32:
            folder.mkdir(parents=True, exist_ok=True)
            file.touch(mode=0o600)
            file.write_bytes(secrets.token_bytes(32))
        return file.read_bytes()
    except OSError as error:
        log.warning("pages must show the token again after each start: %s", error)
        return b""


def _digest(token: str) -> bytes:
    """Equally long for every token, so that not even its length can be measured."""
    return hashlib.sha256(token.encode("utf-8", "replace")).digest()


def _match(known: Mapping[Level, bytes], shown: bytes) -> Level | None:
    """Which of the known ones is shown; takes as long whichever it is, or none."""
    found: Level | None = None
    for level, value in known.items():
        if hmac.compare_digest(value, shown):
            found = level
    return found
