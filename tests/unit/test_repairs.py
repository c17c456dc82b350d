"""Near misses that are put right, and those that are not."""

from pathlib import Path
from typing import Any

import pytest

from board_agent import events
from board_agent.agent import Agent
from board_agent.deadline import Deadline
from board_agent.errors import ToolError
from board_agent.toolbox import Tool, Toolbox, compact
from board_agent.tools.calculator import calculate
from board_agent.tools.workspace import Workspace
from tests.unit.scripted import ScriptedModel, call, calling, saying

PATTERNS = ["check", "x", "smiley", "off", *"0123456789"]


def act(
    pattern: str = "off", state: bool = False, times: int = 1, share: float = 0.0, text: str = ""
) -> dict[str, Any]:
    """Do something."""
    return {"pattern": pattern, "state": state, "times": times, "share": share, "text": text}


ACT = Toolbox([Tool(act, risk="act", choices={"pattern": PATTERNS})])


@pytest.mark.parametrize(
    ("wrong", "right", "told"),
    [
        ({"state": "true"}, {"state": True}, 'state "true" taken as true'),
        ({"state": " Off "}, {"state": False}, 'state " Off " taken as false'),
        ({"times": "3"}, {"times": 3}, 'times "3" taken as 3'),
        ({"times": 3.0}, {"times": 3}, "times 3.0 taken as 3"),
        ({"share": "17%"}, {"share": 0.17}, 'share "17%" taken as 0.17'),
        ({"share": "1.5"}, {"share": 1.5}, 'share "1.5" taken as 1.5'),
        ({"text": 5}, {"text": "5"}, 'text 5 taken as "5"'),
        ({"pattern": 7}, {"pattern": "7"}, 'pattern 7 taken as "7"'),
        ({"pattern": "Seven"}, {"pattern": "7"}, 'pattern "Seven" taken as "7"'),
        ({"pattern": "CHECK "}, {"pattern": "check"}, 'pattern "CHECK " taken as "check"'),
        ({"pattern": "check_mark"}, {"pattern": "check"}, 'pattern "check_mark" taken as "check"'),
        ({"pattern": "a tick"}, {"pattern": "check"}, 'pattern "a tick" taken as "check"'),
        ({"pattern": "cross"}, {"pattern": "x"}, 'pattern "cross" taken as "x"'),
        ({"pattern": "happy face"}, {"pattern": "smiley"}, 'pattern "happy face" taken as "smiley"'),
        ({"pattern": "smily"}, {"pattern": "smiley"}, 'pattern "smily" taken as "smiley"'),
        ({"pattern": "blank"}, {"pattern": "off"}, 'pattern "blank" taken as "off"'),
        ({"Pattern": "x"}, {"pattern": "x"}, 'argument "Pattern" taken as "pattern"'),
        ({"led_state": True}, {"state": True}, 'argument "led_state" taken as "state"'),
        ({"patern": "x"}, {"pattern": "x"}, 'argument "patern" taken as "pattern"'),
    ],
)
def test_a_near_miss_is_put_right_and_told(wrong: dict[str, Any], right: dict[str, Any], told: str) -> None:
    assert ACT.mend("act", wrong) == (right, [told])


@pytest.mark.parametrize(
    "wrong",
    [
        {"state": "bright"},
        {"state": 1},
        {"state": None},
        {"times": 1.5},
        {"times": "1.5"},
        {"times": True},
        {"times": "9" * 400},
        {"text": ["a"]},
        {"text": True},
        {"pattern": "heart"},
        {"pattern": "11"},
        {"pattern": "sad face"},
        {"pattern": ""},
        {"pattern": True},
        {"speed": 3},
        {"state": "true", "speed": 3},
        {"Pattern": "x", "pattern": "check"},
        {"PATTERN": "x", "Pattern": "check"},
    ],
)
def test_what_may_mean_something_else_is_left_as_it_is(wrong: dict[str, Any]) -> None:
    assert ACT.parse("act", compact(wrong))[1] is not None
    assert ACT.mend("act", wrong) == (wrong, [])


def test_a_synonym_counts_only_for_a_choice_that_is_offered() -> None:
    def lamp(state: str) -> dict[str, Any]:
        """Switch."""
        return {"state": state}

    box = Toolbox([Tool(lamp, choices={"state": ["on", "dim"]})])
    assert box.mend("lamp", {"state": "clear"}) == ({"state": "clear"}, [])


@pytest.fixture
def files(tmp_path: Path) -> Toolbox:
    inside = tmp_path / "workspace"
    inside.mkdir()
    (inside / "notes.txt").write_text("the notes", encoding="utf-8")
    (tmp_path / "secret.txt").write_text("the secret", encoding="utf-8")
    workspace = Workspace(inside)
    return Toolbox([Tool(workspace.read_file), Tool(workspace.list_files), Tool(calculate)])


@pytest.mark.parametrize(
    "path",
    [
        *("/notes.txt", "workspace/notes.txt", "/app/workspace/notes.txt", "./workspace/notes.txt"),
        *("notes", "NOTES.TXT", " notes.txt ", "'notes.txt'", "\\notes.txt"),
    ],
)
def test_a_path_that_is_all_but_right_is_read(files: Toolbox, path: str) -> None:
    outcome = files.call("read_file", {"path": path}, Deadline(5))
    assert outcome.state == "done"
    assert '"content":"the notes"' in outcome.result
    assert outcome.repairs == (f'path {compact(path)} taken as "notes.txt"',)


