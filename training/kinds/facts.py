"""Facts about the board: asked for, calculated with, compared with a limit."""
# ruff: noqa: E501 - a phrase with its alternatives stands on one line

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Any

from training.draw import Draw
from training.kinds.actions import Action, any_action, phrases, picture, set_led, set_matrix
from training.scene import Scene, shown

BOARD = "{board|board|board|system|machine|device|UNO Q|Arduino|computer|unit}"
DISK, HOME, MEMORY, HOT, UPTIME = "disk_free_gb", "home_free_gb", "memory_free_gb", "cpu_temp_c", "uptime_h"
PHRASES = phrases("facts.txt", board=BOARD)
OFTEN = [
    *[DISK] * 4, *[HOME] * 4, *[MEMORY] * 3, *[HOT] * 3, *[UPTIME] * 2, "os", "os", "machine", "cpu_count", "cpu_count",
    "disk_total_gb", "home_total_gb", "memory_total_gb", "memory_total_gb",
]  # fmt: skip
COMPARABLE = [*[DISK] * 3, *[HOME] * 3, *[MEMORY] * 2, *[HOT] * 3, UPTIME, "cpu_count"]
COMPARISONS = {
    ">": ["more than", "greater than", "above", "over", "higher than", "bigger than", "larger than", "beyond", "more than", "over", "in excess of"],
    "<": ["less than", "below", "under", "lower than", "fewer than", "smaller than", "less than", "under"],
    ">=": ["at least", "no less than", "not less than", "a minimum of", "at least", "at least", "no fewer than"],
    "<=": ["at most", "no more than", "not more than", "up to", "a maximum of", "at most", "no more than"],
}  # fmt: skip
COUNTED = {
    ">": ["more than", "more than", "more than", "over", "over", "above", "in excess of", "greater than"],
    "<": ["less than", "less than", "less than", "under", "under", "below", "fewer than"],
    ">=": ["at least", "at least", "at least", "no less than", "not less than", "a minimum of", "no fewer than"],
    "<=": ["at most", "at most", "no more than", "no more than", "not more than", "up to", "a maximum of"],
}
DEGREES = {
    ">": ["more than", "above", "over", "higher than", "above", "over"],
    "<": ["less than", "below", "under", "lower than", "below", "under"],
    ">=": ["at least", "at least", "no less than", "not less than", "a minimum of"],
    "<=": ["at most", "no more than", "not more than", "a maximum of"],
}
BEHIND = {">=": ["or more", "or more", "and more"], "<=": ["or less", "or less", "or fewer"]}
BEHIND_DEGREES = {">=": ["or more", "or above", "or higher", "or hotter"], "<=": ["or less", "or below", "or lower", "or cooler"]}  # fmt: skip
VERBS = {
    ">": [("exceed", "exceeds"), ("go over", "goes over"), ("rise above", "rises above"), ("pass", "passes"), ("go beyond", "goes beyond"), ("exceed", "exceeds")],
    "<": [("drop below", "drops below"), ("fall below", "falls below"), ("fall under", "falls under"), ("go below", "goes below"), ("sink below", "sinks below")],
    ">=": [("reach", "reaches"), ("reach", "reaches"), ("hit", "hits"), ("come to at least", "comes to at least"), ("amount to at least", "amounts to at least")],
    "<=": [("stay at or below", "stays at or below"), ("come to at most", "comes to at most"), ("stay within", "stays within")],
}  # fmt: skip
NOT = {">=": ["does not fall below", "is not below", "does not drop under"], "<=": ["does not exceed", "is not above", "does not go over"]}  # fmt: skip
OPPOSITE = {">": "<=", "<": ">=", ">=": "<", "<=": ">"}
WARMER = {">": ["hotter than", "warmer than"], "<": ["cooler than", "colder than"]}
WHOLE = {DISK: "{the disk|the drive|the storage|the system disk}", HOME: "{/home|the home partition}", MEMORY: "{the memory|the RAM}"}  # fmt: skip
OUTCOMES = {
    (">", True): "more than", (">", False): "not more than", ("<", True): "less than", ("<", False): "not less than",
    (">=", True): "at least", (">=", False): "less than", ("<=", True): "at most", ("<=", False): "more than",
}  # fmt: skip


def readings(draw: Draw) -> dict[str, Any]:
    """What get_system_info may report, in its order and rounding."""

    def gb(value: float) -> float:
        return round(value, 1 if value >= 10 else 2)

    def free(total: float) -> float:
        return gb(total * draw.of(draw.random() * 0.2, draw.random(), draw.random()) + 0.01)

    memory = draw.of(1.7, 1.9, 3.6, 3.8, 3.91, 7.6, 15.5, 31.2, gb(draw.uniform(1, 64)))
    disk = draw.of(9.8, 10.5, 14.6, 28.9, 58.2, 233.4, 467.9, gb(draw.uniform(4, 900)))
    home = draw.of(6.2, 17.9, 20.6, 100.3, 455.0, gb(draw.uniform(2, 900)))
    found = {
        "os": draw.of(
            *["Debian GNU/Linux 13 (trixie)"] * 3, "Debian GNU/Linux 12 (bookworm)", "Ubuntu 24.04.2 LTS",
            "Fedora Linux 42", "Arch Linux", "Linux Mint 22", "Darwin 24.5.0",
        ),
        "machine": draw.of("aarch64", "aarch64", "aarch64", "x86_64", "armv7l", "arm64", "riscv64"),
        "cpu_count": draw.of(1, 2, 4, 4, 4, 6, 8, 8, 12, 16),
        HOT: draw.of(round(draw.uniform(20, 95), 1), round(draw.uniform(35, 60), 1)),
        UPTIME: gb(draw.of(draw.uniform(0, 10), draw.uniform(0, 100), draw.uniform(0, 2000))),
        MEMORY: free(memory), "memory_total_gb": memory,
        DISK: free(disk), "disk_total_gb": disk,
        HOME: free(home), "home_total_gb": home,
    }  # fmt: skip
    if draw.maybe(0.04):
        del found[HOT]
    return found


