"""LED and matrix: one action, two, and what the matrix and the LED cannot do."""
# ruff: noqa: E501 - a phrase with its alternatives stands on one line

from __future__ import annotations

from dataclasses import dataclass

from training.draw import WORDS, Draw
from training.scene import BOARD_ERRORS, Scene

MATRIX = "{matrix|matrix|LED matrix|display|led matrix|screen|matrix display|LED display}"
ON_MATRIX = "{on the " + MATRIX + "|on the matrix|on the " + MATRIX + "|}"
LED = (
    "{LED|led|built-in LED|builtin LED|board LED|light|built-in light|onboard LED|on-board led|little light|lamp|"
    "LED on the board|board's LED|LED light|status LED}"
)
PICTURES = {
    "check": [
        "{a|the|one} {checkmark|check mark|check|tick|tick mark|ok sign|green check|OK mark|check symbol}",
        "{a checkmark|a check mark|a tick}",
    ],
    "x": ["{an|the|one|a big} {X|X|x|X mark|x mark|x symbol|letter X}", "{a|the|one} {cross|red cross|cross mark}"],
    "smiley": ["{a|the|one} {smiley|smiley face|happy face|smile|smiling face|smiley emoji|grin|friendly face}"],
}
NAMES = {"check": "a checkmark", "x": "an X", "smiley": "a smiley"}
MORE_OFTEN = [*("check", "x", "smiley", "off") * 3, *"0123456789"]


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
    if pattern in PICTURES:
        return draw.pick(draw.choice(PICTURES[pattern]))
    digit = draw.of(pattern, pattern, WORDS[int(pattern)])
    return draw.pick("{the number|the digit|a|number|digit|the figure|the numeral|a big|} " + digit)


def set_matrix(draw: Draw, pattern: str) -> Action:
    """Show a pattern, or nothing."""
    if pattern == "off":
        text = draw.of(
            "{clear|blank|wipe|empty|switch off|turn off|reset|shut off|erase|clean|black out} the " + MATRIX,
            "{clear|blank|wipe|empty|switch off|turn off} the " + MATRIX,
            "{turn|switch|shut} the " + MATRIX + " off",
            "make the " + MATRIX + " {dark|blank|black|empty}",
            "{remove everything from the matrix|nothing on the matrix|set the matrix to off|leave the matrix blank|"
            "take everything off the display|show nothing on the matrix|all pixels off}",
        )
    elif draw.maybe(0.85):
        verb = "{show|display|draw|put|put up|light up|paint|make|give me|set|render|print|let me see|I'd love to see}"
        text = f"{verb} {picture(draw, pattern)} {ON_MATRIX}"
    else:
        text = draw.of(
            f"{{set|change|switch}} the {MATRIX} to {picture(draw, pattern)}",
            f"have the {MATRIX} {{show|display}} {picture(draw, pattern)}",
            f"the {MATRIX} should {{show|display}} {picture(draw, pattern)}",
        )
    return Action(draw.pick(text), pattern)


def set_led(draw: Draw, state: bool) -> Action:
    """Switch the LED."""
    if state:
        text = draw.of(
            "{turn|switch|put|power} on the " + LED,
            "{turn|switch|put|set|flip} the " + LED + " on",
            "{light|light up|enable|activate|start} the " + LED,
            "make the " + LED + " {glow|shine|light up|bright}",
            "{LED on|let there be light|led on|LED please on}",
            "set the " + LED + " to on",
            "{get the " + LED + " going|I want the " + LED + " {lit|to shine|to be on}}",
        )
    else:
        text = draw.of(
            "{turn|switch|put|power} off the " + LED,
            "{turn|switch|put|set|flip} the " + LED + " off",
            "{kill|disable|deactivate|shut off|stop|extinguish|cut} the " + LED,
            "make the " + LED + " {dark|go dark|stop glowing|go out}",
            "{LED off|lights out|led off|LED please off|it is too bright, LED off}",
            "set the " + LED + " to off",
            "{no more light from the " + LED + "|I don't need the " + LED + " any more|the " + LED + " should go out}",
        )
    return Action(draw.pick(text), state)


def any_action(draw: Draw) -> Action:
    """The matrix a little more often than the LED."""
    return set_matrix(draw, draw.choice(MORE_OFTEN)) if draw.maybe(0.6) else set_led(draw, draw.maybe(0.5))


def led(scene: Scene) -> None:
    action = set_led(scene.draw, scene.draw.maybe(0.5))
    scene.ask(scene.draw.order(action.text))
    scene.say(action.do(scene) + ".")


