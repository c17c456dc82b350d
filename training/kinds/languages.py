"""Plain questions in German, French, Spanish and Italian, and what is none in these and more languages.

Answers are English: the model knows little else.
"""
# ruff: noqa: E501 - a phrase with its alternatives stands on one line

from __future__ import annotations

from training.draw import Draw
from training.kinds import facts, files, logs, texts
from training.kinds.actions import Action, phrases, set_led, set_matrix
from training.kinds.facts import DISK, HOME, HOT, MEMORY, OUTCOMES, UPTIME
from training.kinds.names import FOLDERS, LOGS, TEXTS, USUAL, a_path, some_files
from training.kinds.tables import rows_of
from training.kinds.talk import REFUSAL
from training.scene import Scene, shown

LANGUAGES = ("de", "fr", "es", "it")
PHRASES = phrases("languages.txt")
DISKS = {"de": "der {Platte|Festplatte}", "fr": "le disque", "es": "el disco", "it": "{il disco|disco}"}
DEGREES = {"de": "Grad", "fr": "degrés", "es": "grados", "it": "gradi"}
GIGABYTES = {"de": "{GB|GB|Gigabyte}", "fr": "{Go|Go|GB}", "es": "{GB|GB|gigas}", "it": "{GB|GB|giga}"}
KEYS = [
    *[HOME] * 3, *[DISK] * 3, *[MEMORY] * 2, *[HOT] * 2, *[UPTIME] * 2, "cpu_count", "memory_total_gb", "os",
    "home_total_gb", "disk_total_gb", "machine",
]  # fmt: skip
CHATTER = {
    "no": REFUSAL,
    "okay": "Okay.",
    "nice": "That's nice to hear.",
    "sorry": "I'm sorry to hear that.",
    "hello": "Hello! What can I do for you?",
    "thanks": "You're welcome!",
    "bye": "Goodbye!",
}
NOT_FOR_US = [row.split("|", 1) for row in rows_of("foreign.txt")]


def _phrase(draw: Draw, language: str, what: str) -> str:
    return draw.choice(PHRASES[f"{language} {what}"])


def _picture(draw: Draw, language: str, pattern: str) -> str:
    if pattern.isdigit():
        return _phrase(draw, language, "digit").replace("<digit>", pattern)
    return _phrase(draw, language, pattern)


def _show(draw: Draw, language: str, pattern: str, form: str) -> str:
    """Something for the matrix; `form`: "do" fits into a condition, "say" does not."""
    if pattern == "off":
        return _phrase(draw, language, f"clear {form}")
    return _phrase(draw, language, f"show {form}").replace("<what>", _picture(draw, language, pattern))


def foreign(scene: Scene) -> None:
    draw = scene.draw
    language = draw.choice(LANGUAGES)
    kind = draw.random()
    if kind < 0.25:
        state = draw.maybe(0.5)
        _act(scene, _phrase(draw, language, "led on" if state else "led off"), state)
    elif kind < 0.5:
        pattern = draw.choice(["check", "x", "smiley", "off", *"0123456789"])
        _act(scene, _show(draw, language, pattern, draw.of("do", "do", "say")), pattern)
    elif kind < 0.7:
        key = draw.choice(KEYS)
        scene.ask(_end(draw, _phrase(draw, language, key), "?"))
        scene.say(facts.sentence(key, facts.look(scene)))
    elif kind < 0.75:
        _special_sum(scene, language)
    elif kind < 0.8:
        state, pattern = draw.maybe(0.5), draw.choice(["check", "x", "smiley", *"0123456789"])
        asked = _phrase(draw, language, f"both {'on' if state else 'off'}")
        scene.ask(_end(draw, asked.replace("<what>", _picture(draw, language, pattern))))
        first, second = set_led(draw, state), set_matrix(draw, pattern)
        first.do(scene)
        said = second.do(scene)
        scene.say(f"{first.done}, and {said[:1].lower()}{said[1:]}.")
    elif kind < 0.88:
        a, b, sign = draw.randint(2, 200), draw.randint(2, 99), draw.choice("+-**//")
        if sign == "/" and draw.maybe(0.5):
            a = b * draw.randint(2, 20)
        said = f"{a} {_phrase(draw, language, sign) if draw.maybe(0.85) else sign} {b}"
        scene.ask(_end(draw, _phrase(draw, language, "sum").replace("<sum>", said), "?"))
        scene.say(f"The result is {shown(scene.calculate(f'{a} {sign} {b}'))}.")
    else:
        _threshold(scene, language)


