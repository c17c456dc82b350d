"""Laptop mode: the app on a simulated board."""

import os
import sys
from pathlib import Path


def cache_dir() -> Path:
    """Where set-up keeps what it builds and downloads, outside the repository."""
    chosen = os.environ.get("BOARD_AGENT_CACHE")
    if chosen:
        return Path(chosen).expanduser()
    caches = os.environ.get("XDG_CACHE_HOME")
    return (Path(caches) if caches else Path.home() / ".cache") / "board-agent"


def say(text: str) -> None:
    """Print a line of progress."""
    print(text, file=sys.stderr, flush=True)
