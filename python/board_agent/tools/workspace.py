"""The model's view of one folder: list it and read text in it. It never writes and never looks outside.

A path is walked one name at a time from the open workspace folder. No name is followed when it is opened, so a link
that is swapped in at the last moment is an error; links are read and walked here, and those that lead out are refused.
"""

from __future__ import annotations

import codecs
import heapq
import itertools
import os
import re
import stat
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from board_agent.errors import ToolError

MOST_BYTES = 4096
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


class _Unusable(Exception):
    """Why a path cannot be used, as the second half of a sentence."""


class Workspace:
    """The folder `root`. It is looked up again at each call, so it may be filled, emptied or made later."""

    def __init__(self, root: Path) -> None:
        self._root = root.resolve()
        # An absolute link may be written with either name.
        self._names = tuple(dict.fromkeys((str(root.absolute()), str(self._root))))

    def list_files(self, path: str = ".") -> dict[str, Any]:
        """List the files and folders in a folder of the workspace."""
        path = path or "."
        try:
            with self._opened(path, NO_FOLDER) as folder:
                if not stat.S_ISDIR(os.fstat(folder).st_mode):
                    raise _Unusable(NO_FOLDER)
                entries, count = self._entries(path, folder)
        except _Unusable as problem:
            raise self._error(path, str(problem)) from None
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
        try:
            with self._opened(path, NO_FILE) as file:
                kind = os.fstat(file).st_mode
                if stat.S_ISDIR(kind):
                    raise _Unusable("is a directory, not a file")
                if not stat.S_ISREG(kind):
                    raise _Unusable(NO_FILE)
                data = _read(file, MOST_BYTES + 1)
        except _Unusable as problem:
            raise self._error(path, str(problem)) from None
        truncated = len(data) > MOST_BYTES
        content = _text(data[:MOST_BYTES], truncated)
        if content is None:
            raise self._error(path, "is a binary file, not text in UTF-8")
        return {"path": path, "content": content, "truncated": truncated}

    @contextmanager
    def _opened(self, path: str, missing: str) -> Iterator[int]:
        """Open the file or folder of the workspace that `path` leads to. `missing` is said when there is neither."""
        with ExitStack() as open_files:
            try:
                top = os.open(self._root, _OPEN | os.O_DIRECTORY)
            except OSError:
                raise ToolError(
                    "the workspace folder is missing; files cannot be used until the user creates it again"
                ) from None
            open_files.callback(os.close, top)
            try:
                yield self._walk(top, path, missing, open_files)
            except PermissionError:
                raise _Unusable("may not be read") from None
            except (OSError, UnicodeEncodeError):
                raise _Unusable(missing) from None

    def _walk(self, top: int, path: str, missing: str, open_files: ExitStack) -> int:
        if len(path) > LONGEST_PATH:
            raise _Unusable("is too long for a path")
        path.encode()  # a lone surrogate would open a file whose name cannot be sent as JSON
        if not path or "\0" in path:
            raise _Unusable(missing)
        if path.startswith("/"):
            raise _Unusable(OUTSIDE)
        trail = [top]
        ahead = path.split("/")[::-1]
        links = opened = 0
        while ahead:
            name = ahead.pop()
            if name in ("", "."):
                continue
            if name == "..":
                trail.pop()
                if not trail:
                    raise _Unusable(OUTSIDE)
                continue
            kind = os.stat(name, dir_fd=trail[-1], follow_symlinks=False).st_mode
            if stat.S_ISLNK(kind):
                links += 1
                target = os.readlink(name, dir_fd=trail[-1])
                if links > MOST_LINKS:
                    raise _Unusable("is a link that goes in circles")
                if target.startswith("/"):
                    target = self._inside(target)
                    del trail[1:]
                ahead += target.split("/")[::-1]
                continue
            last = not any(name not in ("", ".") for name in ahead)
            if not stat.S_ISDIR(kind) and not (last and stat.S_ISREG(kind)):
                # Not even opened: that alone can set a device going.
                raise _Unusable(missing)
            opened += 1
            if opened > MOST_OPENED:
                raise _Unusable("lies too deep in folders")
            trail.append(os.open(name, _OPEN | (os.O_DIRECTORY if stat.S_ISDIR(kind) else 0), dir_fd=trail[-1]))
            open_files.callback(os.close, trail[-1])
        return trail[-1]

    def _inside(self, target: str) -> str:
        """An absolute link's target as a path from the workspace."""
        for name in self._names:
            if (target + "/").startswith(name + "/"):
                return target[len(name) :]
        raise _Unusable(OUTSIDE)

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
            with self._opened(path, NO_FOLDER) as opened:
                return stat.S_ISDIR(os.fstat(opened).st_mode)
        except _Unusable:
            return False

    def _error(self, path: str, problem: str) -> ToolError:
        """The error with what is there instead: in the folder that was meant if there is one, else in the workspace."""
        shown = repr(path if len(path) <= 80 else path[:80] + "...")
        parent = path.rstrip("/").rpartition("/")[0]
        for folder in dict.fromkeys((parent, "")):
            try:
                with self._opened(folder or ".", NO_FOLDER) as opened:
                    entries, count = self._entries(folder or ".", opened)
            except _Unusable:
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


def _text(data: bytes, cut: bool) -> str | None:
    """The text, or None for binary data. A character that is incomplete because the data were cut is dropped."""
    try:
        text = codecs.getincrementaldecoder("utf-8-sig")().decode(data, final=not cut)
    except UnicodeDecodeError:
        return None
    return None if _BINARY.search(text) else text


def _read(file: int, size: int) -> bytes:
    data = b""
    while len(data) < size and (more := os.read(file, size - len(data))):
        data += more
    return data
