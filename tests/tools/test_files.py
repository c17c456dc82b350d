"""The set of file tools: they find, count and write, inside the workspace only, whole or not at all."""

from __future__ import annotations

import os
import resource
import stat
from pathlib import Path
from typing import Any

import pytest

from board_agent.errors import ToolError
from board_agent.events import FileChanged
from board_agent.toolbox import Toolbox
from board_agent.tools.files import Files, file_tools
from board_agent.tools.workspace import Workspace

LOG = "09:00 21.4\n12:00 24.8\n15:00 26.1\n"


class Desk:
    """A workspace with a log and a folder, a secret beside it, the tools, and what they told of their changes."""

    def __init__(self, parent: Path) -> None:
        self.root = parent / "workspace"
        (self.root / "data").mkdir(parents=True)
        (self.root / "log.txt").write_text(LOG)
        (self.root / "data" / "more.txt").write_text("Noon was warm\nand 24.8 degrees\n")
        self.outside = parent / "outside"
        self.outside.mkdir()
        (self.outside / "key.txt").write_text("SECRET 24.8")
        self.changes: list[FileChanged] = []
        self.workspace = Workspace(self.root, versions=True)
        self.tools = Files(self.workspace, self.changes.append)

    def everything(self) -> dict[str, bytes]:
        """Every file below the parent with its content."""
        files = (path for path in self.root.parent.rglob("*") if path.is_file() and not path.is_symlink())
        return {str(path.relative_to(self.root.parent)): path.read_bytes() for path in files}


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


def refused(call: Any, *args: Any, **more: Any) -> str:
    with pytest.raises(ToolError) as error:
        call(*args, **more)
    return str(error.value)


# --- facts, search, ranges


def test_info_counts_bytes_lines_and_words(desk: Desk) -> None:
    os.utime(desk.root / "log.txt", (0, 0))
    info = desk.tools.file_info("log.txt")
    version = info.pop("version")
    assert info == {
        "path": "log.txt",
        "type": "text",
        "size_bytes": 33,
        "lines": 3,
        "words": 6,
        "modified": "1970-01-01 00:00 UTC",
    }
    assert version == desk.workspace.read_file("log.txt")["version"]


def test_info_on_a_folder_and_on_a_binary_file(desk: Desk) -> None:
    (desk.root / "picture.png").write_bytes(b"\x89PNG\0\0")
    folder, binary = desk.tools.file_info("data"), desk.tools.file_info("picture.png")
    assert (folder["type"], folder["count"]) == ("folder", 1)
    assert (binary["type"], binary["size_bytes"], "lines" in binary) == ("binary", 6, False)


def test_search_finds_lines_in_all_folders_whatever_the_case(desk: Desk) -> None:
    assert desk.tools.search_files("24.8") == {
        "text": "24.8",
        "count": 2,
        "matches": [
            {"path": "data/more.txt", "line": 2, "text": "and 24.8 degrees"},
            {"path": "log.txt", "line": 2, "text": "12:00 24.8"},
        ],
    }
    assert desk.tools.search_files("noon")["count"] == 1


def test_search_counts_all_matches_and_shows_twelve(desk: Desk) -> None:
    (desk.root / "log.txt").write_text("warm\n" * 30)
    found = desk.tools.search_files("WARM")
    assert (found["count"], len(found["matches"]), found["truncated"]) == (31, 12, True)


def test_search_passes_over_binary_files_and_links_that_lead_out(desk: Desk) -> None:
    (desk.root / "binary").write_bytes(b"24.8\0")
    (desk.root / "link.txt").symlink_to(desk.outside / "key.txt")
    (desk.root / "folder").symlink_to(desk.outside)
    assert desk.tools.search_files("SECRET")["count"] == 0
    assert desk.tools.search_files("24.8")["count"] == 2


def test_search_reads_64_kib_and_says_so(desk: Desk) -> None:
    (desk.root / "a.txt").write_text("x\n" * 40_000)
    found = desk.tools.search_files("21.4")
    assert found["count"] == 0
    assert "65536" in found["note"]


def test_a_match_far_out_in_a_line_is_shown(desk: Desk) -> None:
    (desk.root / "log.txt").write_text("." * 5000 + "needle" + "." * 5000)
    assert "needle" in desk.tools.search_files("needle")["matches"][0]["text"]
    assert len(desk.tools.search_files("needle")["matches"][0]["text"]) <= 160


def test_nothing_to_search_for_is_an_error(desk: Desk) -> None:
    assert "nothing to search for" in refused(desk.tools.search_files, " ")


def test_a_range_is_read_with_its_place_in_the_file(desk: Desk) -> None:
    part = desk.tools.read_range("log.txt", 2, 5)
    assert (part["start_line"], part["lines"], part["total_lines"]) == (2, 2, 3)
    assert part["content"] == "12:00 24.8\n15:00 26.1\n"
    assert part["version"] == desk.tools.file_info("log.txt")["version"]


