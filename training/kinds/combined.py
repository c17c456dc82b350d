"""Conversations made of others: something to know and something to do in one message, a tool that is switched off."""
# ruff: noqa: E501 - a phrase with its alternatives stands on one line

from __future__ import annotations

import re

from training.draw import Draw
from training.kinds import actions, arithmetic, facts, files, logs, stories, texts
from training.kinds.actions import Action, set_matrix
from training.kinds.talk import REFUSAL
from training.scene import Kind, Scene

KNOW: tuple[Kind, ...] = (
    *(texts.text_fact, texts.text_fact, logs.value_at, logs.extreme, files.list_folder, files.list_folder, files.count_lines),
    *(logs.count_numbers, facts.fact, facts.fact, arithmetic.compared, logs.head),
)  # fmt: skip
NEEDS: dict[str, tuple[Kind, ...]] = {
    "get_system_info": (facts.fact, facts.fact, facts.yes_or_no, facts.calculated, facts.threshold),
    "list_files": (files.list_folder,),
    "read_file": (texts.text_fact, logs.value_at, logs.extreme, logs.total, files.count_lines),
    "calculate": (arithmetic.sums, arithmetic.sums, stories.word_problem),
    "set_builtin_led": (actions.led,),
    "set_led_matrix": (actions.matrix,),
}
COUNT: tuple[Kind, ...] = (files.count_lines, logs.count_numbers, logs.count_numbers, files.list_folder)
COUNTED = re.compile(r"(?:^|There are |There is |has )(\d) (?!GB)")
MATRIX = "{matrix|matrix|LED matrix|display|LED display}"
SHOW = [
    "{show|display|put} {it|that|the number|this number|the result} on the {m}",
    "{show|display|put|write} {that digit|the digit|the count|the answer} on the {m}",
    "{let the {m} show it|the {m} should show it|then on the {m}|I want to see it on the {m}}",
    "{please show|I'd like to see} the {number|result|answer} on the {m}",
    "{write|bring|draw} {it|the number} {to|onto} the {m}",
    "{put|show} {it|that} {there |}on the {m}, please",
]


def _asked(scene: Scene, make: Kind) -> str:
    """One conversation of a kind, without its question and its answer, which is returned; the question stays first."""
    make(scene)
    return str(scene.messages.pop()["content"])


def know_and_act(scene: Scene) -> None:
    """A question and an action, in the order in which they were named."""
    draw = scene.draw
    answer = _asked(scene, draw.choice(KNOW))
    question = str(scene.messages[0]["content"])
    action = actions.any_action(draw)
    if draw.maybe(0.3):
        rest = scene.messages[1:]
        del scene.messages[1:]
        done = action.do(scene)
        scene.messages += rest
        scene.messages[0]["content"] = draw.written(_first(draw, action, question))
        scene.say(f"{done}. {answer}")
        return
    scene.messages[0]["content"] = _then(draw, question, action.text)
    scene.say(f"{answer} {action.do(scene)}.")


def _first(draw: Draw, action: Action, question: str) -> str:
    low = question[:1].lower() + question[1:]
    return draw.of(
        f"{action.text}. {question}",
        f"{action.text}. {draw.of('And', 'Also,', 'Then', 'Next:', 'After that:')} {low}",
        f"{action.text}{draw.of(', then: ', ', and ', ', after that ', '; then ')}{low}",
        f"first {action.text}, then {low}",
        f"please {action.text} and {low}",
    )


def _then(draw: Draw, question: str, wish: str) -> str:
    """A question, and what is to be done after it."""
    open_, up = question.rstrip(" ?!."), wish[:1].upper() + wish[1:]
    end = "?" if question.endswith("?") else "."
    return draw.of(
        f"{open_}{end} {up}{draw.of('.', '.', '', ' please.', '!')}",
        f"{open_}{end} {draw.of('And', 'Then', 'Also,', 'And then', 'And please', 'Please', 'After that,', 'Next,')} {wish}{draw.of('.', '', '!')}",
        f"{open_}{draw.of(' and ', ', and ', ', then ', ', and then ', ', and also ')}{wish}{draw.of('.', '', ' please')}",
        f"{open_}, {draw.of('after that', 'and when you have it', 'and afterwards', 'next')} {wish}{draw.of('.', '')}",
    )  # fmt: skip


def count_and_show(scene: Scene) -> None:
    """How many there are in a file or a folder, told and shown; more than nine do not fit."""
    draw = scene.draw
    while True:
        scene.messages.clear()
        answer = _asked(scene, draw.choice(COUNT))
        if found := COUNTED.search(answer):
            break
    show = draw.pick(draw.choice(SHOW).replace("{m}", MATRIX))
    scene.messages[0]["content"] = _then(draw, str(scene.messages[0]["content"]), show)
    scene.say(f"{answer} {set_matrix(draw, found[1]).do(scene)}.")


def switched_off(scene: Scene) -> None:
    """The tool that is needed first is not listed: a person has switched it off, and maybe others too."""
    draw = scene.draw
    tool = draw.choice(list(NEEDS))
    draw.choice(NEEDS[tool])(scene)
    asked = str(scene.messages[0]["content"])
    scene.messages.clear()
    scene.used.clear()
    scene.without = {tool, *draw.sample([name for name in NEEDS if name != tool], draw.of(0, 0, 0, 1, 2, 3, 4))}
    scene.ask(asked)
    scene.say(REFUSAL)
