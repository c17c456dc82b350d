"""Facts about the board: asked for, calculated with, compared with a limit."""
# ruff: noqa: E501 - a phrase with its alternatives stands on one line

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from training.draw import Draw
from training.kinds.actions import Action, any_action, picture, set_led, set_matrix
from training.scene import Scene, shown

BOARD = "{board|board|board|system|machine|device|UNO Q|Arduino|computer|unit}"
DISK, HOME, MEMORY, HOT, UPTIME = "disk_free_gb", "home_free_gb", "memory_free_gb", "cpu_temp_c", "uptime_h"
LABELS = {
    DISK: [
        "{free|available|remaining} {disk space|disk|storage|space on the disk|space on the system disk|disk room}",
        "disk {space left|space free|space available}",
        "{free|available} space on the {disk|drive|system disk|main disk|root disk|SD card|eMMC|system drive}",
        "storage left",
        "{unused|open} {disk space|storage}",
    ],
    HOME: [
        "{free|available|remaining} space {on|in} {/home|/home|the home partition|the home disk|home|the home folder}",
        "space {left|free|available} {on|in} {/home|/home|home|the home directory|my home folder}",
        "{/home|home} {free space|space left|room}",
        "room {left|} in /home",
    ],
    MEMORY: [
        "{free|available|unused|remaining} {memory|RAM|RAM memory|working memory|main memory}",
        "{RAM|memory} {left|free|available|still free}",
    ],
    HOT: [
        "{CPU|processor|chip|board|core|current CPU} {temperature|temp}",
        "temperature of the {CPU|processor|chip|board}",
        "{temperature|temp|heat}",
    ],
    UPTIME: ["uptime", "{system|board} uptime", "time since {boot|the last boot|startup|power-on}"],
    "disk_total_gb": [
        "{total|overall|full} {disk size|disk space|storage|disk capacity}",
        "{size|capacity} of the {disk|drive|system disk}",
    ],
    "home_total_gb": ["{total size|size|capacity} of {/home|the home partition}", "total space on /home"],
    "memory_total_gb": ["{total|installed} {memory|RAM}", "amount of {RAM|memory} {installed|in total|altogether}"],
}
DIRECT = {
    DISK: [
        "how much {storage|disk|disk space|space|room} {is free|is left|is available|do I have left|remains}",
        "how many {GB|gigabytes|gigs} are {free|left|available|unused} on {the disk|the system disk|this disk}",
        "is there {any|much|enough} {disk space|space|room} left",
        "how full is the {disk|system disk|drive}",
        "what's {left|free} on the disk",
        "how much {room|space} do I have {left|} on {this|the} " + BOARD,
        "{df|disk space|free disk?|disk left?}",
        "is the disk {nearly|almost|getting} full",
    ],
    HOME: [
        "how much {space|room|storage|disk space} {is free|is left|is available|do I have|remains} {on|in} "
        "{/home|the home partition|home|my home directory|the home folder}",
        "how many {GB|gigs|gigabytes} are {left|free} {on|in} /home",
        "how full is /home",
        "is there {any|much} {room|space} left {on|in} /home",
        "{/home space|home free?|free on /home}",
    ],
    MEMORY: [
        "how much {RAM|memory|working memory} {is free|is left|is available|do I have left|remains|is unused}",
        "how many {GB|gigs|gigabytes} of {RAM|memory} are {free|left|available}",
        "are we {running out of|low on} {memory|RAM}",
        "{free memory|how's the memory doing|ram?|free ram}",
    ],
    HOT: [
        "how {hot|warm} is {the CPU|the chip|the processor|this board|it|the board|it running|the " + BOARD + "}",
        "is {it|the board|the CPU|the chip} {hot|warm|overheating|running hot|getting warm}",
        "what temperature {is the CPU at|does the board have|is it|does the processor have}",
        "{cpu temp|temperature?|temp|cpu heat}",
        "how many degrees {is the CPU|is the processor|does the chip have|is it}",
    ],
    UPTIME: [
        "how long has {this|the} " + BOARD + " been {up|running|on|switched on|awake}",
        "how long {is|has} the system {running|been on|been up}",
        "{for|} how many hours has {it|the board|this board} been {on|up|running}",
        "{when was the last {boot|reboot}|uptime|since when are you on}",
    ],
    "os": [
        "what {operating system|OS|Linux|distro|Linux version} {is this|is running|is installed|are you running on|runs here}",
        "which {OS|distribution|operating system|Debian version} {is it|is this|runs here|do we have|is in use}",
        "what's the OS",
        "which system software {runs|is installed} on this " + BOARD,
    ],
    "machine": [
        "what {architecture|CPU architecture|machine type|kind of processor|machine architecture} {is this|does it have|is it}",
        "which {architecture|machine|CPU type|instruction set} is this",
        "is this {an ARM|an x86} {machine|board|CPU}",
        "uname -m",
    ],
    "cpu_count": [
        "how many {CPU cores|cores|CPUs|processors|processor cores} {does it have|are there|do we have|do you have|are inside}",
        "number of {cores|CPUs}",
        "what's the {core|CPU} count",
    ],
    "disk_total_gb": ["how {big|large} is the {disk|drive|system disk|SD card}", "what's the disk size"],
    "home_total_gb": ["how {big|large} is {/home|the home partition}{| in total| altogether}"],
    "memory_total_gb": [
        "how much {RAM|memory} {does it|does this " + BOARD + "|does the board} have{| in total| altogether}",
        "how much {RAM|memory} is {built in|installed|there in total}",
    ],
}
OFTEN = [
    *[DISK] * 4, *[HOME] * 4, *[MEMORY] * 3, *[HOT] * 3, *[UPTIME] * 2, "os", "os", "machine", "cpu_count", "cpu_count",
    "disk_total_gb", "home_total_gb", "memory_total_gb", "memory_total_gb",
]  # fmt: skip
COMPARABLE = [*[DISK] * 3, *[HOME] * 3, *[MEMORY] * 2, *[HOT] * 3, UPTIME, "cpu_count"]
COMPARISONS = {
    ">": ["more than", "greater than", "above", "over", "higher than", "bigger than", "larger than", "beyond"],
    "<": ["less than", "below", "under", "lower than", "fewer than", "smaller than"],
    ">=": ["at least", "no less than", "not less than", "a minimum of", "at least", "at least"],
    "<=": ["at most", "no more than", "not more than", "up to", "a maximum of"],
}
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


