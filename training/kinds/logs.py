"""Logs and tables: what their numbers are, from `quantities.txt`, and what is asked about them."""
# ruff: noqa: E501 - a phrase with its alternatives stands on one line

from __future__ import annotations

from dataclasses import dataclass, replace

from training.draw import Draw
from training.kinds.actions import set_led, set_matrix
from training.kinds.facts import COMPARISONS, OUTCOMES, first_up
from training.kinds.names import LOGS, TABLES, a_path
from training.kinds.stories import NAMES, THINGS
from training.kinds.tables import rows_of
from training.kinds.texts import VALUES
from training.scene import Scene, shown


@dataclass(frozen=True)
class Quantity:
    """Something that is measured: between which numbers, and how people ask for it."""

    name: str
    low: float
    high: float
    digits: int
    how: list[str]
    most: list[str]
    least: list[str]
    device: str
    by: list[str]


def _quantity(row: str) -> Quantity:
    name, low, high, digits, how, most, least, device, by = row.split("|")
    hows, mosts, leasts = (part.split(";") for part in (how, most, least))
    return Quantity(name, float(low), float(high), int(digits), hows, mosts, leasts, device, by.split())


QUANTITIES = [_quantity(row) for row in rows_of("quantities.txt")]
_LISTED = Quantity("", 0, 0, 0, [], [], [], "", [])


@dataclass(frozen=True)
class Log:
    """A table of numbers: `labels` are times, days or names, empty where the lines have none; `by` tells which."""

    text: str
    quantity: str
    labels: list[str]
    values: list[str]
    by: str = ""
    asked: Quantity = _LISTED

    @property
    def numbers(self) -> list[float]:
        return [float(value) for value in self.values]

    def label(self, value: float) -> str:
        """What stands in front of a number."""
        return self.labels[self.numbers.index(value)]


_WEEK = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]
_ROOMS = ["kitchen", "cellar", "office", "hall", "attic", "bathroom", "garage", "library", "bedroom", "workshop", "lab", "gym"]  # fmt: skip
_HERBS = ["mint", "basil", "thyme", "parsley", "chives", "sage", "dill", "rosemary", "lavender", "cactus", "orchid", "fern", "ivy", "tomato", "pepper", "lemon"]  # fmt: skip
_FOOD = ["flour", "rice", "sugar", "salt", "milk", "pasta", "butter", "honey", "cocoa", "coffee", "tea", "cheese", "yogurt"]  # fmt: skip
_PLACES = [
    *("lab bench", "bench three", "greenhouse", "roof", "north wall", "server room", "room 12b", "window", "aquarium", "shed"),
    *("school yard", "balcony", "kitchen shelf", "science lab", "garden", "street side", "pond", "fourth station", "tank B"),
    *_ROOMS,
]  # fmt: skip


def _date(draw: Draw) -> str:
    day, month, year = draw.randint(1, 28), draw.randint(1, 12), draw.of(2025, 2026, 2026)
    # The template takes a number at the end of a line for one of the readings.
    return draw.of(
        f"{year}-{month:02d}-{day:02d}", f"{year}-{month:02d}-{day:02d}", f"{day} {VALUES['month'][month - 1]}"
    )


def _labels(draw: Draw, by: str, count: int) -> list[str]:
    if by == "time":
        step = draw.of(60, 90, 120, 180, 240, 30, 15, 10)
        start = draw.of(0, 5, 6, 6, 7, 8, 9, 9, 10, 12, 15) * 60 + draw.of(0, 0, 0, 30, 15)
        clock = [(start + place * step) % 1440 for place in range(count)]
        return [f"{minutes // 60:02d}:{minutes % 60:02d}" for minutes in clock]
    if by == "day":
        first, month = draw.randint(1, 20), draw.randint(1, 12)
        return draw.of(
            [day[:3] for day in _WEEK], _WEEK, _WEEK, [f"2026-{month:02d}-{first + at:02d}" for at in range(7)]
        )[:count]
    if by == "month":
        months, first = VALUES["month"], draw.of(0, 0, 2, 4)
        return [month[:3] if count % 2 else month for month in months[first : first + count]]
    return draw.sample({"room": _ROOMS, "plant": _HERBS, "person": NAMES}[by], count)


