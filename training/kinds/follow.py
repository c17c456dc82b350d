"""Follow-ups: what "that", "it" and "the other one" mean, from the conversation before."""
# ruff: noqa: E501 - a phrase with its alternatives stands on one line

from __future__ import annotations

import re

from board_agent.tools.calculator import evaluate
from training.kinds import actions, arithmetic, facts, files, logs, talk, texts
from training.kinds.actions import Action, picture, set_led, set_matrix
from training.kinds.facts import DISK, HOME, HOT, MEMORY, UPTIME
from training.kinds.names import LOGS, TABLES, TEXTS, USUAL, a_path
from training.scene import Scene, shown

LED_AGAIN = [
    "and now <word>", "now turn it <word>", "turn it <word> again", "switch it <word> again", "<word>",
    "now <word> again please", "and <word>", "now switch it <word>", "ok, <word> with it", "{and|now} back to <word>",
    "<word> again", "{turn|switch|put} it back <word>", "the other way round, <word>", "I changed my mind, <word>",
    "{can|could} you {switch|turn} it <word> {again|now}", "I want it <word> {now|again}", "it should be <word> now",
    "the opposite", "{change|flip|toggle} it", "{sorry, I meant|no, I meant} <word>", "undo that", "<word> {now|this time}",
]  # fmt: skip
LED_OFF = [
    "that's enough, off again", "enough light", "no more light now", "put it out again", "out with it", "and out again",
    "I have seen enough, off", "that will do, switch it off", "kill it", "make it dark again", "let it go out",
]  # fmt: skip
LED_ON = [
    "it's too dark now, on again", "light it again", "bring it back", "I need it after all", "light again", "wake it up again",
    "let it shine again", "oh no, too dark, on again", "make it shine once more",
]  # fmt: skip
NEXT = [
    "now the next number", "the next one", "one more", "and the next digit", "count up by one", "next",
    "the number after that", "and now one more", "one higher", "add one to it", "increase it by one", "go up by one",
    "now the {digit|number} that follows", "what comes after it, show that", "the following number", "plus one",
    "{keep counting|go on counting|count on}", "raise it by one", "one up", "and the one after",
]  # fmt: skip
BEFORE = [
    "now the number before", "one less", "the previous number", "count down by one", "the number before that",
    "one lower", "one down", "go down by one", "decrease it by one", "lower it by one", "minus one", "and now one less",
    "take one away from it", "now the {digit|number} before", "count backwards by one", "go back one",
]  # fmt: skip
INSTEAD = [
    "now <what>", "<what> instead", "make it <what>", "make it <what> instead", "change it to <what>", "then <what>",
    "no, <what>", "replace it by <what>", "swap it for <what>", "I'd rather have <what>", "{rather|better} <what>",
    "{and|ok,} now <what>", "<what> {would be better|would be nicer|looks better}", "exchange it for <what>",
    "show <what> {instead|in its place|this time}", "sorry, I meant <what>", "no, I want <what>", "turn it into <what>",
    "let's {have|see} <what> now", "{next|next one}: <what>", "and after that <what>", "how about <what>",
    "I changed my mind, <what>", "wrong one, <what>", "switch to <what>", "can I have <what> now",
]  # fmt: skip
CLEAR = [
    "now turn it off", "clear it", "ok, clear it again", "switch it off", "remove it", "delete it again", "wipe it",
    "that's enough, clear it", "off again", "{take|get} it {away|off} again", "nothing now", "now nothing at all",
    "make it go away", "{empty|blank} it again", "I have seen enough, off", "away with it", "make it dark again",
    "all pixels off now", "and off", "get rid of it", "it can go now", "erase that",
]  # fmt: skip


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
                    "{let the matrix show {that|it}|write {that|it} on the matrix}",
                    "let me see {that|it|the result} on the {matrix|display}",
                    "put {that|that number|it} up on your {matrix|display}",
                    "show the same on the {matrix|display}",
                    "{send|copy|bring} {that|it|this} to the {matrix|display}",
                )
            )
        )
        set_matrix(draw, str(digit)).do(scene)
        scene.say(f"The matrix now shows the number {digit}.")
        return
    said, expression = arithmetic.terms(draw)
    first = "" if re.search(r"/ 0(?!\.)", expression) else shown(evaluate(expression))
    if not 0 < len(first) <= 12:
        on_with_number(scene)
        return
    scene.ask(draw.written(draw.choice(arithmetic.ASK[:8]) + said + "?"))
    scene.say(f"The result is {shown(scene.calculate(expression))}.")
    b = str(draw.randint(2, 100))
    sign, phrases = draw.of(
        (f"+ {b}", "and plus {b}?|add {b} to that|plus {b}?|now add {b}|and if I add {b}?|and {b} more?|with {b} added?|increase it by {b}|what if {b} are added?|and another {b} on top?|put {b} on top of that|that plus {b}?"),
        (f"- {b}", "minus {b}?|subtract {b} from that|now take away {b}|and minus {b}?|and {b} less?|reduce it by {b}|without {b} of them?|and if I take {b} away?|deduct {b}|that minus {b}?|what is left without {b}?"),
        (f"* {b}", "times {b}?|multiply that by {b}|and times {b}?|now multiply it by {b}|{b} times that?|and {b} times as much?|that, {b} times over?|and the {b}-fold?|what are {b} of those?|that times {b}?"),
        (f"/ {b}", "divide that by {b}|divided by {b}?|and divided by {b}?|split it into {b} equal parts|shared by {b} people?|that over {b}?|what if {b} of us share that?|now divide it by {b}"),
        ("* 2", "and twice that?|double that|now twice as much|and the double?|times two?|two of those?|and for two?|make it double|how much is it doubled?"),
        ("/ 2", "and half of that?|half of it?|divide it by two|and half as much?|halve it|just the half of it?|and one half?|cut that in half"),
        ("/ 4", "a quarter of that?|and a quarter?|and the fourth part of it?|divide it by four|one quarter of it, please"),
        ("/ 3", "a third of that?|and a third?|divide it by three|one third of it, please"),
        ("* 3", "and three times that?|triple it|now three times as much|and threefold?|times three?"),
        ("** 2", "square it|and squared?|that squared?|and its square?|now to the power of two|multiply it by itself"),
        ("%", "and {b}% of that?|what is {b} percent of it?|{b}% of it?|and {b} percent?|take {b} percent of that"),
    )  # fmt: skip
    text = draw.of("", "", "", "ok, ", "thanks, ", "good. ", "thank you. ") + draw.choice(phrases.split("|"))
    text = text.replace("{b}", b)
    base = f"({first})" if sign == "** 2" and first[0] == "-" else first
    second = f"{b}% of {first}" if sign == "%" else f"{base} {sign}"
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
            draw.pick(draw.of(*LED_AGAIN, *(LED_OFF if state else LED_ON))).replace("<word>", word), not state
        )
    else:
        target = draw.choice(actions.MORE_OFTEN)
        first = set_matrix(draw, target)
        if target.isdigit() and draw.maybe(0.6):
            up = target != "9" and (target == "0" or draw.maybe(0.65))
            after = str(int(target) + (1 if up else -1))
            text = draw.pick(draw.choice(NEXT if up else BEFORE))
            again = Action(text, after)
        else:
            after = draw.choice([name for name in actions.MORE_OFTEN if name != target])
            what = picture(draw, after) if after != "off" else ""
            text = draw.choice(INSTEAD if what else CLEAR).replace("<what>", what)
            again = Action(draw.pick(text), after)
    scene.ask(actions.wish(draw, first))
    scene.say(first.do(scene) + ".")
    if draw.maybe(0.12):
        scene.ask(draw.written(draw.of("thanks", "thank you!", "great, thanks", "nice", "perfect, thank you", "cool, thanks!")))  # fmt: skip
        scene.say("You're welcome.")
    start = draw.of("", "", "", "", "", "thanks, ", "ok, ", "good. ", "great! ", "well done. ", "fine, ")
    scene.ask(draw.written(start + again.text + draw.of("", "", ".", "!", "" if "please" in again.text else " please")))
    scene.say(again.do(scene) + ".")