def look(scene: Scene, needed: str = HOT) -> dict[str, Any]:
    """Call get_system_info; `needed` is among the readings."""
    if not scene.facts:
        scene.facts = readings(scene.draw)
        while needed not in scene.facts:
            scene.facts = readings(scene.draw)
    scene.call("get_system_info")
    return scene.facts


def sentence(key: str, facts: dict[str, Any]) -> str:
    """The answer to a question for one fact."""
    if key not in facts:
        return "The CPU temperature is not available on this board."
    value = facts[key]
    return {
        DISK: f"There are {value} GB free on the disk, out of {facts['disk_total_gb']} GB.",
        HOME: f"There are {value} GB free on /home, out of {facts['home_total_gb']} GB.",
        MEMORY: f"There are {value} GB of memory free, out of {facts['memory_total_gb']} GB.",
        HOT: f"The CPU temperature is {value} °C.",
        UPTIME: f"The board has been up for {value} hours.",
        "disk_total_gb": f"The disk has {value} GB in total.",
        "home_total_gb": f"/home has {value} GB in total.",
        "memory_total_gb": f"The board has {value} GB of memory in total.",
        "os": f"The board runs {value}.",
        "machine": f"The machine type is {value}.",
        "cpu_count": f"The board has {value} CPU core{'' if value == 1 else 's'}.",
    }[key]


def clause(key: str, facts: dict[str, Any]) -> str:
    """A fact as half a sentence."""
    if key not in facts:
        return "the CPU temperature is not available"
    value = facts[key]
    return {
        DISK: f"{value} GB of disk are free",
        HOME: f"{value} GB are free on /home",
        MEMORY: f"{value} GB of memory are free",
        HOT: f"the CPU is at {value} °C",
        UPTIME: f"the uptime is {value} hours",
        "cpu_count": f"there {'is' if value == 1 else 'are'} {value} CPU core{'' if value == 1 else 's'}",
    }[key]


def first_up(text: str) -> str:
    return text[:1].upper() + text[1:]


def label(draw: Draw, key: str) -> str:
    """A fact as it fits after "the"."""
    return draw.pick(draw.choice(PHRASES[f"{key} label"]))


def fact_question(draw: Draw, key: str) -> str:
    """A question for one fact."""
    kind = draw.random()
    if kind < 0.4 or f"{key} label" not in PHRASES:
        if draw.maybe(0.2):
            return draw.written(draw.pick(draw.choice(PHRASES[f"{key} tell"])) + draw.of("", ".", "?", " please"))
        return draw.question(draw.choice(PHRASES[f"{key} ask"]))
    if kind < 0.55:
        return _with_a_reason(draw, key, draw.pick(draw.choice(PHRASES[f"{key} ask"])).rstrip("?"))
    said, where = label(draw, key), draw.of("", "", "", " on this " + BOARD, " of this " + BOARD, " of the board", " here")  # fmt: skip
    now = draw.of("", "", "", "", " {right now|at the moment|now|currently|at present|as of now}")
    if kind < 0.72:
        return draw.question(
            draw.of(
                "{what is|what's|whats|how much is|how high is} {the|the|the current|my|our|your} "
                + said
                + where
                + now,
                f"any idea what the {said} is{now}",
                f"do you know the {said}{where}",
                f"may I know the {said}{where}",
                f"can you {{give me|tell me|look up}} the {said}{where}",
                f"the {said}: what is it{now}",
                f"what would you say is the {said}{now}",
                f"what {{figure|value|number}} do you have for the {said}",
                f"what does the {said} look like{now}",
            )
        )
    if kind < 0.84:
        ask = "{check|tell me|give me|show me|get|report|look up|find out|read|measure|could I have|I need to know|I'd like to know|read out|fetch|determine|state|say}"
        return draw.order(f"{ask} the {said}{where}{now}")
    end = draw.of("?", "?", "", " pls", " please", " now?", "...", "!")
    return draw.written(draw.pick(draw.of("", "", "", "give me a number: ", "your ", "the ", "and the ", "current ") + said) + end)  # fmt: skip


def _with_a_reason(draw: Draw, key: str, question: str) -> str:
    """The question with what somebody has in mind before or after it."""
    own = PHRASES.get(f"{key} why")
    if own and draw.maybe(0.65):
        why = draw.pick(draw.choice(own))
        text = draw.of(
            f"{why}, {question}?", f"{why}. {question[:1].upper()}{question[1:]}?", f"{why}: {question}?",
            f"{question}? {why[:1].upper()}{why[1:]}.", f"{question}, {why}", f"{question}, because {why}?",
        )  # fmt: skip
    else:
        text = draw.of(
            "before I {install something|go|start|switch you off|continue|do anything else}", "for my {notes|report|log|list}",
            "out of curiosity", "just {to be sure|curious|checking|so I know}", "before we start", "I'm curious", "one thing",
            "a quick check", "a small question", "I have to fill in a form", "my colleague asks", "somebody wants to know",
        ) + draw.of(": ", ", ", " - ", ": ") + question + "?"  # fmt: skip
    return draw.written(draw.pick(text))


