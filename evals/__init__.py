"""The evaluation: a question set, the program that asks it, and a plain loop to compare with."""

import sys
from pathlib import Path

# `python -m evals` finds the app's package as pytest does.
sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "python"))
