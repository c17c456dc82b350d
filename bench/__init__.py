"""`make bench`: what a question costs this app and a plain loop, in tokens, and what the app itself takes beside."""

import sys
from pathlib import Path

# `python -m bench` finds the app's package as pytest does.
sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "python"))
