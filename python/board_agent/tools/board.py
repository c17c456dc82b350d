"""The two tools that act on the microcontroller."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from board_agent.board import Board, BoardError
from board_agent.errors import ToolError
from board_agent.toolbox import Tool


def board_tools(board: Board, patterns: Sequence[str]) -> list[Tool]:
    """set_builtin_led and set_led_matrix. `patterns`: the names that `sketch/patterns.h` draws."""

    def set_builtin_led(state: bool) -> dict[str, Any]:
        """Switch the built-in LED on (true) or off (false)."""
        try:
            board.set_led(state)
        except BoardError as error:
            raise ToolError(str(error)) from error
        return {"ok": True, "led": "on" if state else "off"}

    def set_led_matrix(pattern: str) -> dict[str, Any]:
        """Show a pattern on the LED matrix."""
        try:
            known = board.set_matrix(pattern)
        except BoardError as error:
            raise ToolError(str(error)) from error
        if not known:
            raise ToolError(f"the sketch does not know the pattern {pattern}; use one of {', '.join(patterns)}")
        return {"ok": True, "pattern": pattern}

    return [
        Tool(set_builtin_led, risk="act", described=False),
        Tool(set_led_matrix, risk="act", choices={"pattern": patterns}, described=False),
    ]
