"""Calculations: written with signs, said in words, hidden in a story."""
# ruff: noqa: E501 - a phrase with its alternatives stands on one line

from __future__ import annotations

from board_agent.errors import ToolError
from board_agent.tools.calculator import evaluate
from training.draw import Draw, enumerated
from training.kinds.actions import ON_MATRIX, set_matrix
from training.scene import Scene, shown

SIGNS = {
    "+": ["plus", "plus", "+", "added to", "and"],
    "-": ["minus", "minus", "-", "less", "take away"],
    "*": ["times", "times", "*", "multiplied by", "x", "×"],
    "/": ["divided by", "divided by", "/", "over", "÷"],
}
ASK = [
    "what is ", "what's ", "how much is ", "calculate ", "compute ", "whats ", "work out ", "tell me ", "evaluate ",
    "what do you get for ", "can you calculate ", "please compute ", "find ", "solve ", "I need ", "what does ",
    "give me the result of ", "how much do you get for ", "", "", "how many are ", "determine ",
]  # fmt: skip
LONGEST_RESULT = 24


def terms(draw: Draw, many: bool = True) -> tuple[str, str]:
    """A sum or product of two to four numbers: as said, and as an expression."""
    count = draw.of(1, 1, 1, 2, 2, 3) if many else 1
    first = draw.number()
    said, expression = draw.grouped(first), first
    for place in range(count):
        sign = draw.choice("+-**/") if count == 1 else draw.choice("+-*" + ("/" if place == 0 else ""))
        word, number = draw.choice(SIGNS[sign]), draw.number()
        word = "plus" if word == "and" and count > 1 else word
        expression += f" {sign} {number}"
        said += (", " if place > 0 and draw.maybe(0.3) and word.isalpha() else " ") + f"{word} {draw.grouped(number)}"
    return said, expression


def calculation(draw: Draw) -> tuple[str, str]:
    """Something to calculate: as said, and as an expression."""
    a, b, c = draw.number(), draw.number(), draw.number()
    small = draw.randint(2, 99)
    percent = draw.of(draw.randint(1, 99), draw.of(5, 10, 12, 15, 20, 25, 50, 75), round(draw.uniform(0.5, 20), 1))
    some = [draw.number() for _ in range(draw.randint(2, 5))]
    listed, several = enumerated(some), ", ".join(some)
    power = draw.randint(2, 10)
    whole = [str(draw.randint(100, 9999)), str(draw.randint(3, 99))]
    sign, other = draw.choice("+-"), draw.choice("*/")
    bracket = f"({a} {sign} {b}) {other} {c}" if draw.maybe(0.5) else f"({small} + {power}) * ({a} {sign} {b})"
    plain = terms(draw)[1]
    return draw.choice(
        [terms(draw) for _ in range(9)]
        + [(plain, plain), (plain.replace(" ", ""), plain), (bracket, bracket), (bracket.replace(" ", ""), bracket)]
        + [
            (f"{percent}{draw.of('%', ' percent', '%')} of {draw.grouped(b)}", f"{percent}% of {b}"),
            (f"{percent}{draw.of('%', ' percent', '%')} of {draw.grouped(b)}", f"{percent}% of {b}"),
            (f"the {draw.of('sum', 'total')} of {a} and {b}", f"{a} + {b}"),
            (f"{a} and {b} {draw.of('added up', 'added together', 'together', 'summed')}", f"{a} + {b}"),
            (f"the product of {a} and {b}", f"{a} * {b}"),
            (f"the difference between {a} and {b}", f"{a} - {b}"),
            (f"{draw.of('the sum of', 'the total of')} {listed}", f"sum({several})"),
            (f"the {draw.of('ratio', 'quotient')} of {a} and {b}", f"{a} / {b}"),
            (f"the {draw.of('average', 'mean', 'average')} of {listed}", f"mean({several})"),
            (f"the {draw.of('average', 'mean', 'arithmetic mean')} of {listed}", f"mean({several})"),
            (f"the {draw.of('largest', 'biggest', 'highest', 'greatest', 'maximum')} of {listed}", f"max({several})"),
            (f"the {draw.of('smallest', 'lowest', 'least', 'minimum')} of {listed}", f"min({several})"),
            (f"{small} squared", f"{small} ** 2"),
            (f"{small} cubed", f"{small} ** 3"),
            (f"the {draw.of('square', 'second power')} of {small}", f"{small} ** 2"),
            (f"{small} to the {draw.of('power of ', 'power ')}{power}", f"{small} ** {power}"),
            (f"{power} to the {draw.randint(2, 12)}th power".replace("2th", "2nd").replace("3th", "3rd"), ""),
            (f"the {draw.of('square root', 'root', 'square root')} of {small * draw.of(1, small)}", ""),
            (f"{draw.of('double', 'twice', 'two times')} {b}", f"2 * {b}"),
            (f"half of {b}", f"{b} / 2"),
            (f"a third of {b}", f"{b} / 3"),
            (f"{draw.of('a quarter', 'one fourth')} of {b}", f"{b} / 4"),
            (f"three times {b}", f"3 * {b}"),
            (
                f"the remainder of {whole[0]} {draw.of('divided by', 'over', '/')} {whole[1]}",
                f"{whole[0]} % {whole[1]}",
            ),
            (f"the remainder when {whole[0]} is divided by {whole[1]}", f"{whole[0]} % {whole[1]}"),
            (f"{whole[0]} mod {whole[1]}", f"{whole[0]} % {whole[1]}"),
            (f"{a} rounded to a whole number", f"round({a})"),
            (f"the absolute value of -{a}", f"abs(-{a})"),
        ]
    )