def log(draw: Draw, labelled: bool = False, headed: bool = False) -> Log:
    """Readings by time, day or name, or without labels. `headed`: above them the line that `<head>` stands for."""
    count = draw.of(2, 3, 3, 4, 4, 4, 5, 5, 6, 7)
    asked = QUANTITIES[0] if draw.maybe(0.2) else draw.choice(QUANTITIES)
    by = draw.choice(asked.by) if labelled or draw.maybe(0.83) else ""
    middle, spread = draw.uniform(asked.low, asked.high), (asked.high - asked.low) * draw.uniform(0.15, 0.5)
    values: list[str] = []
    while len(values) < count:
        number = draw.uniform(max(asked.low, middle - spread), min(asked.high, middle + spread))
        value = f"{number:.{asked.digits}f}"
        if value not in values:
            values.append(value)
        else:
            spread *= 1.1
    labels = _labels(draw, by, count) if by else []
    csv = bool(by) and draw.maybe(0.3)
    between = draw.of(",", ",", ", ") if csv else draw.of("  ", "  ", " ", " " if by == "time" else ": ", "\t")
    rows = [f"{label}{between}{value}" for label, value in zip(labels, values, strict=True)] if by else values
    name = asked.name if asked.name[1].isupper() else first_up(asked.name)
    title = draw.of(
        f"{name} log, {draw.choice(_PLACES)}, {_date(draw)}\n",
        f"{name}, {draw.choice(_PLACES)}\n",
        f"{name} log\n",
        f"# {asked.name} readings\n",
        f"{name} by {by}\n" if by else f"{name}\n",
        "",
    )
    if csv and draw.maybe(0.6):
        title = f"{by},{asked.name}\n"
    if headed:
        title = "<head>\n"
    return Log(title + "\n".join(rows) + "\n", asked.name, labels, values, by, asked)


def table(draw: Draw) -> Log:
    """Parts and how many there are of each, or prices, points, plants in pots, supplies."""
    count = draw.randint(2, 7)
    what = draw.of("parts", "parts", "prices", "points", "plants", "supplies", "votes")
    pool = {"points": NAMES, "votes": NAMES, "plants": _HERBS, "supplies": _FOOD}.get(what, THINGS)
    names = draw.sample(pool, count)
    if what == "prices":
        values = [f"{draw.uniform(0.2, 60):.2f}" for _ in names]
    else:
        values = [str(number) for number in draw.sample(range(1, 200), count)]
    between = draw.of(" ", " ", ": ", ",", "  ", "\t")
    title = draw.of("", "", f"{what.capitalize()}\n", f"# {what}\n", f"{what.capitalize()} in May\n")
    return Log(
        title + "\n".join(f"{a}{between}{b}" for a, b in zip(names, values, strict=True)) + "\n", what, names, values
    )


def _kept(draw: Draw, listed: float, labelled: bool = False) -> tuple[bool, Log, str, str]:
    """A table as often as `listed`, else a log; its path and what it is called."""
    if draw.maybe(listed):
        kept, path = table(draw), a_path(draw, TABLES)
        return True, kept, path, _where(draw, path)
    kept, path = log(draw, labelled), a_path(draw, LOGS, ["readings.txt"])
    return False, kept, path, _where(draw, path)


def read(scene: Scene) -> None:
    """All that a log or a table says."""
    draw = scene.draw
    _, kept, path, where = _kept(draw, 0.4, labelled=draw.maybe(0.8))
    scene.ask(
        draw.of(
            draw.order(f"{{read|open|show me|print|show|cat|display|read out|type|output|read me}} {where}"),
            draw.question(f"what {{does {where} say|is in {where}|stands in {where}|does {where} contain|do we have in {where}}}"),
            draw.order(f"{{show me|give me|read out|let me see|tell me}} {{all numbers|all values|everything|all entries|the contents|all lines}} {{in|of|from}} {where}"),
        )
    )  # fmt: skip
    _opened(scene, path, kept)
    scene.say(whole(path, kept))


def _where(draw: Draw, path: str) -> str:
    if path == "readings.txt" and draw.maybe(0.35):
        return draw.pick("the {log|readings|log file|readings file|measurements|recorded values}")
    return draw.of(path, path, path, path, f"the file {path}")


def _opened(scene: Scene, path: str, kept: Log) -> None:
    scene.file(path, kept.text)
    scene.call("read_file", path=path)


_ACCORDING = "{in|according to|if I can believe|going by|as stated in}"


