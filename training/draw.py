"""Chance: phrases with alternatives, small variations of how people write, numbers as they come up."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from typing import TypeVar

T = TypeVar("T")

_GROUP = re.compile(r"\{([^{}]*)\}")
_BEFORE = [
    *[""] * 8,
    *("please ", "can you ", "could you ", "hey, ", "ok, ", "now ", "would you ", "hi! ", "pls ", "I'd like you to "),
    *("I want you to ", "go ahead and ", "would you mind to ", "kindly ", "be so kind and "),
]
_AFTER = [*[""] * 8, " please", " for me", " now", " thanks", "!", " pls", " right now", ", thank you", ", would you"]
_OPENING = [*[""] * 8, "hey, ", "ok, ", "so ", "hi, ", "quick question: ", "tell me, ", "and ", "excuse me, "]
WORDS = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"]


class Draw(random.Random):
    """A source of chance; the same seed gives the same conversations."""

    def of(self, *options: T) -> T:
        """One of the arguments."""
        return self.choice(options)

    def maybe(self, probability: float) -> bool:
        """True that often."""
        return self.random() < probability

    def pick(self, text: str) -> str:
        """The text with one alternative of each {a|b|c}; they may be nested."""
        while found := _GROUP.search(text):
            text = text[: found.start()] + self.choice(found[1].split("|")) + text[found.end() :]
        return re.sub(r" +", " ", text).strip()

    def either(self, text: str) -> str:
        """One of the phrases that stand between bars outside of braces, and one alternative of each of its groups."""
        return self.pick(self.choice(alternatives(text)))

    def order(self, text: str) -> str:
        """Something to be done, said politely or not."""
        before = self.choice(_BEFORE)
        said = before + self.pick(text) + self.choice(_AFTER)
        if before in ("can you ", "could you ", "would you ", "would you mind to "):
            said += "?"
        elif self.maybe(0.4) and said[-1] not in "!?.":
            said += "."
        return self.written(said)

    def question(self, text: str) -> str:
        """Something to be known."""
        said = self.choice(_OPENING) + self.pick(text)
        if said[-1] not in "?.!":
            said += self.of("?", "?", "?", "?", "", " please?")
        return self.written(said)

    def written(self, text: str) -> str:
        """As people type: capitals or none, now and then a slip."""
        text = re.sub(r" +([?,.;!])", r"\1", re.sub(r" +", " ", text)).strip()
        chance = self.random()
        if chance < 0.62:
            text = text[:1].upper() + text[1:]
        elif chance > 0.84 and not re.search(r"[A-Z]\.|/[A-Z]|[A-Z]\w*\.\w", text):
            text = text.lower()
        elif chance > 0.825 and not re.search(r"\w\.\w|/", text):
            text = text.upper()
        return self._slip(text) if self.maybe(0.09) else text

    def _slip(self, text: str) -> str:
        words = text.split(" ")
        # One letter less in "count" is a word that nobody wants to read.
        places = [place for place, word in enumerate(words) if re.fullmatch(r"(?!count$)[a-zA-Z]{4,}", word, re.I)]
        if not places:
            return text
        for place in self.sample(places, min(len(places), self.of(1, 1, 2))):
            word = words[place]
            at = self.randrange(1, len(word) - 2) if len(word) > 3 else 1
            words[place] = self.of(
                word[:at] + word[at + 1] + word[at] + word[at + 2 :],
                word[:at] + word[at + 1 :],
                word[:at] + word[at] + word[at:],
            )
        return " ".join(words)

    def number(self) -> str:
        """A number as it stands in a question, without signs of grouping."""
        kind = self.random()
        if kind < 0.35:
            return str(self.randint(2, 99))
        if kind < 0.65:
            return str(self.randint(100, 9999))
        if kind < 0.78:
            return str(self.randint(10_000, 9_999_999))
        if kind < 0.92:
            return str(round(self.uniform(0.1, 100), self.of(1, 1, 2)))
        return str(self.randint(2, 12))

    def grouped(self, number: str) -> str:
        """Now and then with a comma: 12,500."""
        return f"{int(number):,}" if number.isdigit() and len(number) > 3 and self.maybe(0.25) else number

    def wordy(self, number: int) -> str:
        """Now and then as a word, where there is one."""
        return WORDS[number] if 0 <= number < len(WORDS) and self.maybe(0.3) else str(number)


def alternatives(text: str) -> list[str]:
    """The phrases between the bars that stand in no braces."""
    found, depth = [""], 0
    for sign in text:
        depth += (sign == "{") - (sign == "}")
        if sign == "|" and not depth:
            found.append("")
        else:
            found[-1] += sign
    return found


def enumerated(items: Sequence[object]) -> str:
    """`a, b and c`."""
    words = [str(item) for item in items]
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"
