"""English numbers, American in dates and in "one hundred five"."""

from __future__ import annotations

from typing import ClassVar

from cosyvoice_wyoming.text.language import Language
from cosyvoice_wyoming.text.languages.english_words import (
    CODE_WORDS,
    COUNTERS,
    FRACTIONS,
    IRREGULAR_ORDINALS,
    MONTHS,
    ROOM_WORDS,
    SCALES,
    SCORE_WORDS,
    SIGNS,
    SMALL,
    TENS,
)
from cosyvoice_wyoming.text.languages.verbaliser import Verbaliser
from cosyvoice_wyoming.text.numbers import (
    Amount,
    Counted,
    Date,
    Digits,
    DigitsKind,
    Dotted,
    DottedKind,
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
    Year,
)


class English(Verbaliser):
    """Spells numbers with hyphens (twenty-one) and without "and"."""

    language: ClassVar[Language] = Language.EN
    counters = COUNTERS
    code_words = CODE_WORDS
    room_words = ROOM_WORDS
    score_words = SCORE_WORDS

    def number(self, number: Number) -> str:
        words = cardinal(int(number.integer))
        if number.fraction:
            words += " point " + one_by_one(number.fraction)
        return _SIGN_WORDS[number.sign] + words

    def fraction(self, fraction: Fraction) -> str:
        numerator, denominator = int(fraction.numerator), int(fraction.denominator)
        if numerator >= denominator or (denominator > 20 and denominator not in FRACTIONS):  # noqa: PLR2004
            words = f"{cardinal(numerator)} over {cardinal(denominator)}"
        else:
            one, many = FRACTIONS.get(
                denominator, (ordinal(denominator), ordinal(denominator) + "s")
            )
            words = f"{cardinal(numerator)} {one if numerator == 1 else many}"
        return f"{cardinal(int(fraction.whole))} and {words}" if fraction.whole else words

    def power(self, power: Power) -> str:
        return f"{self.number(power.base)} to the power of {self.number(power.exponent)}"

    def percent(self, percent: Percent) -> str:
        word = "percent" if percent.sign == "%" else "per mille"
        return f"{self.amount(percent.amount)} {word}"

    def ratio(self, ratio: Ratio) -> str:
        return " to ".join(map(self.number, ratio.parts))

    def range(self, pair: Range) -> str:
        return f"{self.say(pair.low)} to {self.say(pair.high)}"

    def date(self, date: Date) -> str:
        words = MONTHS[date.month - 1]
        if date.day:
            words += " " + ordinal(date.day)
        if date.year:
            words += (", " if date.day else " ") + year(date.year)
        return words

    def time(self, time: Time) -> str:
        if time.hour == 0 and time.minute == "00" and not time.second + time.period:
            return "midnight"
        words = cardinal(time.hour)
        if time.minute == "00" and not time.period and not time.second:
            words += " hundred" if time.hour > 12 else " o'clock"  # noqa: PLR2004
        elif time.minute not in {"", "00"} or time.second:
            words += " " + _minutes(time.minute)
        if time.second:
            words += f" and {_counted(int(time.second), 'second')}"
        return f"{words} {time.period.upper()}".rstrip()

    def year(self, year_: Year) -> str:
        return year(int(year_.digits))

    def quantity(self, quantity: Quantity) -> str:
        amount = quantity.amount
        if amount is None:
            return quantity.unit.name(self.language)
        return f"{self.amount(amount)} {quantity.unit.name(self.language, one=_is_one(amount))}"

    def money(self, money: Money) -> str:
        unit, hundredth = money.currency.names(self.language)
        amount = money.amount
        if money.magnitude:
            return f"{self.amount(amount)} {money.magnitude} {_form(unit, one=False)}"
        if not (isinstance(amount, Number) and hundredth and len(amount.fraction) == 2):  # noqa: PLR2004
            return f"{self.amount(amount)} {_form(unit, one=_is_one(amount))}"
        whole, cents = int(amount.integer), int(amount.fraction)
        parts = []
        if whole or not cents:
            parts.append(f"{cardinal(whole)} {_form(unit, one=whole == 1)}")
        if cents:
            parts.append(f"{cardinal(cents)} {_form(hundredth, one=cents == 1)}")
        return _SIGN_WORDS[amount.sign] + " and ".join(parts)

    def counted(self, counted: Counted) -> str:
        amount = counted.amount
        if counted.counter == "s" and isinstance(amount, Number):
            return _decade(int(amount.integer))
        return f"{self.amount(amount)} times"

    def digits(self, digits: Digits) -> str:
        zero = "oh" if digits.kind is DigitsKind.ROOM else "zero"
        groups = ", ".join(one_by_one(group, zero=zero) for group in digits.groups)
        return f"plus {groups}" if digits.plus else groups

    def dotted(self, dotted: Dotted) -> str:
        if dotted.kind is DottedKind.ADDRESS:
            return " dot ".join(map(one_by_one, dotted.parts))
        return " point ".join(
            year(int(part)) if len(part) == _YEAR_DIGITS else cardinal(int(part))
            for part in dotted.parts
        )

    def ordinal(self, ordinal_: Ordinal) -> str:
        value = int(ordinal_.integer)
        return f"number {cardinal(value)}" if ordinal_.numbered else ordinal(value)

    def sign(self, sign: Sign) -> str:
        if sign.sign == "-" and not sign.arithmetic:
            return "dash"
        return SIGNS.get(sign.sign, "")