def value_at(scene: Scene) -> None:
    """The number of one time, day or name."""
    draw = scene.draw
    _, kept, path, where = _kept(draw, 0.3, labelled=True)
    at = draw.randrange(len(kept.values))
    said = _spoken(draw, kept.labels[at])
    question = value_question(draw, kept, said)
    asked = draw.random()
    if asked < 0.25:
        # The file is named once: "read readings.txt: what was the value at 12:00?"
        scene.ask(
            draw.order(
                f"{{read|open|look in|look into|check|take|use}} {where}{draw.of('. ', ': ', ' and tell me: ', ' and say ', ' and tell me ')}{question}?"
            ).replace("??", "?")
        )
    elif asked < 0.55:
        question = draw.of(
            f"what does {where} {{say|tell|tell me|give|show}} {{for|about}} {said}",
            f"{where} has {{a row|a line|an entry}} for {said}. {{Which|What}} number {{stands there|is it|is there}}",
            f"from {where} I need the {{value|number|entry}} {{of|for}} {said}",
            f"in {where}, {{what stands|which number stands|what is written}} {{next to|behind|after|beside}} {said}",
            f"{{which|what}} {{number|value}} does {where} {{give|have|show|list}} for {said}",
            f"the {{entry|row|line}} {{of|for}} {said} in {where}: {question if draw.maybe(0.5) else 'what is the {value|number}'}",
        )
        look = f"{{look up|find|tell me}} {{the value of|the number for|the entry of}} {said} {{in|from}} {where}"
        if draw.maybe(0.85):
            scene.ask(draw.question(question))
        else:
            question = look
            scene.ask(draw.order(look))
    else:
        scene.ask(
            draw.question(
                f"{question} {_ACCORDING} {where}" if draw.maybe(0.8) else f"{_ACCORDING} {where}, {question}"
            )
        )
    _opened(scene, path, kept)
    scene.say(entry(kept, at, question))


def _time(kept: Log, label: str) -> str:
    """When or where an entry was taken."""
    return {"time": "at ", "day": "on ", "month": "in ", "room": "in the "}.get(kept.by, "for ") + label


def value_question(draw: Draw, kept: Log, said: str) -> str:
    """What the entry `said` is, without the file's name."""
    if kept.by:
        when = _time(kept, said)
        return draw.pick(
            draw.of(
                f"what {{was|is}} the {{{kept.quantity}|{kept.quantity}|value|reading}} {when}",
                f"what {{was|is}} the {kept.quantity} {when}",
                f"what did the {kept.asked.device} {{show|read|say|measure|tell}} {when}",
                f"{draw.choice(kept.asked.how)} {when}",
                f"{draw.choice(kept.asked.how)} {when}",
                f"{{what was|which {kept.quantity} was}} {{measured|recorded|noted}} {when}",
                f"{{which|what}} {kept.quantity} {{did we have|had we|was there}} {when}",
            )
        )
    return draw.pick(
        {
            "parts": f"how many {said} {{are there|do we have|have we got|are left|are listed|can I use}}",
            "prices": f"{{what do {said} cost|what is the price of {said}|how much are {said}|how expensive are {said}|what do I pay for {said}}}",
            "points": f"{{how many points does {said} have|what did {said} score|what is the score of {said}|how many points did {said} get}}",
            "votes": f"{{how many votes did {said} get|how many votes are there for {said}|how many people voted for {said}}}",
            "plants": f"{{how much {said} is there|how many pots of {said} are there|how many {said} plants do we have|how much {said} have we got}}",
            "supplies": f"{{how much {said} is there|how much {said} do we have|how much {said} is left|what is the amount of {said}}}",
        }[kept.quantity]
    )


def _spoken(draw: Draw, label: str) -> str:
    """A time as people may say it: 9 o'clock, noon, 3 pm; anything else as it is."""
    hour, colon, minute = label.partition(":")
    if not colon or minute != "00" or draw.maybe(0.7):
        return label
    number = int(hour)
    half = f"{number % 12 or 12} {'pm' if number >= 12 else 'am'}"
    if number in (0, 12):
        return draw.of("noon", "12 o'clock", "midday") if number else "midnight"
    return draw.of(f"{number} o'clock", half, half.replace(" ", ""), f"{number}:00")


# What tells that the numbers of a table are prices, points or votes.
_TOLD: dict[str, tuple[tuple[str, ...], str]] = {
    "prices": (("price", "cost", "pay", "expensive", "how much are"), "price is"),
    "points": (("point", "score"), "points are"),
    "votes": (("vote",), "votes are"),
}


