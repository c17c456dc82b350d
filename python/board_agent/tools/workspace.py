"""One folder as the model and the page see it: list it and read text in it. It never writes and never looks outside.

A path is walked one name at a time from the open workspace folder. No name is followed when it is opened, so a link
that is swapped in at the last moment is an error; links are read and walked here, and those that lead out are refused.
"""

from __future__ import annotations

import codecs
import hashlib
import heapq
import itertools
import os
import re
import stat
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from board_agent.errors import ToolError

MOST_BYTES = 4096
MOST_EDITED = 65_536
MOST_SHOWN = 200
MOST_ENTRIES = 100
MOST_SCANNED = 10_000
LONGEST_PATH = 1024
# Each folder on the way stays open until the end, and macOS allows 256 open files.
MOST_OPENED = 32
MOST_LINKS = 20
LONGEST_LIST_IN_ERROR = 400

# O_NONBLOCK: opening a pipe must not wait for someone to write into it.
_OPEN = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY
_BINARY = re.compile(r"[\x00-\x07\x0e-\x1a\x1c-\x1f]")

OUTSIDE = "is outside the workspace"
NO_FILE = "is not a file in the workspace"
NO_FOLDER = "is not a directory in the workspace"
NOTHING = -1


class Unusable(Exception):
    """Why a path cannot be used, as the second half of a sentence."""


@dataclass(frozen=True)
class Place:
    """Where a path leads: the folder that holds it, its name there, and it; both open, `file` NOTHING if not there."""

    folder: int
    name: str
    file: int


