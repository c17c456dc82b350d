"""Follow-ups: what "that", "it" and "the other one" mean, from the conversation before."""
# ruff: noqa: E501 - a phrase with its alternatives stands on one line

from __future__ import annotations

from board_agent.tools.calculator import evaluate
from training.kinds import actions, arithmetic, facts, files, talk
from training.kinds.actions import Action, picture, set_led, set_matrix
from training.kinds.facts import DISK, HOME, HOT, MEMORY, UPTIME
from training.scene import Scene, shown


def on_with_number(scene: Scene) -> None:
    """The last result is calculated with, or shown."""
    draw = scene.draw
    if draw.maybe(0.25):
        digit, other = draw.randint(0, 9), draw.randint(2, 40)
        expression = f"{digit * other} / {other}" if draw.maybe(0.5) else f"{digit + other} - {other}"
        sign = expression.split()[1]
        scene.ask(draw.written(f"what is {expression.replace(sign, draw.choice(arithmetic.SIGNS[sign]))}?"))
        scene.say(f"The result is {shown(scene.calculate(expression))}.")
        scene.ask(
            draw.order(
                draw.of(
                    "show {that|it|the result|this number} on the {matrix|display|LED matrix}",
                    "{put|display} {that|it|the answer} on the {matrix|display}",
                    "now on the matrix",
                )
            )
        )
        set_matrix(draw, str(digit)).do(scene)
        scene.say(f"The matrix now shows the number {digit}.")
        return
    said, expression = arithmetic.terms(draw)
    first = shown(evaluate(expression)) if "/ 0" not in expression else "1e300"
    if len(first) > 12:
        on_with_number(scene)
        return
    scene.ask(draw.written(draw.choice(arithmetic.ASK[:8]) + said + "?"))
    scene.say(f"The result is {shown(scene.calculate(expression))}.")
    b = str(draw.randint(2, 100))
    text, second = draw.of(
        (
            draw.of(f"and plus {b}?", f"add {b} to that", f"plus {b}?", f"now add {b}", f"and if I add {b}?"),
            f"{first} + {b}",
        ),
        (draw.of(f"minus {b}?", f"subtract {b} from that", f"now take away {b}", f"and minus {b}?"), f"{first} - {b}"),
        (
            draw.of(f"times {b}?", f"multiply that by {b}", f"and times {b}?", f"now multiply it by {b}"),
            f"{first} * {b}",
        ),
        (draw.of(f"divide that by {b}", f"divided by {b}?", f"and divided by {b}?"), f"{first} / {b}"),
        (
            draw.of("and twice that?", "double that", "now twice as much", "and the double?", "times two?"),
            f"{first} * 2",
        ),
        (draw.of("and half of that?", "half of it?", "divide it by two", "and half as much?"), f"{first} / 2"),
        (draw.of("and three times that?", "triple it", "now three times as much"), f"{first} * 3"),
        (draw.of("square it", "and squared?", "that squared?"), f"{first} ** 2"),
        (draw.of(f"and {b}% of that?", f"what is {b} percent of it?"), f"{b}% of {first}"),
    )
    scene.ask(draw.written(text))
    scene.say(f"The result is {shown(scene.calculate(second))}.")


def act_again(scene: Scene) -> None:
    """The other state, the next digit, something else instead."""
    draw = scene.draw
    if draw.maybe(0.4):
        state = draw.maybe(0.6)
        first = set_led(draw, state)
        word = "off" if state else "on"
        again = Action(
            draw.of(
                f"and now {word}",
                f"now turn it {word}",
                f"turn it {word} again",
                f"switch it {word} again",
                f"{word}",
                f"now {word} again please",
                f"and {word}",
                f"now switch it {word}",
                f"ok, {word} with it",
            ),
            not state,
        )
    else:
        target = draw.choice(actions.MORE_OFTEN)
        first = set_matrix(draw, target)
        if target.isdigit() and draw.maybe(0.6):
            up = target != "9" and (target == "0" or draw.maybe(0.65))
            after = str(int(target) + (1 if up else -1))
            text = (
                draw.of(
                    "now the next number",
                    "the next one",
                    "one more",
                    "and the next digit",
                    "count up by one",
                    "next",
                    "the number after that",
                )
                if up
                else draw.of(
                    "now the number before",
                    "one less",
                    "the previous number",
                    "count down by one",
                    "the number before that",
                )
            )
            again = Action(text, after)
        else:
            after = draw.choice([name for name in actions.MORE_OFTEN if name != target])
            what = picture(draw, after) if after != "off" else ""
            text = draw.of(
                f"now {what}",
                f"{what} instead",
                f"make it {what}",
                f"make it {what} instead",
                f"change it to {what}",
                f"then {what}",
                f"no, {what}",
                f"replace it by {what}",
            )
            again = Action(
                text
                if what
                else draw.of(
                    "now turn it off",
                    "clear it",
                    "ok, clear it again",
                    "switch it off",
                    "remove it",
                    "delete it again",
                    "wipe it",
                ),
                after,
            )
    scene.ask(draw.order(first.text))
    scene.say(first.do(scene) + ".")
    scene.ask(draw.written(again.text + draw.of("", "", ".", "!", " please")))
    scene.say(again.do(scene) + ".")


