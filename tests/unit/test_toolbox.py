"""Tools: schemas out, calls in."""

import threading
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from board_agent.deadline import Deadline, Ended
from board_agent.toolbox import Tool, Toolbox, compact, json_object


def greet(name: str, times: int = 1, loud: bool = False) -> dict[str, Any]:
    """Greet somebody.

    More words that the model is not given.
    """
    return {"text": ("HEY " if loud else "Hey ") * times + name}


def fact() -> dict[str, Any]:
    """A fact."""
    return {"pi": 3.14}


GREET = Tool(greet, choices={"name": ["Ada", "Alan"]})
BOX = Toolbox([GREET, Tool(fact)])


def outcome(box: Toolbox, name: str, arguments: str, **options: Any) -> Any:
    args, problem = box.parse(name, arguments)
    return problem or box.call(name, args, Deadline(5), **options)


def test_a_function_is_its_own_schema() -> None:
    assert GREET.name == "greet"
    assert GREET.description == "Greet somebody."
    assert GREET.parameters == {
        "type": "object",
        "properties": {
            "name": {"type": "string", "enum": ["Ada", "Alan"]},
            "times": {"type": "integer"},
            "loud": {"type": "boolean"},
        },
        "required": ["name"],
    }


def test_a_schema_has_nothing_that_need_not_be_read() -> None:
    assert Tool(fact, described=False).schema == {"type": "function", "function": {"name": "fact"}}
    assert "type" not in GREET.schema["function"]["parameters"]


def test_schemas_are_the_same_text_every_time() -> None:
    assert compact(BOX.schemas()) == compact(BOX.schemas())


def test_a_call_gives_compact_json() -> None:
    assert outcome(BOX, "greet", '{"name": "Ada", "times": 2}').result == '{"text":"Hey Hey Ada"}'
    assert outcome(BOX, "fact", "").result == '{"pi":3.14}'


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (
            '{"name": "Bob"}',
            'cannot take "Bob" as name; call it as greet(name: one of Ada, Alan; times: integer, optional',
        ),
        ('{"name": "Ada", "times": true}', "cannot take true as times"),
        ('{"name": "Ada", "times": 1.5}', "cannot take 1.5 as times"),
        ('{"name": "Ada", "times": "2"}', 'cannot take "2" as times'),
        ('{"name": "Ada", "loud": 1}', "cannot take 1 as loud"),
        ('{"name": ["Ada"]}', 'cannot take ["Ada"] as name'),
        ('{"name": "Ada", "x": 1}', 'has no argument "x"'),
        ("[]", "one valid JSON object"),
    ],
)
def test_arguments_that_do_not_fit_the_schema_are_told_what_does(arguments: str, says: str) -> None:
    assert says in outcome(BOX, "greet", arguments)


def test_a_long_wrong_value_is_not_repeated_whole() -> None:
    assert len(outcome(BOX, "greet", compact({"name": "x" * 5000}))) < 250


def test_what_an_unknown_tool_is_told_names_the_tools() -> None:
    assert outcome(BOX, "gret", "{}") == 'there is no tool "gret"; the tools are: greet, fact'


def failing(error: Exception | None = None, wait: threading.Event | None = None) -> Toolbox:
    def fails() -> dict[str, Any]:
        """Fails."""
        if wait:
            wait.wait()
        if error:
            raise error
        return {"text": "x" * 9000}

    return Toolbox([Tool(fails, timeout_s=0.1)])


@pytest.mark.parametrize("error", [ValueError("bad"), KeyError("k"), RecursionError(), OSError("disk"), None])
def test_whatever_goes_wrong_in_a_tool_is_a_result(error: Exception | None) -> None:
    result = outcome(failing(error), "fails", "{}")
    assert result.state == "failed"
    assert json_object(result.result)


def test_a_tool_that_hangs_is_left_behind() -> None:
    wait = threading.Event()
    result = outcome(failing(wait=wait), "fails", "{}")
    wait.set()
    assert "no answer within 0.1 s" in result.result


def test_stop_takes_effect_while_a_tool_runs() -> None:
    wait, deadline = threading.Event(), Deadline(30)
    threading.Timer(0.05, deadline.stop).start()
    with pytest.raises(Ended):
        failing(wait=wait).call("fails", {}, deadline)
    wait.set()


@pytest.mark.parametrize(
    ("risk", "policy", "approved", "state"),
    [
        ("read", {}, None, "done"),
        ("act", {}, None, "done"),
        ("change", {}, None, "denied"),
        ("change", {}, True, "done"),
        ("change", {}, False, "denied"),
        ("disruptive", {}, True, "denied"),
        ("disruptive", {"disruptive": "allow"}, None, "done"),
        ("read", {"read": "deny"}, True, "denied"),
    ],
)
def test_the_policy_decides_whether_a_call_runs(risk: Any, policy: Any, approved: Any, state: str) -> None:
    box = Toolbox([Tool(fact, risk=risk)], policy)
    assert outcome(box, "fact", "{}", approved=approved).state == state


def test_what_is_denied_is_not_offered() -> None:
    assert Toolbox([Tool(fact, risk="disruptive")]).schemas() == []


def test_two_tools_of_one_name_are_a_mistake() -> None:
    with pytest.raises(ValueError, match="same name"):
        Toolbox([Tool(fact), Tool(fact)])


@given(st.text() | st.recursive(st.none() | st.booleans() | st.floats() | st.text(), st.lists).map(repr))
@settings(max_examples=200, deadline=None)
def test_no_arguments_whatever_raise_or_run_a_tool_wrongly(arguments: str) -> None:
    args, problem = BOX.parse("greet", arguments)
    assert problem or args["name"] in ("Ada", "Alan")
    assert problem is None or len(problem) < 400
    assert json_object(compact({"error": problem})) is not None


@given(
    st.dictionaries(
        st.sampled_from(["name", "times", "loud", "x"]),
        st.sampled_from(["Ada", "Alan", "", 1, 2.5, True, None, [], {}, "true"]),
        max_size=3,
    )
)
def test_only_calls_that_fit_the_schema_run(args: dict[str, Any]) -> None:
    fits = (
        set(args) <= {"name", "times", "loud"}
        and args.get("name") in ("Ada", "Alan")
        and type(args.get("times", 1)) is int
        and type(args.get("loud", True)) is bool
    )
    assert (BOX.parse("greet", compact(args))[1] is None) == fits
