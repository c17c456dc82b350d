"""The tools that the small model is trained to use: one entry each. To add one, add an entry and run `make specialist`.

An entry says which conversations teach the tool and how its results are shortened before the model reads them.
"""
# ruff: noqa: E501 - the words of a topic stand on one line

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from board_agent.toolbox import Tool
from training.draw import Draw
from training.kinds import actions, arithmetic, combined, facts, files, follow, languages, logs, stories, talk, texts
from training.scene import Kinds
from training.template import Topics


@dataclass(frozen=True)
class Entry:
    """A tool of the app.

    Args:
        name: as the app calls it.
        kinds: conversations in which it is the main thing, with how often each comes up.
        shorten: text of its JSON results, and what the model reads instead, in order.
        topics: of a result with many parts those that a question asks for, by its words (or their beginnings); with
            none of these words the model reads all parts.
        make: makes the tool for one conversation; None for the app's six, which every scene has.
    """

    name: str
    kinds: Kinds
    shorten: Sequence[tuple[str, str]] = ()
    topics: Topics = ()
    make: Callable[[Draw], Tool] | None = None


# Of the board's facts: how each begins, and the words (or their beginnings) that ask for it.
BOARD_TOPICS = {
    "os ": "os |operating|linux|distro|distribution|debian|betriebssystem|exploitation",
    "machine": "architecture|machine type|arm |arm64|x86|aarch64|uname|instruction set|architektur|architettura|arquitectura",
    "cpus": "core|cpus|processors|kerne|cœurs|coeurs|núcleos|nucleos",
    "cpu temp": "temp|hot|heat|warm|cold|cool|degree|celsius|fahrenheit|overheat|grad |grados|gradi |degrés|heiß|heiss|chaud|cald|calient",
    "uptime": "uptime|up time|been |running|boot|reboot|start|restart|how long|hours|awake|since|switched on|powered|plugged|lange|encendid",
    "memory": "memory|ram |mem |arbeitsspeicher|mémoire|memoria",
    "disk": "disk|drive|storage|emmc|sd card|root |festplatte|platte|disque|disco",
    "home": "home|/home",
}

ENTRIES: tuple[Entry, ...] = (
    Entry(
        "get_system_info",
        [
            (facts.fact, 12),
            (facts.two_facts, 2),
            (facts.calculated, 4),
            (facts.threshold, 13),
            (facts.yes_or_no, 9),
            (facts.fact_then_action, 4),
        ],
        shorten=[
            ('{"os":"', "os "),
            ('","machine":"', ", machine "),
            ('","cpu_count":', ", cpus "),
            (',"cpu_temp_c":', ", cpu temp "),
            (',"uptime_h":', ", uptime "),
            (',"memory_free_gb":', ", memory free "),
            (',"memory_total_gb":', " of "),
            (',"disk_free_gb":', ", disk free "),
            (',"disk_total_gb":', " of "),
            (',"home_free_gb":', ", home free "),
            (',"home_total_gb":', " of "),
        ],
        topics=[(begin, words.split("|")) for begin, words in BOARD_TOPICS.items()],
    ),
    Entry(
        "list_files",
        [(files.list_folder, 8), (files.count_and_show, 3), (files.wrong_folder, 1.5)],
        shorten=[('{"path":"', ""), ('","count":', " has "), (',"entries":[', ": "), ('"]', ""), ("]}", "")],
    ),
    Entry(
        "read_file",
        [
            (texts.text_fact, 14),
            (texts.text_without, 1.5),
            (files.count_lines, 1.5),
            (logs.value_at, 7),
            (logs.two_values, 3),
            (logs.extreme, 6),
            (logs.head, 2),
            (logs.read, 2),
            (logs.count_numbers, 5.5),
            (logs.total, 4.5),
            (logs.log_threshold, 3.5),
            (files.wrong_name, 4),
            (files.missing, 2.5),
            (files.outside, 1),
        ],
    ),
    Entry(
        "calculate",
        [
            (arithmetic.sums, 15),
            (arithmetic.compared, 4),
            (arithmetic.shown_result, 2),
            (arithmetic.division_by_zero, 1),
            (stories.word_problem, 38),
        ],
        shorten=[('{"expression":"', ""), ('","result":', " = ")],
    ),
    Entry("set_builtin_led", [(actions.led, 11)]),
    Entry(
        "set_led_matrix",
        [(actions.matrix, 14), (actions.two_actions, 9), (actions.action_fails, 3), (actions.no_such_picture, 13)],
    ),
)

# Conversations that belong to no tool.
COMMON: Kinds = [
    (talk.chat, 14),
    (talk.knowledge, 60),
    (talk.impossible, 22),
    (talk.near_miss, 45),
    (talk.contrast, 5),
    (talk.two_wishes, 2),
    (combined.know_and_act, 9),
    (combined.count_and_show, 4),
    (combined.switched_off, 9),
    (follow.more_entries, 3),
    (follow.more_of_the_text, 3),
    (follow.on_with_number, 3),
    (follow.act_again, 4),
    (follow.another_fact, 3),
    (follow.more_of_the_log, 2),
    (follow.something_else, 3),
    (languages.foreign, 12),
    (languages.foreign_files, 5),
    (languages.not_for_us, 25),
]
