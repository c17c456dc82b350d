"""Arithmetic for a model that cannot do it. Text is parsed here, never given to Python.

Numbers are exact fractions, so 0.1 + 0.2 is 0.3 and an average of 24.0 is not above 24. Roots, broken powers and
fractions that grow long are rounded to 40 digits. Every step is bounded, so no expression can take long or grow large.

What may surprise:
- `%` before an operand is the remainder (17 % 5), otherwise a percentage (17%, 17% of 2340), and 10% is 0.1.
  "100 + 10%" is refused, for people mean 110 by it; 1 + 10% is 1.1 either way.
- `^` is a power, as `**` is. `=` compares. A comparison gives true or false and cannot be calculated with.
- A comma inside the brackets of a function or a list separates: max(1,234) has two numbers. Elsewhere it groups digits.
- round() takes halves away from zero, as taught in school: round(2.5) is 3.
- Whole results are exact up to 100 digits. Others have 12 significant digits, or up to 15 where those are all.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable
from decimal import Context, Decimal, DivisionByZero, Inexact, InvalidOperation, Overflow, Underflow
from fractions import Fraction
from typing import Any, TypeAlias

from board_agent.errors import ToolError

LONGEST = 1000
DEEPEST = 40
LARGEST = 10**308
SMALLEST = Fraction(1, 10**307)
MOST_DIGITS = 100
# What needs more bits than these is rounded.
EXACT_DENOMINATOR_BITS = 256
EXACT_POWER_BITS = 1100
ROUNDED_DIGITS = 40
# Once something was rounded, numbers that agree to so many digits are equal.
EQUAL_WITHIN = Fraction(1, 10**30)

FUNCTIONS = {name: name for name in ("min", "max", "sum", "mean", "round", "abs", "sqrt")} | dict.fromkeys(
    ("average", "avg"), "mean"
)
KNOWN = "use numbers without units, + - * / // % ** ( ), one comparison and min, max, sum, mean, round, abs, sqrt"

# Each comparison as a question about the left side minus the right side.
COMPARISONS: dict[str, Callable[[Fraction], bool]] = {
    "<": lambda difference: difference < 0,
    ">": lambda difference: difference > 0,
    "<=": lambda difference: difference <= 0,
    ">=": lambda difference: difference >= 0,
    "=": lambda difference: difference == 0,
    "==": lambda difference: difference == 0,
    "!=": lambda difference: difference != 0,
}

# Models write these for the signs on a keyboard.
_SIGNS = str.maketrans(
    {"×": "*", "·": "*", "⋅": "*", "÷": "/", "−": "-", "–": "-", "—": "-", "‑": "-", "^": "**"}
    | {"²": "**2", "³": "**3", "≥": ">=", "≤": "<=", "≠": "!="}
)
_TOKEN = re.compile(r"\s*(\*\*|//|[<>=!]=|[^\W\d][\w.]*|\S)")
_DIGITS = r"[0-9]+(?:_[0-9]+)*"
_NUMBER = re.compile(rf"(?:{_DIGITS}(?:\.(?:{_DIGITS})?)?|\.{_DIGITS})(?:[eE]([+-]?[0-9]+))?")
_GROUPED = re.compile(r"[0-9]{1,3}(?:,[0-9]{3})+(?:\.[0-9]*)?(?:[eE]([+-]?[0-9]+))?")
_GLUED = re.compile(r"[0-9_.]")
_GLUED_OR_GROUP = re.compile(r"[0-9_.]|,[0-9]")
_OPERAND = re.compile(rf"\s*(?:[0-9.(\[]|(?:{'|'.join(FUNCTIONS)})\b)", re.IGNORECASE)
_SIGNED = re.compile(r"\s*[-+]")

_Value: TypeAlias = "Fraction | bool | list[Fraction]"


class _Percentage(Fraction):
    """A number written with a percent sign. Whatever is calculated with it is a plain fraction again."""


def calculate(expression: str) -> dict[str, Any]:
    """Compute or compare: (3+4)/2 > mean(1,2)."""
    return {"expression": expression, "result": evaluate(expression)}


def evaluate(expression: str) -> int | float | bool:
    """The value of an expression; `ToolError` says what is wrong with it."""
    if len(expression) > LONGEST:
        raise ToolError(f"the expression is longer than {LONGEST} characters; calculate it in parts")
    try:
        # People ask "12 * 3 =".
        return _Calculation(expression.rstrip("=? \n").translate(_SIGNS)).result()
    except (ZeroDivisionError, DivisionByZero):
        raise ToolError("division by zero; divide by another number") from None
    except Overflow:
        raise _too_large() from None
    except Underflow:
        raise _too_small() from None
    except InvalidOperation:
        raise ToolError("a negative number has no square root and no broken power; use a positive number") from None


class _Calculation:
    """A recursive descent through the text which calculates as it reads, loosest operators first."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0
        self._depth = 0
        self._comma_separates = False
        self._rounding = Context(
            ROUNDED_DIGITS, Emin=-999, Emax=999, traps=[InvalidOperation, DivisionByZero, Overflow, Underflow]
        )

    def result(self) -> int | float | bool:
        value = self._comparison()
        if self._next():
            raise self._unexpected()
        if isinstance(value, bool):
            return value
        number = _number(value)
        if number.denominator == 1 and not self._rounded and abs(number) < 10**MOST_DIGITS:
            return number.numerator
        text = f"{float(number):.15g}"
        if Fraction(text) != number:
            text = f"{float(number):.12g}"
        shown = float(text)
        return int(shown) if shown.is_integer() and abs(shown) < 10**15 else shown

    # Reading

    def _next(self) -> str:
        """The operator, bracket, word or other character ahead; "" at the end."""
        match = _TOKEN.match(self._text, self._at)
        if match is None:
            return ""
        self._at = match.start(1)
        return match[1]

    def _accept(self, *tokens: str) -> str:
        """Read what is ahead if it is one of these, else return ""."""
        token = self._next()
        if token not in tokens:
            return ""
        self._at += len(token)
        return token

    def _unexpected(self) -> ToolError:
        """What is wrong where a number or the end of the expression should be."""
        token = self._next()[:30]
        before = self._text[: self._at].rstrip()[-1:]
        if not token:
            return ToolError("the expression is not complete; end it with a number or a closing bracket")
        if token in ("and", "or", "not", "if", "else"):
            return ToolError(f"{token!r} is not understood; make one comparison at a time, or a chain as in 1 < 2 < 3")
        if token == ",":
            return ToolError("a comma separates numbers only inside a function, as in sum(1, 2)")
        if token in (")", "]") and (before.isalnum() or before in (")", "]", "%", ".")):
            return ToolError(f"{token!r} closes no bracket; remove it or open one before")
        if token in (*COMPARISONS, *"+-*/%)]", "**", "//"):
            return ToolError(f"a number is missing before {token!r}; put one there or remove the sign")
        if token in ("(", "[", *"0123456789", *FUNCTIONS):
            return ToolError(f"an operator is missing before {token!r}; put one there, such as * or +")
        return ToolError(f"{token!r} is not understood; {KNOWN}")

    # Grammar

    def _comparison(self) -> _Value:
        left = self._sum()
        truth: bool | None = None
        while operator := self._accept(*COMPARISONS):
            right = self._sum()
            holds = COMPARISONS[operator](self._difference(_number(left), _number(right)))
            truth = holds and truth is not False
            left = right
        return left if truth is None else truth

    def _sum(self) -> _Value:
        value = self._product()
        while operator := self._accept("+", "-"):
            left, right = _number(value), _number(self._product())
            percentages = isinstance(left, _Percentage) and isinstance(right, _Percentage)
            if isinstance(right, _Percentage) and not percentages and left != 1:
                raise ToolError(
                    f"'{operator} 10%' does not say of what; write 100 * (1 {operator} 10%) to change 100 by a tenth, "
                    f"or 100 {operator} 0.1"
                )
            value = self._fit(self._difference(left, -right if operator == "+" else right))
            if percentages:
                value = _Percentage(value)
        return value

    def _product(self) -> _Value:
        value = self._signed()
        while operator := self._accept("*", "x", "X", "/", "//", "%", "of"):
            left, right = _number(value), _number(self._signed())
            if operator == "/":
                value = self._fit(left / right)
            elif operator == "//":
                value = self._fit(Fraction(left // right))
            elif operator == "%":
                value = self._fit(left % right)
            elif operator != "of":
                value = self._fit(left * right)
            elif isinstance(left, _Percentage):
                value = type(right)(self._fit(left * right))
            else:
                raise ToolError("'of' belongs after a percentage, as in 17% of 2340; use * to multiply")
        return value

    def _signed(self) -> _Value:
        self._depth += 1
        if self._depth > DEEPEST:
            raise ToolError(f"brackets or powers are nested more than {DEEPEST} deep; calculate in parts")
        signs = ""
        while sign := self._accept("+", "-"):
            signs += sign
        value = self._power()
        if signs:
            value = -_number(value) if signs.count("-") % 2 else +_number(value)
        self._depth -= 1
        return value

    def _power(self) -> _Value:
        base = self._percentage()
        if not self._accept("**"):
            return base
        return self._raised(_number(base), _number(self._signed()))

    def _percentage(self) -> _Value:
        value = self._operand()
        if self._next() == "%":
            after = self._at + 1
            if _OPERAND.match(self._text, after):
                return value
            if _SIGNED.match(self._text, after) and self._text[self._at - 1].isspace():
                raise ToolError(
                    "'%' before a sign has two meanings; write 17% - 5 for a percentage, 17 % (-5) for a remainder"
                )
        if self._accept("%", "percent"):
            return _Percentage(self._fit(_number(value) / 100))
        return value

    def _operand(self) -> _Value:
        if self._accept("("):
            values = self._until(")", self._comma_separates)
            return values[0] if len(values) == 1 else _flat(values)
        if self._accept("["):
            return _flat(self._until("]", True))
        word = self._next()
        if word.lower() in FUNCTIONS:
            self._at += len(word)
            if not self._accept("("):
                raise ToolError(f"{word} needs brackets around its numbers, as in {word}(2)")
            return self._called(FUNCTIONS[word.lower()], _flat(self._until(")", True)))
        return self._literal()

    def _until(self, end: str, comma_separates: bool) -> list[_Value]:
        """The values up to a closing bracket."""
        outside, self._comma_separates = self._comma_separates, comma_separates
        values: list[_Value] = []
        while not self._accept(end):
            values.append(self._comparison())
            if not self._accept(",") and self._next() != end:
                if not self._next():
                    raise ToolError(f"a bracket is not closed; put {end!r} where it ends")
                raise self._unexpected()
        self._comma_separates = outside
        if not values:
            raise ToolError("there is nothing between the brackets; put a number there")
        return values

    def _literal(self) -> Fraction:
        match = None if self._comma_separates else _GROUPED.match(self._text, self._at)
        match = match or _NUMBER.match(self._text, self._at)
        if not match:
            raise self._unexpected()
        end = match.end()
        if (_GLUED if self._comma_separates else _GLUED_OR_GROUP).match(self._text, end):
            written = re.sub(r"[^0-9_.,].*", "", self._text[self._at :][:20], flags=re.DOTALL)
            raise ToolError(f"{written!r} is not a number; write 1.23 for a decimal, 1234 or 1,234 for a thousand")
        self._at = end
        exponent = int(match[1] or 0)
        # Before the fraction is made: 1e999999999 alone would fill the memory.
        if abs(exponent) > 400:
            raise _too_large() if exponent > 0 else _too_small()
        return self._fit(Fraction(match[0].replace(",", "").replace("_", "")))

    # Calculating

    @property
    def _rounded(self) -> bool:
        return bool(self._rounding.flags[Inexact])

    def _fit(self, number: Fraction) -> Fraction:
        """The number within bounds: neither too large nor too close to 0, nor a fraction that grows without end."""
        if abs(number) > LARGEST:
            raise _too_large()
        if number and abs(number) < SMALLEST:
            raise _too_small()
        if number.denominator.bit_length() > EXACT_DENOMINATOR_BITS:
            return Fraction(self._decimal(number))
        return number

    def _decimal(self, number: Fraction) -> Decimal:
        return self._rounding.divide(Decimal(number.numerator), Decimal(number.denominator))

    def _difference(self, left: Fraction, right: Fraction) -> Fraction:
        difference = left - right
        if self._rounded and abs(difference) <= EQUAL_WITHIN * max(abs(left), abs(right)):
            return Fraction(0)
        return difference

    def _raised(self, base: Fraction, exponent: Fraction) -> Fraction:
        if not base and exponent < 0:
            raise ZeroDivisionError
        bits = max(abs(base.numerator), base.denominator).bit_length() - 1
        if exponent.denominator == 1 and bits * abs(exponent) <= EXACT_POWER_BITS:
            return self._fit(Fraction(base**exponent.numerator))
        return self._from_decimal(self._rounding.power(self._decimal(base), self._decimal(exponent)))

    def _from_decimal(self, number: Decimal) -> Fraction:
        """As a fraction; 2.999... with as many nines as were calculated is 3."""
        fraction = Fraction(number)
        whole = Fraction(round(fraction))
        return self._fit(whole if abs(fraction - whole) <= abs(whole) * EQUAL_WITHIN else fraction)

    def _called(self, name: str, numbers: list[Fraction]) -> Fraction:
        match name:
            case "min":
                return min(numbers)
            case "max":
                return max(numbers)
            case "sum":
                return self._total(numbers)
            case "mean":
                return self._fit(self._total(numbers) / len(numbers))
            case "round" if len(numbers) <= 2:
                return self._fit(_to_places(*numbers))
            case "abs" if len(numbers) == 1:
                return abs(numbers[0])
            case "sqrt" if len(numbers) == 1:
                return self._from_decimal(self._rounding.sqrt(self._decimal(numbers[0])))
        raise ToolError(
            f"{name} takes one number{' and how many decimals to keep' if name == 'round' else ''}, not a list"
        )

    def _total(self, numbers: Iterable[Fraction]) -> Fraction:
        total = Fraction(0)
        for number in numbers:
            total = self._fit(self._difference(total, -number))
        return total


def _number(value: _Value) -> Fraction:
    if isinstance(value, bool):
        raise ToolError(
            "a comparison is true or false and cannot be calculated with; make one comparison of two numbers"
        )
    if isinstance(value, list):
        raise ToolError("a list is not a number; use it in a function, as in mean(1, 2, 3)")
    return value


def _flat(values: list[_Value]) -> list[Fraction]:
    """The numbers of nested lists in one list."""
    return [number for value in values for number in (value if isinstance(value, list) else [_number(value)])]


def _to_places(number: Fraction, places: Fraction = Fraction(0)) -> Fraction:
    """Round to so many decimals (tens, hundreds for -1, -2), halves away from zero."""
    if places.denominator != 1 or abs(places) > MOST_DIGITS:
        raise ToolError(f"round keeps a whole number of decimals, at most {MOST_DIGITS}; write round(2.345, 2)")
    step = Fraction(10) ** places.numerator
    whole = math.floor(abs(number) * step + Fraction(1, 2)) / step
    return -whole if number < 0 else whole


def _too_large() -> ToolError:
    return ToolError("a number is too large, above 10**308; use smaller numbers")


def _too_small() -> ToolError:
    return ToolError("a number is too close to zero, below 10**-307; use larger numbers")
