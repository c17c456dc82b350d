"""The workspace: what is in it, what a text says, what the numbers of a log are, and names that are not quite right.

What files are called, what notes say and what is measured stands in `names.txt`, `notes.txt` and `quantities.txt`.
"""
# ruff: noqa: E501 - a phrase with its alternatives stands on one line

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from training.draw import Draw, alternatives, enumerated
from training.kinds.actions import set_led, set_matrix
from training.kinds.facts import COMPARISONS, OUTCOMES
from training.kinds.stories import NAMES, THINGS
from training.scene import Scene, shown


def _table(name: str) -> list[str]:
    """The rows of a text file beside this one."""
    rows = Path(__file__).with_name(name).read_text(encoding="utf-8").splitlines()
    return [row for row in rows if row and not row.startswith("#")]


def _names() -> dict[str, list[str]]:
    """What files may be called, by what they are for."""
    found: dict[str, list[str]] = {}
    for row in _table("names.txt"):
        use, _, rest = row.partition(": ")
        stems, _, ends = rest.partition("|")
        found[use] = [stem + end for stem in stems.split() for end in ends.split() or [""]]
    return found


_CALLED = _names()
TEXTS, LOGS, TABLES, FOLDERS = (_CALLED[use] for use in ("text", "log", "table", "folder"))
USUAL, OTHERS = _CALLED["usual"], _CALLED["other"]


def _path(draw: Draw, names: Sequence[str], usual: Sequence[str] = ()) -> str:
    """A file's path: one of the usual ones, any, or one in a folder."""
    if usual and draw.maybe(0.25):
        return draw.choice(usual)
    name = draw.choice(names)
    return f"{draw.choice(FOLDERS)}/{name}" if draw.maybe(0.06) else name


def _some_files(draw: Draw, count: int) -> list[str]:
    pools = (TEXTS, TEXTS, USUAL, LOGS, TABLES, OTHERS)
    return sorted({draw.choice(draw.choice(pools)) for _ in range(count)})