def entry(kept: Log, at: int, question: str) -> str:
    """An entry in a sentence; what was measured is named if the file or the question tells it."""
    label, value = kept.labels[at], kept.values[at]
    heard = f"{kept.text} {question}".lower()
    if kept.by:
        told = (kept.quantity, kept.asked.device, *kept.asked.how)
        noun = kept.quantity if any(one.lower() in heard for one in told) else "value"
        return f"{label} {value}: {_time(kept, label)} the {noun} was {value}."
    if kept.quantity == "parts":
        return f"{label} {value}: there are {value} {label}."
    told, words = _TOLD.get(kept.quantity, ((), ""))
    return f"{label} {value}: the {words if any(one in heard for one in told) else 'number is'} {value}."


def whole(path: str, kept: Log) -> str:
    """All the numbers of a log with what stands before them."""
    entries = kept.values
    if kept.labels:
        entries = [f"{label} {value}" for label, value in zip(kept.labels, kept.values, strict=True)]
    return f"{path} says: {', '.join(entries)}."


def head(scene: Scene) -> None:
    """What stands above the numbers: what was measured, where, on which day, by whom, with what."""
    draw = scene.draw
    kept = log(draw, labelled=True, headed=True)
    path = a_path(draw, LOGS, ["readings.txt"])
    where, name, values = _where(draw, path), kept.quantity, "{values|readings|numbers|measurements|data}"
    values = draw.of(values, values, f"{name} {{values|readings|measurements}}")
    known = {
        "what": draw.of(f"{name} log", f"{name} readings", name, f"log of the {name}"),
        "where": draw.choice(_PLACES),
        "date": _date(draw),
        "who": f"{draw.of('measured', 'taken', 'noted')} by {draw.choice(NAMES)}",
        "device": draw.of("with ", "sensor: ", "device: ") + draw.of(kept.asked.device, "BME280", "DHT22", "SHT31", "a probe"),
    }  # fmt: skip
    named = ["what", *(one for one in ("where", "date", "who", "device") if draw.maybe(0.55))]
    line = ", ".join(known[one] for one in named)
    kept = replace(kept, text=kept.text.replace("<head>", draw.of("", "", "# ") + first_up(line)))
    asked = {
        "what": [
            f"what {{do the numbers in {where} tell|was measured in {where}|is recorded in {where}|kind of {values} {{are|stand}} in {where}}}",
            f"what {{is {where} about|are the {values} in {where} about|does {where} keep a record of}}",
        ],
        "where": [
            f"where {{were|was}} the {values} in {where} {{taken|measured|recorded}}",
            f"{{at|in}} {{which|what}} {{place|spot|location}} were the {values} in {where} {{taken|measured|made}}",
            f"where do the {values} in {where} come from",
            f"which {{place|location|spot}} {{does {where} name|is {where} about|is named in {where}}}",
        ],
        "date": [
            f"{{from|of}} {{which|what}} {{day|date}} {{are|were}} the {values} in {where}",
            f"on {{which|what}} {{day|date}} {{were|was}} the {values} in {where} {{taken|measured|recorded|noted}}",
            f"what {{date|day}} {{stands in|is given in|is noted in|does one find in}} {where}",
            f"{{what is the date|which day is it}} of the {values} in {where}",
            f"how old are the {values} in {where}: which date do they have",
        ],
        "who": [
            f"who {{measured|took|noted|recorded|wrote down}} the {values} in {where}",
            f"{{by whom were|whose are}} the {values} in {where}",
            f"who {{made|wrote|kept}} {{the list in |}}{where}",
        ],
        "device": [
            f"{{with|by}} {{which|what}} {{device|sensor|instrument}} were the {values} in {where} {{taken|measured|made}}",
            f"{{which|what}} {{sensor|instrument|device}} {{was used for|gave|delivered}} the {values} in {where}",
        ],
    }[draw.choice(named)]
    scene.ask(draw.question(draw.choice(asked)))
    _opened(scene, path, kept)
    scene.say(f"{path} says: {first_up(line)}.")


