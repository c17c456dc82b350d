"""LED and matrix: one action, two, and what the matrix and the LED cannot do."""
# ruff: noqa: E501 - a phrase with its alternatives stands on one line

from __future__ import annotations

import re
from dataclasses import dataclass

from training.draw import WORDS, Draw
from training.kinds.tables import rows_of
from training.scene import BOARD_ERRORS, Scene

MATRIX = (
    "{matrix|matrix|matrix|LED matrix|LED matrix|display|led matrix|screen|matrix display|LED display|dot matrix|LED grid|"
    "pixel matrix|matrix on the board|panel}"
)
ON_MATRIX = "{on the " + MATRIX + "|on the matrix|on the " + MATRIX + "|}"
LED = (
    "{LED|LED|led|built-in LED|builtin LED|board LED|light|built-in light|onboard LED|on-board led|little light|lamp|"
    "LED on the board|board's LED|LED light|status LED|onboard light|small LED|green LED|indicator LED|LED lamp}"
)


def phrases(file: str, **stand_ins: str) -> dict[str, list[str]]:
    """The phrases of a table beside this file by their title; `led="lamp"` says what stands for `<led>`."""
    found: dict[str, list[str]] = {}
    for line in rows_of(file):
        for word, meaning in stand_ins.items():
            line = line.replace(f"<{word}>", meaning)
        if line.startswith("["):
            lines = found.setdefault(line.strip("[]"), [])
        else:
            lines.append(line)
    return found


PHRASES = phrases("actions.txt", led=LED, matrix=MATRIX, on=ON_MATRIX)
NAMES = {"check": "a checkmark", "x": "an X", "smiley": "a smiley"}
MORE_OFTEN = [*("check", "x", "smiley", "off") * 3, *"0123456789"]
_QUESTIONS = ("can ", "may ", "would ", "how ", "is ")


@dataclass(frozen=True)
class Action:
    """Something to be done with the board: `text` asks for it, `target` is a pattern or the LED's state."""

    text: str
    target: str | bool

    def do(self, scene: Scene) -> str:
        """Call the tool; what to say of it, without the full stop."""
        if isinstance(self.target, bool):
            result = scene.call("set_builtin_led", state=self.target)
        else:
            result = scene.call("set_led_matrix", pattern=self.target)
        return failure(self, str(result["error"])) if "error" in result else self.state

    @property
    def state(self) -> str:
        """How the board is now."""
        if isinstance(self.target, bool):
            return f"The built-in LED is now {'on' if self.target else 'off'}"
        return "The matrix is now off" if self.target == "off" else f"The matrix now shows {name(self.target)}"

    @property
    def done(self) -> str:
        """What was done."""
        if isinstance(self.target, bool):
            return f"I turned the LED {'on' if self.target else 'off'}"
        return "I cleared the matrix" if self.target == "off" else f"I showed {name(self.target)}"


def failure(action: Action, error: str) -> str:
    """That it did not work, with the first reason that the tool gave."""
    what = "switch the LED" if isinstance(action.target, bool) else "set the matrix"
    return f"I could not {what}: {error.partition(';')[0].partition('. ')[0].rstrip('.')}"


def name(pattern: str) -> str:
    """A pattern in a sentence."""
    return NAMES.get(pattern) or f"the number {pattern}"


def picture(draw: Draw, pattern: str) -> str:
    """A pattern as people ask for it."""
    if pattern in NAMES:
        return _with_articles(draw.pick(draw.choice(PHRASES[f"{pattern} name"])))
    return _digit(draw, pattern, draw.choice(PHRASES["digit name"]))


def _digit(draw: Draw, pattern: str, text: str) -> str:
    digit = draw.of(pattern, pattern, WORDS[int(pattern)])
    return _with_articles(draw.pick(text.replace("<digit>", digit)))


def _with_articles(text: str) -> str:
    """ "an eight", not "a eight"."""
    return re.sub(r"\ba (?=8|[Xx]\b|[aeio]|umbrella|OK)(?!euro|one\b)", "an ", text)


def _title(target: str | bool) -> str:
    if isinstance(target, bool):
        return "led on" if target else "led off"
    return "matrix off" if target == "off" else "show"


def set_matrix(draw: Draw, pattern: str) -> Action:
    """Show a pattern, or nothing."""
    text = draw.choice(PHRASES[f"{_title(pattern)} do"])
    return Action(draw.pick(text if pattern == "off" else text.replace("<what>", picture(draw, pattern))), pattern)


def set_led(draw: Draw, state: bool) -> Action:
    """Switch the LED."""
    return Action(draw.pick(draw.choice(PHRASES[f"{_title(state)} do"])), state)


def wish(draw: Draw, action: Action) -> str:
    """This one thing is asked for: as an order, in a sentence of any kind, with a reason."""
    kind = draw.random()
    if kind < 0.4:
        return draw.order(action.text)
    if kind < 0.55:
        text = draw.of(
            f"{draw.choice(PHRASES['before'])}{draw.of(', so ', ', ', ': ', '. Please ', '. ')}{action.text}",
            f"{action.text}{draw.of(', ', ', because ', '; ', ' - ')}{draw.choice(PHRASES['after'])}",
        )
        return draw.written(text + draw.of("", ".", "."))
    return draw.written(_ended(draw, _sentence(draw, action.target)))