def list_folder(scene: Scene) -> None:
    """What is there, or how many."""
    draw = scene.draw
    names = _some_files(draw, draw.of(0, 1, 2, 2, 2, 3, 3, 4, 5, 6, 8))
    folder = draw.choice(FOLDERS) if draw.maybe(0.35) else ""
    counted = draw.maybe(0.4)
    for name in names:
        scene.file(f"{folder}/{name}" if folder else name, "text\n")
    exists = bool(names) or not folder
    things = "{files|files|entries|things|documents|items}"
    if folder:
        the = draw.pick(f"{{the folder {folder}|the {folder} folder|{folder}|the {folder} directory|folder {folder}|"
                        f"the directory {folder}|the subfolder {folder}|my {folder} folder|directory {folder}|{folder}/}}")  # fmt: skip
        if counted:
            asked = draw.of(
                draw.question(f"how many {things} {{are in {the}|does {the} have|are there in {the}|lie in {the}|do I have in {the}|can be found in {the}}}"),
                draw.question(f"{the} {{contains|holds|has}} how many {things}"),
                draw.question(f"what is the number of {things} in {the}"),
                draw.order(f"{{count the {things} in|tell me the number of {things} in|count what is in}} {the}"),
                draw.question(f"{{how full is {the}|is {the} crowded|is {the} empty}}? {{how many {things} {{are in it|has it|does it have}}|count the {things}}}"),
                draw.order(f"{{open|look into|check|go through}} {the} and {{count the {things}|tell me how many {things} are there|say how many {things} it has}}"),
            )  # fmt: skip
        else:
            asked = draw.of(
                draw.question(f"what{{'s| is| do you find| do you see| can be found| lies}} in {the}"),
                draw.order(f"{{list|show|display|name|enumerate}} {{the files in|what's in|everything in|what is in|all that is in|the contents of|the content of}} {the}"),
                draw.question(f"{{which|what}} {things} {{are|are there|did I put|do I have|are kept|are stored}} in {the}"),
                draw.order(f"{{open|look into|go into|check|have a look into|peek into}} {the}{{: what are the files called|: what is there| and tell me what is there| and list it| and name the files|. what do you find|. which files do you see}}?"),
                draw.question(f"{the}, what {{is|have we}} in {{there|it}}"),
                draw.question(f"{{what are the {things} in {the} called|what are the names of the {things} in {the}|is there {{anything|something}} in {the}}}"),
                draw.of(f"ls {folder}", f"dir {folder}", f"{folder}: list it"),
            )  # fmt: skip
    elif counted:
        asked = draw.of(
            draw.question(
                f"how many {things} {{are there|are in the {{workspace|folder|directory|working directory}}|do we have|do you have|do I have|"
                "are here|have you saved|can you see|can you access|did I put into your workspace|lie in your workspace|are stored with you|does {the|your} {folder|workspace} {have|hold|contain}}"
            ),
            draw.question(f"{{what's the number of {things}|what is the file count|how high is the number of {things} in your workspace}}"),
            draw.order(f"count {{the|my|your|all}} {things}{{ in the workspace| you have|}}"),
            draw.question(f"{{is {{your|the}} workspace crowded|is there much in {{your|the}} workspace|how full is {{your|the}} workspace|how big is the workspace}}? how many {things} {{has it|are in it|are there|does it have}}"),
            draw.order(f"{{have a look around|look into your workspace|check the folder|look around}} and {{tell me how many {things} there are|count the {things}}}"),
            draw.question(f"{{your|the}} workspace {{contains|has|holds}} how many {things}"),
        )  # fmt: skip
    else:
        asked = draw.of(
            draw.question(
                f"{{what|which}} {things} {{are there|do you have|do I have|are here|are in {{the|your}} {{workspace|folder}}|can you see|can you read|can you open|did I put there|did I give you|did I leave here|have I saved}}"
            ),
            draw.order(
                f"{{list|show me|show|display|give me|name|tell me|enumerate}} {{all |}}{{{things}|the workspace|the directory|the {things} here|"
                f"the file names|the names of the {things}|the contents of the workspace|the {things} you have}}".replace("tell me} {all |}", "tell me} ")
            ),
            draw.question("what's in {the workspace|your workspace|this folder|the folder|here|the working directory|your directory|your storage}"),
            draw.question("{do we have|are there|do you have|did I leave} {any|some} {files|documents|texts} {here|in the workspace|in your workspace|}"),
            draw.of("ls", "dir", "files?", "list files", "ls -l", "directory listing please", "workspace?"),
            draw.question(f"what {{do you have {{saved|stored|}} in {{the|your}} {{workspace|folder}}|is stored {{here|in the workspace}}|lies around in {{the|your}} workspace|are the {things} in the workspace called}}"),
            draw.order("{have a look around|look around|take a look} {in your workspace|in the workspace|in your folder|} and {name what you see|tell me what is there|tell me what you find|say what you have}"),
            draw.order(f"{{open|look into|check|inspect}} {{the|your}} {{workspace|folder|working directory}}{{ and list it|: what is there| and tell me the names of the {things}|. what do you see}}"),
            draw.question("{I forgot|I don't remember|I don't know any more} {what I saved|what I stored|which files I made}, {what is there|what do you have|can you list it}"),
        )  # fmt: skip
    scene.ask(asked.replace("??", "?"))
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
    names = _some_files(draw, draw.randint(1, 9))
    folder = draw.choice(FOLDERS) if draw.maybe(0.45) else ""
    for name in names:
        scene.file(f"{folder}/{name}" if folder else name, "text\n")
    where = (
        f"in {{the folder {folder}|{folder}|the {folder} folder|the directory {folder}|my {folder} folder}}"
        if folder
        else "{in the workspace|here|in your workspace|in the folder|that you have|}"
    )
    files, matrix = "{files|files|documents|entries}", "{matrix|LED matrix|display|LED display|LEDs of the matrix}"
    shows = "{show|put|display|write}"
    scene.ask(
        draw.of(
            draw.order(f"{{show|display|put|draw|write}} the number of {files} {where} on the {matrix}"),
            draw.order(
                f"count {{the|all|my}} {files} {where} and {shows} the {{number|count|result|total}} on the {matrix}"
            ),
            draw.order(f"{{show|display|let me see}} on the {matrix} how many {files} there are {where}"),
            draw.order(f"{{list|look up}} the {files} {where} and {shows} their number on the {matrix}"),
            draw.question(f"how many {files} are there {where}? {shows} {{it|that|the number}} on the {matrix}"),
            draw.written(draw.pick(f"the {matrix} should {{show|tell|display}} how many {files} there are {where}")),
        )
    )
    count = len(scene.call("list_files", path=folder or ".")["entries"])
    set_matrix(draw, str(count)).do(scene)
    scene.say(
        f"There {'is' if count == 1 else 'are'} {count} file{'' if count == 1 else 's'}, and the matrix now shows {count}."
    )


