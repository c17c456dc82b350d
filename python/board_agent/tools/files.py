"""Tools beyond reading, for models that can handle more than six: facts on a file, search, a range, write, patch.

They come as one set (`AGENT_TOOLS=files`) and work through `Workspace`, so a path leads nowhere else. A file is
replaced in one step, by renaming a finished one into the folder that is held open: whoever reads it sees the old text
or the new, also after a power cut. The text before is kept beside it, with `.bak` at its name.
"""

from __future__ import annotations

import contextlib
import difflib
import os
import stat
import threading
from collections.abc import Callable
from typing import Any

from board_agent.errors import ToolError
from board_agent.events import FileChanged
from board_agent.toolbox import Tool
from board_agent.tools.workspace import (
    MOST_BYTES,
    MOST_EDITED,
    NO_FILE,
    NOTHING,
    Place,
    Unusable,
    Workspace,
    as_text,
    read_regular,
    version_of,
    when,
)

MOST_COUNTED = 1_000_000
MOST_SEARCHED = 65_536
MOST_MATCHES = 12
LONGEST_LINE = 160
MOST_DIFF_CHARS = 8000

_TEMPORARY = ".board-agent.tmp"
_CREATE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


def file_tools(workspace: Workspace, on_change: Callable[[FileChanged], None]) -> list[Tool]:
    """The set, in the order that every prompt lists it. `on_change` is told of each file that was written."""
    files = Files(workspace, on_change)
    return [
        Tool(files.file_info),
        Tool(files.search_files),
        Tool(files.read_range, described=False),
        Tool(files.write_file, risk="change", described=False),
        Tool(files.patch_file, risk="change"),
    ]


class Files:
    """The tools; one write at a time."""

    def __init__(self, workspace: Workspace, on_change: Callable[[FileChanged], None]) -> None:
        self._workspace = workspace
        self._on_change = on_change
        self._lock = threading.Lock()

    def file_info(self, path: str) -> dict[str, Any]:
        """Size, lines, words, version."""
        with self._workspace.opened(path, NO_FILE) as file:
            about = os.fstat(file)
            if stat.S_ISDIR(about.st_mode):
                with os.scandir(file) as entries:
                    count = sum(1 for _ in entries)
                return {"path": path, "type": "folder", "count": count, "modified": when(about)}
            data = read_regular(file, MOST_COUNTED + 1)
        info: dict[str, Any] = {"path": path, "type": "text", "size_bytes": about.st_size}
        try:
            text = as_text(data[:MOST_COUNTED], len(data) > MOST_COUNTED)
        except Unusable:
            info["type"] = "binary"
        else:
            info |= {"lines": len(text.splitlines()), "words": len(text.split())}
            if len(data) > MOST_COUNTED:
                info["note"] = f"only the first {MOST_COUNTED} bytes were counted"
            if len(data) <= MOST_EDITED:
                info["version"] = version_of(data)
        return {**info, "modified": when(about)}

    def search_files(self, text: str) -> dict[str, Any]:
        """Find lines that contain a text."""
        if not text.strip():
            raise ToolError("there is nothing to search for; give a word or a part of a line")
        matches: list[dict[str, Any]] = []
        count = 0
        left = MOST_SEARCHED
        for path, _ in sorted(self._workspace.every_file()):
            if not left:
                break
            try:
                with self._workspace.opened(path, NO_FILE) as file:
                    data = read_regular(file, left)
                    left -= len(data)
                    content = as_text(data, cut=not left)
            except ToolError:  # binary, or gone meanwhile
                continue
            for number, line in enumerate(content.splitlines(), 1):
                at = line.lower().find(text.lower())
                if at >= 0:
                    count += 1
                    start = max(0, at + len(text) - LONGEST_LINE)
                    matches.append({"path": path, "line": number, "text": line[start : start + LONGEST_LINE].strip()})
        result: dict[str, Any] = {"text": text, "count": count, "matches": matches[:MOST_MATCHES]}
        if count > MOST_MATCHES:
            result["truncated"] = True
        if not left:
            result["note"] = f"only the first {MOST_SEARCHED} bytes of all files were searched"
        return result

    def read_range(self, path: str, start_line: int, lines: int) -> dict[str, Any]:
        """Read some lines of a text file."""
        if start_line < 1 or lines < 1:
            raise ToolError("start_line and lines count from 1")
        with self._workspace.opened(path, NO_FILE) as file:
            data = read_regular(file, MOST_COUNTED + 1)
            if len(data) > MOST_COUNTED:
                raise Unusable(f"is longer than {MOST_COUNTED} bytes")
            every = as_text(data).splitlines(keepends=True)
        if start_line > max(1, len(every)):
            raise ToolError(f"{path} has {len(every)} lines; start_line must be one of them")
        content, taken = "", 0
        for line in every[start_line - 1 : start_line - 1 + lines]:
            if len((content + line).encode()) > MOST_BYTES:
                break
            content, taken = content + line, taken + 1
        if every and not taken:
            raise ToolError(f"line {start_line} of {path} is longer than {MOST_BYTES} bytes; it cannot be shown")
        result: dict[str, Any] = {"path": path, "start_line": start_line, "lines": taken, "total_lines": len(every)}
        result["content"] = content
        if len(data) <= MOST_EDITED:
            result["version"] = version_of(data)
        return result

    def write_file(self, path: str, content: str) -> dict[str, Any]:
        """Create a text file, or replace one."""
        new = _as_bytes(content, "content")
        with self._lock, self._workspace.to_write(path) as place:
            old = _content(place)
            backup = self._save(path, place, old, new)
        result: dict[str, Any] = {"path": path, "created": old is None, **_facts(new)}
        return {**result, "backup": backup} if backup else result

    def patch_file(self, path: str, version: str, old: str, new: str) -> dict[str, Any]:
        """Replace old, which must be there once; version comes from reading."""
        _as_bytes(old, "old")
        _as_bytes(new, "new")
        with self._lock, self._workspace.to_write(path) as place:
            before = _content(place)
            if before is None:
                raise Unusable(NO_FILE)
            if version_of(before) != version:
                raise ToolError(f"{path} was changed; its version is {version_of(before)} now. Read it again first")
            text = before.decode()
            count = text.count(old) if old else 0
            if count != 1:
                what = "give more of the text around it" if count else "copy it exactly as it was read"
                raise ToolError(f"old stands {count} times in {path}; it must be there once: {what}")
            after = text.replace(old, new).encode()
            if len(after) > MOST_EDITED:
                raise ToolError(f"{path} would become longer than {MOST_EDITED} bytes; nothing was changed")
            backup = self._save(path, place, before, after)
        line = text[: text.index(old)].count("\n") + 1
        result: dict[str, Any] = {"path": path, "line": line, **_facts(after)}
        return {**result, "backup": backup} if backup else result

    def _save(self, path: str, place: Place, old: bytes | None, new: bytes) -> str:
        """Put a file in place and tell of it. Returns the name of the backup, "" for none."""
        if old == new:
            return ""
        backup = f"{place.name}.bak" if old is not None else ""
        try:
            mode = None if old is None else stat.S_IMODE(os.fstat(place.file).st_mode)
            if backup and old is not None:
                _put(place.folder, backup, old, mode)
            if _now(place) != old:
                raise ToolError(f"{path} was changed at this very moment; nothing was written. Read it again first")
            _put(place.folder, place.name, new, mode)
        except OSError as error:
            raise ToolError(f"{path} could not be written ({error.strerror}); it is as it was. Say so") from None
        self._on_change(_change(path, old, new, backup))
        return backup