def _ended(draw: Draw, text: str) -> str:
    if text.startswith(_QUESTIONS) and text[-1] not in "?!.":
        return text + "?"
    if text[-1] in "?!.":
        return text
    return text + draw.of("", "", ".", "!", "" if "please" in text or "pls" in text else " please")


def _sentence(draw: Draw, target: str | bool) -> str:
    title = _title(target)
    if title == "show":
        own = target if target in NAMES else "digit"
        if draw.maybe(0.4):
            text = draw.choice(PHRASES[f"{own} say"])
            return draw.pick(text) if target in NAMES else _digit(draw, str(target), text)
        return draw.pick(draw.choice(PHRASES["show say"]).replace("<what>", picture(draw, str(target))))
    return draw.pick(draw.choice(PHRASES[f"{title} say"]))


def any_action(draw: Draw) -> Action:
    """The matrix a little more often than the LED."""
    return set_matrix(draw, draw.choice(MORE_OFTEN)) if draw.maybe(0.6) else set_led(draw, draw.maybe(0.5))


def led(scene: Scene) -> None:
    action = set_led(scene.draw, scene.draw.maybe(0.5))
    scene.ask(wish(scene.draw, action))
    scene.say(action.do(scene) + ".")


def matrix(scene: Scene) -> None:
    draw = scene.draw
    action = set_matrix(draw, draw.choice(MORE_OFTEN))
    scene.ask(wish(draw, action))
    scene.say(action.do(scene) + ".")


def two_actions(scene: Scene) -> None:
    draw = scene.draw
    first, second = any_action(draw), any_action(draw)
    same = isinstance(first.target, bool) == isinstance(second.target, bool)
    if same and isinstance(first.target, bool):
        first = set_led(draw, draw.maybe(0.75))
        second = set_led(draw, not first.target)
    while same and second.target == first.target:
        second = set_matrix(draw, draw.choice(MORE_OFTEN))
    scene.ask(_one_after_another(draw, first, second) if same else _led_and_matrix(draw, first, second))
    one, two = first.do(scene), second.do(scene)
    scene.say(
        f"{one} and {two[:1].lower()}{two[1:]}." if not same else f"{first.done}, and {two[:1].lower()}{two[1:]}."
    )


def _short(draw: Draw, action: Action) -> str:
    """Two or three words for it."""
    if isinstance(action.target, bool):
        on = "{LED on|light on|the LED on|lamp on|the light on}"
        return draw.pick(on if action.target else "{LED off|LED out|no light|light off|the LED off|lamp off}")
    if action.target == "off":
        return draw.pick("{matrix off|an empty matrix|a blank matrix|matrix cleared}")
    return picture(draw, action.target)


def _doing(draw: Draw, action: Action) -> str:
    """ "switching the LED on"."""
    if isinstance(action.target, bool):
        return draw.pick("{turning|switching} the " + LED + (" on" if action.target else " off"))
    if action.target == "off":
        return draw.pick("{clearing|blanking|emptying|switching off} the " + MATRIX)
    return draw.pick(f"{{showing|displaying|drawing}} {picture(draw, action.target)} {ON_MATRIX}")


def _one_after_another(draw: Draw, first: Action, second: Action) -> str:
    """The same thing twice: without "then" the second would make no sense."""
    then = draw.of(
        " and then ", ", then ", ", and then ", ", after that ", ", afterwards ", ", next ", " and after that "
    )
    if draw.maybe(0.08):
        text = f"{_doing(draw, first)}{draw.of(', followed by ', ' and then ')}{_doing(draw, second)}"
        return draw.written(draw.of("I'd like to see you ", "try ", "how about ") + text)
    if isinstance(first.target, bool):
        one, two = ("on", "off") if first.target else ("off", "on")
        orders = [
            f"{{turn|switch}} the {LED} {one}{then}{two}{{| again}}",
            f"{{turn|switch}} the {LED} {one}{{ and|, then|, and then| and straight away}} {two} again",
            f"{first.text}{then}{{{two} again|{two}|switch it {two} again|turn it back {two}|turn it {two}}}",
            f"{first.text}, {{count to three|wait a moment|then wait}} and {{turn|switch}} it {two} again",
        ]
        plain = [
            f"{{LED|lamp|light}} {one}{then}{two}{{| again| please}}",
            f"the {LED}: {{first |}}{one}{then}{two}",
            f"the {LED} should go {one}{then}{two} again",
        ]
    else:
        one, two = _short(draw, first), _short(draw, second)
        clear = draw.of("clear it", "wipe it", "turn it off", "clear it again")
        last = clear if second.target == "off" else second.text
        change = clear if second.target == "off" else f"{{replace it {{by|with}}|change it to|make it}} {two}"
        put = first.text if first.target == "off" else f"{{show|display|draw|put up}} {one} {ON_MATRIX}"
        orders = [
            f"{put}{then}{clear if second.target == 'off' else two}",
            f"{put}{{. Then|, and after that|; afterwards|, next|, then}} {change if first.target != 'off' else last}",
            f"{first.text}{then}{last}",
            f"{first.text}{then}{last}",
        ]
        plain = [
            f"{{first|to begin with}} {one}{then}{two}",
            f"{{matrix|matrix|display}}: {{first |}}{one}{then}{two}",
            f"{one}{'' if first.target == 'off' else ' {on the matrix|on the display}'}{then}{two}",
            f"first {first.text}{then}{last}",
            f"after {_doing(draw, first)}, {last}",
        ]
    if draw.maybe(0.55):
        return draw.order(draw.choice(orders))
    return draw.written(draw.pick(draw.choice(plain)) + draw.of("", "", ".", "!"))