def another_fact(scene: Scene) -> None:
    """Another fact: read again, for it may have changed; the total stands in the answer before."""
    draw = scene.draw
    one, two = draw.sample([DISK, HOME, MEMORY, HOT, UPTIME], 2)
    facts.look(scene)
    scene.messages.clear()
    if draw.maybe(0.15):
        _total_first(scene, draw.of(DISK, HOME, MEMORY))
        return
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
                    "what's the total?",
                    "from a total of?",
                    "and altogether?",
                    "total?",
                    "and how much is it overall?",
                    "what is the whole size?",
                    "how large is it altogether?",
                    "thanks, and the total size?",
                    "and what was the total?",
                    "out of what total?",
                )
            )
        )
        scene.say(facts.sentence(total, scene.facts))
        return
    if one in (DISK, HOME, MEMORY) and draw.maybe(0.25):
        part = draw.of("in percent?", "and in percent?", "how many percent is that?", "what percentage is that?", "as a percentage?", "how much is that in percent?", "in percent, please", "and as a percentage of the total?")  # fmt: skip
        scene.ask(draw.written(part))
        free, whole = scene.facts[one], scene.facts[one.replace("free", "total")]
        name = {DISK: "the disk", HOME: "/home", MEMORY: "the memory"}[one]
        percent = shown(scene.calculate(f"round({free} / {whole} * 100, 1)"))
        scene.say(f"{percent} percent of {name} is free.")
        return
    noun = {
        DISK: "{the disk|on the system disk|disk space|the drive|the free disk space|on the disk}",
        HOME: "{/home|on /home|the home partition|in the home folder|free space on /home}",
        MEMORY: "{memory|RAM|the memory|the RAM|free memory|working memory}",
        HOT: "{temperature|the CPU temperature|the heat|the temperature of the chip}",
        UPTIME: "{uptime|the uptime|time since boot|the time since the last start}",
    }[two]
    ask = "{and|what about|how about|and what about|and the same for|and|the same for|now|thanks, and|ok, and|also|next,|and how is it with|then}"
    said = re.sub(r"(for|with) (on|in) ", r"\1 ", draw.pick(f"{ask} {noun}"))
    scene.ask(draw.question(said))
    if two != HOT and draw.maybe(0.9):
        scene.facts = {**scene.facts, HOT: round(scene.facts[HOT] + draw.uniform(-2, 2), 1)}
    scene.say(facts.sentence(two, facts.look(scene)))


