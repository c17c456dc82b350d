"""The tools that the small model is trained to use: one entry each. To add one, add an entry and run `make specialist`.

An entry says which conversations teach the tool and how its results are shortened before the model reads them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from board_agent.toolbox import Tool
from training.draw import Draw
from training.kinds import actions, arithmetic, facts, files, follow, languages, stories, talk
from training.scene import Kinds


@dataclass(frozen=True)
class Entry:
    """A tool of the app.

    Args:
        name: as the app calls it.
        kinds: conversations in which it is the main thing, with how often each comes up.
        shorten: text of its JSON results, and what the model reads instead, in order.
        make: makes the tool for one conversation; None for the app's six, which every scene has.
    """

    name: str
    kinds: Kinds
    shorten: Sequence[tuple[str, str]] = ()
    make: Callable[[Draw], Tool] | None = None


ENTRIES: tuple[Entry, ...] = (
    Entry(
        "get_system_info",
        [
            (facts.fact, 5),
            (facts.two_facts, 2),
            (facts.calculated, 4),
            (facts.threshold, 10),
            (facts.yes_or_no, 7),
            (facts.fact_then_action, 3),
        ],
        shorten=[
            ('{"os":"', ""),
            ('","machine":"', ", "),
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
    ),
    Entry(
        "list_files",
        [(files.list_folder, 6), (files.count_and_show, 2)],
        shorten=[('{"path":"', ""), ('","count":', " has "), (',"entries":[', ": "), ('"]', ""), ("]}", "")],
    ),
    Entry(
        "read_file",
        [
            (files.text_fact, 8),
            (files.text_without, 1),
            (files.count_lines, 1.5),
            (files.value_at, 6),
            (files.two_values, 2.5),
            (files.extreme, 5),
            (files.count_numbers, 4.5),
            (files.total, 5),
            (files.log_threshold, 3.5),
            (files.wrong_name, 4),
            (files.missing, 2.5),
            (files.outside, 1),
        ],
    ),
    Entry(
        "calculate",
        [
            (arithmetic.sums, 9),
            (arithmetic.compared, 4),
            (arithmetic.shown_result, 2),
            (arithmetic.division_by_zero, 1),
            (stories.word_problem, 17),
        ],
        shorten=[('{"expression":"', ""), ('","result":', " = ")],
    ),
    Entry("set_builtin_led", [(actions.led, 4)]),
    Entry(
        "set_led_matrix",
        [(actions.matrix, 5), (actions.two_actions, 6), (actions.action_fails, 3), (actions.no_such_picture, 4)],
    ),
)

# Conversations that belong to no tool.
COMMON: Kinds = [
    (talk.chat, 4),
    (talk.knowledge, 8),
    (talk.impossible, 13),
    (talk.two_wishes, 1),
    (talk.switched_off, 2),
    (follow.on_with_number, 3),
    (follow.act_again, 3),
    (follow.another_fact, 2),
    (follow.more_of_the_log, 2),
    (follow.something_else, 2),
    (languages.foreign, 7),
]