def foreign_files(scene: Scene) -> None:
    """The workspace and its files."""
    draw = scene.draw
    language = draw.choice(LANGUAGES)
    what = draw.of("list", "list", "list in", "list in", "count", "count in", "read", "read", "lines", "highest", "lowest", "average", "at", "at")  # fmt: skip
    asked = _phrase(draw, language, what)
    if what.startswith(("list", "count")):
        folder = draw.choice(FOLDERS) if what.endswith("in") else ""
        names = some_files(draw, draw.of(1, 2, 3, 4, 5, 6, 7, 8, 10))
        files.put(scene, folder, names)
        scene.ask(_end(draw, asked.replace("<folder>", folder), "?"))
        entries = scene.call("list_files", path=folder or ".")["entries"]
        where = folder or "the workspace"
        scene.say(files.listing(entries, where) if what.startswith("list") else files.count_of(len(entries), where))
        return
    noted = what in ("read", "lines") and draw.maybe(0.8)
    path = a_path(draw, TEXTS, USUAL) if noted else a_path(draw, LOGS, ["readings.txt"])
    lines: list[texts.Line] = []
    if noted:
        text, lines = texts.note(draw)
    else:
        kept = logs.log(draw, labelled=what == "at")
        text = kept.text
    scene.file(path, text)
    if what == "at":
        at = draw.randrange(len(kept.labels))
        asked = asked.replace("<time>", kept.labels[at])
    scene.ask(_end(draw, asked.replace("<file>", path), "?"))
    scene.call("read_file", path=path)
    if what == "lines":
        scene.say(files.lines_of(text, path))
    elif what == "read":
        scene.say(texts.whole(path, lines) if lines else logs.whole(path, kept))
    elif what == "average":
        mean = scene.calculate(f"mean({', '.join(kept.values)})")
        scene.say(f"The average is {shown(mean)}.")
    elif what == "at":
        scene.say(logs.entry(kept, at, asked))
    else:
        number = max(kept.numbers) if what == "highest" else min(kept.numbers)
        scene.say(f"The {what} is {kept.values[kept.numbers.index(number)]}.")


def not_for_us(scene: Scene) -> None:
    """Chatter, other people's lamps, what cannot be done."""
    draw = scene.draw
    kind, rest = draw.choice(NOT_FOR_US)
    scene.ask(_end(draw, draw.either(rest), draw.of("?", ".") if kind == "no" else "."))
    scene.say(CHATTER[kind])


def _act(scene: Scene, asked: str, target: str | bool) -> None:
    scene.ask(_end(scene.draw, asked))
    scene.say(Action(asked, target).do(scene) + ".")


def _special_sum(scene: Scene, language: str) -> None:
    draw = scene.draw
    number, other, percent = draw.randint(10, 999), draw.randint(2, 30), draw.of(5, 10, 15, 20, 25, 40, draw.randint(2, 95))  # fmt: skip
    what = draw.of("percent", "percent", "root", "remainder", "square")
    expression = {
        "percent": f"{percent}% of {number}",
        "root": f"sqrt({number})",
        "remainder": f"{number} % {other}",
        "square": f"{other} ** 2",
    }[what]
    asked = _phrase(draw, language, what)
    one = str(other) if what == "square" else str(number)
    for name, meaning in (("pct", str(percent)), ("number", one), ("a", str(number)), ("b", str(other))):
        asked = asked.replace(f"<{name}>", meaning)
    scene.ask(_end(draw, asked, "?"))
    scene.say(f"The result is {shown(scene.calculate(expression))}.")


def _threshold(scene: Scene, language: str) -> None:
    draw = scene.draw
    if draw.maybe(0.25):
        _led_threshold(scene, language)
        return
    key = draw.of(HOME, HOME, DISK, HOT)
    value = facts.look(scene, HOT)[key]
    scene.messages.clear()
    operator = draw.of(">", ">", "<", "<", ">=", "<=")
    near = max(1, round(value))
    number = draw.of(40, 45, 50, 60, 70, near) if key == HOT else draw.of(1, 2, 3, 5, 8, 10, 15, 20, near)
    unit = DEGREES[language] if key == HOT else GIGABYTES[language]
    one, two = draw.of(("check", "x"), ("smiley", "x"), ("1", "0"), ("x", "check"), ("check", "off"), ("5", "3"))
    other = _show(draw, language, two, "do") if two == "off" or draw.maybe(0.4) else _picture(draw, language, two)
    text = _phrase(draw, language, "hot" if key == HOT else "if")
    for word, meaning in (
        ("amount", f"{_phrase(draw, language, operator)} {number} {unit}"),
        ("place", "/home" if key == HOME else DISKS[language]),
        ("then", _show(draw, language, one, "do")),
        ("other", other),
    ):
        text = text.replace(f"<{word}>", meaning)
    scene.ask(_end(draw, text))
    facts.look(scene)
    holds = scene.calculate(f"{value} {operator} {number}")
    action = set_matrix(draw, one if holds else two)
    action.do(scene)
    limit = f"{number} {'degrees' if key == HOT else 'GB'}"
    scene.say(
        f"{facts.first_up(facts.clause(key, scene.facts))}, {OUTCOMES[operator, holds]} {limit}, so {action.done}."
    )


def _led_threshold(scene: Scene, language: str) -> None:
    draw = scene.draw
    value = facts.look(scene, HOT)[HOT]
    scene.messages.clear()
    operator, number = draw.of(">", ">", "<", ">=", "<="), draw.of(40, 45, 50, 55, 60, 70, max(1, round(value)))
    amount = f"{_phrase(draw, language, operator)} {number} {DEGREES[language]}"
    scene.ask(_end(draw, _phrase(draw, language, "led if hot").replace("<amount>", amount)))
    facts.look(scene)
    holds = scene.calculate(f"{value} {operator} {number}")
    action = set_led(draw, holds)
    action.do(scene)
    scene.say(
        f"{facts.first_up(facts.clause(HOT, scene.facts))}, {OUTCOMES[operator, holds]} {number} degrees, so {action.done}."
    )


def _end(draw: Draw, text: str, sign: str = ".") -> str:
    text = draw.pick(text).replace(" ,", ",")
    text = text[:1].upper() + text[1:] if draw.maybe(0.75) else text
    return text if text[-1] in "?!." else text + draw.of(sign, sign, "", "!" if sign == "." else sign)
