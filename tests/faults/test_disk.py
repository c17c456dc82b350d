"""Files and disks that are missing, huge, slow or read-only: what the model is told, and that the app goes on."""

from __future__ import annotations

import shutil
import time
from pathlib import Path
from typing import Any

import pytest

from board_agent.access import Access, load_key
from board_agent.toolbox import Tool
from board_agent.tools.workspace import Workspace
from tests.unit.house import Make, TestHouse
from tests.unit.scripted import call, calling, saying

LIST = calling(call("list_files"))


def ask(house: TestHouse) -> dict[str, Any]:
    """The first row of the trace of one question."""
    run = house.runs.submit("What files are there?")
    assert run.ended.wait(20)
    row: dict[str, Any] = run.result["trace"][0]
    return row


def test_a_workspace_that_goes_and_comes_back_is_said_and_used_again(make: Make, tmp_path: Path) -> None:
    root = tmp_path / "workspace"
    root.mkdir()
    (root / "a.txt").write_text("a")
    script = [LIST, saying("One.")]
    house = make(*script, tools=[Tool(Workspace(root).list_files)])
    assert "a.txt" in ask(house)["result"]
    shutil.rmtree(root)
    house.model.script = [*script]
    gone = ask(house)
    assert gone["state"] == "failed"
    assert "until the user creates it again" in gone["result"]
    root.symlink_to("/etc")
    house.model.script = [*script]
    assert "hosts" not in ask(house)["result"]
    root.unlink()
    root.mkdir()
    house.model.script = [*script]
    assert '"count":0' in ask(house)["result"]


def test_a_folder_of_very_many_files_is_listed_within_its_bounds(make: Make, tmp_path: Path) -> None:
    for number in range(15_000):
        (tmp_path / f"file-{number:06}").touch()
    house = make(LIST, saying("Many."), tools=[Tool(Workspace(tmp_path).list_files)])
    row = ask(house)
    assert row["state"] == "done"
    assert '"truncated":true' in row["result"]
    assert len(row["result"]) < 8192


def test_a_disk_that_hangs_is_left_behind_and_the_next_question_works(make: Make) -> None:
    def read_file(path: str) -> dict[str, Any]:
        """Read a file on a disk that does not answer."""
        time.sleep(5)
        return {}

    house = make(calling(call("read_file", {"path": "a"})), saying("It hangs."), tools=[Tool(read_file, timeout_s=0.2)])
    row = ask(house)
    assert row["state"] == "failed"
    assert "no answer within" in row["result"]
    house.model.script = [calling(call("set_builtin_led", {"state": True})), saying("On.")]
    assert ask(house)["state"] == "done"


def test_a_file_with_every_kind_of_odd_text_comes_back_as_json(make: Make, tmp_path: Path) -> None:
    (tmp_path / "odd.txt").write_bytes("\x1b[2J\u202e\u2028</script> {{7*7}} %s \\u0000 \ufeff".encode())
    house = make(
        calling(call("read_file", {"path": "odd.txt"})), saying("Odd."), tools=[Tool(Workspace(tmp_path).read_file)]
    )
    assert "{{7*7}} %s" in ask(house)["result"]
    assert "{{7*7}}" not in house.client.get("/").get_data(as_text=True)


@pytest.mark.parametrize("where", ["/proc/nowhere", "/dev/null/data"])
def test_where_nothing_can_be_written_people_can_still_log_in(where: str) -> None:
    key = load_key(Path(where))
    assert key == b""
    Access("secret", key=key).check_token("POST", "Bearer secret", "", "a")