def test_a_range_ends_before_4_kib_at_a_whole_line(desk: Desk) -> None:
    (desk.root / "log.txt").write_text("y" * 999 + "\n" + ("z" * 999 + "\n") * 9)
    part = desk.tools.read_range("log.txt", 1, 10)
    assert (part["lines"], len(part["content"])) == (4, 4000)


@pytest.mark.parametrize(("start", "lines"), [(0, 1), (1, 0), (-1, 3), (4, 1)])
def test_a_range_that_is_not_there_says_what_is(desk: Desk, start: int, lines: int) -> None:
    assert "start_line" in refused(desk.tools.read_range, "log.txt", start, lines)


# --- writing


def test_a_new_file_is_created(desk: Desk) -> None:
    result = desk.tools.write_file("data/new.txt", "one\ntwo\n")
    version = result.pop("version")
    assert result == {"path": "data/new.txt", "created": True, "size_bytes": 8, "lines": 2}
    assert version == desk.tools.file_info("data/new.txt")["version"]
    assert (desk.root / "data" / "new.txt").read_text() == "one\ntwo\n"


def test_a_file_is_replaced_and_its_old_text_kept(desk: Desk) -> None:
    result = desk.tools.write_file("log.txt", "empty\n")
    assert (result["created"], result["backup"]) == (False, "log.txt.bak")
    assert (desk.root / "log.txt").read_text() == "empty\n"
    assert (desk.root / "log.txt.bak").read_text() == LOG


def test_a_patch_changes_the_one_place_and_nothing_else(desk: Desk) -> None:
    version = desk.workspace.read_file("log.txt")["version"]
    result = desk.tools.patch_file("log.txt", version, "24.8", "25.0")
    assert (result["line"], result["lines"], result["backup"]) == (2, 3, "log.txt.bak")
    assert (desk.root / "log.txt").read_text() == LOG.replace("24.8", "25.0")
    assert desk.tools.patch_file("log.txt", result["version"], "25.0", "24.8")["version"] == version


def test_line_ends_and_byte_order_mark_survive_a_patch(desk: Desk) -> None:
    (desk.root / "log.txt").write_bytes(b"\xef\xbb\xbfa\r\nb\r\n")
    desk.tools.patch_file("log.txt", desk.tools.file_info("log.txt")["version"], "b", "c")
    assert (desk.root / "log.txt").read_bytes() == b"\xef\xbb\xbfa\r\nc\r\n"


def test_a_file_changed_meanwhile_is_refused_with_its_new_version(desk: Desk) -> None:
    version = desk.workspace.read_file("log.txt")["version"]
    (desk.root / "log.txt").write_text(LOG + "18:00 23.7\n")
    before = desk.everything()
    message = refused(desk.tools.patch_file, "log.txt", version, "24.8", "25.0")
    assert desk.tools.file_info("log.txt")["version"] in message
    assert desk.everything() == before


@pytest.mark.parametrize(("old", "says"), [("2", "stands 4 times"), ("99", "stands 0 times"), ("", "stands 0 times")])
def test_what_is_not_there_exactly_once_is_not_replaced(desk: Desk, old: str, says: str) -> None:
    before = desk.everything()
    version = desk.tools.file_info("log.txt")["version"]
    assert says in refused(desk.tools.patch_file, "log.txt", version, old, "x")
    assert desk.everything() == before


@pytest.mark.parametrize(
    "path",
    [
        "../outside/key.txt",
        "/etc/passwd",
        "link.txt",
        "folder/key.txt",
        "folder/new.txt",
        "data",
        ".",
        "",
        "new/",
        "a\nb",
    ],
)
def test_nothing_is_written_outside_or_in_place_of_a_folder(desk: Desk, path: str) -> None:
    (desk.root / "link.txt").symlink_to(desk.outside / "key.txt")
    (desk.root / "folder").symlink_to(desk.outside)
    before = desk.everything()
    refused(desk.tools.write_file, path, "evil")
    refused(desk.tools.patch_file, path, "00000000", "SECRET", "evil")
    assert desk.everything() == before


def test_a_missing_folder_is_not_made(desk: Desk) -> None:
    assert "files here" in refused(desk.tools.write_file, "no/such/file.txt", "x")


def test_a_link_inside_leads_to_the_file_that_is_written(desk: Desk) -> None:
    (desk.root / "today.txt").symlink_to("log.txt")
    desk.tools.write_file("today.txt", "new\n")
    assert (desk.root / "log.txt").read_text() == "new\n"
    assert (desk.root / "today.txt").is_symlink()