def _total_first(scene: Scene, key: str) -> None:
    """How large it is, then how much of it is free: read again, for that may have changed."""
    draw = scene.draw
    total = key.replace("free", "total")
    scene.ask(facts.fact_question(draw, total))
    scene.say(facts.sentence(total, facts.look(scene)))
    scene.ask(
        draw.written(
            draw.of(
                "and how much is free?", "how much of that is free?", "and how much of it is still free?", "what is free of it?",
                "how much of it is left?", "and the free part?", "thanks, and how much is free?", "and what is left of it?",
                "of which how much is unused?", "and free?", "how much of this is available?", "and how many GB are free?",
            )
        )
    )  # fmt: skip
    scene.say(facts.sentence(key, facts.look(scene)))


def more_of_the_log(scene: Scene) -> None:
    """The file was read already; what is asked for next stands in it."""
    draw = scene.draw
    kept = logs.log(draw, labelled=True)
    path = draw.of("readings.txt", "readings.txt", *LOGS)
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
                    f"how about the {other}?",
                    f"what was the {other} then?",
                    f"thanks, and the {other}?",
                    f"and the {other} one, please",
                    f"the {other} as well?",
                    f"tell me the {other} too",
                )
            )
        )
        scene.say(f"The {other} is {low if most else high}.")
    elif draw.maybe(0.5):
        scene.ask(
            draw.written(
                draw.of(
                    "and the average?",
                    "what about the average?",
                    "and on average?",
                    "now the mean",
                    "and the mean?",
                    "what is the average of them all?",
                    "average?",
                    "thanks, and the average?",
                    "and what do they average?",
                )
            )
        )
        scene.say(f"The average is {shown(scene.calculate('mean(' + ', '.join(kept.values) + ')'))}.")
    else:
        scene.ask(
            draw.written(
                draw.of(
                    "and when was that?",
                    "when was it?",
                    "at what time?",
                    "and when did that happen?",
                    "when exactly?",
                    "what time was that?",
                    "thanks, when was it?",
                )
            )
        )
        scene.say(
            f"The {'most' if most else 'least'} is {high if most else low} ({kept.label(float(high if most else low))})."
        )