def fact(scene: Scene) -> None:
    key = scene.draw.choice(OFTEN)
    scene.ask(fact_question(scene.draw, key))
    scene.facts = readings(scene.draw)
    scene.say(sentence(key, look(scene)))


def two_facts(scene: Scene) -> None:
    draw = scene.draw
    if draw.maybe(0.4):
        scene.ask(
            draw.question(draw.choice(PHRASES["state"]))
            if draw.maybe(0.6)
            else draw.order(draw.choice(PHRASES["state order"]))
        )
        scene.facts = readings(draw)
        facts = look(scene)
        hot = f"The CPU is at {facts[HOT]} °C, with" if HOT in facts else "There are"
        scene.say(f"{hot} {facts[MEMORY]} GB of memory and {facts[DISK]} GB of disk free.")
        return
    one, two = draw.sample([DISK, HOME, MEMORY, HOT, UPTIME, draw.of(DISK, "cpu_count")], 2)
    while one == two:
        one, two = draw.sample([DISK, HOME, MEMORY, HOT, UPTIME], 2)
    first, second = label(draw, one), label(draw, two)
    scene.ask(
        _asked(
            draw,
            draw.of(
                f"{{what are|what's|tell me|report}} the {first} and the {second}",
                f"{{what are|what's|tell me|give me|check|list}} the {first} and the {second}{{| right now| at the moment}}",
                f"{first} and {second}",
                f"{first}, {second}",
                f"{{give me|I need}} two {{numbers|figures|values}}: {first} and {second}",
                f"first the {first}, then the {second}",
                f"both the {first} and the {second}",
                f"{{what is|what's}} the {first}, and {_how(draw, two)}",
                f"{_how(draw, one)} and {_how(draw, two)}",
                f"{_how(draw, one)}, and {_how(draw, two)}",
                f"{_how(draw, one)}? And {_how(draw, two)}",
                f"I {{need|want|would like}} the {first} as well as the {second}",
            ),
        )
    )
    facts = look(scene)
    scene.say(f"{first_up(clause(one, facts))} and {clause(two, facts)}.")


def _asked(draw: Draw, text: str) -> str:
    """As a question or an order, as it begins."""
    if text.startswith(("{give", "{tell", "{calculate", "{let", "{check")):
        return draw.order(text)
    if text.startswith(("I ", "{I", "first", "both", "{yes", "{do ", "{would")):
        text = draw.pick(text)
        end = "?" if text.startswith(("do ", "would ", "is ")) else draw.of("", ".", " please")
        return draw.written(text + end)
    return draw.question(text)


def _how(draw: Draw, key: str) -> str:
    """A question that goes well with a second one."""
    return draw.pick(draw.choice([text for text in PHRASES[f"{key} ask"] if text.startswith(("how ", "what ")) and "," not in text]))  # fmt: skip