def another_fact(scene: Scene) -> None:
    """Another fact: read again, for it may have changed; the total stands in the answer before."""
    draw = scene.draw
    one, two = draw.sample([DISK, HOME, MEMORY, HOT, UPTIME], 2)
    facts.look(scene)
    scene.messages.clear()
    scene.ask(facts.fact_question(draw, one))
    scene.say(facts.sentence(one, facts.look(scene)))
    if one in (DISK, HOME, MEMORY) and draw.maybe(0.35):
        total = one.replace("free", "total")
        scene.ask(
            draw.written(
                draw.of(
                    "out of how much in total?",
                    "and how much is there in total?",
                    "of how much?",
                    "and the total?",
                    "how big is it in total?",
                )
            )
        )
        scene.say(facts.sentence(total, scene.facts))
        return
    noun = {DISK: draw.of("the disk", "on the system disk", "disk space"), HOME: draw.of("/home", "on /home", "the home partition"), MEMORY: draw.of("memory", "RAM", "the memory"), HOT: draw.of("temperature", "the CPU temperature"), UPTIME: draw.of("uptime", "the uptime")}[two]  # fmt: skip
    scene.ask(
        draw.question(
            draw.of("and ", "what about ", "how about ", "and what about ", "and the same for ", "and ") + noun
        )
    )
    if two != HOT and draw.maybe(0.9):
        scene.facts = {**scene.facts, HOT: round(scene.facts[HOT] + draw.uniform(-2, 2), 1)}
    scene.say(facts.sentence(two, facts.look(scene)))


def more_of_the_log(scene: Scene) -> None:
    """The file was read already; what is asked for next stands in it."""
    draw = scene.draw
    kept = files.log(draw, labelled=True)
    path = draw.of("readings.txt", "readings.txt", *files.LOGS)
    most = draw.maybe(0.5)
    numbers = kept.numbers
    high, low = (kept.values[numbers.index(pick(numbers))] for pick in (max, min))
    word, other = ("highest", "lowest") if most else ("lowest", "highest")
    scene.ask(draw.question(f"what {{is|was}} the {word} {draw.of(kept.quantity, 'value', 'reading')} in {path}"))
    scene.file(path, kept.text)
    scene.call("read_file", path=path)
    scene.say(f"The {word} is {high if most else low}.")
    if draw.maybe(0.6):
        scene.ask(
            draw.written(
                draw.of(
                    f"and the {other}?",
                    f"and what is the {other}?",
                    f"the {other} one?",
                    f"what about the {other}?",
                    f"and {other}?",
                    f"now the {other} one",
                )
            )
        )
        scene.say(f"The {other} is {low if most else high}.")
    elif draw.maybe(0.5):
        scene.ask(
            draw.written(draw.of("and the average?", "what about the average?", "and on average?", "now the mean"))
        )
        scene.say(f"The average is {shown(scene.calculate('mean(' + ', '.join(kept.values) + ')'))}.")
    else:
        scene.ask(draw.written(draw.of("and when was that?", "when was it?", "at what time?")))
        scene.say(
            f"The {'most' if most else 'least'} is {high if most else low} ({kept.label(float(high if most else low))})."
        )


def something_else(scene: Scene) -> None:
    """Two questions that have nothing to do with each other."""
    draw = scene.draw
    makers = [
        actions.led,
        actions.matrix,
        arithmetic.sums,
        talk.chat,
        talk.knowledge,
        talk.impossible,
        files.list_folder,
        facts.fact,
    ]
    one, two = draw.sample(makers, 2)
    one(scene)
    two(scene)
