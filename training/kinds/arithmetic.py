"""Calculations: written with signs, said in words, hidden in a story."""
# ruff: noqa: E501 - a phrase with its alternatives stands on one line

from __future__ import annotations

from board_agent.errors import ToolError
from board_agent.tools.calculator import evaluate
from training.draw import Draw, enumerated
from training.kinds.actions import ON_MATRIX, set_matrix
from training.kinds.stories import filled
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
POWERS = ["", "", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth"]
# An expression and how it is said, as in stories.txt: what follows "what is", what is to be done, and whole questions.
PHRASES = [
    "<pct>% of <b> | <pct>{%| percent} of <b>",
    "<pct>% of <big> | <pct>{%| percent} of <big>",
    "<big> * (1 + <pct>%) | <big> {plus|increased by|raised by} <pct>{%| percent}",
    "<big> * (1 - <pct>%) | <big> {reduced by|less|lowered by} <pct>{%| percent}",
    "<a> + <b> | the {sum|total} of <a> and <b>",
    "<a> + <b> | <a> and <b> {added up|added together|together|summed|in total}",
    "<a> + <b> | <b> more than <a>",
    "<a> + <b> | <a> increased by <b>",
    "<a> - <b> | <b> less than <a>",
    "<a> - <b> | <a> {reduced|decreased|diminished} by <b>",
    "<a> - <b> | the difference {between|of} <a> and <b>",
    "<a> - <b> | {left over|left} when <b> {are taken|is taken} from <a>",
    "<a> * <b> | the product of <a> and <b>",
    "<a> * <b> | <a> {multiplied with|lots of|multiplied by} <b>",
    "<p> * <b> | <p> times as much as <b>",
    "<a> / <b> | the {ratio|quotient} of <a> and <b>",
    "<a> / <p> | <a> {split|shared|cut|divided} {into|in} <p> {equal |}parts",
    "<a> / <p> | one of <p> equal parts of <a>",
    "sum(<list>) | the {sum|total} of <list>",
    "sum(<list>) | all of these {added up|together}: <list>",
    "sum(<row>) | the sum of {all |}{the |}{numbers|whole numbers} from <s> to <last>",
    "mean(<row>) | the {average|mean} of the {numbers|whole numbers} from <s> to <last>",
    "mean(<list>) | the {average|mean|arithmetic mean|average} of <list>",
    "mean(<list>) | the {average|mean} {value|number} of {these numbers: |the list |}<list>",
    "mean(<a>, <b>) | the {average|mean} of <a> and <b>",
    "(<a> + <b>) / 2 | the middle between <a> and <b>",
    "max(<list>) | the {largest|biggest|highest|greatest|maximum} {of|among|in the list} <list>",
    "min(<list>) | the {smallest|lowest|least|minimum} {of|among|in the list} <list>",
    "max(<list>) - min(<list>) | the {range|span} of <list>",
    "max(<list>) - min(<list>) | the difference between the {largest|highest} and the {smallest|lowest} of <list>",
    "<s> ** 2 | <s> squared",
    "<s> ** 3 | <s> cubed",
    "<s> ** 2 | the {square|second power} of <s>",
    "<s> ** 3 | the {cube|third power} of <s>",
    "<s> ** 2 + <t> ** 2 | <s> squared plus <t> squared",
    "<s> ** <p> | <s> to the {power of|power} <p>",
    "<s> ** <p> | <s> to the <power>{| power}",
    "<s> ** <p> | <s> {raised to|^} <p>",
    "<s> ** <p> | the <power> power of <s>",
    "sqrt(<s>) | the {square root|root} of <s>",
    "sqrt(<s*s>) | the {square root|root} of <s*s>",
    "sqrt(<s> + <t>) | the square root of the sum of <s> and <t>",
    "sqrt(<s*s>) + <t> | the root of <s*s>, plus <t>",
    "2 * <b> | {double|twice|two times|the double of} <b>",
    "3 * <b> | {three times|triple|the triple of} <b>",
    "10 * <b> | {ten times|tenfold} <b>",
    "<b> / 2 | {half of|half|one half of} <b>",
    "<b> / 3 | {a|one} third of <b>",
    "<b> / 4 | {a quarter|one fourth|a fourth} of <b>",
    "<b> / 10 | {a|one} tenth of <b>",
    "<b> * 3 / 4 | three {quarters|fourths} of <b>",
    "<b> * 2 / 3 | two thirds of <b>",
    "1 / <s> | {the reciprocal of|one over|1 over} <s>",
    "<big> % <s> | the {remainder|rest} of <big> {divided by|over|/} <s>",
    "<big> % <s> | the {remainder|rest} when <big> is divided by <s>",
    "<big> % <s> | {left over|left} {when|if} <big> is {divided|split} by <s>",
    "<big> % <s> | <big> {mod|modulo} <s>",
    "round(<a>) | <a> rounded{| to a whole number| to the nearest integer}",
    "round(<a> / <s>, 2) | <a> divided by <s>, rounded to {two|2} {decimals|decimal places}",
    "abs(-<a>) | the absolute value of -<a>",
    "-<s> + <b> | {minus |-}<s> plus <b>",
    "-<s> * <t> | {minus |-}<s> times <t>",
    "<s> * -<t> | <s> times {minus |-}<t>",
    "<b> - -<s> | <b> minus {minus |-}<s>",
    "-<s> - <t> | {minus |-}<s> minus <t>",
    "(<a> + <b>) * <c> | the sum of <a> and <b>, {times|multiplied by} <c>",
    "(<a> - <b>) * <c> | the difference of <a> and <b>, {times|multiplied by} <c>",
    "(<a> + <b>) / <p> | the sum of <a> and <b>, divided by <p>",
    "<c> * (<a> + <b>) | <c> times the sum of <a> and <b>",
    "2 * (<a> + <b>) | {twice|double} the sum of <a> and <b>",
    "(<a> + <b>) / 2 | half {of |}the sum of <a> and <b>",
    "(<a> - <b>) / 2 | half {of |}the difference of <a> and <b>",
    "<a> * <b> + <c> | the product of <a> and <b>, plus <c>",
    "<a> * <b> - <c> | <c> less than the product of <a> and <b>",
    "<a> * <b> + <c> | <a> times <b>{,|} {plus|and then plus} <c>",
    "<a> + <b> * <c> | <a> plus <b> times <c>",
    "<s> * <t> / <p> | <s> times <t> over <p>",
]
BRACKETS = [
    "(<a> + <b>) * <c>",
    "(<a> - <b>) / <p>",
    "<p> * (<a> - <b>)",
    "(<s> + <p>) * (<a> - <b>)",
    "((<s> + <t>) * <p> - <a>) / 2",
    "<big> - (<s> + <t> * (<p> - 1))",
    "(<s> - <t>) ** 2",
    "<a> / (<s> + <t>)",
    "-(<s> + <t>) * <p>",
    "(<a> + <b> + <c>) / 3",
]
ORDERS = [
    "<a> / <b> | divide <a> by <b>",
    "<a> / <p> | {split|share} <a> {by|into|in} <p>",
    "<a> * <b> | multiply <a> {by|and|with} <b>",
    "<a> + <b> | add <a> {to|and} <b>",
    "<a> + <b> | {put|count} <a> and <b> together",
    "sum(<a>, <b>, <c>) | add up <a>, <b> and <c>",
    "sum(<list>) | {sum up|add|total} {these numbers: |}<list>",
    "<a> - <b> | {subtract|deduct|take|remove} <b> from <a>",
    "<a> - <b> | take <b> away from <a>",
    "<a> - <b> | {reduce|lower|decrease} <a> by <b>",
    "<a> + <b> | {increase|raise} <a> by <b>",
    "<a> - <b> | start with <a> and {subtract|take away} <b>",
    "<a> + <b> | start {with|from} <a> and add <b>",
    "<big> * (1 + <pct>%) | {increase|raise} <big> by <pct>{%| percent}",
    "<big> * (1 - <pct>%) | {reduce|lower|decrease} <big> by <pct>{%| percent}",
    "<big> * (1 + <pct>%) | add <pct>{%| percent} to <big>",
    "<big> * (1 - <pct>%) | {take|subtract|deduct} <pct>{%| percent} {off|from} <big>",
    "<a> * 2 | double <a>",
    "<a> * 3 | triple <a>",
    "<a> / 2 | halve <a>",
    "<s> ** 2 | square <s>",
    "<s> ** <p> | raise <s> to the <power> power",
    "sqrt(<s>) | take the {square |}root of <s>",
    "round(<a>) | round <a>",
    "mean(<list>) | {average|take the mean of} <list>",
    "max(<list>) | {find|pick|name} the {largest|biggest|highest} of <list>",
    "min(<list>) | {find|pick|name} the {smallest|lowest} of <list>",
    "(<a> + <b>) * <c> | add <a> and <b>, then multiply by <c>",
    "(<a> - <b>) / <p> | subtract <b> from <a>, then divide by <p>",
    "<a> * <b> - <c> | multiply <a> by <b> and {subtract|take away} <c>",
    "<a> * <b> + <c> | multiply <a> by <b>{, then| and} add <c>",
    "<a> / <p> + <c> | divide <a> by <p>{, then| and} add <c>",
]
QUESTIONS = [
    "<big> / <p> | how {often|many times} does <p> {go|fit} into <big>",
    "<s*t> / <t> | how {often|many times} does <t> {go|fit} into <s*t>",
    "<s*t> / <t> | how many <t>s are {there |}in <s*t>",
    "<s*t> / <s> | what times <s> {is|makes|gives} <s*t>",
    "<a> + <b> | {what do|} <a> and <b> {make|give|add up to}",
    "<a> + <b> | what {do I|does one|do you} get when <a> {and <b> are added|is added to <b>}",
    "<a> * <b> | what {do I|does one|do you} get when <a> is multiplied by <b>",
    "<a> / <b> | what {do I|does one|do you} get when <a> is divided by <b>",
    "<a> - <b> | what {do I|does one|do you} get when <b> is {taken|subtracted} from <a>",
    "<a> - <b> | what {is left|remains} {if|when} {I|you|we} {take|deduct|subtract} <b> from <a>",
    "<a> - <b> | how {many are|much is} left {if|when} {I|you|we} take <b> from <a>",
    "<a> - <b> | how much {more|bigger|larger} is <a> than <b>",
    "<s+t> - <s> | how much {is missing from <s> to|must be added to <s> to get} <s+t>",
    "<s+t> - <t> | what plus <t> {is|makes|gives} <s+t>",
    "<big> / <a> | how many times {as big as|larger than} <a> is <big>",
    "<s> / <big> * 100 | {how many|what} percent of <big> is <s>",
    "max(<a>, <b>) | {what|which|which one} is {bigger|larger|greater|more}, <a> or <b>",
    "min(<a>, <b>) | {what|which|which one} is {smaller|less|lower}, <a> or <b>",
    "max(<list>) | which {of these |number |}is the {largest|biggest|highest}: <list>",
    "min(<list>) | which {of these |number |}is the {smallest|lowest}: <list>",
    "<big> % <s> | what {is left over|remains} {when|if} <big> is divided by <s>",
    "<a> * <p> | how much is {<p> times|<p> of} <a>",
    "<a> + <a> | what is <a> plus itself",
    "<s> ** 2 | what is <s> times itself",
]


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
    if draw.maybe(0.35):
        return terms(draw)
    if draw.maybe(0.15):
        _, plain = terms(draw) if draw.maybe(0.5) else _worded(draw, BRACKETS)
        return plain if draw.maybe(0.5) else plain.replace(" ", ""), plain
    return _worded(draw, PHRASES)


def sums(scene: Scene) -> None:
    draw = scene.draw
    chance = draw.random()
    if chance < 0.2:
        said, expression = _worded(draw, ORDERS)
        asked = draw.order(said)
    elif chance < 0.35:
        said, expression = _worded(draw, QUESTIONS)
        asked = draw.question(said)
    else:
        said, expression = calculation(draw)
        ask = draw.choice(ASK)
        asked = ask + said
        if ask == "what does ":
            asked += " " + draw.of("equal", "make", "come to", "give")
        asked = draw.written(
            asked + (draw.of("?", "?", "", "?") if ask[:3] in ("wha", "how") else draw.of("", ".", "", " =", "?"))
        )
    _solve(scene, asked, expression)


def _worded(draw: Draw, wordings: list[str]) -> tuple[str, str]:
    """One of the wordings with numbers, and its expression."""
    expression, _, text = draw.choice(wordings).partition(" | ")
    numbers = {name: draw.number() for name in "abc"}
    whole = {
        "s": draw.randint(2, 99),
        "t": draw.randint(2, 60),
        "p": draw.randint(2, 10),
        "big": draw.randint(100, 9999),
    }
    percent = draw.of(draw.randint(1, 99), draw.of(5, 10, 12, 15, 20, 25, 50, 75), round(draw.uniform(0.5, 20), 1))
    numbers |= {name: str(number) for name, number in whole.items()} | {"pct": str(percent)}
    some = [draw.number() for _ in range(draw.randint(3, 6))]
    row = [str(whole["s"] + step) for step in range(draw.randint(3, 6))]
    listed = draw.of(enumerated(some), enumerated(some), ", ".join(some), "; ".join(some), " ".join(some))
    written = {"list": listed, "last": row[-1], "power": POWERS[whole["p"]]}
    said = numbers | {name: draw.grouped(numbers[name]) for name in "abc"} | written
    known = numbers | {"list": ", ".join(some), "row": ", ".join(row)}
    return draw.pick(filled(text, said, numbers)), filled(expression, known, numbers)


def _solve(scene: Scene, asked: str, expression: str) -> None:
    try:
        too_long = len(shown(evaluate(expression))) > LONGEST_RESULT
    except ToolError:
        too_long = True
    if too_long:
        sums(scene)
        return
    scene.ask(asked)
    result = shown(scene.calculate(expression))
    if scene.draw.maybe(0.5):
        return
    scene.say(f"The result is {result}.")


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