@pytest.mark.parametrize("path", ["/", "workspace", "/workspace/"])
def test_the_workspace_itself_is_found_by_its_name(files: Toolbox, path: str) -> None:
    assert '"entries":["notes.txt"]' in files.call("list_files", {"path": path}, Deadline(5)).result


@pytest.mark.parametrize(
    "path", ["../secret.txt", "/../secret.txt", "workspace/../../secret.txt", "/etc/passwd", "../secret"]
)
def test_no_repair_leads_out_of_the_workspace(files: Toolbox, path: str) -> None:
    outcome = files.call("read_file", {"path": path}, Deadline(5))
    assert (outcome.state, outcome.repairs) == ("failed", ())
    assert "secret" not in outcome.result.replace(path, "")


def test_what_is_not_found_is_told_as_it_was_asked_for(files: Toolbox) -> None:
    assert (
        "'/other.txt' is outside the workspace" in files.call("read_file", {"path": "/other.txt"}, Deadline(5)).result
    )


def test_a_folder_that_really_has_the_name_is_used(tmp_path: Path, files: Toolbox) -> None:
    folder = tmp_path / "workspace" / "workspace"
    folder.mkdir()
    (folder / "notes.txt").write_text("other notes", encoding="utf-8")
    outcome = files.call("read_file", {"path": "workspace/notes.txt"}, Deadline(5))
    assert ("other notes" in outcome.result, outcome.repairs) == (True, ())


def test_units_are_left_out_where_all_are_the_same(files: Toolbox) -> None:
    outcome = files.call("calculate", {"expression": "14.2 GB > 1 GB"}, Deadline(5))
    assert outcome.repairs == ('expression "14.2 GB > 1 GB" taken as "14.2 > 1"',)
    assert '"result":true' in outcome.result
    assert files.call("calculate", {"expression": "14.2 GB > 500 MB"}, Deadline(5)).state == "failed"


def test_a_tool_that_writes_is_not_tried_with_another_path() -> None:
    tried = []

    def write(path: str) -> dict[str, Any]:
        """Write."""
        tried.append(path)
        raise ToolError("is outside")

    box = Toolbox([Tool(write, risk="change")])
    assert box.call("write", {"path": "/notes.txt"}, Deadline(5), approved=True).state == "failed"
    assert tried == ["/notes.txt"]


def test_the_policy_holds_for_a_call_that_was_put_right() -> None:
    box = Toolbox([Tool(act, risk="act")], {"act": "deny"})
    args, told = box.mend("act", {"state": "true"})
    assert told
    assert box.call("act", args, Deadline(5)).state == "denied"


def ran(*script: Any, fail: int = 0) -> tuple[list[events.ToolEnded], str, ScriptedModel]:
    left = [fail]

    def lamp(state: bool) -> dict[str, Any]:
        """Switch the lamp."""
        if left[0]:
            left[0] -= 1
            raise ToolError("the sketch is starting; try again.")
        return {"lamp": state}

    model = ScriptedModel(*script)
    seen = list(Agent(model, Toolbox([Tool(lamp, risk="act")])).run("On!", Deadline(10)))  # type: ignore[arg-type]
    ended = [event for event in seen if isinstance(event, events.ToolEnded)]
    assert isinstance(seen[-1], events.RunEnded)
    return ended, seen[-1].answer, model


def test_the_trace_shows_the_repair_and_the_model_is_sent_its_own_words() -> None:
    ended, _, model = ran(calling(call("lamp", {"state": "true"})), saying("On."))
    assert ended[0].args == {"state": True}
    assert ended[0].repairs == ['state "true" taken as true']
    assert model.requests[1]["messages"][-2]["tool_calls"][0]["function"]["arguments"] == '{"state": "true"}'


def test_the_same_call_in_other_words_is_a_repetition() -> None:
    ended, *_ = ran(calling(call("lamp", {"state": "on"})), calling(call("lamp", {"state": True})), saying("On."))
    assert [one.state for one in ended] == ["done", "repeated"]


def test_an_action_that_failed_is_run_once_more_when_the_model_asks_again() -> None:
    again = calling(call("lamp", {"state": True}))
    ended, answer, _ = ran(again, again, saying("It is on."), fail=1)
    assert ([one.state for one in ended], answer) == (["failed", "done"], "It is on.")


def test_an_action_that_goes_on_failing_ends_the_tool_turns() -> None:
    again = calling(call("lamp", {"state": True}))
    ended, _, model = ran(again, again, again, saying("It does not work."), fail=9)
    assert [one.state for one in ended] == ["failed", "failed", "repeated"]
    assert model.requests[-1]["final"]


def test_an_answer_that_hides_a_failed_action_is_completed() -> None:
    _, answer, _ = ran(calling(call("lamp", {"state": True})), saying("The lamp is on."), fail=1)
    assert answer == "The lamp is on. But lamp did not work: the sketch is starting; try again."


def test_an_answer_that_admits_it_is_left_as_it_is() -> None:
    _, answer, _ = ran(calling(call("lamp", {"state": True})), saying("I couldn't switch it on."), fail=1)
    assert answer == "I couldn't switch it on."