@dataclass(frozen=True)
class Line:
    """A line of a text, what may be asked about it, what it is about, and what it says in answer."""

    text: str
    questions: Sequence[str]
    about: Sequence[str]
    answer: str


Row = tuple[str, list[str], list[str]]
"""What a line says, questions that it answers, what it is about; with <names> to be filled in."""

# Subjects of which a note may have many lines about the same one.
_SAME = {
    "devices": "thing",
    "people": "who",
    "machines": "machine",
    "plants": "plant",
    "recipes": "dish",
    "hours": "shop",
    "programs": "program",
}


def _rows() -> tuple[dict[str, list[str]], dict[str, list[Row]]]:
    """What stands in `notes.txt`: what each <name> may be, and by subject text, questions and what they are about."""
    values = {"who": NAMES, "things": THINGS}
    subjects: dict[str, list[Row]] = {}
    for row in _table("notes.txt"):
        if row.startswith("["):
            subjects[row[1:-1]] = rows = []
        elif " || " in row:
            text, questions, *about = (part.strip() for part in row.split(" || "))
            split = [[one.strip() for one in alternatives(part)] for part in (questions, *about)]
            rows.append((text, split[0], split[1] if about else []))
        else:
            name, _, rest = row.partition(" = ")
            values[name] = rest.split("|")
    return values, subjects


_VALUES, _SUBJECTS = _rows()


def _value(draw: Draw, name: str) -> str:
    """Something that <name> may be."""
    if name in _VALUES:
        return draw.choice(_VALUES[name])
    minute = draw.of("00", "15", "30", "45", f"{draw.randint(1, 59):02d}")
    return {
        "n": str(draw.randint(2, 500)),
        "n28": str(draw.randint(2, 28)),
        "pin": str(draw.randint(0, 13)),
        "volt": draw.of("3.3", "5", "12", "24", "1.8", "9"),
        "oven": str(draw.randrange(150, 250, 5)),
        "clock": f"{draw.randint(7, 14)}:{minute}",
        "late": f"{draw.randint(15, 22)}:{minute}",
        "code": str(draw.randint(1000, 99999)),
        "phone": f"0{draw.randint(100, 999)} {draw.randint(10000, 999999)}",
        "password": f"{draw.of('blue', 'green', 'happy', 'quiet', 'lazy', 'tiny', 'brave')}-{draw.of('fox', 'lamp', 'river', 'stone', 'cloud', 'train', 'piano')}-{draw.randint(2, 500)}",
    }[name]


def _line(draw: Draw, row: Row, taken: set[str], several: bool = False, same: Mapping[str, str] | None = None) -> Line:
    """A row with its names filled in, none of them `taken`.

    Args:
        several: whether there are others like it, so that it is asked for by its names.
        same: a name that the other lines have too, so that it is not asked for by what it is about.
    """
    text, questions, about = row
    values = dict(same or {})
    for slot in dict.fromkeys(re.findall(r"<(\w+)>", " ".join((text, *questions)))):
        name = slot if slot in ("n28",) else slot.rstrip("0123456789")
        for _ in range(0 if slot in (same or {}) else 20):
            values[slot] = _value(draw, name)
            if values[slot] not in taken:
                break
        taken.add(values[slot])

    def filled(phrase: str) -> str:
        return draw.pick(re.sub(r"<(\w+)>", lambda found: values[found[1]], phrase))

    if several:
        questions, about = ([one for one in some if "<" in one] for some in (questions, about))
    if same:
        about = []
    # An RP2040, an STM32, an nRF52840; but a UNO.
    said = _first_up(re.sub(r"\ba (?=[aeioAEIO]|RP2|STM|nRF)", "an ", filled(text)))
    return Line(said, [*map(filled, questions)], [*map(filled, about)], said if said[-1] == "." else f"{said}.")