def more_entries(scene: Scene) -> None:
    """Another entry of the file that was read already, and now and then a third."""
    draw = scene.draw
    listed = draw.maybe(0.4)
    kept = logs.table(draw) if listed else logs.log(draw, labelled=True)
    path = draw.choice(TABLES) if listed else draw.of("readings.txt", *draw.sample(LOGS, 3))
    one, *others = draw.sample(range(len(kept.labels)), min(len(kept.labels), draw.of(2, 2, 3)))
    question = logs.value_question(draw, kept, kept.labels[one])
    scene.ask(
        draw.of(
            draw.question(f"{question} {{in|according to}} {path}"),
            draw.question(f"in {path}, {question}"),
            draw.question(f"what does {path} {{say|give|have|show|tell}} for {kept.labels[one]}"),
            draw.question(f"{{which|what}} {{number|value}} {{does|has}} {kept.labels[one]} {{have |}}in {path}".replace("does mint in", "has mint in")),
            draw.order(f"{{look up|find|tell me}} the {{value|number}} {{of|for}} {kept.labels[one]} in {path}"),
        )
    )  # fmt: skip
    scene.file(path, kept.text)
    scene.call("read_file", path=path)
    scene.say(logs.entry(kept, one, question))
    on = {"time": "at ", "day": "on ", "month": "in ", "room": "in the "}.get(kept.by, "for ")
    for other in others:
        named = f"{draw.of(on, on, 'for ', '')}{kept.labels[other]}"
        scene.ask(
            draw.written(
                draw.of(
                    f"and {named}?", f"and {named}?", f"what about {named}?", f"{named}?", f"how about {named}?", f"and what about {named}?",
                    f"now {named}", f"the same for {kept.labels[other]}", f"and what is it {on}{kept.labels[other]}?", f"thanks, and {named}?",
                    f"and the {draw.of('value', 'number')} {on}{kept.labels[other]}?", f"{draw.of('ok', 'good', 'fine')}, then {named}, please",
                )
            )
        )  # fmt: skip
        scene.say(logs.entry(kept, other, question))


def more_of_the_text(scene: Scene) -> None:
    """What else a text says that was read already."""
    draw = scene.draw
    text, lines = texts.note(draw)
    while len(lines) < 2:
        text, lines = texts.note(draw)
    path = a_path(draw, TEXTS, USUAL)
    one, two = draw.of(draw.sample(lines, 2), draw.sample(lines, 2), [lines[0], lines[0]])
    scene.file(path, text)
    first = texts.asked_of(draw, path, one).replace("?.", "?").replace("??", "?")
    scene.ask(first)
    scene.call("read_file", path=path)
    scene.say(one.answer)
    question = draw.choice([other for other in two.questions if other.lower() not in first.lower()] or two.questions)
    start = draw.of("and ", "and ", "and ", "", "thanks, and ", "ok, ", "also: ", "now ", "then ", "one more thing: ", "tell me also, ")  # fmt: skip
    scene.ask(draw.written(f"{start}{question}?"))
    scene.say(two.answer)


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
    if draw.maybe(0.25):
        one, two = draw.of(talk.chat, talk.knowledge), draw.of(actions.led, actions.matrix, facts.fact)
    one(scene)
    two(scene)