def calculated(scene: Scene) -> None:
    """Used space, percentages, other units."""
    draw = scene.draw
    what = draw.of("disk", "home", "memory")
    noun = {"disk": "{disk|system disk|storage|drive}", "home": "{/home|home partition}", "memory": "{memory|RAM}"}[
        what
    ]
    name = {"disk": "the disk", "home": "/home", "memory": "the memory"}[what]
    the = f"the {noun}".replace("the {/home|home partition}", "{/home|the home partition}")
    scene.facts = facts = readings(draw)
    total, free = facts[f"{what}_total_gb"], facts[f"{what}_free_gb"]
    kind = draw.random()
    percent = (
        "{what percentage|what percent|how many percent|which percentage|what share in percent|what part in percent}"
    )
    if kind < 0.4:
        question = draw.of(
            f"how much {{space |}}of {the} is {{used|in use|taken|occupied|filled|already used|gone|used up}}",
            f"how many {{GB|gigabytes|gigs}} of {the} are {{used|in use|taken|occupied|full|gone|filled}}",
            f"what's the used {{space|amount}} on {the}",
            f"how much of {the} have {{we|I|you}} {{used|filled|used up}}{{| so far| already}}",
            f"how much {{data|stuff}} is {{already |}}on {the}"
            if what != "memory"
            else f"how much of {the} do the programs {{use|take|need}}",
            f"how many {{GB|gigs}} {{do my files take|are stored}} on {the}"
            if what != "memory"
            else f"how many {{GB|gigs}} of {the} are {{busy|allocated}}",
            f"{{calculate|work out|tell me}} the {{used|occupied}} part of {the} in {{GB|gigabytes}}",
            f"{{used|occupied}} GB {{of|on}} {the}",
            f"{the}: how much {{is used|is in use|has been used up}}",
            f"{{I want|I'd like}} to know how much of {the} is {{used|taken|in use}}",
        )
        expression, answer = f"{total} - {free}", f"{{}} GB of {name} are in use."
    elif kind < 0.6:
        question = draw.of(
            f"{percent} of {the} {{is|are}} {{free|available|left|unused}}",
            f"what is the free share of {the} in percent",
            f"{the}: {percent} {{is|are}} {{still |}}free",
            f"how much of {the} is {{free|left|unused}}, in percent",
            f"in percent, how much of {the} is {{free|left|still available}}",
            f"{{free|unused}} percentage of {the}",
            f"{{give me|tell me|calculate}} the free {{percentage|percent}} of {the}",
            f"how {{empty|free}} is {the} in percent",
            f"% {{free|left}} {{of|on}} {the}",
        )
        expression, answer = f"round({free} / {total} * 100, 1)", f"{{}} percent of {name} is free."
    elif kind < 0.8:
        question = draw.of(
            f"{percent} of {the} {{is|are}} {{used|in use|full|taken|occupied|gone}}",
            f"{the}: {percent} {{is|are}} {{used|in use|taken}}",
            f"how much of {the} is {{used|in use|taken}}, in percent",
            f"in percent, how {{full is {the}|much of {the} is used}}",
            f"how {{full|busy}} is {the} in percent",
            f"{{used|occupied}} percentage of {the}",
            f"{{give me|tell me|calculate}} the used {{percentage|percent}} of {the}",
            f"to how many percent is {the} {{full|used|filled}}",
            f"% {{used|full}} {{of|on}} {the}",
        )
        expression, answer = f"round(({total} - {free}) / {total} * 100, 1)", f"{{}} percent of {name} is in use."
    elif kind < 0.87:
        question = draw.of(
            f"how many {{MB|megabytes|megs}} of {the} are {{free|left|available|unused}}",
            f"how much of {the} is {{free|left}} in {{MB|megabytes}}",
            f"{{free|remaining}} {{MB|megabytes}} {{of|on}} {the}",
            f"in {{MB|megabytes}}, how much of {the} is {{free|left|unused}}",
            f"{{give me|tell me|I need}} the free part of {the} in {{megabytes|MB}}, not in GB",
        )
        expression, answer = f"{free} * 1000", f"There are {{}} MB free on {name}."
    elif kind < 0.93:
        question = draw.of(
            "how many minutes {has {it|the board|the system} been|have you been} {up|on|running}",
            "what's the uptime in minutes",
            "{give me|tell me} the uptime in minutes",
            "for how many minutes {has {it|the board} been|have you been} {on|running|awake}",
            "how many minutes ago {did you boot|were you started|was the last boot}",
            "uptime in {minutes|min}",
        )
        expression, answer = f"{facts[UPTIME]} * 60", "The board has been up for {} minutes."
    elif kind < 0.95:
        question = draw.of(
            "how many days {has {it|the board|the system} been|have you been} {up|on|running}",
            "what's the uptime in days",
            "{give me|tell me} the uptime in days",
            "how many days ago {did you boot|were you started|was the last boot}",
            "in days, how long {have you been|has it been} {on|running}",
        )
        expression, answer = f"round({facts[UPTIME]} / 24, 1)", "The board has been up for {} days."
    else:
        while HOT not in facts:
            scene.facts = facts = readings(draw)
        question = draw.of(
            "what's the {CPU|board|processor|chip} temperature in {Fahrenheit|degrees F|°F}",
            "how {hot|warm} is the {CPU|chip|processor|board} in {Fahrenheit|°F|degrees Fahrenheit}",
            "how many degrees Fahrenheit {does the chip have|is the CPU|are you at}",
            "{give me|tell me} the {CPU|chip} temperature in Fahrenheit{|, not in Celsius|, I am American}",
            "in Fahrenheit, how {hot|warm} {are you|is the processor|is it}",
            "{cpu temp|temperature} in {F|Fahrenheit}",
        )
        expression, answer = f"round({facts[HOT]} * 9 / 5 + 32, 1)", "The CPU temperature is {} °F."
    scene.ask(_asked(draw, question))
    look(scene)
    scene.say(answer.format(shown(scene.calculate(expression))))


@dataclass(frozen=True)
class Limit:
    """A comparison of a fact with a limit. `text`: the limit as said; `expression`: as calculated.

    `share`: the limit is a part of the whole, "half of the disk".
    """

    key: str
    operator: str
    text: str
    expression: str
    share: bool = False


