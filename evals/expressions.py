"""The expressions of questions.yaml: what an answer must be, computed exactly and without the app's own calculator."""

from __future__ import annotations

import ast
import math
import operator
import re
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

_LINE = re.compile(r"(?m)^(\S.*?)[ \t]+(-?\d+(?:\.\d+)?)$")
_OPERATORS: dict[type, Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Mod: operator.mod,
    ast.Pow: operator.pow,
    ast.Lt: operator.lt,
    ast.Gt: operator.gt,
    ast.LtE: operator.le,
    ast.GtE: operator.ge,
}


class Facts:
    """What an expression can use: the readings by name, and what the files say.

    Args:
        system: what get_system_info returns.
        read: a file's text by its path.
        entries: the names in a folder by its path.
    """

    def __init__(
        self, system: Mapping[str, Any], read: Callable[[str], str], entries: Callable[[str], list[str]]
    ) -> None:
        self.system = system
        self.entries = entries
        self._read = read
        self._functions: dict[str, Callable[..., Any]] = {
            "mean": lambda numbers: sum(numbers) / Fraction(len(numbers)),
            "max": max,
            "min": min,
            "sum": sum,
            "count": len,
            "above": lambda limit, numbers: sum(number > limit for number in numbers),
            "root": lambda number: Fraction(math.isqrt(int(number))),
            "entries": entries,
            "lines": lambda path: len(read(path).rstrip("\n").split("\n")),
            "values": lambda path: [number for _, number in self._table(path)],
            "value": lambda path, label: next(number for name, number in self._table(path) if name == label),
            "label": lambda path, value: next(name for name, number in self._table(path) if number == value),
        }

    def value(self, expression: str | float) -> Any:
        """The value of an expression: a fraction, a truth or a text.

        Raises:
            KeyError: it uses a reading that this board does not have.
        """
        return self._of(ast.parse(str(expression), mode="eval").body)

    def _of(self, node: ast.expr) -> Any:
        match node:
            case ast.Constant(value=int() | float() as number):
                return Fraction(str(number))
            case ast.Constant(value=str() as text):
                return text
            case ast.Name(id=name):
                reading = self.system[name]
                return reading if isinstance(reading, str) else Fraction(str(reading))
            case ast.List(elts=items):
                return [self._of(item) for item in items]
            case ast.BinOp(left=left, op=op, right=right):
                return _OPERATORS[type(op)](self._of(left), self._of(right))
            case ast.Compare(left=left, ops=[op], comparators=[right]):
                return _OPERATORS[type(op)](self._of(left), self._of(right))
            case ast.Call(func=ast.Name(id=name), args=args, keywords=[]):
                return self._functions[name](*map(self._of, args))
        raise ValueError(f"{ast.unparse(node)} is not understood in an expression")

    def _table(self, path: str) -> list[tuple[str, Fraction]]:
        """The lines of a file that end in a number."""
        return [(label, Fraction(number)) for label, number in _LINE.findall(self._read(path))]