def two_values(scene: Scene) -> None:
    """By how much two entries differ, or what they are together."""
    draw = scene.draw
    listed, kept, path, where = _kept(draw, 0.35, labelled=True)
    one, two = draw.sample(range(len(kept.values)), 2)
    a, b = float(kept.values[one]), float(kept.values[two])
    first, second = kept.labels[one], kept.labels[two]
    on = _time(kept, "").strip() if kept.by else "for"
    noun = draw.of(kept.quantity, "values", "readings") if not listed else "numbers"
    apart = draw.maybe(0.4 if listed else 0.8)
    if apart:
        scene.ask(
            draw.question(
                draw.of(
                    f"{{by how much|how much}} do the {noun} {on} {first} and {second} {_ACCORDING} {where} differ",
                    f"what is the difference between {first} and {second} {_ACCORDING} {where}",
                    f"how far apart are {{the {noun} of |}}{first} and {second} {_ACCORDING} {where}",
                    f"in {where}, {{by how much do {first} and {second} differ|how far apart are {first} and {second}|what is the gap between {first} and {second}}}",
                    f"read {where}: what is the {{difference|distance|gap}} between {first} and {second}",
                    f"how much {{{'higher|more' if b > a else 'lower|less'}}} {{is|was}} {{it {on} |}}{second} than {{{on} |}}{first} {_ACCORDING} {where}"
                    if not listed
                    else f"how many more or less {{are there|has it}} of {second} than of {first} in {where}",
                )
            )
        )
        large, small = (one, two) if a > b else (two, one)
        expression = f"{kept.values[large]} - {kept.values[small]}"
    else:
        scene.ask(
            draw.of(
                draw.question(f"{{what are|how much are|how many are|what do we get with}} {first} and {second} {{together|added up|in sum|summed up}} {_ACCORDING} {where}"),
                draw.question(f"{first} plus {second} {_ACCORDING} {where}{{, how much is that| is how much|}}"),
                draw.order(f"{{add|add up|sum up}} {first} and {second} {{from|of|in}} {where}"),
                draw.question(f"{{what is the sum of|what's the total of}} {first} and {second} in {where}"),
                draw.order(f"{{read|open|look into}} {where} and add {{{first} and {second}|{second} to {first}}}".replace(f"{second} to {first}", f"{first} to {second}")),
            )
        )  # fmt: skip
        expression = f"{kept.values[one]} + {kept.values[two]}"
    result = scene_after(scene, path, kept, expression)
    if draw.maybe(0.5):
        scene.say(f"The difference is {result}." if apart else f"Together they are {result}.")


def scene_after(scene: Scene, path: str, kept: Log, expression: str) -> str:
    """Read the file and calculate; the result as text."""
    _opened(scene, path, kept)
    return shown(scene.calculate(expression))


def extreme(scene: Scene) -> None:
    """The largest or smallest number, or when it was."""
    draw = scene.draw
    when = draw.maybe(0.45)
    listed, kept, path, where = _kept(draw, 0.22, labelled=when)
    most = draw.maybe(0.5)
    number = max(kept.numbers) if most else min(kept.numbers)
    value = kept.values[kept.numbers.index(number)]
    noun = draw.of(kept.quantity, kept.quantity, "value", "reading", "number", "entry") if not listed else draw.of("number", "value", "entry")  # fmt: skip
    word = draw.of("highest", "largest", "maximum", "biggest", "peak", "greatest", "top") if most else draw.of("lowest", "smallest", "minimum", "least")  # fmt: skip
    simple = "highest" if most else "lowest"
    if when:
        scene.ask(draw.question(f"{_when_question(draw, kept, most, word, noun)} {_ACCORDING} {where}" if draw.maybe(0.8) else f"in {where}, {_when_question(draw, kept, most, word, noun)}"))  # fmt: skip
        _opened(scene, path, kept)
        scene.say(f"The {'most' if most else 'least'} is {value} ({kept.label(number)}).")
        return
    scene.ask(
        draw.of(
            draw.question(f"what {{is|was}} the {word} {noun} {{in|of|from|recorded in|listed in|noted in}} {where}"),
            draw.question(f"{{which|what}} is the {word} {noun} {_ACCORDING} {where}"),
            draw.order(f"{{find|tell me|give me|look up|search for}} the {word} {noun} in {where}"),
            draw.order(f"{{read|open|check|look into|go through}} {where} {{and tell me|and find|and give me}} the {word} {noun}"),
            draw.question(f"how {'high' if most else 'low'} did {f'the {kept.quantity}' if not listed else 'it'} {{go|get|{'rise|climb' if most else 'fall|drop|sink'}}} {_ACCORDING} {where}"),
            draw.question(f"what {{is|was}} the {{{'maximum|peak|top value|record' if most else 'minimum|low point|bottom value'}}}{' recorded' if draw.maybe(0.3) else ''} in {where}"),
            draw.question(f"{{among|of all}} the {{numbers|values}} in {where}, which is the {simple}"),
        )
    )  # fmt: skip
    _opened(scene, path, kept)
    scene.say(f"The {simple} is {value}.")


