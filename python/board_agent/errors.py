"""Errors that end in a sentence for a person or for the model."""


class ToolError(Exception):
    """A tool cannot do what was asked. The message says what is wrong and what to do instead; the model reads it."""