def _as_bytes(text: str, name: str) -> bytes:
    try:
        data = text.encode()
        as_text(data)
    except (UnicodeEncodeError, Unusable):
        raise ToolError(f"{name} must be text without control characters") from None
    if len(data) > MOST_BYTES:
        raise ToolError(f"{name} is longer than {MOST_BYTES} bytes; write less, or in several steps")
    return data


def _content(place: Place) -> bytes | None:
    """The text of a file that may be written, as bytes; None where there is no file yet."""
    if place.file == NOTHING:
        return None
    data = read_regular(place.file, MOST_EDITED + 1)
    if len(data) > MOST_EDITED:
        raise Unusable(f"is longer than {MOST_EDITED} bytes and cannot be changed")
    as_text(data)
    if not os.fstat(place.file).st_mode & 0o222:
        raise Unusable("is write-protected")
    return data


def _now(place: Place) -> bytes | None:
    """What has the name at this moment."""
    try:
        file = os.open(place.name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=place.folder)
    except FileNotFoundError:
        return None
    try:
        return read_regular(file, MOST_EDITED + 1)
    finally:
        os.close(file)


def _put(folder: int, name: str, data: bytes, mode: int | None) -> None:
    """Write a file as a whole: to the disk under another name first, then renamed. A link of that name is replaced."""
    with contextlib.suppress(FileNotFoundError):
        os.unlink(_TEMPORARY, dir_fd=folder)  # of a write that the power was cut from
    file = os.open(_TEMPORARY, _CREATE, 0o666, dir_fd=folder)
    try:
        with os.fdopen(file, "wb") as stream:
            stream.write(data)
            stream.flush()
            if mode is not None:
                os.fchmod(file, mode)
            os.fsync(file)
        os.rename(_TEMPORARY, name, src_dir_fd=folder, dst_dir_fd=folder)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(_TEMPORARY, dir_fd=folder)
        raise
    os.fsync(folder)


def _facts(data: bytes) -> dict[str, Any]:
    return {"size_bytes": len(data), "lines": len(data.decode().splitlines()), "version": version_of(data)}


def _change(path: str, old: bytes | None, new: bytes, backup: str) -> FileChanged:
    """What was changed, for people."""
    before, after = (old or b"").decode().splitlines(), new.decode().splitlines()
    lines = list(difflib.unified_diff(before, after, path, path, lineterm=""))
    text = "\n".join(lines)
    if len(text) > MOST_DIFF_CHARS:
        text = text[:MOST_DIFF_CHARS] + "\n…"
    return FileChanged(
        path=path,
        created=old is None,
        added=sum(line.startswith("+") for line in lines[2:]),
        removed=sum(line.startswith("-") for line in lines[2:]),
        diff=text,
        backup=backup,
    )