def limit(draw: Draw, key: str, facts: dict[str, Any]) -> Limit:
    """Some limit for a fact: round, close to the fact, in other units, in percent."""
    value = facts[key]
    operator = draw.of(">", ">", ">", "<", "<", "<", ">=", ">=", ">=", "<=")
    if key == "cpu_count":
        number = draw.of(1, 2, 3, 4, 6, 8)
        return Limit(key, operator, draw.wordy(number), f"{value} {operator} {number}")
    if key == HOT:
        near = [round(value), round(value) + 1, round(value) - 1]
        number = draw.of(30, 35, 40, 45, 50, 55, 60, 65, 70, 75, 80, 85, draw.randint(25, 90), *near)
        unit = draw.of(" degrees", "°C", " °C", " C", "", " degrees Celsius", " celsius", " °")
        return Limit(key, operator, f"{number}{unit}", f"{value} {operator} {number}")
    if key == UPTIME:
        if draw.maybe(0.3):
            text, hours = draw.of(("a day", 24), ("one day", 24), ("two days", 48), ("a week", 168), ("an hour", 1), ("half a day", 12), ("three days", 72), ("half an hour", 0.5), ("four days", 96), ("five days", 120), ("ten days", 240), ("two weeks", 336), ("a month", 720), ("2 days", 48), ("3 days", 72), ("7 days", 168), ("two hours", 2))  # fmt: skip
            return Limit(key, operator, text, f"{value} {operator} {hours}")
        if draw.maybe(0.07):
            minutes = draw.of(10, 20, 45, 90, 120, 150)
            return Limit(key, operator, f"{minutes} minutes", f"{value} * 60 {operator} {minutes}")
        number = draw.of(1, 2, 3, 5, 8, 10, 12, 24, 48, 72, 100, draw.randint(1, 300), max(1, round(value)))
        unit = "h" if draw.maybe(0.25) else " hour" if number == 1 else draw.of(" hours", " hours", " hrs")
        return Limit(key, operator, f"{number}{unit}", f"{value} {operator} {number}")
    kind = draw.random()
    if kind < 0.14:
        number = draw.of(100, 200, 250, 300, 400, 500, 500, 600, 750, 800, 900, 1500, 2000, 2500)
        unit = draw.of("MB", " MB", " megabytes", " megs", " MB")
        return Limit(key, operator, f"{number}{unit}", f"{value} * 1000 {operator} {number}")
    if kind < 0.2:
        percent = draw.of(5, 10, 15, 20, 25, 30, 40, 50, 60, 75, 80)
        total = facts[key.replace("free", "total")]
        return Limit(
            key, operator, f"{percent}{draw.of('%', ' percent')}", f"{value} / {total} * 100 {operator} {percent}"
        )
    if kind < 0.27:
        part, rate = draw.of(("half", 50), ("half", 50), ("a quarter", 25), ("a third", 33.3), ("three quarters", 75), ("a tenth", 10), ("a fifth", 20))  # fmt: skip
        total = facts[key.replace("free", "total")]
        text = f"{part} of {draw.pick(WHOLE[key])}"
        return Limit(key, operator, text, f"{value} / {total} * 100 {operator} {rate}", share=True)
    if kind < 0.3:
        percent = draw.of(50, 60, 70, 75, 80, 85, 90, 95)
        total = facts[key.replace("free", "total")]
        full = f"{percent}{draw.of('%', ' percent')} full"
        return Limit(key, operator, full, f"({total} - {value}) / {total} * 100 {operator} {percent}", share=True)
    if kind < 0.34:
        text, size = draw.of(("half a gigabyte", 0.5), ("half a gig", 0.5), ("a gig", 1), ("two and a half GB", 2.5), ("half a GB", 0.5), ("a gigabyte", 1), ("one and a half GB", 1.5), ("a quarter gigabyte", 0.25), ("a terabyte", 1000))  # fmt: skip
        return Limit(key, operator, text, f"{value} {operator} {size}")
    near = [max(1, round(value)), round(value + draw.uniform(-1, 1), 1) if value > 1.2 else 0.5]
    some = draw.of(1, 1, 2, 3, 4, 5, 6, 8, 10, 12, 15, 20, 25, 30, 50, 100, round(draw.uniform(0.1, 4), 1), *near)
    said = draw.wordy(some) if isinstance(some, int) else str(some)
    unit = (
        draw.of("GB", " GB", " GB", " gigs", " gigabytes", " gb", "gb", "G")
        if said.isdigit() or "." in said
        else draw.of(" GB", " GB", " gigs", " gigabytes")
    )
    if some == 1:
        unit = unit.replace("gigs", "gig").replace("gigabytes", "gigabyte")
    return Limit(key, operator, f"{said}{unit}", f"{value} {operator} {some}")


def amount(draw: Draw, test: Limit) -> str:
    """ "more than 2 GB", "2 GB or more"."""
    if test.operator in BEHIND and draw.maybe(0.3):
        behind = (BEHIND_DEGREES if test.key == HOT else BEHIND)[test.operator]
        return f"{test.text} {draw.choice(behind)}"
    return f"{draw.choice((DEGREES if test.key == HOT else COUNTED)[test.operator])} {test.text}"


def _is(draw: Draw, test: Limit) -> str:
    """The same after "is"."""
    if test.operator in BEHIND and draw.maybe(0.25):
        return amount(draw, test)
    return f"{draw.choice(COMPARISONS[test.operator])} {test.text}"


def _with_amount(draw: Draw, form: str, test: Limit) -> str:
    text = draw.pick(draw.choice(PHRASES[f"{test.key} {form}"]))
    if test.key == UPTIME and test.operator == ">" and "for <" in text and draw.maybe(0.3):
        return text.replace("<amount>", f"longer than {test.text}")
    if (
        test.key == HOT
        and test.operator in WARMER
        and text.endswith(("is <amount>", "it <amount>"))
        and draw.maybe(0.5)
    ):
        return text.replace("<amount>", f"{draw.choice(WARMER[test.operator])} {test.text}")
    text = text.replace("<amount>", amount(draw, test))
    return re.sub(r"\b(1|one) (CPU core|core|CPU)s", r"\1 \2", text)


def condition(draw: Draw, test: Limit) -> str:
    """The comparison as a clause: "there is more than 1 GB free on /home"."""
    if test.text.endswith(" full"):
        return f"{draw.pick(WHOLE[test.key])} is {draw.choice(COUNTED[test.operator][:4])} {test.text}"
    if test.share:
        return f"{draw.choice(COMPARISONS[test.operator][:2])} {test.text} is {draw.of('free', 'unused', 'available', 'empty')}"
    if draw.maybe(0.6):
        return _with_amount(draw, "if", test)
    subject = f"the {label(draw, test.key)}"
    if test.operator in NOT and draw.maybe(0.2):
        return f"{subject} {draw.choice(NOT[test.operator])} {test.text}"
    if draw.maybe(0.45):
        return f"{subject} {draw.choice(VERBS[test.operator])[1]} {test.text}"
    return f"{subject} is {_is(draw, test)}"


