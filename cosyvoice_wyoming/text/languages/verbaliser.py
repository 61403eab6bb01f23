"""What a language must be able to say. One subclass per language, one method per kind of number."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar

from cosyvoice_wyoming.text.language import Language
from cosyvoice_wyoming.text.numbers import (
    Amount,
    Counted,
    Date,
    Digits,
    Dotted,
    Fraction,
    Money,
    Number,
    Ordinal,
    Percent,
    Power,
    Quantity,
    Range,
    Ratio,
    Sign,
    Time,
    Token,
    Year,
)


class Verbaliser(ABC):
    """Says numbers and signs in one language.

    Every method returns words in the language's own script, with spaces between words where the
    language writes them (the space to the neighbouring text is added by the caller) and no digit
    or sign. Letters by their names are written in capitals: `PPM`.
    """

    language: ClassVar[Language]

    counters: ClassVar[tuple[str, ...]] = ()
    """Words that make a number before them (with or without a space) `Counted`; longest first
    is not required."""

    code_words: ClassVar[tuple[str, ...]] = ()
    """Words after which a bare number is a code, said digit by digit: 验证码, PIN, 電話."""

    room_words: ClassVar[tuple[str, ...]] = ()
    """Words after which a bare number of three or more digits is a room, channel or flight."""

    score_words: ClassVar[tuple[str, ...]] = ()
    """Words that make `3:1` or `3-1` anywhere in the segment the result of a game."""

    @abstractmethod
    def number(self, number: Number) -> str: ...

    @abstractmethod
    def fraction(self, fraction: Fraction) -> str: ...

    @abstractmethod
    def percent(self, percent: Percent) -> str: ...

    @abstractmethod
    def ratio(self, ratio: Ratio) -> str: ...

    @abstractmethod
    def range(self, pair: Range) -> str: ...

    @abstractmethod
    def date(self, date: Date) -> str: ...

    @abstractmethod
    def time(self, time: Time) -> str: ...

    @abstractmethod
    def year(self, year: Year) -> str: ...

    @abstractmethod
    def quantity(self, quantity: Quantity) -> str: ...

    @abstractmethod
    def money(self, money: Money) -> str: ...

    @abstractmethod
    def counted(self, counted: Counted) -> str: ...

    @abstractmethod
    def digits(self, digits: Digits) -> str: ...

    @abstractmethod
    def dotted(self, dotted: Dotted) -> str: ...

    @abstractmethod
    def ordinal(self, ordinal: Ordinal) -> str: ...

    @abstractmethod
    def sign(self, sign: Sign) -> str: ...

    def power(self, power: Power) -> str:
        """Say base, `^` and exponent; most languages have something better."""
        raised = self.sign(Sign(sign="^", arithmetic=True))
        return f"{self.number(power.base)} {raised} {self.number(power.exponent)}"

    def rewrite(self, text: str) -> str:
        """Return the text with what only this language writes brought to a common form."""
        return text

    def for_text(self, text: str) -> Verbaliser:
        """Return the variant of the language that writes like the text."""
        del text
        return self

    def latin(self, word: str) -> str | None:
        """Return how the language itself writes a Latin word (YouTube: ユーチューブ, 유튜브).

        None: the word is spoken as English, or letter by letter if it cannot be pronounced.
        """
        del word
        return None

    def say(self, token: Token) -> str:
        """Return the words for a token of any kind."""
        method = _METHODS[type(token)]
        words: str = getattr(self, method)(token)
        return words

    def amount(self, amount: Amount) -> str:
        """Return the words for the number, range or fraction before a unit."""
        return self.say(amount)


_METHODS: dict[type[Token], str] = {
    Number: "number",
    Fraction: "fraction",
    Percent: "percent",
    Power: "power",
    Ratio: "ratio",
    Range: "range",
    Date: "date",
    Time: "time",
    Year: "year",
    Quantity: "quantity",
    Money: "money",
    Counted: "counted",
    Digits: "digits",
    Dotted: "dotted",
    Ordinal: "ordinal",
    Sign: "sign",
}
