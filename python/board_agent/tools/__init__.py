"""The tools that the model may call; one file for each family."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from board_agent.board import Board
from board_agent.toolbox import Tool
from board_agent.tools.board import board_tools
from board_agent.tools.calculator import calculate
from board_agent.tools.workspace import Workspace


def six_tools(
    get_system_info: Callable[[], dict[str, Any]], workspace: Workspace, board: Board, patterns: Sequence[str]
) -> list[Tool]:
    """The six that are always there, in the order that the small model was trained with.

    Args:
        get_system_info: made by `tools.system.make_get_system_info`.
        patterns: the names that `sketch/patterns.h` draws.
    """
    return [
        Tool(get_system_info),
        Tool(workspace.list_files, described=False),
        Tool(workspace.read_file, described=False),
        Tool(calculate),
        *board_tools(board, patterns),
    ]
