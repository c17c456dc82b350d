"""What comes from a model, from a network or from a file, in every shape that Hypothesis can think of.

FUZZ_CASES is how many of each are tried: 500 in `make test`, 100,000 now and then by hand.
"""

from __future__ import annotations

import importlib.util
import ipaddress
import itertools
import json
import os
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import msgpack
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from board_agent.access import Access
from board_agent.answers import doubtful_numbers
from board_agent.board import Board, BoardError
from board_agent.calls import calls_in_text, text_before_calls
from board_agent.deadline import Deadline
from board_agent.errors import ToolError
from board_agent.patterns import PatternsError, load_patterns
from board_agent.plain import clean, one_line
from board_agent.toolbox import MAX_RESULT_CHARS, Tool, Toolbox
from board_agent.tools.board import board_tools
from board_agent.tools.calculator import calculate, evaluate
from board_agent.tools.files import Files
from board_agent.tools.workspace import Workspace
from simulator.router import Router, _Client
from tests.unit.scripted import FakeBridge

ROOT = Path(__file__).resolve().parents[2]
CASES = int(os.environ.get("FUZZ_CASES", "500"))

fuzz = settings(
    max_examples=CASES,
    deadline=None,
    database=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow, HealthCheck.data_too_large],
)

text = st.text(max_size=80)
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | text,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(text, inner, max_size=4),
    max_leaves=8,
)


# --- calculate

sums = st.lists(
    st.sampled_from(
        [
            *"0123456789.,_%()[]+-*/<>=!^×÷−²xe \n",
            "**",
            "//",
            "of",
            "percent",
            "1e99",
            "1e-99",
            "9**9",
            "10**308",
            "sqrt(",
            "max(",
            "mean(",
            "sum(",
            "round(",
            "abs(",
            "GB",
            "1,234",
            "17%",
            "((",
            "))",
            "--",
            "0.1",
            "1e308",
        ]
    ),
    max_size=60,
).map("".join)


@fuzz
@given(sums | st.text(max_size=1100))
def test_an_expression_gives_a_finite_number_or_an_error(expression: str) -> None:
    try:
        said = json.dumps(evaluate(expression), allow_nan=False)
    except ToolError as error:
        said = str(error)
    assert 1 <= len(said) < 320


# --- paths


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Workspace:
    """A workspace full of links, next to something that nobody may see."""
    folder = tmp_path_factory.mktemp("fuzz")
    (folder / "outside").mkdir()
    (folder / "outside" / "key.txt").write_text("SECRET")
    (folder / "outside" / "unlisted.txt").touch()
    root = folder / "workspace"
    (root / "data").mkdir(parents=True)
    (root / "notes.txt").write_text("notes")
    for name, target in {
        "away": "../outside",
        "key": "../outside/key.txt",
        "here": ".",
        "absolute": str(folder / "outside"),
        "circle": "circle",
        "data/up": "..",
        "data/out": "../../outside/key.txt",
        "etc": "/etc",
    }.items():
        (root / name).symlink_to(target)
    return Workspace(root)


names = st.sampled_from(
    [
        "",
        ".",
        "..",
        "...",
        "~",
        "\0",
        "data",
        "away",
        "key",
        "here",
        "absolute",
        "circle",
        "up",
        "out",
        "etc",
        "passwd",
        "outside",
        "workspace",
        "key.txt",
        "notes.txt",
        "proc",
        "self",
        "environ",
        "\udcff",
        "a" * 300,
        "%2e%2e",
        "..\\",
    ]
)


@fuzz
@given(st.lists(names | st.text(max_size=5), max_size=9).map("/".join) | text)
def test_no_path_leads_out(hostile: Workspace, path: str) -> None:
    for tool in (hostile.read_file, hostile.list_files):
        try:
            said = json.dumps(tool(path))
        except ToolError as error:
            said = str(error)
        assert "SECRET" not in said
        assert "root:" not in said
        assert "unlisted" not in said
        said.encode()


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> tuple[Files, Path]:
    """The tools that write, and the folder beside their workspace."""
    folder = tmp_path_factory.mktemp("write")
    (folder / "outside").mkdir()
    (folder / "outside" / "key.txt").write_text("SECRET")
    root = folder / "workspace"
    (root / "data").mkdir(parents=True)
    (root / "notes.txt").write_text("notes")
    for name, target in {"away": "../outside", "key": "../outside/key.txt", "here": ".", "data/up": ".."}.items():
        (root / name).symlink_to(target)
    (root / "absolute").symlink_to(folder / "outside")
    return Files(Workspace(root, versions=True), lambda change: None), folder


near = st.sampled_from(
    [
        "",
        ".",
        "..",
        "data",
        "away",
        "key",
        "here",
        "absolute",
        "up",
        "outside",
        "key.txt",
        "notes.txt",
        "new",
        "\0",
        "é",
    ]
)


