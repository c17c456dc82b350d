"""The questions of `make bench`, the same for every loop and model, and what a model of random weights has to say."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from bench.meter import Call

MAX_TURNS = 6


@dataclass(frozen=True)
class Step:
    """A question. `script`: the replies that answer it. `follows`: it belongs to the conversation of the one before."""

    title: str
    question: str
    script: Sequence[Call | str]
    max_turns: int = MAX_TURNS
    follows: bool = False


FREE_SPACE = (
    "Check the free space on /home. If there's more than 1GB free, show a checkmark on the matrix, otherwise show an X"
)
STEPS = (
    Step(
        "First question after a restart",
        "Turn on the LED.",
        [Call("set_builtin_led", {"state": True}), "The LED is on."],
    ),
    Step(
        "Second question",
        "What is 47 times 89?",
        [Call("calculate", {"expression": "47 * 89"}), "47 times 89 is 4183."],
    ),
    Step(
        "Follow-up to it",
        "And times 2?",
        [Call("calculate", {"expression": "4183 * 2"}), "That makes 8366."],
        follows=True,
    ),
    Step(
        "Chain of three calls",
        FREE_SPACE,
        [
            Call("get_system_info"),
            Call("calculate", {"expression": "8.3 > 1"}),
            Call("set_led_matrix", {"pattern": "check"}),
            "8.3 GB are free on /home, more than 1 GB, so I showed a check mark.",
        ],
    ),
    Step(
        "Run that ends in the reserved turn",
        FREE_SPACE.replace("1GB", "2GB"),
        [
            Call("get_system_info"),
            Call("calculate", {"expression": "8.3 > 2"}),
            "8.3 GB are free on /home, which is more than 2 GB.",
        ],
        max_turns=2,
    ),
    Step(
        "Question after that",
        "Show a smiley on the matrix.",
        [Call("set_led_matrix", {"pattern": "smiley"}), "The matrix shows a smiley."],
    ),
)
