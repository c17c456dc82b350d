"""The file tools show what is in the workspace and hold against everything else."""

from __future__ import annotations

import json
import os
import shutil
import socket
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from board_agent.errors import ToolError
from board_agent.tools.calculator import evaluate
from board_agent.tools.workspace import MOST_SCANNED, Workspace

SHIPPED = Path(__file__).parents[2] / "workspace"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A workspace with two files and a folder, and a secret beside it."""
    return make_tree(tmp_path)


def make_tree(parent: Path) -> Path:
    root = parent / "workspace"
    (root / "data").mkdir(parents=True)
    (root / "notes.txt").write_text("The board has two brains.\n")
    (root / "readings.txt").write_text("09:00 21.4\n")
    (root / "data" / "log.txt").write_text("a log\n")
    (parent / "outside").mkdir()
    (parent / "outside" / "key.txt").write_text("SECRET")
    (parent / "outside" / "unlisted.txt").write_text("SECRET")
    return root


def failure(call: Callable[[str], object], path: str) -> str:
    with pytest.raises(ToolError) as error:
        call(path)
    return str(error.value)


def test_a_file_is_read(root: Path) -> None:
    result = Workspace(root).read_file("notes.txt")
    assert json.dumps(result) == json.dumps(
        {"path": "notes.txt", "content": "The board has two brains.\n", "truncated": False}
    )


def test_the_workspace_is_listed(root: Path) -> None:
    result = Workspace(root).list_files()
    assert json.dumps(result) == json.dumps(
        {"path": ".", "count": 3, "entries": ["data/", "notes.txt", "readings.txt"]}
    )


def test_a_folder_is_listed(root: Path) -> None:
    assert Workspace(root).list_files("data") == {"path": "data", "count": 1, "entries": ["log.txt"]}


@pytest.mark.parametrize("path", ["data/log.txt", "./data//log.txt", "data/../data/log.txt", "data/./log.txt"])
def test_a_path_may_be_written_in_several_ways(root: Path, path: str) -> None:
    assert Workspace(root).read_file(path)["content"] == "a log\n"


def test_no_path_means_the_workspace(root: Path) -> None:
    assert Workspace(root).list_files("")["path"] == "."


def test_an_empty_folder_says_so(root: Path) -> None:
    (root / "empty").mkdir()
    assert Workspace(root).list_files("empty") == {
        "path": "empty",
        "count": 0,
        "entries": [],
        "note": "this directory is empty",
    }


def test_a_wrong_name_lists_what_is_there(root: Path) -> None:
    tools = Workspace(root)
    here = "files here: data/, notes.txt, readings.txt"
    assert failure(tools.read_file, "note.txt") == f"'note.txt' is not a file in the workspace; {here}"
    assert failure(tools.read_file, "workspace/notes.txt") == (
        f"'workspace/notes.txt' is not a file in the workspace; {here}"
    )
    assert failure(tools.list_files, "docs") == f"'docs' is not a directory in the workspace; {here}"
    assert failure(tools.list_files, "notes.txt") == f"'notes.txt' is not a directory in the workspace; {here}"


def test_a_wrong_name_in_a_folder_lists_that_folder(root: Path) -> None:
    (root / "empty").mkdir()
    tools = Workspace(root)
    assert failure(tools.read_file, "data/x.txt").endswith("; files here: data/log.txt")
    assert failure(tools.read_file, "empty/x.txt").endswith("; 'empty' is empty")


def test_an_empty_workspace_says_so(tmp_path: Path) -> None:
    assert failure(Workspace(tmp_path).read_file, "a.txt") == (
        "'a.txt' is not a file in the workspace; the workspace is empty"
    )


def test_an_error_stays_short_however_much_is_there(tmp_path: Path) -> None:
    for number in range(300):
        (tmp_path / f"{number:0200}.txt").touch()
    message = failure(Workspace(tmp_path).read_file, "x" * 1000)
    assert len(message) < 600
    assert message.endswith(" more")


def test_a_folder_is_no_file(root: Path) -> None:
    assert failure(Workspace(root).read_file, "data").startswith("'data' is a directory, not a file; files here: ")
    assert failure(Workspace(root).read_file, ".").startswith("'.' is a directory, not a file; files here: ")


# Bounds


def test_a_long_file_is_cut_at_4096_bytes_between_characters(root: Path) -> None:
    (root / "long.txt").write_text("a" + "é" * 3000, encoding="utf-8")
    result = Workspace(root).read_file("long.txt")
    assert result["content"] == "a" + "é" * 2047
    assert result["truncated"] is True


def test_a_file_of_exactly_4096_bytes_is_whole(root: Path) -> None:
    (root / "full.txt").write_text("a" * 4096)
    assert Workspace(root).read_file("full.txt") == {"path": "full.txt", "content": "a" * 4096, "truncated": False}


def test_at_most_a_hundred_entries_are_listed(tmp_path: Path) -> None:
    for number in range(250):
        (tmp_path / f"{number:03}.txt").touch()
    result = Workspace(tmp_path).list_files()
    assert list(result) == ["path", "count", "entries", "truncated"]
    assert (result["count"], len(result["entries"]), result["truncated"]) == (250, 100, True)
    assert result["entries"][-1] == "099.txt"


def test_long_names_are_listed_in_a_few_kilobytes(tmp_path: Path) -> None:
    for number in range(100):
        (tmp_path / f"{number:0200}.txt").touch()
    result = Workspace(tmp_path).list_files()
    assert result["truncated"] is True
    assert len(json.dumps(result)) < 6000


def test_a_huge_folder_is_not_read_to_its_end(tmp_path: Path) -> None:
    for number in range(MOST_SCANNED + 5):
        (tmp_path / str(number)).touch()
    result = Workspace(tmp_path).list_files()
    assert result["count"] == MOST_SCANNED
    assert "at least 10000 entries" in result["note"]


# What is no text


@pytest.mark.parametrize(
    "data", [b"\x00\x01\x02", b"GIF89a\xff\xfe", b"caf\xe9", b"ends in half a character \xc3", b"\x07"]
)
def test_a_binary_file_is_an_error(root: Path, data: bytes) -> None:
    (root / "picture.gif").write_bytes(data)
    assert "'picture.gif' is a binary file, not text in UTF-8" in failure(Workspace(root).read_file, "picture.gif")


def test_a_byte_order_mark_is_no_content(root: Path) -> None:
    (root / "bom.txt").write_bytes(b"\xef\xbb\xbfhello")
    assert Workspace(root).read_file("bom.txt")["content"] == "hello"


def test_a_pipe_is_refused_without_even_opening_it(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    os.mkfifo(root / "pipe")
    before_opening(monkeypatch, "pipe", lambda: pytest.fail("the pipe was opened"))
    assert "'pipe' is not a file" in failure(Workspace(root).read_file, "pipe")


def test_a_file_that_becomes_a_pipe_is_refused_without_waiting(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def become_a_pipe() -> None:
        (root / "notes.txt").unlink()
        os.mkfifo(root / "notes.txt")

    before_opening(monkeypatch, "notes.txt", become_a_pipe)
    assert "'notes.txt' is not a file" in failure(Workspace(root).read_file, "notes.txt")


def test_a_socket_is_refused(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(root)
    with socket.socket(socket.AF_UNIX) as server:
        server.bind("sock")
        assert "'sock' is not a file" in failure(Workspace(root).read_file, "sock")


def test_a_device_is_refused(root: Path) -> None:
    assert "is not a file" in failure(Workspace(Path("/dev")).read_file, "null")


def test_a_name_that_is_no_utf8_is_shown_as_well_as_it_can_be(root: Path) -> None:
    try:
        (root / "data" / os.fsdecode(b"caf\xe9.txt")).touch()
    except OSError:
        pytest.skip("this file system has no such names")
    assert Workspace(root).list_files("data")["entries"] == ["caf\ufffd.txt", "log.txt"]
    assert "is not a file" in failure(Workspace(root).read_file, "data/caf\udce9.txt")


# Outside


@pytest.mark.parametrize(
    "path",
    ["../outside/key.txt", "data/../../outside/key.txt", "..", "/etc/passwd", "/", "//etc/passwd", "/notes.txt"],
)
def test_a_path_that_leads_out_is_refused_with_what_is_inside(root: Path, path: str) -> None:
    for call in (Workspace(root).read_file, Workspace(root).list_files):
        assert failure(call, path) == (f"'{path}' is outside the workspace; files here: data/, notes.txt, readings.txt")


@pytest.mark.parametrize(
    "path",
    ["~", "~/notes.txt", "", "\0", "notes.txt\0.png", "notes.txt/..", "notes.txt/x", "data\\log.txt", "\ud800", " "],
)
def test_a_path_that_names_nothing_is_refused_with_what_is_inside(root: Path, path: str) -> None:
    assert failure(Workspace(root).read_file, path).endswith("; files here: data/, notes.txt, readings.txt")


@pytest.mark.parametrize("path", ["a" * 5000, "a" * 300, "a/" * 5000, "../" * 2000, "data/../" * 100 + "notes.txt"])
def test_a_path_beyond_all_bounds_is_refused(root: Path, path: str) -> None:
    message = failure(Workspace(root).read_file, path)
    assert len(message) < 300
    assert "files here: data/, notes.txt, readings.txt" in message


LEADING_OUT = ["../outside/key.txt", "data/../../outside/key.txt", "/etc/hostname", "/dev/null", "/proc/self/environ"]


@pytest.mark.parametrize("target", LEADING_OUT)
def test_a_link_that_leads_out_is_refused(root: Path, target: str) -> None:
    (root / "link").symlink_to(target)
    assert failure(Workspace(root).read_file, "link").startswith("'link' is outside the workspace; files here: ")


def test_a_folder_link_that_leads_out_is_refused_in_any_position(root: Path) -> None:
    (root / "away").symlink_to("../outside")
    (root / "data" / "up").symlink_to("..")
    (root / "top").symlink_to("/")
    tools = Workspace(root)
    for path in ("away/key.txt", "data/up/away/key.txt", "data/up/../outside/key.txt", "top/etc/passwd"):
        assert "is outside the workspace" in failure(tools.read_file, path)
    for path in ("away", "data/up/..", "top", "data/up/away"):
        assert "is outside the workspace" in failure(tools.list_files, path)


@pytest.mark.parametrize(
    "target", ["data/log.txt", "data/../data/log.txt", "folder/log.txt", "data/back/folder/log.txt"]
)
def test_a_link_that_stays_inside_is_followed(root: Path, target: str) -> None:
    (root / "folder").symlink_to("data")
    (root / "data" / "back").symlink_to("..")
    (root / "link").symlink_to(target)
    assert Workspace(root).read_file("link")["content"] == "a log\n"


def test_an_absolute_link_that_stays_inside_is_followed(root: Path) -> None:
    (root / "data" / "link").symlink_to(root / "notes.txt")
    (root / "data" / "here").symlink_to(root)
    (root / "data" / "sly").symlink_to(f"{root}/../outside/key.txt")
    (root / "data" / "like").symlink_to(f"{root}-2/key.txt")
    tools = Workspace(root)
    assert tools.read_file("data/link")["content"] == "The board has two brains.\n"
    assert tools.read_file("data/here/notes.txt")["content"] == "The board has two brains.\n"
    assert "is outside the workspace" in failure(tools.read_file, "data/sly")
    assert "is outside the workspace" in failure(tools.read_file, "data/like")


def test_links_in_a_circle_are_an_error(root: Path) -> None:
    (root / "a").symlink_to("b")
    (root / "b").symlink_to("a")
    (root / "deep").symlink_to("deep/deep/deep")
    assert "'a' is a link that goes in circles" in failure(Workspace(root).read_file, "a")
    assert "'deep' is a link that goes in circles" in failure(Workspace(root).read_file, "deep")


def test_links_are_listed_by_what_they_lead_to_inside(root: Path) -> None:
    folder = root / "links"
    folder.mkdir()
    for name, target in {
        "file": "../notes.txt",
        "folder": "../data",
        "gone": "x",
        "out": "/etc",
        "self": "self",
    }.items():
        (folder / name).symlink_to(target)
    assert Workspace(root).list_files("links")["entries"] == ["file", "folder/", "gone", "out", "self"]


# While it is being read


def before_opening(monkeypatch: pytest.MonkeyPatch, name: str, change: Callable[[], None]) -> None:
    """Let something change in the moment between looking at `name` and opening it."""
    really_open = os.open

    def open_late(path: str, flags: int, mode: int = 0o777, *, dir_fd: int | None = None) -> int:
        if path == name:
            change()
        return really_open(path, flags, mode, dir_fd=dir_fd)

    monkeypatch.setattr(os, "open", open_late)


def test_a_file_swapped_for_a_link_at_the_last_moment_is_not_followed(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def swap() -> None:
        (root / "notes.txt").unlink(missing_ok=True)
        (root / "notes.txt").symlink_to("../outside/key.txt")

    before_opening(monkeypatch, "notes.txt", swap)
    assert "SECRET" not in failure(Workspace(root).read_file, "notes.txt")


def test_a_folder_swapped_for_a_link_at_the_last_moment_is_not_followed(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (root / "data" / "key.txt").write_text("harmless")

    def swap() -> None:
        if not (root / "data").is_symlink():
            shutil.rmtree(root / "data")
            (root / "data").symlink_to("../outside")

    before_opening(monkeypatch, "data", swap)
    assert "SECRET" not in failure(Workspace(root).read_file, "data/key.txt")


def test_a_file_that_vanishes_is_an_error(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before_opening(monkeypatch, "notes.txt", (root / "notes.txt").unlink)
    assert failure(Workspace(root).read_file, "notes.txt") == (
        "'notes.txt' is not a file in the workspace; files here: data/, readings.txt"
    )


def test_a_file_that_may_not_be_read_is_an_error(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse() -> None:
        raise PermissionError

    before_opening(monkeypatch, "notes.txt", refuse)
    assert failure(Workspace(root).read_file, "notes.txt").startswith("'notes.txt' may not be read; files here: ")


# The workspace itself


def test_a_missing_workspace_is_an_error_until_it_is_there(tmp_path: Path) -> None:
    tools = Workspace(tmp_path / "later")
    assert "the workspace folder is missing" in failure(tools.list_files, ".")
    assert "the workspace folder is missing" in failure(tools.read_file, "notes.txt")
    (tmp_path / "later").mkdir()
    assert tools.list_files()["count"] == 0


def test_a_workspace_replaced_by_a_file_or_a_link_is_an_error(root: Path) -> None:
    tools = Workspace(root)
    shutil.rmtree(root)
    root.write_text("no folder")
    assert "the workspace folder is missing" in failure(tools.list_files, ".")
    root.unlink()
    root.symlink_to(root.parent / "outside")
    assert "the workspace folder is missing" in failure(tools.read_file, "key.txt")


def test_the_workspace_may_be_given_as_a_link(root: Path) -> None:
    link = root.parent / "link"
    link.symlink_to(root)
    (root / "absolute").symlink_to(link / "notes.txt")
    assert Workspace(link).read_file("notes.txt")["content"] == "The board has two brains.\n"
    assert Workspace(link).read_file("absolute")["content"] == "The board has two brains.\n"


def test_no_file_stays_open(root: Path) -> None:
    tools = Workspace(root)
    tools.read_file("data/log.txt")
    lowest_free = os.dup(0)
    os.close(lowest_free)
    for path in ("data/log.txt", "data/x", "data", "../x", "notes.txt/x"):
        for call in (tools.read_file, tools.list_files):
            try:
                call(path)
            except ToolError:
                continue
    again = os.dup(0)
    os.close(again)
    assert again == lowest_free


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Workspace:
    """A workspace full of links that lead out, up, around and back in."""
    root = make_tree(tmp_path_factory.mktemp("hostile"))
    for name, target in {
        "away": "../outside",
        "key": "../outside/key.txt",
        "here": ".",
        "absolute": str(root.parent / "outside"),
        "home": str(root),
        "sly": f"{root}/../outside",
        "circle": "circle",
        "data/up": "..",
        "data/upup": "../..",
        "data/in": "../data",
        "data/chain": "../away/key.txt",
    }.items():
        (root / name).symlink_to(target)
    return Workspace(root)


names = [
    "",
    ".",
    "..",
    "~",
    "\0",
    "data",
    "away",
    "key",
    "here",
    "absolute",
    "home",
    "sly",
    "circle",
    "up",
    "upup",
    "in",
]
names += ["chain", "outside", "workspace", "key.txt", "notes.txt", "log.txt", "etc", "passwd", "\udcff", "a" * 300]


@settings(max_examples=300, deadline=None)
@given(st.lists(st.sampled_from(names), max_size=8).map("/".join))
def test_no_path_ever_leads_out(hostile: Workspace, path: str) -> None:
    for call in (hostile.read_file, hostile.list_files):
        try:
            said = json.dumps(call(path))
        except ToolError as error:
            said = str(error)
        assert "SECRET" not in said
        assert "unlisted.txt" not in said
        assert "root:" not in said
        said.encode()


# What is shipped


def test_the_notes_say_what_the_board_is() -> None:
    content = Workspace(SHIPPED).read_file("notes.txt")["content"]
    for fact in ("QRB2210", "Linux", "STM32U585", "Zephyr", "Bridge is the only path"):
        assert fact in content


def test_the_readings_give_an_average_that_has_to_be_calculated() -> None:
    content = Workspace(SHIPPED).read_file("readings.txt")["content"]
    head, *lines = content.splitlines()
    assert "lab bench, 2026-03-14" in head
    readings = dict(line.split() for line in lines)
    assert readings == {"09:00": "21.4", "12:00": "24.8", "15:00": "26.1", "18:00": "23.7"}
    assert evaluate(f"({' + '.join(readings.values())}) / {len(readings)}") == 24
    assert "24.0" not in content
