"""A place in a text where a number may begin, and what a rule about it is."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Flag, auto
from typing import TYPE_CHECKING, TypeAlias

from cosyvoice_wyoming.text.language import Language
from cosyvoice_wyoming.text.numbers import Number, Range, Token

if TYPE_CHECKING:
    from cosyvoice_wyoming.text.languages import Verbaliser

_EQUATION = re.compile(r"[\d)]\s*[=≈≠<>≤≥]|[=≈≠]\s*[-(]?\d")
_ENDS_DATE = frozenset("年月日号號点點时時分년월일시분")
_OPERAND_BEFORE = re.compile(r"[\d)]\s?$")


@dataclass(frozen=True, slots=True)
class Place:
    """A text, and a place in it: `before` is the end of what has been said so far.

    `score` says that the text reports a game, `equation` that it calculates; `after_measure`
    that the character before ended a quantity, a price or something counted.
    """

    text: str
    verbaliser: Verbaliser
    score: bool
    equation: bool
    index: int = 0
    before: str = ""
    after_measure: bool = False

    @classmethod
    def of(cls, text: str, verbaliser: Verbaliser) -> Place:
        score = any(word in text for word in verbaliser.score_words)
        return cls(text, verbaliser, score, _EQUATION.search(text) is not None)

    def at(self, index: int, *, before: str, after_measure: bool) -> Place:
        return Place(
            self.text, self.verbaliser, self.score, self.equation, index, before, after_measure
        )

    @property
    def language(self) -> Language:
        return self.verbaliser.language

    @property
    def previous(self) -> str:
        """The character before, "" at the start."""
        return self.text[self.index - 1] if self.index else ""

    def after_latin(self) -> bool:
        return self.previous.isascii() and self.previous.isalpha()

    def after_operand(self) -> bool:
        return _OPERAND_BEFORE.search(self.text[max(0, self.index - 2) : self.index]) is not None

    def dash_is_no_minus(self, matched: str) -> bool:
        """Whether what was matched starts with a hyphen, or with a minus between two numbers."""
        if matched[0] not in "-+":
            return False
        glued = self.previous.isascii() and self.previous.isalnum()
        dated = self.after_measure and self.previous in _ENDS_DATE
        joined = glued or dated or self.previous in {")", "%", "°"}
        return joined or (self.equation and self.after_operand())


Tokens: TypeAlias = "Sequence[Token | str] | None"


class Start(Flag):
    """What the first character of a match is: for most places most rules need not be tried."""

    DIGIT = auto()
    DASH = auto()
    OTHER = auto()

    @classmethod
    def of(cls, char: str) -> Start:
        if "0" <= char <= "9":
            return cls.DIGIT
        return cls.DASH if char in "-+±" else cls.OTHER


SIGNED = Start.DIGIT | Start.DASH


@dataclass(frozen=True, slots=True)
class Rule:
    """`make` judges what `pattern` matched: None passes it on to the next rule.

    `starts` says what a match may start with; `needs`, if not empty, that a text without any of
    these characters has no match.
    """

    pattern: re.Pattern[str]
    make: Callable[[re.Match[str], Place], Tokens]
    starts: Start = Start.DIGIT
    needs: str = ""

    def may_match_in(self, text: str) -> bool:
        return not self.needs or any(char in text for char in self.needs)


def number_of(written: str) -> Number:
    """Read `-1,234.50`."""
    sign = written[0] if written[0] in "-+±" else ""
    integer, _, fraction = written.lstrip("-+±").replace(",", "").partition(".")
    return Number(integer=integer, fraction=fraction, sign=sign)


def amount_of(match: re.Match[str]) -> Number | Range:
    """Read the groups `a` and, if it is there, `b`."""
    low = number_of(match["a"])
    return Range(low=low, high=number_of(match["b"])) if match["b"] else low