class Workspace:
    """The folder `root`. It is looked up again at each call, so it may be filled, emptied or made later.

    Args:
        versions: whether `read_file` tells the version that `patch_file` wants.
    """

    def __init__(self, root: Path, *, versions: bool = False) -> None:
        self._versions = versions
        self._root = root.resolve()
        # An absolute link may be written with either name.
        self._names = tuple(dict.fromkeys((str(root.absolute()), str(self._root))))

    def list_files(self, path: str = ".") -> dict[str, Any]:
        """List the files and folders in a folder of the workspace."""
        path = path or "."
        with self.opened(path, NO_FOLDER) as folder:
            if not stat.S_ISDIR(os.fstat(folder).st_mode):
                raise Unusable(NO_FOLDER)
            entries, count = self._entries(path, folder)
        result: dict[str, Any] = {"path": path, "count": count, "entries": entries}
        if len(entries) < count:
            result["truncated"] = True
        if not count:
            result["note"] = "this directory is empty"
        elif count == MOST_SCANNED:
            result["note"] = f"there are at least {MOST_SCANNED} entries; only some of them were looked at"
        return result

    def read_file(self, path: str) -> dict[str, Any]:
        """Read a text file of the workspace."""
        with self.opened(path, NO_FILE) as file:
            data = read_regular(file, (MOST_EDITED if self._versions else MOST_BYTES) + 1)
            truncated = len(data) > MOST_BYTES
            content = as_text(data[:MOST_BYTES], truncated)
        result = {"path": path, "content": content, "truncated": truncated}
        if self._versions and len(data) <= MOST_EDITED:
            result["version"] = version_of(data)
        return result

    def overview(self) -> dict[str, Any]:
        """All files below the workspace for the page, by name; the first `MOST_SHOWN` of them."""
        found = sorted(self.every_file())
        files = [
            {"path": path, "size_bytes": about.st_size, "modified": when(about)} for path, about in found[:MOST_SHOWN]
        ]
        return {"count": len(found), "files": files}

    def shown(self, path: str) -> dict[str, Any]:
        """A file's text for the page, at most `MOST_EDITED` bytes of it; ToolError when it has none."""
        with self.opened(path, NO_FILE) as file:
            size = os.fstat(file).st_size
            data = read_regular(file, MOST_EDITED + 1)
            truncated = len(data) > MOST_EDITED
            text = as_text(data[:MOST_EDITED], truncated)
        return {"path": path, "size_bytes": size, "text": text, "truncated": truncated}

    def every_file(self) -> Iterator[tuple[str, os.stat_result]]:
        """Path and facts of the files below the workspace, up to `MOST_SCANNED` names; links are passed over."""
        folders = [""]
        left = MOST_SCANNED
        for folder in folders:
            try:
                with self._place(folder or ".", NO_FOLDER) as place, os.scandir(place.file) as scan:
                    entries = sorted(itertools.islice(scan, left), key=lambda entry: entry.name)
                    left -= len(entries)
                    for entry in entries:
                        path = f"{folder}/{entry.name}" if folder else entry.name
                        if entry.is_dir(follow_symlinks=False):
                            folders.append(path)
                        elif entry.is_file(follow_symlinks=False) and _can_be_sent(path):
                            yield path, entry.stat(follow_symlinks=False)
            except Unusable:
                continue

    @contextmanager
    def opened(self, path: str, missing: str) -> Iterator[int]:
        """Open the file or folder of the workspace that `path` leads to. `missing` is said when there is neither.

        Raises:
            ToolError: it cannot be used, or the block raised `Unusable`; with what is there instead.
        """
        try:
            with self._place(path, missing) as place:
                yield place.file
        except Unusable as problem:
            raise self._error(path, str(problem)) from None

    @contextmanager
    def to_write(self, path: str) -> Iterator[Place]:
        """The place of a file that is there or may be made, but not of a folder. Raises as `opened`."""
        try:
            with self._place(path, NO_FILE, make=True) as place:
                yield place
        except Unusable as problem:
            raise self._error(path, str(problem)) from None

    @contextmanager
    def _place(self, path: str, missing: str, *, make: bool = False) -> Iterator[Place]:
        with ExitStack() as open_files:
            try:
                top = os.open(self._root, _OPEN | os.O_DIRECTORY)
            except OSError:
                raise ToolError(
                    "the workspace folder is missing; files cannot be used until the user creates it again"
                ) from None
            open_files.callback(os.close, top)
            try:
                yield self._walk(top, path, missing, open_files, make)
            except PermissionError:
                raise Unusable("may not be read") from None
            except (OSError, UnicodeEncodeError):
                raise Unusable(missing) from None

    def _walk(self, top: int, path: str, missing: str, open_files: ExitStack, make: bool) -> Place:
        if len(path) > LONGEST_PATH:
            raise Unusable("is too long for a path")
        path.encode()  # a lone surrogate would open a file whose name cannot be sent as JSON
        if not path or "\0" in path:
            raise Unusable(missing)
        if path.startswith("/"):
            raise Unusable(OUTSIDE)
        trail, name = [top], "."
        ahead = path.split("/")[::-1]
        links = opened = 0
        while ahead:
            name = ahead.pop()
            if name in ("", "."):
                continue
            if name == "..":
                trail.pop()
                if not trail:
                    raise Unusable(OUTSIDE)
                continue
            last = not any(name not in ("", ".") for name in ahead)
            try:
                kind = os.stat(name, dir_fd=trail[-1], follow_symlinks=False).st_mode
            except FileNotFoundError:
                if make and last and not ahead and name.isprintable():
                    return Place(trail[-1], name, NOTHING)
                raise
            if stat.S_ISLNK(kind):
                links += 1
                target = os.readlink(name, dir_fd=trail[-1])
                if links > MOST_LINKS:
                    raise Unusable("is a link that goes in circles")
                if target.startswith("/"):
                    target = self._inside(target)
                    del trail[1:]
                ahead += target.split("/")[::-1]
                continue
            if not stat.S_ISDIR(kind) and not (last and stat.S_ISREG(kind)):
                # Not even opened: that alone can set a device going.
                raise Unusable(missing)
            opened += 1
            if opened > MOST_OPENED:
                raise Unusable("lies too deep in folders")
            trail.append(os.open(name, _OPEN | (os.O_DIRECTORY if stat.S_ISDIR(kind) else 0), dir_fd=trail[-1]))
            open_files.callback(os.close, trail[-1])
        return Place(trail[-2] if len(trail) > 1 else top, name, trail[-1])

    def _inside(self, target: str) -> str:
        """An absolute link's target as a path from the workspace."""
        for name in self._names:
            if (target + "/").startswith(name + "/"):
                return target[len(name) :]
        raise Unusable(OUTSIDE)

    def _entries(self, path: str, folder: int) -> tuple[list[str], int]:
        """The first names of an open folder in order, folders with a "/", and how many there are or were looked at."""
        with os.scandir(folder) as scan:
            found = list(itertools.islice(scan, MOST_SCANNED))
        entries: list[str] = []
        size = 0
        for entry in heapq.nsmallest(MOST_ENTRIES, found, key=lambda entry: entry.name):
            is_folder = self._is_folder(f"{path}/{entry.name}") if entry.is_symlink() else entry.is_dir()
            # A name that is no UTF-8 cannot be sent as JSON; it is shown as well as it can be.
            entries.append(os.fsencode(entry.name).decode("utf-8", "replace") + ("/" if is_folder else ""))
            size += len(entries[-1])
            if size > MOST_BYTES:
                break
        return entries, len(found)

    def _is_folder(self, path: str) -> bool:
        try:
            with self._place(path, NO_FOLDER) as place:
                return stat.S_ISDIR(os.fstat(place.file).st_mode)
        except Unusable:
            return False

    def _error(self, path: str, problem: str) -> ToolError:
        """The error with what is there instead: in the folder that was meant if there is one, else in the workspace."""
        shown = repr(path if len(path) <= 80 else path[:80] + "...")
        parent = path.rstrip("/").rpartition("/")[0]
        for folder in dict.fromkeys((parent, "")):
            try:
                with self._place(folder or ".", NO_FOLDER) as place:
                    entries, count = self._entries(folder or ".", place.file)
            except Unusable:
                continue
            return ToolError(f"{shown} {problem}; {_files_here(folder, entries, count)}")
        return ToolError(f"{shown} {problem}")