def test_a_link_in_the_place_of_the_backup_is_not_followed(desk: Desk) -> None:
    (desk.root / "log.txt.bak").symlink_to(desk.outside / "key.txt")
    (desk.root / ".board-agent.tmp").symlink_to(desk.outside / "key.txt")
    desk.tools.write_file("log.txt", "new\n")
    assert (desk.outside / "key.txt").read_text() == "SECRET 24.8"
    assert (desk.root / "log.txt.bak").read_text() == LOG


def test_a_link_swapped_in_while_writing_is_not_followed(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    rename = os.rename

    def swap(source: str, target: str, **folders: int) -> None:
        if target == "log.txt":
            (desk.root / "log.txt").unlink()
            (desk.root / "log.txt").symlink_to(desk.outside / "key.txt")
        rename(source, target, **folders)

    monkeypatch.setattr(os, "rename", swap)
    desk.tools.write_file("log.txt", "new\n")
    assert (desk.outside / "key.txt").read_text() == "SECRET 24.8"
    assert not (desk.root / "log.txt").is_symlink()


def test_too_much_text_and_text_that_is_none_are_refused(desk: Desk) -> None:
    before = desk.everything()
    assert "longer than 4096" in refused(desk.tools.write_file, "log.txt", "é" * 2049)
    assert "control characters" in refused(desk.tools.write_file, "log.txt", "\0")
    assert "control characters" in refused(desk.tools.write_file, "log.txt", "\ud800")
    (desk.root / "long.txt").write_text("x" * 65_537)
    assert "cannot be changed" in refused(desk.tools.write_file, "long.txt", "x")
    assert desk.everything() == {**before, "workspace/long.txt": b"x" * 65_537}


def test_a_binary_or_write_protected_file_is_not_replaced(desk: Desk) -> None:
    (desk.root / "picture.png").write_bytes(b"\x89PNG\0\0")
    (desk.root / "log.txt").chmod(0o444)
    assert "binary" in refused(desk.tools.write_file, "picture.png", "x")
    assert "write-protected" in refused(desk.tools.write_file, "log.txt", "x")
    assert (desk.root / "log.txt").read_text() == LOG


def test_permissions_survive(desk: Desk) -> None:
    (desk.root / "log.txt").chmod(0o640)
    desk.tools.write_file("log.txt", "new\n")
    assert stat.S_IMODE((desk.root / "log.txt").stat().st_mode) == 0o640


def test_a_disk_that_takes_nothing_leaves_everything_as_it_was(desk: Desk) -> None:
    before = desk.everything()
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (10, hard))
    try:
        message = refused(desk.tools.write_file, "log.txt", "x" * 100)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert "could not be written" in message
    assert desk.everything() == before
    assert desk.changes == []


def test_writing_goes_through_the_folder_that_was_opened_when_it_is_swapped(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    rename = os.rename

    def swap(source: str, target: str, **folders: int) -> None:
        if (desk.root / "data").is_dir() and not (desk.root / "data").is_symlink():
            (desk.root / "data").replace(desk.root / "moved")
            (desk.root / "data").symlink_to(desk.outside)
        rename(source, target, **folders)

    monkeypatch.setattr(os, "rename", swap)
    desk.tools.write_file("data/new.txt", "x\n")
    assert not (desk.outside / "new.txt").exists()
    assert (desk.root / "moved" / "new.txt").read_text() == "x\n"


# --- what people are told


def test_a_change_is_told_with_its_difference(desk: Desk) -> None:
    desk.tools.write_file("log.txt", LOG.replace("24.8", "25.0"))
    (change,) = desk.changes
    assert (change.path, change.created, change.added, change.removed) == ("log.txt", False, 1, 1)
    assert change.diff.splitlines()[3:6] == [" 09:00 21.4", "-12:00 24.8", "+12:00 25.0"]
    assert change.backup == "log.txt.bak"


def test_a_difference_has_an_end(desk: Desk) -> None:
    (desk.root / "log.txt").write_text("\n".join(f"line {n}" for n in range(5000)))
    desk.tools.write_file("log.txt", "\n".join(f"other {n}" for n in range(300)))
    assert len(desk.changes[0].diff) < 9000
    assert (desk.changes[0].added, desk.changes[0].removed) == (300, 5000)


def test_the_same_text_again_changes_nothing(desk: Desk) -> None:
    before = desk.everything()
    desk.tools.write_file("log.txt", LOG)
    assert desk.everything() == before
    assert desk.changes == []


def test_writing_asks_first_and_reading_does_not(desk: Desk) -> None:
    toolbox = Toolbox(file_tools(desk.workspace, desk.changes.append))
    assert {name: toolbox.decision(name) for name in toolbox.tools} == {
        "file_info": "allow",
        "search_files": "allow",
        "read_range": "allow",
        "write_file": "ask",
        "patch_file": "ask",
    }
