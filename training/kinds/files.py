"""The workspace: what is in it, what a text says, what the numbers of a log are, and names that are not quite right."""
# ruff: noqa: E501 - a phrase with its alternatives stands on one line

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from training.draw import Draw, enumerated
from training.kinds.actions import set_led, set_matrix
from training.kinds.facts import COMPARISONS, OUTCOMES
from training.kinds.stories import NAMES, THINGS
from training.scene import Scene, shown

TEXTS = [
    "notes.txt",
    "todo.txt",
    "README.md",
    "plan.txt",
    "ideas.txt",
    "meeting.txt",
    "pinout.txt",
    "report.md",
    "diary.txt",
    "contacts.txt",
    "wifi.txt",
    "history.txt",
    "recipe.txt",
    "setup.cfg",
    "help.txt",
    "journal.txt",
]
LOGS = [
    "readings.txt",
    "log.txt",
    "temps.txt",
    "data.csv",
    "sensors.csv",
    "measure.log",
    "battery.txt",
    "weather.txt",
    "humidity.txt",
]
TABLES = ["parts.txt", "inventory.csv", "shopping.txt", "stock.txt", "prices.txt", "inventory.txt", "scores.txt"]
OTHERS = ["main.py", "blink.ino", "errors.log", "config.json", "photo.png"]
FOLDERS = ["logs", "data", "docs", "projects", "src", "backup", "images", "tests", "old", "music", "reports"]
SEVERAL = 7


def list_folder(scene: Scene) -> None:
    """What is there, or how many."""
    draw = scene.draw
    names = sorted(draw.sample(TEXTS + LOGS + TABLES + OTHERS, draw.of(0, 1, 2, 2, 2, 3, 3, 4, 5, 6)))
    folder = draw.choice(FOLDERS) if draw.maybe(0.35) else ""
    counted = draw.maybe(0.4)
    for name in names:
        scene.file(f"{folder}/{name}" if folder else name, "text\n")
    exists = bool(names) or not folder
    if folder:
        the = f"{{the folder {folder}|the {folder} folder|{folder}|the {folder} directory|folder {folder}}}"
        asked = draw.of(
            draw.question(f"what's in {the}"),
            draw.order(f"{{list|show|display}} {{the files in|what's in|everything in|what is in}} {the}"),
            draw.question(f"which files are in {the}"),
        )
        if counted:
            asked = draw.question(
                f"how many {{files|entries|things}} {{are in {the}|does {the} have|are there in {the}}}"
            )
    elif counted:
        asked = draw.of(
            draw.question(
                "how many {files|entries} {are there|are in the {workspace|folder|directory}|do we have|do you have|"
                "are here|have you saved|can you see|does {the|your} {folder|workspace} {have|hold|contain}}"
            ),
            draw.question("{what's the number of files|tell me the file count}"),
            draw.order("count {the|my|your|all} files{ in the workspace|}"),
        )
    else:
        asked = draw.of(
            draw.question(
                "{what|which} files {are there|do you have|do I have|are here|are in {the|your} {workspace|folder}|can you see}"
            ),
            draw.order(
                "{list|show me|show|display|give me} {all |}{files|the workspace|the directory|files here|"
                "file names|the contents of the workspace}"
            ),
            draw.question("what's in {the workspace|your workspace|this folder|the folder|here|the working directory}"),
            draw.question("{do we have|are there} {any|some} files {here|in the workspace|}"),
            draw.of("ls", "dir", "files?", "list files"),
            draw.question(
                "what {do you have {saved|stored|} in {the|your} {workspace|folder}|is stored {here|in the workspace}}"
            ),
        )
    scene.ask(asked)
    result = scene.call("list_files", path=folder or ".")
    where = folder or "the workspace"
    if not exists:
        scene.say(f"There is no folder {folder} in the workspace.")
    elif counted:
        scene.say(_count(len(names), where))
    else:
        entries = result["entries"]
        if not entries:
            scene.say(f"There are no files in {where}; it is empty.")
        else:
            scene.say(
                f"The files in {where} are {enumerated(entries)}."
                if len(entries) > 1
                else f"The only file in {where} is {entries[0]}."
            )


def _count(number: int, where: str) -> str:
    return f"There is 1 file in {where}." if number == 1 else f"There are {number or 'no'} files in {where}."


def count_and_show(scene: Scene) -> None:
    """The number of files on the matrix."""
    draw = scene.draw
    names = sorted(draw.sample(TEXTS + LOGS + TABLES + OTHERS, draw.randint(1, 9)))
    folder = draw.choice(FOLDERS) if draw.maybe(0.45) else ""
    for name in names:
        scene.file(f"{folder}/{name}" if folder else name, "text\n")
    where = f"in {{the folder {folder}|{folder}|the {folder} folder}}" if folder else "{in the workspace|here|}"
    scene.ask(
        draw.order(
            draw.of(
                "{show|display|put} the number of files " + where + " on the {matrix|LED matrix|display}",
                "count {the|all|my} files "
                + where
                + " and {show|display|put} the {number|count|result} on the {matrix|display}",
                "{show|display} on the matrix how many files there are " + where,
            )
        )
    )
    count = len(scene.call("list_files", path=folder or ".")["entries"])
    set_matrix(draw, str(count)).do(scene)
    scene.say(
        f"There {'is' if count == 1 else 'are'} {count} file{'' if count == 1 else 's'}, and the matrix now shows {count}."
    )