def _when_question(draw: Draw, kept: Log, most: bool, word: str, noun: str) -> str:
    """When, where or for whom the number was largest or smallest."""
    simple = "highest" if most else "lowest"
    if not kept.by:
        one = {"points": "person", "votes": "person", "plants": "plant", "prices": "thing"}.get(kept.quantity, "item")
        return draw.pick(
            draw.of(
                f"{{which|what}} {{entry|one|{one}|{one}}} has the {word} {{number|value}}",
                f"{{which|what}} {{entry|{one}}} {{has|comes with}} the {{{'most' if most else 'least'}|{simple} number}}",
                f"{{who|which {one}}} {{is {'on top|in the lead' if most else 'at the bottom|last'}|has {'most' if most else 'fewest'} {kept.quantity}}}"
                if one == "person"
                else f"{{what|which {one}}} {'is the most expensive' if most else 'is the cheapest'}"
                if one == "thing"
                else f"{{what|which {one}}} {{do we have|is there}} {'most' if most else 'least'} of",
            )
        )
    which = {
        "time": "{when|at what time|at which time|at which time of the day}",
        "day": "{when|on which day|what day}",
        "month": "{when|in which month}",
        "room": "{where|in which room}",
        "plant": "for which plant",
        "person": "for {whom|which person}",
    }[kept.by]
    clause = draw.choice(kept.asked.most if most else kept.asked.least)
    asked = [
        f"{which} {clause}",
        f"{which} {clause}",
        f"{which} was the {kept.quantity} {simple}",
        f"{which} was the {word} {noun} {{measured|recorded|taken|noted|}}",
        f"{which} did the {kept.quantity} {{{'have its peak|reach its maximum' if most else 'reach its minimum|have its low'}}}",
    ]
    if kept.by in ("person", "plant", "room"):
        asked.append(f"which {kept.by} has the {word} {kept.quantity}")
    return draw.pick(draw.choice(asked))


def count_numbers(scene: Scene) -> None:
    """How many entries, or how many above or below a limit."""
    draw = scene.draw
    listed, kept, path, where = _kept(draw, 0.35)
    if draw.maybe(0.45):
        limit = _limit(draw, kept)
        below = draw.maybe(0.4)
        count = sum(number < float(limit) if below else number > float(limit) for number in kept.numbers)
        noun = draw.of("readings", "values", "numbers", "entries", "rows", "measurements")
        words = (
            ["below", "under", "less than", "lower than", "smaller than"]
            if below
            else ["above", "over", "higher than", "greater than", "more than", "larger than"]
        )
        if float(limit) not in kept.numbers:
            words.append("at most" if below else "at least")
        word = draw.choice(words)
        verb = draw.of("lie", "stay", "fall") if below else draw.of("exceed", "lie above", "are beyond", "go over", "pass")  # fmt: skip
        verb = f"{verb} below" if below else verb
        scene.ask(
            draw.of(
                draw.question(f"how many {{of the |}}{noun} {{in|of}} {where} are {word} {limit}"),
                draw.question(f"how many {{of the |}}{noun} in {where} {verb} {limit}"),
                draw.order(f"count the {noun} {word} {limit} in {where}"),
                draw.question(f"how {{often|many times}} {{was it|is the {'number' if listed else kept.quantity}|was the value}} {word} {limit} {_ACCORDING} {where}"),
                draw.question(f"in {where}, how many {{{noun}|of them}} are {word} {limit}"),
                draw.order(f"{{read|open|check}} {where} and {{count|tell me}} how many {noun} are {word} {limit}"),
            )
        )  # fmt: skip
        _opened(scene, path, kept)
        scene.say(f"{count} of {len(kept.values)} {'is' if count == 1 else 'are'} {'below' if below else 'above'} {limit}.")  # fmt: skip
        return
    nouns = draw.of(
        "readings",
        "values",
        "measurements",
        "measurements",
        "entries",
        "data points",
        "numbers",
        "data rows",
        "records",
    )
    if listed:
        nouns = {
            "parts": draw.of("different parts", "kinds of parts", "items", "entries", "different things", "rows of parts"),
            "plants": draw.of("plants", "kinds of plants", "entries", "different plants"),
            "points": draw.of("people", "names", "players", "entries"),
            "votes": draw.of("people", "names", "candidates", "entries"),
        }.get(kept.quantity, draw.of("entries", "items", "products", "things"))  # fmt: skip
    often = f"how {{often|many times}} {{was it measured|was the {kept.quantity} measured|did someone measure}} {_ACCORDING} {where}"
    scene.ask(
        draw.question(often)
        if nouns == "measurements" and draw.maybe(0.7)
        else draw.of(
            draw.question(
                f"how many {nouns} {{are in {where}|are there in {where}|does {where} {{contain|have|list|hold|show}}|are {{stored|listed|named|noted}} in {where}|has {where}}}"
            ),
            draw.question(f"how many {nouns} are {{on the list|listed|recorded|there}} {_ACCORDING} {where}"),
            draw.order(f"count the {nouns} in {where}"),
            draw.question(f"{{what is|tell me}} the number of {nouns} in {where}"),
            draw.order(f"{{read|open|check}} {where} and {{count the {nouns}|tell me how many {nouns} it has}}"),
            draw.question(f"{where}: how many {nouns}{{ are in it| is that|}}"),
        )
    )
    _opened(scene, path, kept)
    scene.say(f"There are {len(kept.values)} {nouns} in {path}.")