def _plain(draw: Draw, target: str | bool) -> str:
    """A sentence for it that goes well with another one."""
    while True:
        text = _sentence(draw, target)
        if text.startswith(("the ", "I want", "I need", "I'd", "I would")) and not re.search(r"[.,:;?!]|please", text):
            return text


def _led_and_matrix(draw: Draw, first: Action, second: Action) -> str:
    """Both, in the order in which they are to be done."""
    link = draw.of(" and ", " and ", " and then ", ", then ", " and also ", ", and ", ". Then ", ". Also ", " plus ", ", ", "; ", ", and also ", ". And ", " as well as ")  # fmt: skip
    kind = draw.random()
    off = first.target in (False, "off") and second.target in (False, "off")
    if off and draw.maybe(0.6):
        names = [draw.pick(LED if action.target is False else MATRIX) for action in (first, second)]
        return draw.order(
            draw.of(
                f"{{turn|switch|shut}} {{off |}}both the {names[0]} and the {names[1]}{{ off|}}",
                f"{{turn|switch}} {names[0]} and {names[1]} off{{|, both of them}}",
                f"have the {names[0]} and the {names[1]} {{both|all|}} off",
                f"{{turn|switch}} off the {names[0]} and the {names[1]}{{|, both}}",
                f"{{put|switch}} everything off, the {names[0]} and the {names[1]}",
                f"make both dark, the {names[0]} and the {names[1]}",
                f"{{put|turn}} the {names[0]} off, the {names[1]} {{too|as well|also}}",
            )
        )
    if kind < 0.45:
        return draw.order(first.text + (link if link != " as well as " else " and ") + second.text)
    if kind < 0.53:
        one, two = (_plain(draw, action.target) for action in (first, second))
        return draw.written(
            f"{one}{draw.of(' and ', ', and ', ' and ', '; ', '. And ')}{two}{draw.of('', '.', ' please')}"
        )
    if kind < 0.64:
        return draw.written(f"{_short(draw, first)}{link}{_short(draw, second)}" + draw.of("", ".", " please"))
    text = draw.of(
        f"after {_doing(draw, first)}, {second.text}",
        f"before {_doing(draw, second)}, {first.text}",
        f"first {first.text}{draw.of(', then ', ' and then ', ', second ', ', after that ')}{second.text}",
        f"{second.text}, but {draw.of('first', 'before that', 'before you do so')} {first.text}",
        f"{first.text}, and when that is done {second.text}",
        f"{first.text}. {draw.of('When you are done,', 'Next,', 'In addition,', 'After that,', 'And')} {second.text}",
        f"two things: {first.text}{link if link != ' as well as ' else ' and '}{second.text}",
        f"I want two things: {_short(draw, first)} and {_short(draw, second)}",
        f"both please: {_short(draw, first)} and {_short(draw, second)}",
        f"not only {first.text}, but also {second.text}",
        f"{draw.choice(PHRASES['before'])}, so {first.text} and {second.text}",
        f"{first.text} and {second.text}, {draw.choice(PHRASES['after'])}",
    )
    return draw.written(text + draw.of("", ".", ".", "!"))


def action_fails(scene: Scene) -> None:
    """The sketch does not answer: once, or for good."""
    draw = scene.draw
    action = any_action(draw)
    again = draw.maybe(0.35)
    scene.board.error = draw.choice(BOARD_ERRORS)
    scene.board.failures = draw.of(1, 1, 9) if again else 9
    if again:
        scene.ask(draw.order(action.text + draw.choice(PHRASES["once more"])))
    else:
        scene.ask(wish(draw, action))
    said = action.do(scene)
    if again:
        said = action.do(scene)
    scene.say(said + ".")


def no_such_picture(scene: Scene) -> None:
    """What the matrix or the LED cannot show is refused, without a call."""
    draw = scene.draw
    picture_asked, order = draw.maybe(0.6), draw.maybe(0.5)
    text = draw.choice(PHRASES[f"no {'picture' if picture_asked else 'led'} {'do' if order else 'say'}"])
    text = _with_articles(draw.pick(text.replace("<what>", draw.choice(PHRASES["no picture"]))))
    scene.ask(draw.order(text) if order else draw.written(_ended(draw, text)))
    scene.say(
        "I can't show that: the matrix only knows a checkmark, an X, a smiley and the digits 0 to 9."
        if picture_asked
        else "I can't do that: I can only switch the built-in LED on or off."
    )