def question(draw: Draw, test: Limit) -> str:
    """The comparison as a question: "is there more than 1 GB free on /home"."""
    if test.text.endswith(" full"):
        return f"is {draw.pick(WHOLE[test.key])} {draw.choice(COUNTED[test.operator][:4])} {test.text}"
    if test.share:
        return f"is {draw.choice(COMPARISONS[test.operator][:2])} {test.text} {draw.of('free', 'unused', 'available', 'still free')}"
    if draw.maybe(0.6):
        return _with_amount(draw, "is", test)
    subject = f"the {label(draw, test.key)}"
    if draw.maybe(0.4):
        return f"does {subject} {draw.choice(VERBS[test.operator])[0]} {test.text}"
    return f"is {subject} {_is(draw, test)}"


def threshold(scene: Scene) -> None:
    """If a fact is over a limit do one thing, otherwise another or nothing."""
    draw = scene.draw
    key = draw.choice(COMPARABLE)
    scene.facts = readings(draw)
    while key not in scene.facts:
        scene.facts = readings(draw)
    test = limit(draw, key, scene.facts)
    then, otherwise = _branches(draw)
    only, unless = draw.maybe(0.2), draw.maybe(0.08)
    if unless:
        asked = _unless(draw, test, then, None if only else otherwise)
    else:
        asked = _only_if(draw, test, then) if only else _if_else(draw, test, then, otherwise)
    asked = draw.of("", "", "", "", "please ", "hey, ") + asked
    if draw.maybe(0.6):
        asked = re.sub(r"[.?!] [a-z]", lambda found: found[0].upper(), asked)
    scene.ask(draw.written(asked + ("" if asked[-1] in "?!." else draw.of(".", ".", "", "!"))))
    look(scene)
    holds = scene.calculate(test.expression)
    why = f"{first_up(clause(key, scene.facts))}, {OUTCOMES[test.operator, holds]} {test.text}, so "
    if holds == unless and only:
        scene.say(why + "I did nothing.")
        return
    action = then if holds != unless else otherwise
    action.do(scene)
    scene.say(f"{why}{action.done}.")


def _unless(draw: Draw, test: Limit, then: Action, otherwise: Action | None) -> str:
    """The first action is for when the comparison does not hold."""
    when = condition(draw, test)
    if not otherwise:
        return draw.of(f"{then.text} unless {when}", f"unless {when}, {then.text}", f"{then.text}, unless {when}")
    return draw.of(
        f"{then.text} unless {when}, {draw.of('in that case', 'in which case', 'then')} {otherwise.text}",
        f"{then.text}, unless {when}: {draw.of('in that case', 'then')} {otherwise.text}",
        f"unless {when}, {then.text}; {draw.of('otherwise', 'else', 'if that is the case,')} {otherwise.text}",
    )


def _check(draw: Draw, key: str) -> str:
    """The first half of an order in two halves."""
    what = draw.choice(PHRASES[f"{key} label"])
    verb = "{check|look at|read|measure|get|see|have a look at|take|look up|find out|consider|examine|inspect|verify|start with}"
    return draw.pick(f"{verb} the {what}") + draw.of(". ", ", ", ". ", ", then ", " and ", ": ", "; ", " first. ")


def _only_if(draw: Draw, test: Limit, then: Action) -> str:
    """Otherwise nothing is done."""
    when = condition(draw, test)
    nothing = draw.of("", "", "", ", otherwise do nothing", "; if not, leave everything as it is", ", else nothing", ". If not, do nothing", ", otherwise nothing happens")  # fmt: skip
    if_ = draw.of("if", "if", "when", "in case", "whenever", "as soon as", "provided", "assuming", "given that")
    only = draw.of(
        "only if", "but only if", "only when", "provided that", "provided", "if and only if", "as long as", "so long as",
        "on condition that", "if", "if", "in case", "whenever", "just in case", "only in case",
    )  # fmt: skip
    return draw.of(
        f"{then.text} {only} {when}{nothing}",
        f"{then.text} {only} {when}{nothing}",
        f"{if_} {when}, {then.text}{nothing}",
        f"{_check(draw, test.key)}{if_} {when}, {then.text}{nothing}",
        f"{question(draw, test)}? {draw.of('If so', 'If yes', 'In that case', 'Then')}, {then.text}{nothing}",
        f"should it be that {when}, {then.text}{nothing}",
    )