def line(draw: Draw) -> Line:
    """Something that a note may say."""
    return _line(draw, draw.choice(_SUBJECTS[draw.choice(list(_SUBJECTS))]), set())


def _note(draw: Draw) -> tuple[str, list[Line]]:
    """A text and the lines in it: of different subjects, or one row with several names."""
    count = draw.of(1, 2, 3, 3, 4, 5)
    taken: set[str] = set()
    subjects = draw.sample(list(_SUBJECTS), count)
    row = draw.choice(_SUBJECTS[subjects[0]])
    kind = draw.random()
    if kind < 0.27:
        subject = draw.choice([*_SAME, "devices", "people"])
        name = _SAME[subject]
        rows = [one for one in _SUBJECTS[subject] if f"<{name}>" in one[0]]
        same = {name: _value(draw, name)}
        lines = [_line(draw, one, taken, same=same) for one in draw.sample(rows, min(len(rows), max(2, count)))]
    elif kind < 0.55 and any("<" in one for one in row[1]):
        lines = [_line(draw, row, taken, count > 1) for _ in range(count)]
    else:
        lines = [_line(draw, draw.choice(_SUBJECTS[subject]), taken) for subject in subjects]
    # Some rows have few names: no two lines with the same question.
    kept = [one for at, one in enumerate(lines) if not any(set(one.questions) & set(old.questions) for old in lines[:at])]  # fmt: skip
    title = draw.of(
        *[""] * 4, "Notes\n", "Project notes\n\n", "Lab notes, May\n", "TODO\n", "# Notes\n\n", "Things to remember:\n",
        "For everyone\n", "Please read!\n\n", f"# {subjects[0].capitalize()}\n", f"{subjects[0].capitalize()}\n", f"Written by {draw.choice(NAMES)}\n",
    )  # fmt: skip
    mark = draw.of("", "", "", "- ", "* ")
    return title + draw.of("\n", "\n", "\n", "\n\n").join(mark + one.text for one in kept) + "\n", kept


def _name_of(draw: Draw, path: str) -> str:
    if path == "notes.txt" and draw.maybe(0.35):
        return draw.of("the notes", "my notes", "the notes file", "the note file", "notes", "your notes")
    return draw.of(path, path, path, path, f"the file {path}", f"my {path}" if "/" not in path else path)


def _first_up(text: str) -> str:
    return text[:1].upper() + text[1:]


def _asked_of(draw: Draw, name: str, wanted: Line) -> str:
    """A question that the file `name` answers with the line."""
    question = draw.choice(wanted.questions)
    if wanted.about and draw.maybe(0.15):
        about = draw.choice(wanted.about)
        return draw.of(
            draw.question(f"what does {name} {{say|tell|mention|note}} {{about|on|of}} {about}".replace("mention of", "say of")),
            draw.question(f"{name} mentions {about}. {{What's the matter with it|What does it say|What is said about it|What is it about}}"),
            draw.order(f"{{look in|check|search|read}} {name} {{for|for what it says about}} {about}".replace("read " + name + " for", "search " + name + " for")),
            draw.question(f"what {{do I find|is there|stands|is written}} in {name} about {about}"),
            draw.question(f"{{what about|what is said about|is there anything about}} {about} in {name}"),
        )  # fmt: skip
    if re.match(r"who (?!is |are |was |do |does |did |the |')", question) and draw.maybe(0.3):
        return draw.question(
            f"{{somewhere in {name} it says|{name} tells|{name} knows|it is written in {name}|you can find in {name}}} {question}. {{Who is it|Who|Can you tell me|Do you know}}"
        )
    return draw.of(
        draw.order(
            f"{{read|open|look in|look into|check|look at|see|go through|search|study}} {name} and {{tell me|say|answer|find out|let me know|find}}{draw.of('', '', ':')} {question}"
        ),
        draw.question(f"{{according to|in|as of|going by|if I can believe}} {name}, {question}"),
        draw.question(f"{question}{{, according to| according to|, as it says in| - see| as noted in}} {name}"),
        draw.question(
            f"{question}? {{It is in|Look in|See|Check|It should be in|Look it up in|It stands in|The answer is in|I wrote it down in|You find it in|Use|Please read|It must be somewhere in}} {name}."
        ),
        draw.order(f"{{read|open|check|look in|look into|see|consult|from|in}} {name}: {question}?"),
        draw.order(f"{{find out|look up}} {question} {{in|from|using|with the help of|with}} {name}"),
        draw.order(f"use {name} to {{find out|answer|tell me}}{draw.of('', ':')} {question}"),
        draw.order(f"{{read|open|take|look at}} {name}. {_first_up(question)}?"),
        draw.question(f"{{I need to know|I want to know|I wonder|I forgot|do you know|can you tell me}} {question}. {{it is in|look in|see|it should be in|read}} {name}"),
    )  # fmt: skip


