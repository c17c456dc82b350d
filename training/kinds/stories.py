"""Word problems: a story with two or three numbers and the one expression that answers its question."""

from __future__ import annotations

import re

from board_agent.tools.calculator import evaluate
from training.draw import Draw
from training.kinds.tables import rows_of
from training.scene import Scene, shown

NAMES = [
    *("Anna", "Ben", "Carla", "Dario", "Elena", "Farid", "Gina", "Hugo", "Ines", "Jonas", "Kai", "Lea", "Marco"),
    *("Nina", "Omar", "Paula", "Rosa", "Sam", "Tom", "Yuki"),
]
THINGS = [
    *("apples", "pens", "resistors", "cables", "stickers", "books", "eggs", "sensors", "screws", "batteries", "coins"),
    *("cookies", "tickets", "candles", "motors", "bottles", "LEDs", "buttons", "nails", "marbles", "cards", "chairs"),
    *("flowers", "oranges", "wires", "jumpers", "magnets", "pencils", "balloons", "spoons", "stamps", "photos"),
]
BOXES = ["box", "bag", "crate", "tray", "pack", "drawer", "jar", "basket", "bucket", "case"]
ASK = [
    *[""] * 16,
    *("Can you solve this? ", "A riddle: ", "Homework: ", "Please work this out: ", "Question: ", "Solve: ", "Hi! "),
]
STORIES = rows_of("stories.txt")

_SLOT = re.compile(r"<([^<>]+)>")
_START = re.compile(r"(?:^|[.?!] )[a-z]")


def story(draw: Draw) -> tuple[str, str]:
    """A story, and its expression."""
    expression, _, text = draw.choice(STORIES).partition(" | ")
    numbers = _numbers(draw)
    said = _words(draw) | {name: draw.wordy(int(numbers[name])) for name in "nmk"}
    text = draw.pick(filled(text, said, numbers))
    return _START.sub(lambda start: start[0].upper(), text), filled(expression, {}, numbers)


def word_problem(scene: Scene) -> None:
    draw = scene.draw
    said, expression = story(draw)
    said = draw.choice(ASK) + said
    scene.ask(said if draw.maybe(0.8) else draw.written(said))
    result = shown(scene.calculate(expression))
    if draw.maybe(0.5):
        return
    scene.say(f"The result is {result}.")


def filled(text: str, said: dict[str, str], numbers: dict[str, str]) -> str:
    """The text with what is drawn for each <name>, and what is calculated for <a*n>."""

    def value(slot: re.Match[str]) -> str:
        return said.get(slot[1]) or shown(evaluate(re.sub("[a-z]+", lambda name: numbers[name[0]], slot[1])))

    return _SLOT.sub(value, text)


def _numbers(draw: Draw) -> dict[str, str]:
    """What the numbers of a story may be."""
    n, m, k = draw.sample(range(2, 13), 3)
    a, b, c = draw.randint(2, 99), draw.randint(2, 60), draw.randint(2, 20)
    percent = draw.of(5, 10, 15, 20, 25, 30, 40, 50, 60, 75, draw.randint(2, 95))
    numbers = {"n": n, "m": m, "k": k, "a": a, "b": b, "c": c, "age": draw.randint(6, 60), "pct": percent}
    numbers |= {"big": draw.randint(100, 900), "huge": draw.randint(1000, 9000)}
    price, cost = (draw.of(f"{draw.randint(2, 40)}", f"{draw.uniform(0.2, 40):.2f}") for _ in range(2))
    decimals = {"price": price, "cost": cost, "w": f"{draw.uniform(0.2, 20):.1f}"}
    return {name: str(number) for name, number in numbers.items()} | decimals


def _words(draw: Draw) -> dict[str, str]:
    """Who and what a story is about."""
    who, whom = draw.sample(NAMES, 2)
    things, others = draw.sample(THINGS, 2)
    box = draw.choice(BOXES)
    return {
        "who": who,
        "whom": whom,
        "things": things,
        "thing": "battery" if things == "batteries" else things[:-1],
        "others": others,
        "box": box,
        "boxes": box + ("es" if box == "box" else "s"),
        "people": draw.of("people", "friends", "kids", "students", "children", "players", "guests"),
        "money": draw.of("euros", "dollars", "€", "euros", "francs", "pounds"),
        "unit": draw.of("cm", "m", "mm", "units"),
        "each": draw.of("each", "apiece", "per piece", "a piece"),
        "inall": draw.of("in total", "altogether", "in all", "together"),
    }