def fact_question(draw: Draw, key: str) -> str:
    """A question for one fact."""
    if key not in LABELS or draw.maybe(0.55):
        return draw.question(draw.choice(DIRECT[key]))
    label = draw.choice(LABELS[key])
    where = draw.of("", "", "", " on this " + BOARD, " of this " + BOARD, " of the board", " here")
    if draw.maybe(0.5):
        return draw.question(
            "{what is|what's|whats|how much is|how high is} {the|the|the current|my|our} " + label + where
        )
    ask = "{check|tell me|give me|show me|get|report|look up|find out|read|measure|could I have|I need to know}"
    return draw.order(f"{ask} the {label}{where}")


def fact(scene: Scene) -> None:
    key = scene.draw.choice(OFTEN)
    scene.ask(fact_question(scene.draw, key))
    scene.facts = readings(scene.draw)
    scene.say(sentence(key, look(scene)))


def two_facts(scene: Scene) -> None:
    draw = scene.draw
    if draw.maybe(0.4):
        scene.ask(
            draw.question(
                "{how is {the|this} " + BOARD + " doing|what's the {status|state|health} of {the|this} " + BOARD + "|"
                "is everything {ok|fine|alright|running well} {with|on} the board|"
                "what {can you tell me about this " + BOARD + "|are the specs of this " + BOARD + "}}"
            )
            if draw.maybe(0.6)
            else draw.order(
                "{{give me|show me} {a status report|a system summary|an overview of the system|the system status}|"
                "{check|report} the system {status|information|info|state}|do a health check}"
            )
        )
        scene.facts = readings(draw)
        facts = look(scene)
        hot = f"The CPU is at {facts[HOT]} °C, with" if HOT in facts else "There are"
        scene.say(f"{hot} {facts[MEMORY]} GB of memory and {facts[DISK]} GB of disk free.")
        return
    one, two = draw.sample([DISK, HOME, MEMORY, HOT, UPTIME], 2)
    labels = " and the ".join(draw.choice(LABELS[key]) for key in (one, two))
    scene.ask(draw.question("{what are|what's|tell me|report} the " + labels))
    facts = look(scene)
    scene.say(f"{first_up(clause(one, facts))} and {clause(two, facts)}.")


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
    if kind < 0.4:
        question = draw.of(
            f"how much {{space |}}of {the} is {{used|in use|taken|occupied|filled|already used}}",
            f"how many {{GB|gigabytes|gigs}} of {the} are {{used|in use|taken|occupied|full}}",
            f"what's the used {{space|amount}} on {the}",
            f"how much of {the} have we {{used|filled|used up}}",
        )
        expression, answer = f"{total} - {free}", f"{{}} GB of {name} are in use."
    elif kind < 0.6:
        question = draw.of(
            f"{{what percentage|what percent|how many percent|which percentage|what share}} of {the} {{is|are}} {{free|available|left|unused}}",
            f"what is the free share of {the} in percent",
        )
        expression, answer = f"round({free} / {total} * 100, 1)", f"{{}} percent of {name} is free."
    elif kind < 0.8:
        question = f"{{what percentage|what percent|how many percent}} of {the} {{is|are}} {{used|in use|full|taken}}"
        expression, answer = f"round(({total} - {free}) / {total} * 100, 1)", f"{{}} percent of {name} is in use."
    elif kind < 0.87:
        question = f"how many {{MB|megabytes}} of {the} are {{free|left|available}}"
        expression, answer = f"{free} * 1000", f"There are {{}} MB free on {name}."
    elif kind < 0.93:
        question = "how many {minutes|minutes} has {it|the board|the system} been {up|on|running}"
        expression, answer = f"{facts[UPTIME]} * 60", "The board has been up for {} minutes."
    else:
        while HOT not in facts:
            scene.facts = facts = readings(draw)
        question = "what's the {CPU|board|processor} temperature in {Fahrenheit|degrees F}"
        expression, answer = f"round({facts[HOT]} * 9 / 5 + 32, 1)", "The CPU temperature is {} °F."
    scene.ask(draw.question(question))
    look(scene)
    scene.say(answer.format(shown(scene.calculate(expression))))