def text_fact(scene: Scene) -> None:
    """One fact out of a text, or all that it says."""
    draw = scene.draw
    path = _path(draw, TEXTS, USUAL)
    text, lines = _note(draw)
    scene.file(path, text)
    name = _name_of(draw, path)
    if draw.maybe(0.78):
        wanted = draw.choice(lines)
        scene.ask(_asked_of(draw, name, wanted).replace("?.", "?").replace("??", "?"))
        answer = wanted.answer
    else:
        scene.ask(
            draw.of(
                draw.order(f"{{read|open|show me|print|show|cat|display|read out|read aloud|type|output}} {name}"),
                draw.question(
                    f"what {{does {name} say|is in {name}|is written in {name}|'s the content of {name}|stands in {name}|does it say in {name}|did I write in {name}|does {name} contain|is inside {name}}}"
                ),
                draw.order(
                    f"{{show me|give me|print|read out|let me see|I'd like to see}} the {{contents|text|content|whole|whole text|complete text|full text}} of {name}"
                ),
                draw.order(
                    f"{{read {name} to me|summarize {name}|tell me what {name} says|read the whole of {name}|print the whole {path}|read {name} aloud|print {name} completely|show all of {name}|read me everything in {name}}}"
                ),
                draw.question(f"{{I lost my glasses|I can't see it from here}}, {{read {name} to me|what does {name} say}}"),
            )
        )  # fmt: skip
        answer = f"{path} says: {' '.join(one.answer for one in lines)}"
    scene.call("read_file", path=path)
    scene.say(answer)


def text_without(scene: Scene) -> None:
    """What is asked for does not stand in the text."""
    draw = scene.draw
    path = _path(draw, TEXTS, USUAL)
    text = _note(draw)[0]
    topic = draw.choice(
        [
            one
            for one in _VALUES["topic"]
            if not any(word[:5] in text.lower() for word in one.split()[1:] if len(word) > 3)
        ]
    )
    scene.file(path, text)
    scene.ask(
        draw.of(
            draw.question(f"what does {path} {{say|tell}} about {topic}"),
            draw.question(f"according to {path}, {{what is|what about|what's}} {topic}"),
            draw.order(f"{{look in|check|search|look into}} {path} for {topic}"),
            draw.question(f"{{is there anything|do you find something|does it say anything|is there a word}} about {topic} in {path}"),
            draw.question(f"{{does {path} mention|does {path} say anything about|does {path} have anything on}} {topic}"),
            draw.order(f"{{read|open}} {path} and tell me {{what it says about|about}} {topic}"),
        )
    )  # fmt: skip
    scene.call("read_file", path=path)
    scene.say(f"{path} does not say anything about {topic}.")


def count_lines(scene: Scene) -> None:
    draw = scene.draw
    noted = draw.maybe(0.6)
    path = _path(draw, TEXTS, USUAL) if noted else _path(draw, LOGS, ["readings.txt"])
    text = _note(draw)[0] if noted else log(draw).text
    scene.file(path, text)
    lines = "{lines|lines|lines of text|text lines}"
    scene.ask(
        draw.of(
            draw.question(
                f"how many {lines} {{does {path} have|are in {path}|are there in {path}|has {path} got|has {path}|does {path} contain|does {path} consist of}}"
            ),
            draw.order(f"count the {lines} {{of|in}} {path}"),
            draw.question(f"how long is {path}{{ in lines|}}"),
            draw.question(f"{{what is the|}} number of {lines} in {path}"),
            draw.question(f"in {path}, how many {lines} {{are there|do you see}}"),
            draw.order(
                f"{{read|open}} {path} and {{count the lines|tell me how many lines it has|say how long it is}}"
            ),
        )
    )
    scene.call("read_file", path=path)
    count = len(text.rstrip().split("\n"))
    scene.say(f"{path} has {count} line{'' if count == 1 else 's'}.")


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