def _if_else(draw: Draw, test: Limit, then: Action, otherwise: Action) -> str:
    """One action or the other."""
    when, one, two = condition(draw, test), then.text, otherwise.text
    what = label(draw, test.key)
    no = draw.of("otherwise", "otherwise", "else", "if not,", "or else", "in the other case", "if that is not so,", "if it's not,", "failing that,", "in any other case", "for anything else")  # fmt: skip
    els = draw.of(", ", "; ", ". ", ", ", ", ") + f"{no} {two}"
    if_ = draw.of("if", "if", "if", "if", "when", "in case", "whenever", "as long as", "provided", "provided that", "assuming", "should it turn out that")  # fmt: skip
    kind = draw.random()
    if kind < 0.06:
        return _both_said(draw, test, one, two)
    if kind < 0.22:
        return f"{_check(draw, test.key)}{if_} {when}, {one}{els}"
    if kind < 0.4:
        return f"{if_} {when}{draw.of(', ', ', ', ', then ', ': ')}{one}{els}"
    if kind < 0.58:
        els = draw.of(
            f" and {two} {draw.of('if it does not', 'if not', 'otherwise', 'if that is not the case', 'in the other case', 'else')}",
            f", and {two} {draw.of('if not', 'otherwise', 'if that is not so')}",
            els,
        )
        return f"{one} {if_} {when}{els}"
    if kind < 0.7:
        so, not_so = draw.of(("If so,", "if not,"), ("If yes,", "if no,"), ("Then", "otherwise"), ("If it is,", "if not,"), ("Yes:", "no:"), ("In that case", "otherwise"))  # fmt: skip
        ask = draw.of(f"{question(draw, test)}?", f"{question(draw, test)}?", f"check whether {when}.", f"find out if {when}.", f"is it true that {when}?", f"see whether {when}.")  # fmt: skip
        return f"{ask} {so} {one}{draw.of(', ', '; ')}{not_so} {two}"
    if kind < 0.78 and test.operator in "<>" and not test.share:
        over, under = draw.of(("above it", "below it"), ("above that", "below that"), ("if it is higher", "if it is lower"), ("over it", "under it"), ("higher", "lower"))  # fmt: skip
        first, second = (over, under) if test.operator == ">" else (under, over)
        compare = draw.of(f"compare the {what} with {test.text}", f"the limit for the {what} is {test.text}", f"hold the {what} against {test.text}", f"take {test.text} as the limit for the {what}")  # fmt: skip
        return f"{compare}{draw.of(': ', '. ', '; ')}{first} {one}, {draw.of(second, 'otherwise', 'else', second, 'if not,')} {two}"
    if kind < 0.85 and not test.share:
        look_at = {DISK: "the disk", HOME: "/home", MEMORY: "the memory", HOT: "the CPU", UPTIME: "the uptime"}
        said = _with_amount(draw, "with", test)
        start = draw.of(f"have a look at {look_at.get(test.key, 'the CPU')}: ", f"check {look_at.get(test.key, 'the CPU')}: ", "", "")  # fmt: skip
        return f"{start}with {said}{draw.of(', ', ' ', ': ')}{one}{els}"
    if kind < 0.91 and not test.share:
        return f"{what} {amount(draw, test)}{draw.of(': ', '? ', ', then ', ' -> ')}{one}{draw.of('; ', ', ')}{draw.of('otherwise', 'else', 'if not,')} {two}"
    if kind < 0.93:
        return _both_said(draw, test, one, two)
    if kind < 0.96:
        return f"depending on whether {when}{draw.of(', ', ': ')}{one} or {two}"
    tell = draw.of("find out whether", "I want to know whether", "check if", "I need to see if")
    return f"{tell} {when}: {one} {draw.of('for yes', 'if yes', 'if so')}, {two} {draw.of('for no', 'if no', 'if not')}"


def _both_said(draw: Draw, test: Limit, one: str, two: str) -> str:
    """Both sides of the limit are named: "an X for more than 4 cores, a smiley for four or fewer"."""
    other = replace(test, operator=OPPOSITE[test.operator])
    if not test.share and draw.maybe(0.5):
        what, more, less = label(draw, test.key), amount(draw, test), amount(draw, other)
        return draw.of(
            f"{what}: {one} for {more}, {two} for {less}",
            f"{one} for {more}, {two} for {less}; the {what} decides",
            f"{one} for a {what} of {more}, {two} for {less}",
            f"{what} {more}: {one}, {less}: {two}",
            f"{one} at {more} of {what}, {two} at {less}",
        )
    when, not_when = condition(draw, test), condition(draw, other)
    return draw.of(
        f"{one} if {when}{draw.of(', ', ' and ', ', and ', '; ')}{two} if {not_when}",
        f"if {when}, {one}; if {not_when}, {two}",
        f"when {when} {one}, when {not_when} {two}",
        f"{one} when {when}, {draw.of('but ', 'and ', '')}{two} when {not_when}",
    )


def _branches(draw: Draw) -> tuple[Action, Action]:
    if draw.maybe(0.62):
        one, two = draw.of(
            *[("check", "x")] * 4, ("smiley", "x"), ("smiley", "x"), ("x", "check"), ("x", "smiley"), ("1", "0"),
            ("check", "off"), ("smiley", "off"), ("5", "3"), ("0", "1"), ("9", "7"), ("x", "off"), ("1", "2"),
        )  # fmt: skip
        then, otherwise = set_matrix(draw, one), set_matrix(draw, two)
        if two != "off" and draw.maybe(0.6):
            otherwise = Action(draw.of("", "show ", "display ", "draw ") + picture(draw, two), two)
        return then, otherwise
    on = draw.maybe(0.7)
    then, otherwise = set_led(draw, on), set_led(draw, not on)
    if draw.maybe(0.5):
        otherwise = Action(draw.of("turn it ", "switch it ", "") + ("off" if on else "on"), not on)
    if draw.maybe(0.3):
        otherwise = set_matrix(draw, draw.of("x", "smiley", "check", "off"))
    return then, otherwise