def expression_of(said: str, expression: str) -> str:
    """The expression of those whose numbers were drawn inside the phrase."""
    if expression:
        return expression
    numbers = [word for word in said.replace("th", "").replace("nd", "").replace("rd", "").split() if word.isdigit()]
    return f"sqrt({numbers[0]})" if "root" in said else f"{numbers[0]} ** {numbers[1]}"


def sums(scene: Scene) -> None:
    draw = scene.draw
    if draw.maybe(0.16):
        orders = [
            ("divide {a} by {b}", "{a} / {b}"),
            ("multiply {a} by {b}", "{a} * {b}"),
            ("multiply {a} and {b}", "{a} * {b}"),
            ("add {a} to {b}", "{a} + {b}"),
            ("add {a} and {b}", "{a} + {b}"),
            ("add up {a}, {b} and {c}", "sum({a}, {b}, {c})"),
            ("subtract {b} from {a}", "{a} - {b}"),
            ("take {b} away from {a}", "{a} - {b}"),
            ("start with {a} and subtract {b}", "{a} - {b}"),
        ]
        said, expression = draw.choice(orders)
        numbers = {"a": draw.number(), "b": draw.number(), "c": draw.number()}
        asked = draw.order(said.format(**{name: draw.grouped(value) for name, value in numbers.items()}))
        expression = expression.format(**numbers)
    else:
        said, expression = calculation(draw)
        expression = expression_of(said, expression)
        ask = draw.choice(ASK)
        asked = ask + said
        if ask == "what does ":
            asked += " " + draw.of("equal", "make", "come to", "give")
        asked = draw.written(
            asked + (draw.of("?", "?", "", "?") if ask[:3] in ("wha", "how") else draw.of("", ".", "", " =", "?"))
        )
    _solve(scene, asked, expression)


def _solve(scene: Scene, asked: str, expression: str) -> None:
    try:
        too_long = len(shown(evaluate(expression))) > LONGEST_RESULT
    except ToolError:
        too_long = True
    if too_long:
        sums(scene)
        return
    scene.ask(asked)
    scene.say(f"The result is {shown(scene.calculate(expression))}.")


def compared(scene: Scene) -> None:
    """Is 17 * 3 more than 50?"""
    draw = scene.draw
    said, expression = terms(draw, many=False) if draw.maybe(0.6) else (draw.number(),) * 2
    if draw.maybe(0.2):
        base = draw.randint(5, 60)
        said, expression = f"{base} squared", f"{base} ** 2"
    try:
        value = float(evaluate(expression))
    except ToolError:
        compared(scene)
        return
    other = draw.of(draw.number(), f"{round(value * draw.uniform(0.7, 1.3))}", f"{round(value) + draw.of(-1, 0, 1)}")
    operator = draw.of(">", "<", ">", "<", "==", ">=")
    word = draw.choice(
        {
            ">": ["bigger than", "greater than", "more than", "larger than", "higher than", "above"],
            "<": ["smaller than", "less than", "lower than", "below"],
            "==": ["equal to", "the same as"],
            ">=": ["at least"],
        }[operator]
    )
    if draw.maybe(0.25):
        one, two = draw.of(("1", "2"), ("check", "x"), ("1", "0"), ("smiley", "x"))
        first, second = set_matrix(draw, one), set_matrix(draw, two)
        scene.ask(
            draw.written(f"if {said} is {word} {other}, {first.text}, {draw.of('otherwise', 'else')} {second.text}")
        )
        holds = scene.calculate(f"{expression} {operator} {other}")
        action = first if holds else second
        action.do(scene)
        scene.say(f"{said} is {'' if holds else 'not '}{word} {other}, so {action.done}.")
        return
    scene.ask(draw.question(f"is {said} {word} {other}"))
    holds = scene.calculate(f"{expression} {operator} {other}")
    scene.say(f"{'Yes' if holds else 'No'}, {said} is {'' if holds else 'not '}{word} {other}.")


def shown_result(scene: Scene) -> None:
    """Calculate a digit and put it on the matrix."""
    draw = scene.draw
    digit = draw.randint(0, 9)
    b = draw.randint(2, 90)
    a, sign = draw.of((digit * b, "/"), (digit + b, "-"), (digit, "+"))
    if sign == "+":
        a, b = draw.randint(0, digit), digit
        b -= a
    expression = f"{a} {sign} {b}"
    said = f"{a} {draw.choice(SIGNS[sign])} {b}"
    scene.ask(
        draw.of(
            draw.order(
                f"{{calculate|compute|work out}} {said} and {{show|display|put}} {{it|the result|the answer}} {ON_MATRIX}"
            ),
            draw.order(
                f"{{show|display|put}} the {{result|answer}} of {said} {{on the matrix|on the LED matrix|on the display}}"
            ),
            draw.written(
                f"what is {said}? {draw.of('Show', 'Display', 'Put')} {draw.of('it', 'that', 'the result')} on the matrix"
            ),
            draw.written(
                f"{said}, {draw.of('and show it on the matrix', 'on the matrix please', 'shown on the display')}"
            ),
        )
    )
    scene.calculate(expression)
    set_matrix(draw, str(digit)).do(scene)
    scene.say(f"The result is {digit}, and the matrix now shows it.")


def division_by_zero(scene: Scene) -> None:
    draw = scene.draw
    number = draw.number()
    scene.ask(
        draw.of(
            draw.written(
                draw.choice(ASK[:6]) + f"{number} {draw.of('divided by', '/', 'over')} {draw.of('0', 'zero')}?"
            ),
            draw.order(f"divide {number} by {draw.of('0', 'zero')}"),
        )
    )
    scene.call("calculate", expression=f"{number} / 0")
    scene.say("That can't be calculated, because it is a division by zero.")
