"""Board Agent: a small language model on the board calls tools to answer a question."""

__version__ = "0.1.0"