QUANTITIES = [_quantity(row) for row in _table("quantities.txt")]
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
        months, first = _VALUES["month"], draw.of(0, 0, 2, 4)
        return [month[:3] if count % 2 else month for month in months[first : first + count]]
    return draw.sample({"room": _ROOMS, "plant": _HERBS, "person": NAMES}[by], count)


def log(draw: Draw, labelled: bool = False) -> Log:
    """Readings by time, day or name, or without labels."""
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
    name = asked.name if asked.name[1].isupper() else _first_up(asked.name)
    title = draw.of(
        f"{name} log, {draw.of('lab bench', 'kitchen', 'office', 'greenhouse', 'roof', 'workshop')}, 2026-{draw.randint(1, 12):02d}-{draw.randint(1, 28):02d}\n",
        f"{name} log\n",
        f"# {asked.name} readings\n",
        f"{name} by {by}\n" if by else f"{name}\n",
        "",
    )
    if csv and draw.maybe(0.6):
        title = f"{by},{asked.name}\n"
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
        kept, path = table(draw), _path(draw, TABLES)
        return True, kept, path, _where(draw, path)
    kept, path = log(draw, labelled), _path(draw, LOGS, ["readings.txt"])
    return False, kept, path, _where(draw, path)


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
    question = _value_question(draw, kept, said)
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
    scene.say(_entry(kept, at, question))


def _time(kept: Log, label: str) -> str:
    """When or where an entry was taken."""
    return {"time": "at ", "day": "on ", "month": "in ", "room": "in the "}.get(kept.by, "for ") + label


def _value_question(draw: Draw, kept: Log, said: str) -> str:
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


def _entry(kept: Log, at: int, question: str) -> str:
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


def _stem(path: str) -> str:
    return path.rpartition("/")[2].partition(".")[0].lower()


def _unlike(draw: Draw, path: str, names: Sequence[str]) -> str:
    """One of the names that could not be taken for `path`."""
    while True:
        name = draw.choice(names)
        one, two = _stem(name), _stem(path)
        if difflib.SequenceMatcher(None, one, two).ratio() < 0.55 and one not in two and two not in one:
            return name


def _misspelled(draw: Draw, path: str) -> str:
    """A name that is nearly that of a file."""
    stem, _, end = path.partition(".")
    at = draw.randrange(1, len(stem) - 1)
    ends = [other for other in ("md", "csv", "doc", "text", "txt", "log", "dat", "docx", "text") if other != end]
    other_number = stem[:-1] if stem.endswith("s") else f"{stem}s"
    return draw.of(
        f"/{path}", f"/{path}", f"/home/{path}", f"workspace/{path}", f"workspace/{path}", path.upper(), f"{_first_up(stem)}.{end}",
        f"{stem.capitalize()}.{end.upper()}", f"{other_number}.{end}", f"{other_number}.{end}", f"{stem[:-1]}.{end}", stem,
        f"{draw.of('my_', 'the_', 'our_')}{path}", f"{stem}.{draw.choice(ends)}", f"{stem}.{draw.choice(ends)}", f"{stem}.{draw.choice(ends)}",
        f"{draw.of('docs', 'data', 'files', 'logs')}/{path}", f"{stem[:at]}{stem[at + 1 :]}.{end}", f"{stem[:at]}{stem[at]}{stem[at:]}.{end}",
        f"{stem[:at]}{stem[at + 1]}{stem[at]}{stem[at + 2 :]}.{end}", f"{stem}{draw.of('1', '_new', '_file', '-2')}.{end}",
    )  # fmt: skip


