"""Makes the small model of `models/`: data, training, export, template and measurement.

    make specialist

makes everything from the base model's PyPI package on. README.md says how.
"""

import sys
from pathlib import Path

# `python -m training` finds the app's package as pytest does.
sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "python"))