@settings(fuzz, max_examples=max(20, CASES // 10))  # each is some writes to the disk
@given(st.lists(near, max_size=6).map("/".join), text, st.integers(), st.integers())
def test_nothing_is_written_or_read_outside(
    files: tuple[Files, Path], path: str, content: str, start: int, count: int
) -> None:
    tools, folder = files
    calls = (
        lambda: tools.write_file(path, content),
        lambda: tools.patch_file(path, "x", content, "y"),
        lambda: tools.file_info(path),
        lambda: tools.read_range(path, start, count),
        lambda: tools.search_files(content),
    )
    for tool in calls:
        try:
            said = json.dumps(tool())
        except ToolError as error:
            said = str(error)
        assert "SECRET" not in said
    assert [file.name for file in folder.iterdir()] in (["outside", "workspace"], ["workspace", "outside"])
    assert [file.read_text() for file in (folder / "outside").iterdir()] == ["SECRET"]


# --- tool arguments


@pytest.fixture(scope="module")
def toolbox(hostile: Workspace) -> Toolbox:
    bridge = FakeBridge()
    return Toolbox(
        [
            Tool(hostile.list_files),
            Tool(hostile.read_file),
            Tool(calculate),
            *board_tools(Board(bridge), bridge.patterns),
        ]
    )


tools = st.sampled_from(["list_files", "read_file", "calculate", "set_builtin_led", "set_led_matrix", "no_such", ""])
keys = st.sampled_from(["path", "expression", "state", "pattern", "x"])
values = json_values | sums | st.sampled_from(["check", "off", "true", "CHECK", ".", "1+1"])


@fuzz
@given(
    tools | text, text | json_values.map(json.dumps) | st.dictionaries(keys | text, values, max_size=3).map(json.dumps)
)
def test_no_arguments_make_a_tool_raise_or_do_what_they_do_not_say(toolbox: Toolbox, name: str, arguments: str) -> None:
    args, problem = toolbox.parse(name, arguments)
    assert isinstance(args, dict)
    if problem:
        assert 1 <= len(problem) < 1000
        return
    # In this thread: a thread for each of 100,000 calls would measure the threads.
    outcome = toolbox.call(name, args, _Here(60))
    assert isinstance(json.loads(outcome.result), dict)
    assert len(outcome.result) <= MAX_RESULT_CHARS
    outcome.result.encode()


class _Here(Deadline):
    def call(self, function: Any, seconds: float) -> Any:
        """The function's value, as the thread would hand it on."""
        return function()


pieces = st.sampled_from(
    [
        "<tool>",
        "<tool_call>",
        "</tool_call>",
        "<function=",
        "</function>",
        "<parameter=",
        "</parameter>",
        ">",
        "```",
        "json",
        "calculate",
        '{"name": "',
        '", "arguments": ',
        '{"expression": "1+1"}',
        "}",
        "]",
        "[",
        "{",
        "\n",
        "\\",
    ]
)


@fuzz
@given(st.lists(pieces | text, max_size=12).map("".join))
def test_no_text_of_a_model_breaks_the_search_for_calls(said: str) -> None:
    for name, arguments in calls_in_text(said, {"calculate"}):
        assert isinstance(name, str)
        assert isinstance(arguments, str)
    assert text_before_calls(said) in said
    doubtful_numbers(said, [said[::-1]])


# --- the client's reader of events


def _ask() -> Any:
    spec = importlib.util.spec_from_file_location("ask", ROOT / "ask.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


ask = _ask()
lines = st.sampled_from(
    [
        b"data:",
        b"data: ",
        b'data: {"type": "text"}',
        b"event: x",
        b": comment",
        b"id: 1",
        b"",
        b"data",
        b'{"a":1}',
        b"[",
        b"\xff\xfe",
        b"data: {",
        b'data: "a": 1}',
        b"\x00",
        b"retry: 1",
    ]
)
streams = st.lists(
    st.tuples(lines | st.binary(max_size=20), st.sampled_from([b"\n", b"\r\n", b"\r", b""])), max_size=20
)


@fuzz
@given(streams, st.lists(st.integers(0, 400), max_size=6))
def test_events_are_the_same_however_the_stream_is_cut(parts: list[tuple[bytes, bytes]], cuts: list[int]) -> None:
    stream = b"".join(line + end for line, end in parts) + b"\n\n"
    whole = list(ask.EventReader().feed(stream))
    assert all(isinstance(event, dict) for event in whole)
    reader, places = ask.EventReader(), [0, *sorted(min(cut, len(stream)) for cut in cuts), len(stream)]
    cut_up = [event for start, end in itertools.pairwise(places) for event in reader.feed(stream[start:end])]
    assert cut_up == whole


@fuzz
@given(st.text() | st.text(alphabet=st.characters(max_codepoint=0x2FFF), max_size=200))
def test_nothing_that_drives_a_terminal_is_left(said: str) -> None:
    for cleaned in (ask.clean(said), clean(said)):
        assert not set(cleaned) & set("\x00\x07\x08\x1b\x7f\x9b\x9d\r\u202e\u2066\u2028")
    assert "\n" not in one_line(said) + ask.one_line(said)


# --- patterns.h

SOURCE = (ROOT / "sketch" / "patterns.h").read_text(encoding="utf-8")
edits = st.lists(
    st.tuples(
        st.integers(0, len(SOURCE)), st.integers(0, 30), st.sampled_from([*'{}",;.#7/*\\\n x', "//", "/*", "*/"]) | text
    ),
    max_size=4,
)


@fuzz
@given(edits | st.none(), text)
def test_a_changed_patterns_file_is_read_or_named_with_what_is_wrong(
    tmp_path_factory: pytest.TempPathFactory, changes: list[tuple[int, int, str]] | None, other: str
) -> None:
    source = SOURCE if changes is not None else other
    for at, length, new in changes or []:
        source = source[:at] + new + source[at + length :]
    path = _file(tmp_path_factory)
    path.write_bytes(source.encode("utf-8", "surrogatepass"))
    try:
        patterns = load_patterns(path)
    except PatternsError as error:
        patterns, problem = {}, str(error)
    if not patterns:
        assert str(path) in problem
    else:
        assert {len(frame) for frame in patterns.values()} == {8}
        assert {len(row) for frame in patterns.values() for row in frame} == {13}
        assert {level for frame in patterns.values() for row in frame for level in row} <= set(range(8))


def _file(factory: pytest.TempPathFactory) -> Path:
    return factory.getbasetemp() / "fuzzed.h"


# --- router messages


class _Transport:
    """What the router's side of a connection writes to."""

    def __init__(self) -> None:
        self.sent = msgpack.Unpacker(unicode_errors="surrogateescape")
        self.closed = False

    def write(self, data: bytes) -> None:
        self.sent.feed(data)

    def abort(self) -> None:
        self.closed = True

    def get_write_buffer_size(self) -> int:
        return 0


def _join(router: Router) -> tuple[_Client, _Transport]:
    client, transport = _Client(router), _Transport()
    client.connection_made(transport)  # type: ignore[arg-type]
    return client, transport


def packed(value: Any) -> bytes:
    return bytes(msgpack.packb(value, unicode_errors="surrogatepass"))


parts_of_messages = (
    st.integers(-(2**63), 2**64 - 1)
    | st.sampled_from(
        [0, 1, 2, "$/register", "$/reset", "$/version", "$/unregister", "$/setMaxMsgSize", "add", [], ["add"]]
    )
    | st.recursive(
        st.none() | st.booleans() | st.floats() | text | st.binary(max_size=20),
        lambda inner: st.lists(inner, max_size=3),
        max_leaves=4,
    )
)
messages = st.lists(parts_of_messages, max_size=5).map(packed) | st.binary(max_size=30)


@fuzz
@given(st.lists(messages, max_size=6))
def test_no_message_of_one_client_disturbs_another(sent: list[bytes]) -> None:
    router = Router("unix:///unused")
    peer, answers = _join(router)
    peer.data_received(packed([0, 1, "$/register", ["theirs"]]))
    hostile_client, _ = _join(router)
    for data in sent:
        hostile_client.data_received(data)
    hostile_client.connection_lost(None)
    peer.data_received(packed([0, 2, "theirs", [5]]))
    received = list(answers.sent)
    assert not answers.closed
    assert received[0] == [1, 1, None, True]
    assert any(message[0] == 0 and message[2] == "theirs" and message[3] == [5] for message in received)


# --- what the sketch answers


@fuzz
@given(json_values | st.text(alphabet="01234567٠", min_size=100, max_size=110) | st.binary(max_size=110))
def test_whatever_the_sketch_answers_is_a_state_or_an_error(answer: Any) -> None:
    bridge = FakeBridge()
    bridge.answers = {"get_board_state": answer}
    try:
        matrix = Board(bridge).state().matrix
    except BoardError:
        return
    assert len(matrix) == 104
    assert set(matrix) <= set(range(8))


# --- names

parts_of_hosts = st.sampled_from([*".:[]/@?#% ", "local", "evil", "example", "uno-q", "127.0.0.1", "::1", "7000"])


@fuzz
@given(text | st.lists(parts_of_hosts, max_size=8).map("".join))
def test_a_name_that_is_answered_to_can_be_owned_by_no_stranger(host: str) -> None:
    if not Access().answers_to(host):
        return
    name = (urlsplit(f"//{host}").hostname or "").removesuffix(".")  # as a browser reads it
    try:
        ipaddress.ip_address(name)
    except ValueError:
        assert "." not in name or name.endswith(".local")