@dataclass(frozen=True)
class Limit:
    """A comparison of a fact with a limit. `text`: the limit as said; `expression`: as calculated."""

    key: str
    operator: str
    text: str
    expression: str


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
            text, hours = draw.of(("a day", 24), ("one day", 24), ("two days", 48), ("a week", 168), ("an hour", 1), ("half a day", 12), ("three days", 72), ("half an hour", 0.5))  # fmt: skip
            return Limit(key, operator, text, f"{value} {operator} {hours}")
        number = draw.of(1, 2, 3, 5, 8, 10, 12, 24, 48, 72, 100, draw.randint(1, 300), max(1, round(value)))
        return Limit(
            key, operator, f"{number}{draw.of(' hours', 'h', ' hours', ' hrs')}", f"{value} {operator} {number}"
        )
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
    if kind < 0.25:
        text, size = draw.of(("half a gigabyte", 0.5), ("half a GB", 0.5), ("a gigabyte", 1), ("one and a half GB", 1.5), ("a quarter gigabyte", 0.25), ("a terabyte", 1000))  # fmt: skip
        return Limit(key, operator, text, f"{value} {operator} {size}")
    near = [max(1, round(value)), round(value + draw.uniform(-1, 1), 1) if value > 1.2 else 0.5]
    some = draw.of(1, 1, 2, 3, 4, 5, 6, 8, 10, 12, 15, 20, 25, 30, 50, 100, round(draw.uniform(0.1, 4), 1), *near)
    said = draw.wordy(some) if isinstance(some, int) else str(some)
    unit = (
        draw.of("GB", " GB", " GB", " gigs", " gigabytes", " gb", "gb", "G") if said.isdigit() or "." in said else " GB"
    )
    return Limit(key, operator, f"{said}{unit}", f"{value} {operator} {some}")


def condition(draw: Draw, test: Limit) -> str:
    """The comparison as a clause: "there is more than 1 GB free on /home"."""
    words, text = draw.choice(COMPARISONS[test.operator]), test.text
    if test.key == "cpu_count":
        return draw.of(
            f"there are {words} {text} CPU cores",
            f"the board has {words} {text} cores",
            f"{words} {text} CPUs are there",
        )
    if test.key == HOT:
        if test.operator in "<>" and draw.maybe(0.35):
            warmer = {">": draw.of("hotter", "warmer"), "<": draw.of("cooler", "colder")}[test.operator]
            return f"{draw.of('it', 'the CPU', 'the board', 'the chip', 'the processor')} is {warmer} than {text}"
        return f"the {draw.pick(draw.choice(LABELS[HOT]))} is {words} {text}"
    if test.key == UPTIME:
        it = draw.of("it", "the board", "the system")
        return draw.of(
            f"the uptime is {words} {text}", f"{it} has been {draw.of('up', 'on', 'running')} for {words} {text}"
        )
    where = draw.pick(
        {
            DISK: "{free|of free disk space|left on the disk|of disk space left|of storage free|free on the disk|"
            "free on the system disk}",
            HOME: "{free on /home|left on /home|of free space on /home|available in /home|of room in /home|"
            "free in the home folder}",
            MEMORY: "{of free memory|of RAM free|of memory left|of RAM available|of free RAM|of memory free}",
        }[test.key]
    )
    return draw.of(
        f"there's {words} {text} {where}",
        f"there is {words} {text} {where}",
        f"there are {words} {text} {where}",
        f"we have {words} {text} {where}",
        f"{words} {text} {draw.of('are', 'is')} {where.removeprefix('of ')}"
        if "of" not in where
        else f"we still have {words} {text} {where}",
        f"the {draw.pick(draw.choice(LABELS[test.key]))} is {words} {text}",
        f"{'/home' if test.key == HOME else 'the board'} has {words} {text} {draw.of('free', 'left') if test.key == HOME else where}",
    )