def yes_or_no(scene: Scene) -> None:
    """Is a fact over a limit?"""
    draw = scene.draw
    key = draw.choice(COMPARABLE)
    scene.facts = facts = readings(draw)
    while key not in facts:
        scene.facts = facts = readings(draw)
    test = limit(draw, key, facts)
    if key in (DISK, HOME) and draw.maybe(0.3):
        number = draw.of(1, 2, 3, 4, 5, 8, 10, 20, draw.randint(1, 60))
        where = draw.of("on the disk", "on the system disk") if key == DISK else draw.of("on /home", "in /home")
        test = Limit(key, ">", f"{number} GB", f"{facts[key]} > {number}")
        unit = draw.of("GB", "GB", "GB", "gigs", "gigabytes")
        text = draw.choice(PHRASES["store"]).replace("<disk>", draw.pick(WHOLE[key]))
        if "a <size>" in text or number == 1:
            unit = "GB"
        said = text.replace("<size>", f"{number} {unit}").replace("<where>", where)
    elif draw.maybe(0.7):
        said = question(draw, test)
    else:
        when = condition(draw, test)
        said = draw.of(
            f"{{tell me|please tell me|can you tell me}} {{whether|if}} {when}",
            f"{{let me know|check|see|find out|verify|say}} {{whether|if}} {when}",
            f"{{I wonder|I'd like to know|I need to know|I want to know}} {{whether|if}} {when}",
            f"{{do you know|can you check|can you see|could you verify}} {{whether|if}} {when}",
            f"{{would you say|is it true|is it right|is it the case|do I get it right}} that {when}",
            f"{when}, {{right|is that so|true or false|yes or no|correct}}",
            f"{{yes or no|true or false}}: {when}",
        )
    scene.ask(_asked(draw, said))
    look(scene)
    holds = scene.calculate(test.expression)
    scene.say(f"{'Yes' if holds else 'No'}, {clause(key, facts)}, {OUTCOMES[test.operator, holds]} {test.text}.")


def _inverted(draw: Draw, when: str) -> str:
    """ "the uptime is over 3 h" as a question."""
    for start, verb in (("there's ", "is there "), ("there is ", "is there "), ("there are ", "are there ")):
        if when.startswith(start):
            return verb + when.removeprefix(start)
    if when.startswith(("we have ", "we still have ")):
        return "do " + when
    for verb in (" is ", " has been ", " has "):
        subject, found, rest = when.partition(verb)
        if found and verb == " has ":
            return f"does {subject} have {rest}"
        if (
            found
            and len(subject.split()) < 9
            and not subject.split()[-1][:1].isdigit()
            and subject.split()[0] in ("the", "it")
        ):
            inverted = verb.split()
            return f"{inverted[0]} {subject} {' '.join([*inverted[1:], rest])}"
    return f"is it true that {when}"


def fact_then_action(scene: Scene) -> None:
    """Look something up and do something else, or show what was looked up."""
    draw = scene.draw
    scene.facts = readings(draw)
    if draw.maybe(0.4):
        scene.facts["cpu_count"] = cores = draw.of(1, 2, 4, 6, 8)
        count, on = (
            "{number|count} of {CPU cores|cores|CPUs|processors}",
            "{on the matrix|on the LED matrix|on the display|on your matrix}",
        )
        scene.ask(
            draw.order(
                draw.of(
                    f"{{show|display|put|write|print}} the {count} {on}",
                    f"{{show|display|put|write|print}} {{your|the board's}} {count} {on}",
                    f"{{show|display|write}} {on} how many {{cores|CPUs|CPU cores}} {{you have|there are|this board has}}",
                    f"count {{your|the}} {{cores|CPUs|CPU cores}} and {{show|put|write}} {{it|the number|the result|that}} {on}",
                    f"look up the {count} and {{show|put|display}} it {on}",
                    f"let the {{matrix|display}} {{show|read|tell us}} the {count}",
                    "make the {matrix|display} show how many {cores|CPUs} {you have got|are inside|the chip has}",
                    f"{{find out|check}} how many {{cores|CPUs}} there are, then {{show|display}} that digit {on}",
                )
            )
        )
        look(scene)
        set_matrix(draw, str(cores)).do(scene)
        there = "There is 1 CPU core" if cores == 1 else f"There are {cores} CPU cores"
        scene.say(f"{there}, and the matrix now shows {cores}.")
        return
    key = draw.of(DISK, HOT, MEMORY, HOME, UPTIME)
    while key not in scene.facts:
        scene.facts = readings(draw)
    action, what, how = any_action(draw), label(draw, key), _how(draw, key)
    tell = draw.pick("{check|tell me|report|say|give me|look up|read out|let me have}")
    if draw.maybe(0.35):
        then = draw.of(" and ", " and then ", ", then ", ". Then ", ", and ", ", and after that ")
        if draw.maybe(0.3):
            scene.ask(draw.written(f"{action.text}{draw.of('. ', ', and ', '. And then: ', ' and then: ')}{how}?"))
        else:
            scene.ask(draw.order(f"{action.text}{then}{tell} the {what}"))
        done = action.do(scene)
        look(scene)
        said = sentence(key, scene.facts)
        scene.say(f"{done}, and {said[:1].lower()}{said[1:]}")
        return
    then = draw.of(
        " and ", " and then ", ", then ", " and ", ", after that ", ". Then ", ", and also ", "; ", ". Also "
    )
    scene.ask(
        draw.order(f"{tell} the {what}{then}{action.text}")
        if draw.maybe(0.65)
        else draw.written(
            draw.of(
                f"{how}? {draw.of('And ', 'Then ', 'Also, ', '')}{action.text}.",
                f"{how}, and {action.text}{draw.of('', ' please', '.')}",
                f"first the {what}, then {action.text}",
                f"once you have told me the {what}, {action.text}",
                f"{action.text}, but first {tell} the {what}",
            )
        )
    )
    look(scene)
    done = action.do(scene)
    scene.say(f"{sentence(key, scene.facts)[:-1]}, and {done[:1].lower()}{done[1:]}.")
