"""The doctor: for each broken link what it saw, why, and what mends it, on the page's route and in a terminal."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from board_agent.access import Access
from board_agent.model import ModelError, Server
from tests.unit.house import Hold, Make, TestHouse, until
from tests.unit.scripted import call, calling, saying

ROOT = Path(__file__).resolve().parents[2]
CALLS = calling(call("calculate", {"expression": "47 * 89"}))
NAMES = ["app", "llama-server", "tool call", "router", "sketch", "matrix", "disk", "memory", "temperature"]


@pytest.fixture(autouse=True)
def always_fresh(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("board_agent.doctor.FRESH_S", -1)
    monkeypatch.setattr("board_agent.doctor.BUSY_S", 0.3)


def look(house: TestHouse) -> dict[str, dict[str, str]]:
    until(lambda: house.client.get("/healthz").get_json().get("llm") or house.model_watch.error.kind != "loading")
    return {link["name"]: link for link in house.client.get("/doctor").get_json()["links"]}


def broken(links: dict[str, dict[str, str]]) -> list[str]:
    return [name for name, link in links.items() if link["state"] == "broken"]


def test_all_is_well_and_each_link_says_what_was_seen(make: Make) -> None:
    house = make(CALLS)
    links = look(house)
    assert list(links) == NAMES
    assert {link["state"] for link in links.values()} == {"ok"}
    assert "calculate" in links["tool call"]["saw"]
    assert "14.2 GB" in links["disk"]["saw"]
    assert house.bridge.calls[-1][0] == "get_board_state" or ("$/version",) in house.bridge.calls
    assert not [called for called in house.bridge.calls if called[0].startswith("set_")]


def test_the_model_is_asked_once_and_again_after_its_next_start(make: Make) -> None:
    house = make(CALLS, CALLS)
    look(house)
    look(house)
    assert len(house.model.requests) == 1
    house.model.server = Server(model="scripted", instance="2")
    look(house)
    assert len(house.model.requests) == 2


def test_a_model_that_calls_no_tool_is_told_with_the_command(make: Make) -> None:
    links = look(make(saying("47 times 89 is\x1b[31m 4000.")))
    assert broken(links) == ["tool call"]
    assert "4000" in links["tool call"]["saw"]
    assert "\x1b" not in links["tool call"]["saw"]
    assert "--jinja" in links["tool call"]["do"]


def test_a_call_written_as_text_counts(make: Make) -> None:
    assert broken(look(make(saying('<tool>set_builtin_led {"state": true}')))) == []


def test_a_server_that_refuses_tools_is_told(make: Make) -> None:
    links = look(make(ModelError("tools param requires --jinja flag.", "refused")))
    assert "requires --jinja" in links["tool call"]["saw"]


def test_a_busy_model_is_not_disturbed(make: Make) -> None:
    hold = Hold()
    house = make(hold, CALLS)
    run = house.runs.submit("Long")
    assert hold.reached.wait(10)
    assert look(house)["tool call"]["state"] == "unknown"
    hold.release()
    assert run.ended.wait(10)
    assert run.result["answer"] == "Done."
    assert look(house)["tool call"]["state"] == "ok"


@pytest.mark.parametrize(("kind", "do"), [("down", "--host 0.0.0.0"), ("loading", "wait"), ("refused", "settings.env")])
def test_without_a_model_the_command_that_starts_one_is_named(
    make: Make, monkeypatch: pytest.MonkeyPatch, kind: str, do: str
) -> None:
    def gone(self: Any) -> Any:
        raise ModelError("llama-server does not answer at x:1.", kind)

    monkeypatch.setattr("tests.unit.scripted.ScriptedModel.probe", gone)
    house = make()
    until(lambda: "x:1" in str(house.model_watch.error))
    links = {link["name"]: link for link in house.client.get("/doctor").get_json()["links"]}
    assert broken(links) == ["llama-server"]
    assert do in links["llama-server"]["do"]
    assert links["tool call"]["state"] == "unknown"
    assert links["sketch"]["state"] == "ok"


@pytest.mark.parametrize(
    ("error", "name", "do"),
    [
        (ConnectionError("refused"), "router", "systemctl restart arduino-router"),
        (ValueError("method x not available (2)"), "sketch", "arduino-app-cli app start"),
        (ValueError("Wrong type parameter (253)"), "sketch", "arduino-app-cli app start"),
    ],
)
def test_a_broken_board_is_told_by_its_first_broken_link(make: Make, error: Exception, name: str, do: str) -> None:
    house = make(CALLS)
    house.bridge.error = error
    links = look(house)
    assert broken(links) == [name]
    assert do in links[name]["do"]
    assert links["matrix"]["state"] == "unknown"


@pytest.mark.parametrize(
    ("facts", "name"),
    [
        ({"home_free_gb": 0.05}, "disk"),
        ({"memory_free_gb": 0.02}, "memory"),
        ({"cpu_temp_c": 97.0}, "temperature"),
    ],
)
def test_what_runs_short_is_told(make: Make, facts: dict[str, float], name: str) -> None:
    house = make(CALLS)
    house.facts |= facts
    links = look(house)
    assert broken(links) == [name]
    assert str(next(iter(facts.values()))) in links[name]["saw"]
    assert links[name]["why"]
    assert links[name]["do"]


def test_what_cannot_be_read_is_unknown_and_not_broken(make: Make) -> None:
    house = make(CALLS)
    house.facts.clear()
    links = look(house)
    assert broken(links) == []
    assert [links[name]["state"] for name in ("disk", "memory", "temperature")] == ["unknown"] * 3


# --- in a terminal


def ask_py(url: str, **environ: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, str(ROOT / "ask.py"), "--doctor", "--url", url],
        capture_output=True,
        text=True,
        timeout=60,
        env={**os.environ, **environ},
    )


def test_the_terminal_lists_every_link(make: Make) -> None:
    house = make(CALLS)
    until(lambda: "llm" in house.client.get("/healthz").get_json())
    done = ask_py(house.url)
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert [line.split("  ")[0] for line in lines[:-1]] == ["ok"] * 10
    assert "network" in lines[0]
    assert "All is well" in lines[-1]


def test_the_terminal_explains_the_first_broken_link(make: Make) -> None:
    house = make(saying("No tools here."))
    house.bridge.error = ConnectionError("refused")
    until(lambda: "llm" in house.client.get("/healthz").get_json())
    done = ask_py(house.url)
    assert done.returncode == 1
    after = done.stdout.partition("tool call")[2]
    assert "why:" in after
    assert "--jinja" in after.partition("do:")[2].splitlines()[0]
    assert done.stdout.count("why:") == 1
    assert "broken" in [line.split("  ")[0] for line in done.stdout.splitlines() if "router" in line]


def test_the_terminal_shows_the_token_it_has_and_names_the_one_it_lacks(make: Make) -> None:
    house = make(CALLS, access=Access("open-sesame"))
    until(lambda: "llm" in house.client.get("/healthz").get_json())
    without = ask_py(house.url)
    assert without.returncode == 3
    assert "AGENT_TOKEN" in without.stdout
    assert ask_py(house.url, AGENT_TOKEN="open-sesame").returncode == 0


@pytest.mark.parametrize(
    ("url", "says"),
    [
        ("http://127.0.0.1:9", "broken   app           Nothing answers at http://127.0.0.1:9. Start the app"),
        ("http://no-such-name.invalid", "broken   network       The name no-such-name.invalid is not known here"),
    ],
)
def test_without_a_network_or_an_app_the_first_link_says_so(url: str, says: str) -> None:
    done = ask_py(url)
    assert done.returncode == 3
    assert says in done.stdout


@pytest.fixture
def stranger() -> Iterator[str]:
    class Stranger(BaseHTTPRequestHandler):
        def log_message(self, *args: Any) -> None:
            pass

        def do_GET(self) -> None:
            body = json.dumps({"links": ["\x1b[31m", {"name": 5, "state": "ok\x1b[2J\nok  network"}, 7]}).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

    server = ThreadingHTTPServer(("127.0.0.1", 0), Stranger)
    threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


def test_another_server_can_neither_pass_for_the_app_nor_drive_the_terminal(stranger: str) -> None:
    done = ask_py(stranger)
    assert done.returncode == 3
    assert "\x1b" not in done.stdout
    assert "not Board Agent" in done.stdout