def _limit(draw: Draw, kept: Log) -> str:
    """Some number amid those of a log; at least two digits, for smaller ones may be anything."""
    low, high = min(kept.numbers), max(kept.numbers)
    number = draw.uniform(low, high)
    if number < 11:
        return f"{number:.1f}"
    step = draw.of(1, 5, 10) if high < 200 else draw.of(1, 10, 50) if high < 2000 else draw.of(100, 500, 1000)
    return draw.of(str(max(10, round(number / step) * step)), f"{number:.1f}" if "." in kept.values[0] else str(round(number)))  # fmt: skip


def total(scene: Scene) -> None:
    """Average, sum or range."""
    draw = scene.draw
    listed, kept, path, where = _kept(draw, 0.3)
    values = ", ".join(kept.values)
    noun = draw.of(kept.quantity, kept.quantity, "value", "reading", "") if not listed else draw.of("number", "value")
    kind = draw.random()
    if kind < (0.25 if listed else 0.55):
        how = draw.choice(kept.asked.how) if kept.asked.how else "how much was it"
        scene.ask(
            draw.of(
                draw.question(f"what {{is|was}} the {{average|mean}} {noun} {{in|from|of|recorded in}} {where}"),
                draw.order(
                    f"{{calculate|compute|work out|give me|find|tell me|determine}} the {{average|mean}} {{of|of all values in|in|of the numbers in}} {where}"
                ),
                draw.question(f"{how} on average {_ACCORDING} {where}"),
                draw.order(f"{{read|open|take}} {where} and {{compute|calculate|tell me|work out}} the {{average|mean|mean value}}"),
                draw.order(f"average {{the values in|the numbers of|}} {where}"),
                draw.question(f"{{on average, {how}? {{look in|see|read}} {where}|what do the values in {where} average to|the mean of {where} is what}}"),
                draw.order(f"{{take|form|build}} the {{mean|average}} of {{everything|all numbers|the values}} in {where}"),
            )
        )  # fmt: skip
        subject, expression = "average", f"mean({values})"
    elif kind < 0.85:
        sums = [
            f"what {{is|are}} the {{sum|total}} of {{the values|all numbers|all entries|the numbers}} {{in|from}} {where}",
            f"{{add up|sum up|total}} {{all {{the|}} values in|all numbers in|everything in|the numbers from}} {where}",
            f"{{what|how much}} {{do|would}} {{the|all}} {{numbers|values|entries}} {{of|in}} {where} {{add up to|make together|give in sum|come to}}",
            f"{{read|open|take}} {where} and {{add everything up|add all numbers|sum everything up|tell me the total|tell me the sum}}",
            f"{{the grand total of|the sum over}} {where}",
        ]
        if kept.quantity in ("parts", "plants", "votes", "points"):
            things = "{parts|things|pieces|items}" if kept.quantity == "parts" else kept.quantity
            sums += [
                f"how many {things} {{are there|do we have|is that}} {{altogether|in total|in all|all together}} {_ACCORDING} {where}",
                f"all {things} in {where} together, how many are that",
            ]
        if kept.quantity in ("rainfall", "visitors", "sales", "step count", "traffic"):
            sums.append(f"{draw.choice(kept.asked.how)} {{altogether|in total|in all}} {_ACCORDING} {where}")
        scene.ask(draw.question(draw.choice(sums)))
        subject, expression = "sum", f"sum({values})"
    else:
        spread = "{range|spread|gap|difference|distance}"
        scene.ask(
            draw.question(
                draw.of(
                    f"what's the {{difference between the highest and {{the |}}lowest {noun}|range|spread of the values}} in {where}",
                    f"what is the {spread} between {{{{the |}}largest and {{the |}}smallest {noun}|maximum and minimum|{{the |}}lowest and {{the |}}highest {noun}}} {_ACCORDING} {where}",
                    f"how far apart are {{the highest and the lowest {noun}|the extremes|maximum and minimum}} in {where}",
                    f"by how much do the {{largest and the smallest|highest and the lowest}} {noun} in {where} differ",
                )
            )
        )
        largest, smallest = (kept.values[kept.numbers.index(pick(kept.numbers))] for pick in (max, min))
        subject, expression = "difference", f"{largest} - {smallest}"
    result = scene_after(scene, path, kept, expression)
    if draw.maybe(0.5):
        scene.say(f"The {subject} is {result}.")