_YEAR_DIGITS = 4
_SIGN_WORDS = {"": "", "-": "minus ", "+": "plus ", "±": "plus or minus "}


def cardinal(value: int) -> str:
    """Return a whole number in words."""
    if value < 20:  # noqa: PLR2004
        return SMALL[value]
    if value < 100:  # noqa: PLR2004
        tens, rest = divmod(value, 10)
        return TENS[tens] + (f"-{SMALL[rest]}" if rest else "")
    if value < 1000:  # noqa: PLR2004
        hundreds, rest = divmod(value, 100)
        return f"{SMALL[hundreds]} hundred" + (f" {cardinal(rest)}" if rest else "")
    size, scale = next((size, scale) for size, scale in SCALES if value >= size)
    high, rest = divmod(value, size)
    return f"{cardinal(high)} {scale}" + (f" {cardinal(rest)}" if rest else "")


def ordinal(value: int) -> str:
    """Return `third`, `twenty-first`."""
    head, gap, last = _split_last(cardinal(value))
    if last in IRREGULAR_ORDINALS:
        return head + gap + IRREGULAR_ORDINALS[last]
    return head + gap + (f"{last[:-1]}ieth" if last.endswith("y") else f"{last}th")


def _split_last(words: str) -> tuple[str, str, str]:
    """Split off the last word, at a space or a hyphen."""
    at = max(words.rfind(" "), words.rfind("-"))
    return ("", "", words) if at < 0 else (words[:at], words[at], words[at + 1 :])


def year(value: int) -> str:
    """Return a year as it is said: twenty twenty-six, nineteen oh five, two thousand one."""
    century, rest = divmod(value, 100)
    if not 1100 <= value < 10_000 or 2000 <= value < 2010 or value % 1000 == 0:  # noqa: PLR2004
        return cardinal(value)
    if not rest:
        return f"{cardinal(century)} hundred"
    return f"{cardinal(century)} {'oh ' if rest < 10 else ''}{cardinal(rest)}"  # noqa: PLR2004


def one_by_one(digits: str, *, zero: str = "zero") -> str:
    """Return the digits one after another."""
    return " ".join(zero if digit == "0" else SMALL[int(digit)] for digit in digits)


def _decade(value: int) -> str:
    """Return `the nineteen nineties`."""
    head, gap, last = _split_last(year(value) if value >= 1000 else cardinal(value))  # noqa: PLR2004
    return head + gap + (f"{last[:-1]}ies" if last.endswith("y") else f"{last}s")


def _minutes(digits: str) -> str:
    if digits == "00":
        return "hundred"
    return f"oh {SMALL[int(digits)]}" if digits[0] == "0" else cardinal(int(digits))


def _counted(value: int, noun: str) -> str:
    return f"{cardinal(value)} {noun}{'' if value == 1 else 's'}"


def _is_one(amount: Amount) -> bool:
    if isinstance(amount, Fraction):
        return not amount.whole
    return isinstance(amount, Number) and amount.integer.lstrip("0") == "1" and not amount.fraction


def _form(names: str, *, one: bool) -> str:
    singular, _, plural = names.partition("/")
    return singular if one else plural