def wrong_name(scene: Scene) -> None:
    """A name that is nearly right: the error names the files, and the one that was meant is read."""
    draw = scene.draw
    kind = draw.of("text", "text", "log", "table")
    pool, usual = {"text": (TEXTS, USUAL), "log": (LOGS, ["readings.txt"]), "table": (TABLES, [])}[kind]
    path = draw.choice(usual) if usual and draw.maybe(0.25) else draw.choice([one for one in pool if len(_stem(one)) > 3])  # fmt: skip
    wrong = _misspelled(draw, path)
    while wrong == path:
        wrong = _misspelled(draw, path)
    for _ in range(draw.of(1, 1, 2, 3)):
        scene.file(_unlike(draw, path, draw.choice((TEXTS, LOGS, TABLES))), "text\n")
    if kind == "text":
        text, lines = _note(draw)
        wanted = draw.choice(lines)
        question, answer = draw.choice(wanted.questions), wanted.answer
    else:
        kept = table(draw) if kind == "table" else log(draw, labelled=True)
        text, at = kept.text, draw.randrange(len(kept.values))
        question = _value_question(draw, kept, kept.labels[at])
        answer = _entry(kept, at, question)
        if draw.maybe(0.3):
            most = draw.maybe(0.5)
            number = max(kept.numbers) if most else min(kept.numbers)
            simple = "highest" if most else "lowest"
            question, answer = f"what is the {simple} value", f"The {simple} is {kept.values[kept.numbers.index(number)]}."  # fmt: skip
    scene.file(path, text)
    scene.ask(
        draw.of(
            f"Read {wrong}. {_first_up(question)}?",
            f"Read the file {wrong} and tell me {question}.",
            f"According to {wrong}, {question}?",
            f"Look in {wrong}: {question}?",
            f"{_first_up(question)}, according to {wrong}?",
            draw.question(f"{question}? {{it is in|look it up in|see|it should be in}} {wrong}"),
            draw.order(f"{{open|check|use}} {wrong} and {{tell me|find out|say}} {question}"),
            draw.question(f"in {wrong}, {question}"),
        )
    )
    if "error" in scene.call("read_file", path=wrong):
        scene.call("read_file", path=path)
    scene.say(answer)


def missing(scene: Scene) -> None:
    """A file that is not there, and none that could be meant."""
    draw = scene.draw
    absent = draw.choice(draw.of(_CALLED["absent"], TEXTS, LOGS, TABLES))
    for _ in range(draw.of(1, 2, 2, 3)):
        scene.file(_unlike(draw, absent, draw.choice((TEXTS, LOGS, TABLES, USUAL))), "text\n")
    if absent in LOGS:
        asked = draw.of(
            draw.question(f"what {{is|was}} the {{highest|lowest|average|first|last}} {{value|number}} in {absent}"),
            draw.question(f"how many {{values|lines|entries|numbers}} {{are in|has}} {absent}"),
            draw.order(f"{{calculate|find}} the {{mean|sum|maximum}} of {absent}"),
        )
    elif draw.maybe(0.35):
        asked = _asked_of(draw, absent, line(draw)).replace("?.", "?").replace("??", "?")
    else:
        asked = draw.of(
            draw.order(
                f"{{read|open|show me|print|show|display|cat|read out|load}} {{the file |my |}}{absent}{{ and tell me what it says| and tell me what is in it||}}"
            ),
            draw.question(f"what{{'s in| is in| is written in| stands in| did I write in}} {absent}"),
            draw.question(f"what does {absent} {{say|contain|tell}}"),
            draw.order(f"{{summarize|read me|give me the text of|tell me what is in}} {absent}"),
        )
    scene.ask(asked)
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
    path = draw.choice(_CALLED["outside"])
    asked = draw.of(
        draw.order(f"{{read|open|show me|print|cat|display|type|load}} {{the file |}}{path}"),
        draw.order(f"{{show me|give me|print|tell me}} the {{contents|content|text}} of {path}"),
        draw.question(f"what {{is in|is written in|stands in|does it say in}} {path}"),
        draw.question(f"what does {path} {{say|contain}}"),
        draw.order(f"{{read|look into|open}} {path} and tell me {{what is in it|what it says|the first line}}"),
        draw.question(f"how many lines {{has|are there in|are in}} {path}"),
    )
    # `written` takes away spaces before points.
    scene.ask(re.sub(r"(?<=[a-zA-Z])(?=\.\./)", " ", asked))
    scene.call("read_file", path=path)
    scene.say(f"I can't read {path}: I can only read files in the workspace.")