def log_threshold(scene: Scene) -> None:
    """If the average, the highest or the lowest is over a limit, do one thing, otherwise another."""
    draw = scene.draw
    _, kept, path, where = _kept(draw, 0)
    operator = draw.of(">", ">", "<", ">=")
    limit = _limit(draw, kept)
    one, two = draw.of(("check", "x"), ("smiley", "x"), ("x", "check"), ("1", "0"), ("smiley", "off"))
    if draw.maybe(0.35):
        then, otherwise = set_led(draw, True), set_led(draw, False)
    else:
        then, otherwise = set_matrix(draw, one), set_matrix(draw, two)
    measure = draw.of("average", "average", "average", "mean", "highest", "lowest")
    word = measure if measure in ("average", "mean") else draw.of(measure, *(("maximum", "largest") if measure == "highest" else ("minimum", "smallest")))  # fmt: skip
    noun = draw.of(kept.quantity, "value", "") if measure in ("average", "mean") else draw.of(kept.quantity, "value")
    unit = draw.of("", " degrees") if kept.quantity == "temperature" else ""
    over = draw.choice(COMPARISONS[operator][:4])
    what = draw.of(f"the {word} {noun} {{in|of|from}} {where}", f"the {word} {noun} {{in|of|from}} {where}", f"in {where} the {word} {noun}")  # fmt: skip
    condition = draw.of(f"if {what} is {over} {limit}{unit}", f"if {what} is {over} {limit}{unit}", f"{{in case|when|provided that}} {what} is {over} {limit}{unit}")  # fmt: skip
    if operator == ">" and draw.maybe(0.25):
        condition = f"if {what} {{exceeds|goes over|passes|lies above}} {limit}{unit}"
    elif draw.maybe(0.15):
        condition = f"should {what} be {over} {limit}{unit}"
    otherwise_ = draw.of("otherwise", "else", "if not,", "or else", "and if not,")
    first = f"{condition}, {then.text}, {otherwise_} {otherwise.text}"
    opening = draw.of(*[""] * 6, "please, ", "hey, ", "ok, ", "now: ", "here is a task: ")
    scene.ask(
        draw.of(
            draw.written(draw.pick(opening + first + "{||.|.| please|!}")),
            draw.written(draw.pick(opening + first + "{||.|.| please|!}")),
            draw.order(f"{then.text} {condition}, {otherwise_} {otherwise.text}"),
            draw.order(f"{{read|open|check|look into}} {where}: {first.replace(where, 'it')}"),
        )
    )
    _opened(scene, path, kept)
    if measure in ("average", "mean"):
        left, subject = f"mean({', '.join(kept.values)})", "average"
    else:
        pick = max if measure == "highest" else min
        left, subject = kept.values[kept.numbers.index(pick(kept.numbers))], measure
    holds = scene.calculate(f"{left} {operator} {limit}")
    action = then if holds else otherwise
    action.do(scene)
    scene.say(f"The {subject} is {OUTCOMES[operator, holds]} {limit}, so {action.done}.")
