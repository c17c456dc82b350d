"""The plainest questions in German, French, Spanish and Italian. Answers are English: the model knows little else."""

from __future__ import annotations

from training.draw import Draw
from training.kinds import facts
from training.kinds.actions import Action, phrases, set_matrix
from training.kinds.facts import DISK, HOME, HOT, MEMORY, OUTCOMES, UPTIME
from training.scene import Scene, shown

LANGUAGES = ("de", "fr", "es", "it")
PHRASES = phrases("languages.txt")
DISKS = {"de": "der {Platte|Festplatte}", "fr": "le disque", "es": "el disco", "it": "{il disco|disco}"}
DEGREES = {"de": "Grad", "fr": "degrés", "es": "grados", "it": "gradi"}
GIGABYTES = {"de": "{GB|GB|Gigabyte}", "fr": "{Go|Go|GB}", "es": "{GB|GB|gigas}", "it": "{GB|GB|giga}"}
KEYS = [*[HOME] * 3, *[DISK] * 3, *[MEMORY] * 2, *[HOT] * 2, *[UPTIME] * 2, "cpu_count", "memory_total_gb", "os"]


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
    elif kind < 0.85:
        a, b, sign = draw.randint(2, 200), draw.randint(2, 99), draw.choice("+-**//")
        if sign == "/" and draw.maybe(0.5):
            a = b * draw.randint(2, 20)
        said = f"{a} {_phrase(draw, language, sign) if draw.maybe(0.85) else sign} {b}"
        scene.ask(_end(draw, _phrase(draw, language, "sum").replace("<sum>", said), "?"))
        scene.say(f"The result is {shown(scene.calculate(f'{a} {sign} {b}'))}.")
    else:
        _threshold(scene, language)


def _act(scene: Scene, asked: str, target: str | bool) -> None:
    scene.ask(_end(scene.draw, asked))
    scene.say(Action(asked, target).do(scene) + ".")


def _threshold(scene: Scene, language: str) -> None:
    draw = scene.draw
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


def _end(draw: Draw, text: str, sign: str = ".") -> str:
    text = draw.pick(text).replace(" ,", ",")
    text = text[:1].upper() + text[1:] if draw.maybe(0.75) else text
    return text if text[-1] in "?!." else text + draw.of(sign, sign, "", "!" if sign == "." else sign)