def matrix(scene: Scene) -> None:
    draw = scene.draw
    action = set_matrix(draw, draw.choice(MORE_OFTEN))
    scene.ask(draw.order(action.text))
    scene.say(action.do(scene) + ".")


def two_actions(scene: Scene) -> None:
    draw = scene.draw
    first = any_action(draw)
    second = any_action(draw)
    # Without "then" a second one of the same kind would make no sense.
    same = isinstance(first.target, bool) == isinstance(second.target, bool)
    if same and isinstance(first.target, bool):
        second = set_led(draw, not first.target)
        if draw.maybe(0.5):
            second = Action(draw.of("off again", "off", "switch it off again", "turn it back off"), False)
            first = set_led(draw, True)
    while same and second.target == first.target:
        second = set_matrix(draw, draw.choice(MORE_OFTEN))
    if same and isinstance(second.target, str) and second.target != "off" and draw.maybe(0.5):
        second = Action(
            draw.pick(f"{{a|an|the|}} {picture(draw, second.target)}".replace("a the", "the")), second.target
        )
    link = (
        draw.of(" and then ", ", then ", ", and then ", ", after that ")
        if same
        else draw.of(
            " and ", " and ", " and then ", ", then ", " and also ", ", and ", " and ", ". Then ", ". Also ", " plus "
        )
    )
    text = first.text + link + second.text
    if same and draw.maybe(0.3):
        text = "first " + text
    scene.ask(draw.order(text))
    one, two = first.do(scene), second.do(scene)
    scene.say(
        f"{one} and {two[:1].lower()}{two[1:]}." if not same else f"{first.done}, and {two[:1].lower()}{two[1:]}."
    )


def action_fails(scene: Scene) -> None:
    """The sketch does not answer: once, or for good."""
    draw = scene.draw
    action = any_action(draw)
    again = draw.maybe(0.35)
    scene.board.error = draw.choice(BOARD_ERRORS)
    scene.board.failures = draw.of(1, 1, 9) if again else 9
    once_more = draw.of(
        ", and if it fails try once more",
        ". If that does not work, try again",
        "; try it a second time if there is an error",
        ", and repeat it once if it does not work",
    )
    scene.ask(draw.order(action.text + once_more) if again else draw.order(action.text))
    said = action.do(scene)
    if again:
        said = action.do(scene)
    scene.say(said + ".")


def no_such_picture(scene: Scene) -> None:
    """What the matrix or the LED cannot show is refused, without a call."""
    draw = scene.draw
    if draw.maybe(0.6):
        what = draw.pick(
            draw.of(
                "{a|the} {star|heart|house|tree|cat|dog|flower|circle|square|triangle|arrow|clock|sun|moon|cup|fish|bird}",
                "{a|the} {rainbow|sad face|sad smiley|frowning face|question mark|snowflake|skull|car|robot|rocket|diamond}",
                "{a|the} {plus sign|umbrella|Christmas tree|pumpkin|spiral|wave|note|bell|cloud|snowman|ghost|apple|exclamation mark}",
                "{the {letter|character} |an |a |letter }{A|B|H|K|Q|Z|M|R}",
                "{the word {hello|yes|stop|hi|love|open}|my name|our initials}",
                "{the number |number |}{10|12|25|42|99|100|365|2026|17|33|64|-1}",
                "{a scrolling text|an animation|a picture of me|some text|the time|the date|our logo|a spinning wheel|a bar chart}",
            )
        )
        scene.ask(draw.order(f"{{show|draw|display|put|paint|make|print}} {what} {ON_MATRIX}"))
        scene.say("I can't show that: the matrix only knows a checkmark, an X, a smiley and the digits 0 to 9.")
        return
    scene.ask(
        draw.order(
            draw.of(
                f"{{make|turn|set|paint}} the {LED} {{to |}}{{blue|red|green|yellow|purple|pink|orange|white|another color}}",
                f"{{dim|brighten|fade|pulse}} the {LED}{{ to half| a bit| slowly|}}",
                f"set the brightness of the {LED} to {{10|20|50|80}} percent",
                f"{{change|switch}} the color of the {LED}{{ to red| to blue| to green|}}",
                f"let the {LED} {{blink|flash|flicker}} {{in blue|for an hour|all day|every second|forever|with the music}}",
            )
        )
    )
    scene.say("I can't do that: I can only switch the built-in LED on or off.")
