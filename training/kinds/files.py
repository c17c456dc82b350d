"""The workspace: what is in it, how long a file is, and names that are not quite right."""
# ruff: noqa: E501 - a phrase with its alternatives stands on one line

from __future__ import annotations

import difflib
import re
from collections.abc import Sequence

from training.draw import Draw
from training.kinds.actions import set_matrix
from training.kinds.facts import first_up
from training.kinds.logs import entry, log, table, value_question
from training.kinds.names import CALLED, FOLDERS, LOGS, TABLES, TEXTS, USUAL, a_path, some_files
from training.kinds.texts import asked_of, line, note
from training.scene import Scene


def put(scene: Scene, folder: str, names: Sequence[str]) -> None:
    """Files and folders of these names into a folder, or into the workspace itself."""
    for name in names:
        path = f"{folder}/{name}" if folder else name
        scene.file(f"{path}/notes.txt" if name in FOLDERS else path, "text\n")


def list_folder(scene: Scene) -> None:
    """What is there, or how many."""
    draw = scene.draw
    names = some_files(draw, draw.of(0, 1, 2, 3, 3, 4, 5, 6, 7, 8, 10, 12))
    folder = draw.choice(FOLDERS) if draw.maybe(0.35) else ""
    counted = draw.maybe(0.4)
    put(scene, folder, names)
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
    else:
        scene.say(count_of(len(names), where) if counted else listing(result["entries"], where))


def listing(entries: Sequence[str], where: str) -> str:
    """What is in a folder, in the order and with the commas of the tool's result: the easiest to copy."""
    return f"{count_of(len(entries), where)[:-1]}: {', '.join(entries)}." if entries else count_of(0, where)


def count_of(number: int, where: str) -> str:
    """How many files there are in a folder."""
    return f"There is 1 file in {where}." if number == 1 else f"There are {number or 'no'} files in {where}."


def wrong_folder(scene: Scene) -> None:
    """A folder's name that is nearly right: the error names what is there, and the folder that was meant is listed."""
    draw = scene.draw
    folder = draw.choice([one for one in FOLDERS if len(one) > 3])
    at = draw.randrange(1, len(folder) - 1)
    near = {
        folder[:-1], folder[:-1] if folder.endswith("s") else f"{folder}s", f"my_{folder}", f"{folder}_new", f"the_{folder}", folder.capitalize(),
        f"{folder[:at]}{folder[at + 1 :]}", f"{folder[:at]}{folder[at]}{folder[at:]}", f"{folder[:at]}{folder[at + 1]}{folder[at]}{folder[at + 2 :]}",
        f"files/{folder}", f"workspace/{folder}",
    }  # fmt: skip
    wrong = draw.choice(sorted(near - {folder}))
    names = some_files(draw, draw.randint(1, 6))
    put(scene, folder, names)
    for _ in range(draw.of(1, 2, 3)):
        scene.file(_unlike(draw, folder, draw.choice((TEXTS, LOGS, TABLES))), "text\n")
    counted = draw.maybe(0.4)
    the = f"{{the folder {wrong}|the {wrong} folder|{wrong}|the directory {wrong}|folder {wrong}}}"
    scene.ask(
        draw.of(
            draw.question(f"how many {{files|entries|documents}} {{are in|does one find in|are there in}} {the}"),
            draw.order(f"{{count|tell me the number of}} {{the|}} files in {the}"),
        )
        if counted
        else draw.of(
            draw.question(f"{{what is|what's|what do we have|which files are}} in {the}"),
            draw.order(f"{{list|show me|name|open}} {{|what is in |the files in |the contents of }}{the}"),
        )
    )
    if "error" in scene.call("list_files", path=wrong):
        scene.call("list_files", path=folder)
    scene.say(count_of(len(names), folder) if counted else listing(names, folder))


def count_and_show(scene: Scene) -> None:
    """The number of files on the matrix."""
    draw = scene.draw
    names = some_files(draw, draw.randint(1, 9))
    folder = draw.choice(FOLDERS) if draw.maybe(0.45) else ""
    put(scene, folder, names)
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


def count_lines(scene: Scene) -> None:
    draw = scene.draw
    noted = draw.maybe(0.6)
    path = a_path(draw, TEXTS, USUAL) if noted else a_path(draw, LOGS, ["readings.txt"])
    text = note(draw)[0] if noted else log(draw).text
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
    scene.say(lines_of(text, path))


def lines_of(text: str, path: str) -> str:
    """How many lines a file has."""
    count = len(text.rstrip().split("\n"))
    return f"{path} has {count} line{'' if count == 1 else 's'}."


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
        f"/{path}", f"/{path}", f"/home/{path}", f"workspace/{path}", f"workspace/{path}", path.upper(), f"{first_up(stem)}.{end}",
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
        text, lines = note(draw)
        wanted = draw.choice(lines)
        question, answer = draw.choice(wanted.questions), wanted.answer
    else:
        kept = table(draw) if kind == "table" else log(draw, labelled=True)
        text, at = kept.text, draw.randrange(len(kept.values))
        question = value_question(draw, kept, kept.labels[at])
        answer = entry(kept, at, question)
        if draw.maybe(0.3):
            most = draw.maybe(0.5)
            number = max(kept.numbers) if most else min(kept.numbers)
            simple = "highest" if most else "lowest"
            question, answer = f"what is the {simple} value", f"The {simple} is {kept.values[kept.numbers.index(number)]}."  # fmt: skip
    scene.file(path, text)
    scene.ask(
        draw.of(
            f"Read {wrong}. {first_up(question)}?",
            f"Read the file {wrong} and tell me {question}.",
            f"According to {wrong}, {question}?",
            f"Look in {wrong}: {question}?",
            f"{first_up(question)}, according to {wrong}?",
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
    absent = draw.choice(draw.of(CALLED["absent"], TEXTS, LOGS, TABLES))
    for _ in range(draw.of(1, 2, 2, 3)):
        scene.file(_unlike(draw, absent, draw.choice((TEXTS, LOGS, TABLES, USUAL))), "text\n")
    if absent in LOGS:
        asked = draw.of(
            draw.question(f"what {{is|was}} the {{highest|lowest|average|first|last}} {{value|number}} in {absent}"),
            draw.question(f"how many {{values|lines|entries|numbers}} {{are in|has}} {absent}"),
            draw.order(f"{{calculate|find}} the {{mean|sum|maximum}} of {absent}"),
        )
    elif draw.maybe(0.35):
        asked = asked_of(draw, absent, line(draw)).replace("?.", "?").replace("??", "?")
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
    scene.say(f"There is no {absent}; {error.partition('; ')[2]}.")


def outside(scene: Scene) -> None:
    """A path that is none of the workspace's: tried, refused by the tool, said."""
    draw = scene.draw
    scene.file(draw.choice(TEXTS), "text\n")
    path = draw.choice(CALLED["outside"])
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