@dataclass(frozen=True)
class Line:
    """A line of a text, what may be asked about it, and what it says in answer."""

    text: str
    questions: Sequence[str]
    answer: str


def line(draw: Draw) -> Line:
    """Something that a note may say."""
    thing = draw.of(
        "Raspberry Pi 5", "UNO R4", "Nano ESP32", "Portenta H7", "new controller", "weather station", "robot arm", "gateway",
        "Mega board", "Giga R1", "lab printer", "drone", "greenhouse kit", "test rig", "data logger", "pump station", "3D printer",
    )  # fmt: skip
    chips = [
        "a Renesas RA4M1", "an ESP32-S3", "a Cortex-M7", "a quad-core CPU", "a BME280 sensor", "an STM32H747", "an OLED screen",
        "a 4G modem", "a SAMD21", "a Broadcom BCM2712", "a LoRa radio", "an RP2040", "a Wi-Fi module", "a camera", "an accelerometer",
    ]  # fmt: skip
    one, two = draw.sample(chips, 2)
    who, whom = draw.sample(NAMES, 2)
    day = draw.of("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
    place = draw.of(
        "drawer 3", "the blue box", "the lab shelf", "room 204", "the top cabinet", "the red toolbox", "the garage"
    )
    number = draw.randint(2, 500)
    duty = draw.of(
        "blinks the LED",
        "runs Zephyr",
        "reads the sensors",
        "talks to the cloud",
        "drives the motors",
        "runs Linux",
        "stores the data",
        "draws the pictures",
        "keeps the time",
    )
    verb = duty.split()[0]
    rest = duty.partition(" ")[2]
    key, value = draw.of(
        ("Owner", who), ("Supplier", draw.of("Mouser", "Conrad", "Farnell", "Reichelt")), ("Serial number", f"SN-{draw.randint(1000, 9999)}"),
        ("Version", f"{draw.randint(1, 9)}.{draw.randint(0, 20)}"), ("License", draw.of("MIT", "GPL", "Apache 2.0")), ("Budget", f"{number} euros"),
        ("Author", who), ("Case color", draw.of("black", "white", "green", "red", "grey")), ("Phone", str(draw.randint(100, 9999))),
        ("Weight", f"{number} g"), ("Sample rate", f"{number} Hz"), ("Number of pins", str(number)), ("Fuse", f"{draw.randint(1, 16)} A"),
        ("Backup", day), ("Technician", f"{who}, room {number}"), ("Address", f"192.168.1.{draw.randint(2, 250)}"), ("Port", str(draw.randint(1000, 9999))),
    )  # fmt: skip
    asks = "who" if key in ("Owner", "Author", "Technician") else "what"
    password = f"{draw.of('blue', 'green', 'happy', 'quiet')}-{draw.of('fox', 'lamp', 'river', 'stone')}-{number}"
    clock = f"{draw.randint(8, 17)}:{draw.of('00', '15', '30')}"
    pin = draw.randint(0, 13)
    load = draw.of("relay", "buzzer", "red LED", "servo", "pump", "heater")
    broken = draw.of("fan", "display", "cable", "pump", "motor", "sensor")
    text, questions = draw.choice(
        [
            (f"The {thing} {draw.of('pairs', 'combines', 'joins')} {one} with {two}.", [f"what is inside the {thing}", f"which parts does the {thing} have", f"what is the {thing} made of"]),
            (f"The {thing} has two parts: {one} that {duty} and {two} that {draw.of('sends the mails', 'does the rest', 'is a spare', 'controls the fan')}.", [f"what {duty}", f"which part {duty}", f"which {draw.of('chip', 'part')} {verb} {rest}"]),
            (f"{one[:1].upper()}{one[1:]} {duty}.", [f"what {duty}", f"which part {duty}", f"what does {one.replace('an ', 'the ').replace('a ', 'the ')} do"]),
            (f"The {thing} uses {one}.", [f"what does the {thing} use", f"which part is in the {thing}", f"what the {thing} uses"]),
            (f"The {draw.of('next ', 'weekly ', '')}meeting is on {day} at {clock}.", ["when is the next meeting", "what day is the meeting", "when the meeting is", "at what time is the meeting"]),
            (f"The spare keys are in {place}.", ["where are the spare keys", "where the keys are", "where can I find the keys"]),
            (f"{who} is responsible for the {thing}.", [f"who is responsible for the {thing}", f"who takes care of the {thing}"]),
            (f"The Wi-Fi password is {password}.", ["what is the Wi-Fi password", "what's the wifi password"]),
            (f"The {thing} runs at {number} MHz.", [f"how fast is the {thing}", f"what frequency does the {thing} run at"]),
            (f"The {thing} costs {number} euros.", [f"how much does the {thing} cost", f"what's the price of the {thing}"]),
            (f"Order {number} more {draw.choice(THINGS)} before {day}.", ["what should I order", "what do I have to order", "what must be ordered"]),
            (f"The {thing} was tested by {who} on {day}.", [f"who tested the {thing}", f"when was the {thing} tested"]),
            (f"The supply voltage of the {thing} is {draw.of('3.3', '5', '12', '24', '1.8')} V.", [f"what voltage does the {thing} need", f"what is the supply voltage of the {thing}"]),
            (f"The {thing} is stored in {place}.", [f"where is the {thing}", f"where do we keep the {thing}"]),
            (f"Call {who} about the broken {broken}.", [f"who should I call about the {broken}", "whom do I have to call", "what is broken"]),
            (f"The deadline for the {thing} is {draw.randint(1, 28)} {draw.of('March', 'April', 'May', 'June', 'October')}.", [f"what is the deadline for the {thing}", f"when is the {thing} due"]),
            (f"Pin {pin} drives the {load}.", [f"what does pin {pin} drive", f"which pin drives the {load}", f"what is on pin {pin}"]),
            (f"The {load} is the only {draw.of('way', 'thing', 'part')} {draw.of('to warn us', 'that moves', 'left from last year')}.", [f"what about the {load}", f"what is said about the {load}"]),
            (f"The {thing} has {number} rows and {pin + 2} columns, and is driven by {who}'s board.", [f"how many rows does the {thing} have", f"how many columns does the {thing} have", f"what drives the {thing}"]),
            (draw.of(f"{key}: {value}", f"{key}: {value}", f"The {key.lower()} is {value}."), [f"{asks} is the {key.lower()}", f"{asks}'s the {key.lower()}", f"{asks} the {key.lower()} is"]),
            (draw.of(f"{key}: {value}", f"{key}: {value}", f"The {key.lower()} is {value}."), [f"{asks} is the {key.lower()}", f"{asks}'s the {key.lower()}", f"{asks} the {key.lower()} is"]),
            (f"{who} likes {draw.of('tea', 'coffee', 'juice', 'water')}, {whom} does not.", [f"what does {who} like", f"what is said about {who}"]),
        ]
    )  # fmt: skip
    return Line(text, questions, text if text[-1] == "." else f"{text}.")


def _note(draw: Draw) -> tuple[str, list[Line]]:
    """A text and the lines in it."""
    lines: list[Line] = []
    for _ in range(draw.of(1, 2, 3, 3, 4, 5)):
        new = line(draw)
        if not any(new.questions[0] == other.questions[0] for other in lines):
            lines.append(new)
    title = draw.of(
        "", "", "Notes\n", "Project notes\n\n", "Lab notes, May\n", "TODO\n", "# Notes\n\n", "Things to remember:\n"
    )
    mark = draw.of("", "", "", "- ")
    return title + draw.of("\n", "\n", "\n", "\n\n").join(mark + one.text for one in lines) + "\n", lines


def _name_of(draw: Draw, path: str) -> str:
    if path == "notes.txt" and draw.maybe(0.35):
        return draw.of("the notes", "my notes", "the notes file", "the note file", "notes", "your notes")
    return draw.of(path, path, path, f"the file {path}")


def text_fact(scene: Scene) -> None:
    """One fact out of a text, or all that it says."""
    draw = scene.draw
    path = draw.of(*["notes.txt"] * 5, *TEXTS)
    text, lines = _note(draw)
    scene.file(path, text)
    name = _name_of(draw, path)
    wanted = draw.choice(lines)
    question = draw.choice(wanted.questions)
    if draw.maybe(0.68):
        scene.ask(
            draw.of(
                draw.order(
                    f"{{read|open|look in|look into|check|look at|see}} {name} and {{tell me|say|answer|find out}} {question}"
                ),
                draw.question(f"according to {name}, {question}"),
                draw.question(f"{question}, according to {name}"),
                draw.question(f"{question}? {draw.of('It is in', 'Look in', 'See', 'Check')} {name}."),
                draw.order(f"{{read|open|check|look in|look into}} {name}: {question}?"),
                draw.order(f"{{find out|look up}} {question} {{in|from|using}} {name}"),
                draw.question(
                    f"what does {name} say about {question.split(' the ')[-1]}"
                    if " the " in question
                    else f"in {name}, {question}"
                ),
                draw.order(f"read {name}. {question[:1].upper()}{question[1:]}?"),
            )
        )
        answer = wanted.answer
    else:
        scene.ask(
            draw.of(
                draw.order(f"{{read|open|show me|print|show|cat|display|read out}} {name}"),
                draw.question(f"what {{does {name} say|is in {name}|is written in {name}|'s the content of {name}}}"),
                draw.order(f"{{show me|give me}} the {{contents|text}} of {name}"),
                draw.order(f"{{read {name} to me|summarize {name}|tell me what {name} says}}"),
            )
        )
        answer = f"{path} says: {' '.join(one.answer for one in lines)}"
    scene.call("read_file", path=path)
    scene.say(answer)


def text_without(scene: Scene) -> None:
    """What is asked for does not stand in the text."""
    draw = scene.draw
    path = draw.of("notes.txt", *TEXTS)
    text = _note(draw)[0]
    topics = [
        "the coffee machine",
        "the password of the server",
        "the phone number of the boss",
        "the birthday party",
        "the holiday plan",
        "the name of the cat",
        "the color of the car",
        "the flight number",
        "the train ticket",
        "the lunch menu",
        "the rent",
    ]
    topic = draw.choice(
        [one for one in topics if not any(word in text.lower() for word in one.split()[1:] if len(word) > 3)]
    )
    scene.file(path, text)
    scene.ask(
        draw.of(
            draw.question(f"what does {path} say about {topic}"),
            draw.question(f"according to {path}, what is {topic}"),
            draw.order(f"look in {path} for {topic}"),
            draw.question(f"is there anything about {topic} in {path}"),
        )
    )
    scene.call("read_file", path=path)
    scene.say(f"{path} does not say anything about {topic}.")


def count_lines(scene: Scene) -> None:
    draw = scene.draw
    path = draw.of("notes.txt", "notes.txt", *TEXTS, *LOGS)
    text = _note(draw)[0] if path in TEXTS else log(draw).text
    scene.file(path, text)
    scene.ask(
        draw.of(
            draw.question(f"how many lines {{does {path} have|are in {path}|are there in {path}|has {path} got}}"),
            draw.order(f"count the lines {{of|in}} {path}"),
            draw.question(f"how long is {path} in lines"),
        )
    )
    scene.call("read_file", path=path)
    count = len(text.rstrip().split("\n"))
    scene.say(f"{path} has {count} line{'' if count == 1 else 's'}.")


@dataclass(frozen=True)
class Log:
    """A table of numbers: `labels` are times, days or names, empty where the lines have none."""

    text: str
    quantity: str
    labels: list[str]
    values: list[str]

    @property
    def numbers(self) -> list[float]:
        return [float(value) for value in self.values]

    def label(self, value: float) -> str:
        """What stands in front of a number."""
        return self.labels[self.numbers.index(value)]


def log(draw: Draw, labelled: bool = False) -> Log:
    """Readings by time, day or without labels."""
    count = draw.of(2, 3, 3, 4, 4, 4, 5, 5, 6, 7, 8)
    quantity = draw.of(
        "temperature", "temperature", "temperature", "humidity", "voltage", "pressure", "light", "noise", "speed"
    )
    base = draw.of(draw.uniform(5, 60), draw.uniform(5, 60), draw.uniform(100, 1000), draw.uniform(1, 9))
    whole = draw.maybe(0.15)
    values: list[str] = []
    while len(values) < count:
        number = base + draw.uniform(-6, 6)
        value = str(round(number)) if whole else f"{number:.1f}"
        if value not in values and float(value) > 0:
            values.append(value)
        elif whole:
            base += 1  # there may be too few whole numbers near it
    form = (
        draw.of("time", "time", "time", "csv", "day")
        if labelled
        else draw.of("time", "time", "time", "day", "csv", "plain")
    )
    labels: list[str] = []
    if form in ("time", "csv"):
        step, start = (
            draw.of(60, 90, 120, 180, 240, 30, 15, 10),
            draw.of(6, 7, 8, 9, 9, 10) * 60 + draw.of(0, 0, 0, 30, 15),
        )
        clock = [(start + place * step) % 1440 for place in range(count)]
        labels = [f"{minutes // 60:02d}:{minutes % 60:02d}" for minutes in clock]
    elif form == "day":
        labels = draw.of(
            ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun", "Next Mon"],
            ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday", "Holiday"],
            ["January", "February", "March", "April", "May", "June", "July", "August"],
        )[:count]
    between = "," if form == "csv" else draw.of("  ", "  ", " ", ": " if form == "day" else " ")
    rows = [f"{label}{between}{value}" for label, value in zip(labels, values, strict=True)] if labels else values
    date = f"2026-{draw.randint(1, 12):02d}-{draw.randint(1, 28):02d}"
    title = draw.of(
        f"{quantity.capitalize()} log, {draw.of('lab bench', 'kitchen', 'office', 'greenhouse', 'roof', 'workshop')}, {date}\n",
        f"{quantity.capitalize()} log\n",
        f"# {quantity} readings\n",
        f"{quantity.capitalize()} in the {draw.of('garage', 'cellar', 'office', 'lab')}\n",
        "",
    )
    if form == "csv" and draw.maybe(0.6):
        title = f"time,{quantity}\n"
    return Log(title + "\n".join(rows) + "\n", quantity, labels, values)


def table(draw: Draw) -> Log:
    """Parts and how many there are of each, or prices, or points."""
    count = draw.randint(2, 7)
    what = draw.of("parts", "parts", "prices", "points")
    names = draw.sample(NAMES if what == "points" else THINGS, count)
    if what == "prices":
        values = [f"{draw.uniform(0.2, 60):.2f}" for _ in names]
    else:
        values = [str(number) for number in draw.sample(range(1, 200), count)]
    between = draw.of(" ", " ", ": ", ",", "  ")
    title = draw.of("", "", f"{what.capitalize()}\n", f"# {what}\n")
    return Log(
        title + "\n".join(f"{a}{between}{b}" for a, b in zip(names, values, strict=True)) + "\n", what, names, values
    )


def _where(draw: Draw, path: str) -> str:
    if path == "readings.txt" and draw.maybe(0.35):
        return draw.pick("the {log|readings|log file|readings file|measurements|temperature log|recorded values}")
    return draw.of(path, path, path, f"the file {path}")


def _opened(scene: Scene, path: str, kept: Log) -> None:
    scene.file(path, kept.text)
    scene.call("read_file", path=path)


def value_at(scene: Scene) -> None:
    """The number of one time, day or name."""
    draw = scene.draw
    listed = draw.maybe(0.3)
    kept = table(draw) if listed else log(draw, labelled=True)
    path = draw.choice(TABLES) if listed else draw.of(*["readings.txt"] * 4, *LOGS)
    where = _where(draw, path)
    at = draw.randrange(len(kept.values))
    label, value = kept.labels[at], kept.values[at]
    time = (
        f"at {label}" if ":" in label else f"on {label}" if label.endswith("day") or len(label) == 3 else f"in {label}"
    )
    said = _spoken(draw, label)
    when = time.replace(label, said)
    noun = draw.of(kept.quantity, kept.quantity, "value", "reading")
    if listed:
        question = {
            "parts": draw.of(
                f"how many {label} {{are there in|does|are in}} {where}",
                f"how many {label} {{do we have|are there}} according to {where}",
            ),
            "prices": draw.of(f"what do {label} cost according to {where}", f"what is the price of {label} in {where}"),
            "points": draw.of(
                f"how many points does {label} have in {where}", f"what did {label} score according to {where}"
            ),
        }[kept.quantity]
        if question.startswith(f"how many {label} {{are there in"):
            question = draw.of(
                f"how many {label} are in {where}",
                f"how many {label} does {where} list",
                f"how many {label} are listed in {where}",
            )
    else:
        question = draw.of(
            f"what {{was|is}} the {noun} {when} {{in|according to}} {where}",
            f"what does {where} say for {said}",
            f"which {noun} does {where} {{give|have|show}} for {said}",
            f"what was measured {when} {{in|according to}} {where}",
            f"how {{high|much}} was the {kept.quantity} {when} {{in|according to}} {where}",
        )
    if draw.maybe(0.3):
        # The file is named once: "read readings.txt: what was the value at 12:00?"
        short = draw.pick(question.replace("{in|according to}", "in")).replace(f" in {where}", "")
        short = short.replace(f" according to {where}", "").replace(where, "it")
        short += " there" if short.endswith(" are") else ""
        scene.ask(
            draw.order(f"{{read|open|look in|look into|check}} {where}{draw.of('. ', ': ', ' and tell me: ')}{short}?")
        )
    else:
        scene.ask(draw.question(question))
    _opened(scene, path, kept)
    scene.say(_entry(kept, label, value, time))


def _spoken(draw: Draw, label: str) -> str:
    """A time as people may say it: 9 o'clock, noon, 3 pm; anything else as it is."""
    hour, colon, minute = label.partition(":")
    if not colon or minute != "00" or draw.maybe(0.7):
        return label
    number = int(hour)
    half = f"{number % 12 or 12} {'pm' if number >= 12 else 'am'}"
    return (
        draw.of("noon", "12 o'clock")
        if number == 12
        else draw.of(f"{number} o'clock", half, half.replace(" ", ""), f"{number}:00")
    )


def _entry(kept: Log, label: str, value: str, time: str) -> str:
    if kept.quantity == "parts":
        return f"{label} {value}: there are {value} {label}."
    if kept.quantity in ("prices", "points"):
        return f"{label} {value}: the {kept.quantity[:-1]}{'s are' if kept.quantity == 'points' else ' is'} {value}."
    return f"{label} {value}: {time} the {kept.quantity} was {value}."


def two_values(scene: Scene) -> None:
    """By how much two entries differ, or what they are together."""
    draw = scene.draw
    listed = draw.maybe(0.3)
    kept = table(draw) if listed else log(draw, labelled=True)
    path = draw.choice(TABLES) if listed else draw.of(*["readings.txt"] * 4, *LOGS)
    where = _where(draw, path)
    one, two = draw.sample(range(len(kept.values)), 2)
    a, b = float(kept.values[one]), float(kept.values[two])
    first, second = kept.labels[one], kept.labels[two]
    noun = draw.of(kept.quantity, "values", "readings") if not listed else "numbers"
    if draw.maybe(0.75):
        scene.ask(
            draw.question(
                draw.of(
                    f"{{by how much|how much}} do the {noun} {{at|for}} {first} and {second} in {where} differ",
                    f"what is the difference between {first} and {second} in {where}",
                    f"how much {{higher|lower|more}} was it {{at|on}} {second} than {{at|on}} {first} according to {where}",
                )
            )
        )
        large, small = (one, two) if a > b else (two, one)
        result = scene_after(scene, path, kept, f"{kept.values[large]} - {kept.values[small]}")
        scene.say(f"The difference is {result}.")
    else:
        scene.ask(draw.question(f"{{what are|how much are}} {first} and {second} together {{in|according to}} {where}"))
        result = scene_after(scene, path, kept, f"{kept.values[one]} + {kept.values[two]}")
        scene.say(f"Together they are {result}.")


def scene_after(scene: Scene, path: str, kept: Log, expression: str) -> str:
    """Read the file and calculate; the result as text."""
    _opened(scene, path, kept)
    return shown(scene.calculate(expression))


def extreme(scene: Scene) -> None:
    """The largest or smallest number, or when it was."""
    draw = scene.draw
    listed = draw.maybe(0.2)
    when = draw.maybe(0.4)
    kept = table(draw) if listed else log(draw, labelled=when)
    path = draw.choice(TABLES) if listed else draw.of(*["readings.txt"] * 4, *LOGS)
    where = _where(draw, path)
    most = draw.maybe(0.5)
    number = max(kept.numbers) if most else min(kept.numbers)
    value = kept.values[kept.numbers.index(number)]
    noun = (
        draw.of(kept.quantity, "value", "reading", "number", "entry")
        if not listed
        else draw.of("number", "value", "entry")
    )
    word = (
        draw.of("highest", "largest", "maximum", "biggest", "peak")
        if most
        else draw.of("lowest", "smallest", "minimum", "least")
    )
    warm = draw.of("warmest", "hottest") if most else draw.of("coldest", "coolest")
    if when and kept.labels:
        label = kept.label(number)
        if listed:
            question = f"{{which|what}} {{entry|one}} in {where} has the {word} {{number|value}}"
        elif kept.quantity == "temperature" and draw.maybe(0.6):
            question = draw.of(
                f"{{when|at what time}} was it {warm} {{in|according to}} {where}",
                f"when was the {word} temperature in {where}",
            )
        else:
            question = draw.of(
                f"{{when|at what time}} was the {kept.quantity} {word.replace('maximum', 'highest').replace('minimum', 'lowest').replace('peak', 'highest')} {{in|according to}} {where}",
                f"when was the {word} {noun} {{measured|recorded|}} in {where}",
            )
        scene.ask(draw.question(question))
        _opened(scene, path, kept)
        scene.say(f"The {'most' if most else 'least'} is {value} ({label}).")
        return
    scene.ask(
        draw.of(
            draw.question(f"what {{is|was}} the {word} {noun} {{in|of|from|recorded in}} {where}"),
            draw.question(f"which is the {word} {noun} in {where}"),
            draw.order(f"{{find|tell me|give me|look up}} the {word} {noun} in {where}"),
            draw.question(f"how {'high' if most else 'low'} did the {kept.quantity} {{go|get}} in {where}"),
        )
    )
    _opened(scene, path, kept)
    scene.say(f"The {'highest' if most else 'lowest'} is {value}.")


def count_numbers(scene: Scene) -> None:
    """How many entries, or how many above a limit."""
    draw = scene.draw
    listed = draw.maybe(0.35)
    kept = table(draw) if listed else log(draw)
    path = draw.choice(TABLES) if listed else draw.of(*["readings.txt"] * 4, *LOGS)
    where = _where(draw, path)
    if draw.maybe(0.4):
        limit = _limit(draw, kept)
        above = sum(number > float(limit) for number in kept.numbers)
        noun = draw.of("readings", "values", "numbers", "entries", kept.quantity + "s" if not listed else "entries")
        below = draw.maybe(0.25)
        word = (
            draw.of("below", "under", "at most")
            if below
            else draw.of("above", "over", "higher than", "greater than", "more than", "larger than")
        )
        if below and word != "at most" and float(limit) in kept.numbers:
            word = "at most"
        scene.ask(
            draw.question(
                draw.of(
                    f"how many of the {noun} in {where} are {word} {limit}",
                    f"how many {noun} in {where} are {word} {limit}",
                    f"count the {noun} {word} {limit} in {where}",
                )
            )
        )
        _opened(scene, path, kept)
        count = len(kept.values) - above if below else above
        scene.say(
            f"Of {len(kept.values)} numbers {above} are above {limit}, so {count} {'is' if count == 1 else 'are'} {word} {limit}."
            if below
            else f"{count} of {len(kept.values)} {'is' if count == 1 else 'are'} above {limit}."
        )
        return
    nouns = draw.of(
        "readings",
        "values",
        "measurements",
        "entries",
        "data points",
        "numbers",
        kept.quantity.replace("temperature", "temperatures"),
    )
    if listed:
        nouns = (
            draw.of("different parts", "kinds of parts", "items", "entries", "different things", "rows of parts")
            if kept.quantity == "parts"
            else draw.of("entries", "items", "names")
        )
    scene.ask(
        draw.of(
            draw.question(
                f"how many {nouns} {{are in {where}|are there in {where}|does {where} {{contain|have|list|hold}}|are stored in {where}}}"
            ),
            draw.order(f"count the {nouns} in {where}"),
        )
    )
    _opened(scene, path, kept)
    scene.say(f"There are {len(kept.values)} {nouns} in {path}.")


def _limit(draw: Draw, kept: Log) -> str:
    """Some number amid those of a log, none of them; at least two digits, for smaller ones may be anything."""
    low, high = min(kept.numbers), max(kept.numbers)
    return draw.of(str(max(10, round(draw.uniform(low - 1, high + 1)))), f"{max(10.0, draw.uniform(low, high)):.1f}")


def total(scene: Scene) -> None:
    """Average, sum or range."""
    draw = scene.draw
    listed = draw.maybe(0.3)
    kept = table(draw) if listed else log(draw)
    path = draw.choice(TABLES) if listed else draw.of(*["readings.txt"] * 4, *LOGS)
    where = _where(draw, path)
    values = ", ".join(kept.values)
    noun = draw.of(kept.quantity, "value", "reading", "") if not listed else draw.of("number", "value")
    kind = draw.random()
    if kind < (0.25 if listed else 0.55):
        scene.ask(
            draw.of(
                draw.question(f"what {{is|was}} the {{average|mean}} {noun} {{in|from|of}} {where}"),
                draw.order(
                    f"{{calculate|compute|work out|give me|find|tell me}} the {{average|mean}} {{of|of all values in|in}} {where}"
                ),
                draw.question(f"how {{warm|high|much}} was it on average in {where}"),
                draw.order(f"read {where} and {{compute|calculate|tell me}} the {{average|mean}}"),
                draw.order(f"average {{the values in|}} {where}"),
            )
        )
        scene.say(f"The average is {scene_after(scene, path, kept, f'mean({values})')}.")
    elif kind < 0.85:
        sums = [
            f"what {{is|are}} the {{sum|total}} of {{the values|all numbers}} in {where}",
            f"add up {{all|the}} {{values|numbers|{kept.quantity if listed else noun + 's'}}} in {where}",
        ]
        if kept.quantity == "parts":
            sums += [
                f"how many {{parts|things|pieces|items}} {{are there|do we have}} {{altogether|in total|in all}} {{in|according to}} {where}"
            ] * 2
        scene.ask(draw.question(draw.choice(sums)))
        scene.say(f"The sum is {scene_after(scene, path, kept, f'sum({values})')}.")
    else:
        scene.ask(
            draw.question(
                f"what's the {{difference between the highest and {{the |}}lowest {noun}|range|spread of the values}} in {where}"
            )
        )
        largest, smallest = (kept.values[kept.numbers.index(pick(kept.numbers))] for pick in (max, min))
        scene.say(f"The difference is {scene_after(scene, path, kept, f'{largest} - {smallest}')}.")


def log_threshold(scene: Scene) -> None:
    """If the average, the highest or the lowest is over a limit, do one thing, otherwise another."""
    draw = scene.draw
    kept = log(draw)
    path = draw.of(*["readings.txt"] * 5, *LOGS)
    where = _where(draw, path)
    operator = draw.of(">", ">", "<", ">=")
    limit = _limit(draw, kept)
    one, two = draw.of(("check", "x"), ("smiley", "x"), ("x", "check"), ("1", "0"), ("smiley", "off"))
    if draw.maybe(0.3):
        then, otherwise = set_led(draw, True), set_led(draw, False)
    else:
        then, otherwise = set_matrix(draw, one), set_matrix(draw, two)
    measure = draw.of("average", "average", "average", "mean", "highest", "lowest")
    noun = draw.of(kept.quantity, "value", "") if measure in ("average", "mean") else draw.of(kept.quantity, "value")
    unit = draw.of("", " degrees") if kept.quantity == "temperature" else ""
    scene.ask(
        draw.order(
            f"if the {measure} {noun} in {where} is {draw.choice(COMPARISONS[operator][:4])} {limit}{unit}, {then.text}, {draw.of('otherwise', 'else', 'if not,')} {otherwise.text}"
        )
    )
    _opened(scene, path, kept)
    if measure in ("average", "mean"):
        left, subject = f"mean({', '.join(kept.values)})", "average"
    else:
        left, subject = (
            kept.values[kept.numbers.index(max(kept.numbers) if measure == "highest" else min(kept.numbers))],
            measure,
        )
    holds = scene.calculate(f"{left} {operator} {limit}")
    action = then if holds else otherwise
    action.do(scene)
    scene.say(f"The {subject} is {OUTCOMES[operator, holds]} {limit}, so {action.done}.")


def wrong_name(scene: Scene) -> None:
    """A name that is nearly right: the error names the files, and the one that was meant is read."""
    draw = scene.draw
    path = draw.of("notes.txt", "notes.txt", "readings.txt", "readings.txt", "README.md", "meeting.txt", "ideas.txt", "log.txt", "plan.txt", "parts.txt", "report.md")  # fmt: skip
    stem, _, end = path.partition(".")
    wrong = draw.of(
        f"/{path}", f"/home/{path}", f"workspace/{path}", f"{path.upper()}", f"{stem.capitalize()}.{end.upper()}",
        f"{stem[:-1]}.{end}", f"{stem}s.{end}", stem, f"my_{path}", f"{stem}.{draw.of('md', 'csv', 'doc') if end == 'txt' else 'txt'}", f"docs/{path}",
    )  # fmt: skip
    if wrong == path:
        wrong = stem
    other = draw.choice([name for name in TEXTS + LOGS if name != path])
    scene.file(other, "text\n")
    if path in LOGS or path == "parts.txt":
        kept = table(draw) if path == "parts.txt" else log(draw, labelled=True)
        at = draw.randrange(len(kept.values))
        label, value = kept.labels[at], kept.values[at]
        time = f"at {label}"
        scene.file(path, kept.text)
        question = (
            f"how many {label}"
            if kept.quantity == "parts"
            else f"what is the number for {label}"
            if kept.quantity in ("prices", "points")
            else draw.of(f"what was the {kept.quantity} at {label}", f"what does it say for {label}")
        )
        answer = _entry(kept, label, value, time)
    else:
        text, lines = _note(draw)
        scene.file(path, text)
        wanted = draw.choice(lines)
        question, answer = draw.choice(wanted.questions), wanted.answer
    scene.ask(
        draw.of(
            f"Read {wrong}. {question[:1].upper()}{question[1:]}?",
            f"Read the file {wrong} and tell me {question}.",
            f"According to {wrong}, {question}?",
            f"Look in {wrong}: {question}?",
            f"{question[:1].upper()}{question[1:]}, according to {wrong}?",
        )
    )
    if "error" in scene.call("read_file", path=wrong):
        scene.call("read_file", path=path)
    scene.say(answer)


def missing(scene: Scene) -> None:
    """A file that is not there, and none that could be meant."""
    draw = scene.draw
    names = draw.sample(TEXTS + LOGS + TABLES, draw.of(1, 2, 2, 3))
    for name in names:
        scene.file(name, "text\n")
    absent = draw.of(
        "config.yaml", "secret.txt", "hello.txt", "diary2.txt", "test.py", "budget.xlsx", "letter.doc", "unknown.txt", "settings.ini", "story.txt",
        "poem.txt", "keys.txt", "list.txt", "essay.md", "homework.txt", "passwords.txt", "songs.txt", "manual.pdf", "game.py", "index.html",
    )  # fmt: skip
    scene.ask(
        draw.of(
            draw.order(
                f"{{read|open|show me|print|show|display}} {{the file |}}{absent}{{ and tell me what it says| and tell me what is in it||}}"
            ),
            draw.question(f"what {{'s in|is in|is written in}} {absent}"),
            draw.question(f"what does {absent} say"),
        )
    )
    error = scene.call("read_file", path=absent)["error"]
    there = error.partition("files here: ")[2].split(", ")
    scene.say(
        f"There is no {absent}; the files in the workspace are {enumerated(there)}."
        if len(there) > 1
        else f"There is no {absent}; the only file in the workspace is {there[0]}."
    )


def outside(scene: Scene) -> None:
    """A path that is none of the workspace's: tried, refused by the tool, said."""
    draw = scene.draw
    scene.file(draw.choice(TEXTS), "text\n")
    path = draw.of(
        "/etc/passwd",
        "/etc/shadow",
        "/proc/cpuinfo",
        "../secret.txt",
        "/etc/ssh/id_rsa",
        "/var/log/syslog",
        "~/.bashrc",
        "/etc/hosts",
        "../../etc/passwd",
        "/home/arduino/.env",
    )
    scene.ask(
        draw.of(
            draw.order(f"{{read|open|show me|print|cat}} {path}"),
            draw.order(f"show me the contents of {path}"),
            draw.question(f"what is in {path}"),
        )
    )
    scene.call("read_file", path=path)
    scene.say(f"I can't read {path}: I can only read files in the workspace.")