def threshold(scene: Scene) -> None:
    """If a fact is over a limit do one thing, otherwise another or nothing."""
    draw = scene.draw
    key = draw.choice(COMPARABLE)
    scene.facts = readings(draw)
    while key not in scene.facts:
        scene.facts = readings(draw)
    test = limit(draw, key, scene.facts)
    then, otherwise = _branches(draw)
    only = draw.maybe(0.2)
    when = condition(draw, test)
    if_ = draw.of("if", "if", "if", "when", "in case", "should it be that" if draw.maybe(0.2) else "if")
    check = draw.pick(
        "{check|look at|read|measure|get|see|have a look at} the "
        + draw.choice(LABELS.get(key, ["{number of cores|CPU count}"]))
    )
    kind = draw.random()
    if kind < 0.45:
        asked = check + draw.of(". ", ", ", ". ", ", then ", " and ")
        asked += f"{if_} {when}, {then.text}" if draw.maybe(0.75) else f"{then.text} {if_} {when}"
    elif kind < 0.75:
        asked = f"{if_} {when}, {then.text}"
    elif kind < 0.85 and not only:
        asked = f"{draw.of('is it true that ', 'do you see that ', 'check whether ', 'verify that ')}{when}"
        asked += draw.of("? If so, ", "; if yes, ", "? If yes, ", "; if so ") + then.text
    else:
        only_if = draw.of("only if", "but only if", "only when", "provided that", "if and only if", "as long as")
        asked = f"{then.text} {only_if if only else if_} {when}"
    if not only:
        asked += (
            draw.of(", ", "; ", ". ", ", ", ", ")
            + draw.of("otherwise", "otherwise", "else", "if not,", "or else", "in the other case")
            + " "
            + otherwise.text
        )
    scene.ask(draw.written(draw.of("", "", "", "", "please ", "hey, ") + asked + draw.of(".", ".", "", "!")))
    look(scene)
    holds = scene.calculate(test.expression)
    why = f"{first_up(clause(key, scene.facts))}, {OUTCOMES[test.operator, holds]} {test.text}, so "
    if not holds and only:
        scene.say(why + "I did nothing.")
        return
    action = then if holds else otherwise
    action.do(scene)
    scene.say(f"{why}{action.done}.")


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
        said = draw.of(
            f"is there {draw.of('enough space', 'room', 'space')} for {draw.of('', 'a file of ', 'another ')}{number} GB{draw.of('', ' of data', ' of photos', ' of music')} {where}",
            f"can I {draw.of('store', 'save', 'put')} {number} GB {draw.of('more', 'of data', 'of videos')} {where}",
            f"{draw.of('do', 'would')} {number} GB {draw.of('of data ', '')}fit {where}",
            f"will a {number} GB {draw.of('file', 'image', 'download', 'video')} fit {where}",
        )
    else:
        when = condition(draw, test)
        said = _inverted(draw, when)
    scene.ask(draw.question(said))
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
    if draw.maybe(0.45):
        scene.facts["cpu_count"] = cores = draw.of(1, 2, 4, 6, 8)
        scene.ask(
            draw.order(
                "{show|display|put} the {number|count} of {CPU cores|cores|CPUs|processors} {on the "
                + "matrix|on the LED matrix|on the display}"
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
    action = any_action(draw)
    scene.ask(
        draw.order(
            "{check|tell me|report|say|give me} the "
            + draw.choice(LABELS[key])
            + draw.of(" and ", " and then ", ", then ", " and ")
            + action.text
        )
    )
    look(scene)
    done = action.do(scene)
    scene.say(f"{sentence(key, scene.facts)[:-1]}, and {done[:1].lower()}{done[1:]}.")