def _files_here(folder: str, entries: list[str], count: int) -> str:
    if not count:
        return f"{folder!r} is empty" if folder else "the workspace is empty"
    names = [f"{folder}/{name}" if folder else name for name in entries]
    while len(names) > 1 and sum(map(len, names)) > LONGEST_LIST_IN_ERROR:
        names.pop()
    return f"files here: {', '.join(names)}" + (f" and {count - len(names)} more" if len(names) < count else "")


def as_text(data: bytes, cut: bool = False) -> str:
    """The text of a file. A character that is incomplete because the data were cut is dropped.

    Raises:
        Unusable: it is binary data.
    """
    try:
        text = codecs.getincrementaldecoder("utf-8-sig")().decode(data, final=not cut)
    except UnicodeDecodeError:
        text = "\0"
    if _BINARY.search(text):
        raise Unusable("is a binary file, not text in UTF-8")
    return text


def read_regular(file: int, most: int) -> bytes:
    """The first bytes of an open file.

    Raises:
        Unusable: it is a folder or something else that is no file.
    """
    kind = os.fstat(file).st_mode
    if stat.S_ISDIR(kind):
        raise Unusable("is a directory, not a file")
    if not stat.S_ISREG(kind):
        raise Unusable(NO_FILE)
    data = b""
    while len(data) < most and (more := os.read(file, most - len(data))):
        data += more
    return data


def version_of(data: bytes) -> str:
    """A short name for exactly this content."""
    return hashlib.sha256(data).hexdigest()[:8]


def when(about: os.stat_result) -> str:
    """When a file was changed, in universal time."""
    return datetime.fromtimestamp(about.st_mtime, UTC).strftime("%Y-%m-%d %H:%M UTC")


def _can_be_sent(name: str) -> bool:
    """Whether a name is UTF-8 on the disk; any other cannot be sent as JSON."""
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True
