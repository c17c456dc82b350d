"""What notes say, from `notes.txt`, and what is asked about it."""
# ruff: noqa: E501 - a phrase with its alternatives stands on one line

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from training.draw import Draw, alternatives
from training.kinds.facts import first_up
from training.kinds.names import TEXTS, USUAL, a_path
from training.kinds.stories import NAMES, THINGS
from training.kinds.tables import rows_of
from training.scene import Scene


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
    for row in rows_of("notes.txt"):
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


VALUES, _SUBJECTS = _rows()


def _value(draw: Draw, name: str) -> str:
    """Something that <name> may be."""
    if name in VALUES:
        return draw.choice(VALUES[name])
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
    said = first_up(re.sub(r"\ba (?=[aeioAEIO]|RP2|STM|nRF)", "an ", filled(text)))
    return Line(said, [*map(filled, questions)], [*map(filled, about)], said if said[-1] == "." else f"{said}.")


def line(draw: Draw) -> Line:
    """Something that a note may say."""
    return _line(draw, draw.choice(_SUBJECTS[draw.choice(list(_SUBJECTS))]), set())


def note(draw: Draw) -> tuple[str, list[Line]]:
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


def asked_of(draw: Draw, name: str, wanted: Line) -> str:
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
        draw.order(f"{{read|open|take|look at}} {name}. {first_up(question)}?"),
        draw.question(f"{{I need to know|I want to know|I wonder|I forgot|do you know|can you tell me}} {question}. {{it is in|look in|see|it should be in|read}} {name}"),
    )  # fmt: skip


def whole(path: str, lines: Sequence[Line]) -> str:
    """All that a text says, without its title."""
    return f"{path} says: {' '.join(one.answer for one in lines)}"


def text_fact(scene: Scene) -> None:
    """One fact out of a text, or all that it says."""
    draw = scene.draw
    path = a_path(draw, TEXTS, USUAL)
    text, lines = note(draw)
    scene.file(path, text)
    name = _name_of(draw, path)
    if draw.maybe(0.78):
        wanted = draw.choice(lines)
        scene.ask(asked_of(draw, name, wanted).replace("?.", "?").replace("??", "?"))
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
        answer = whole(path, lines)
    scene.call("read_file", path=path)
    scene.say(answer)


def text_without(scene: Scene) -> None:
    """What is asked for does not stand in the text."""
    draw = scene.draw
    path = a_path(draw, TEXTS, USUAL)
    text = note(draw)[0]
    topic = draw.choice(
        [
            one
            for one in VALUES["topic"]
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
