"""Mandarin numbers; what Cantonese says otherwise is in `cantonese`."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import ClassVar

from cosyvoice_wyoming.text.language import Language, is_traditional
from cosyvoice_wyoming.text.languages.chinese_words import (
    CODE_WORDS,
    COUNTERS,
    PLAIN_TWO,
    ROOM_WORDS,
    SCORE_WORDS,
    SIGNS,
    TO_TRADITIONAL,
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
    Token,
    Year,
)

DIGITS = "零一二三四五六七八九"
_MYRIAD = 10_000
_HUNDRED_MILLION = 10**8
_YEAR_DIGITS = 4
_BORN_IN = re.compile(r"(?<![\d.])[05-9][05](?=\s?[后後](?![天年来來面]))")
"""90后, those born in the nineties."""
_FULL_HOUR = re.compile(r"([点點时時])\s?00\s?分(?![钟鐘])")


class Chinese(Verbaliser):
    """Standard Mandarin: 两 before what is counted, 零 for a skipped place, 幺 in telephones."""

    language: ClassVar[Language] = Language.ZH

    counters: ClassVar[tuple[str, ...]] = COUNTERS
    code_words: ClassVar[tuple[str, ...]] = CODE_WORDS
    room_words: ClassVar[tuple[str, ...]] = ROOM_WORDS
    score_words: ClassVar[tuple[str, ...]] = SCORE_WORDS

    two: ClassVar[str] = "两"
    two_before_thousand: ClassVar[str] = "两"
    minus: ClassVar[str] = "负"
    below_zero: ClassVar[str] = "零下"
    plus: ClassVar[str] = "正"
    plus_or_minus: ClassVar[str] = "正负"
    point: ClassVar[str] = "点"
    dot: ClassVar[str] = "点"
    to: ClassVar[str] = "到"
    out_of: ClassVar[str] = "分之"
    whole_and: ClassVar[str] = "又"
    myriad: ClassVar[str] = "万"
    hundred_million: ClassVar[str] = "亿"
    hour: ClassVar[str] = "点"
    minute: ClassVar[str] = "分"
    day: ClassVar[str] = "日"
    number_word: ClassVar[str] = "号"
    phone_one: ClassVar[str] = "幺"
    morning: ClassVar[str] = "上午"
    afternoon: ClassVar[str] = "下午"
    noon: ClassVar[str] = "中午"
    dawn: ClassVar[str] = "凌晨"
    evening: ClassVar[str] = "晚上"
    signs: ClassVar[dict[str, str]] = SIGNS

    def rewrite(self, text: str) -> str:
        text = _BORN_IN.sub(lambda match: self.one_by_one(match[0]), text)
        return _FULL_HOUR.sub(r"\1整", text)

    def for_text(self, text: str) -> Verbaliser:
        return TRADITIONAL if any(map(is_traditional, text)) else self

    def number(self, number: Number) -> str:
        return self._sign(number.sign) + self._unsigned(number)

    def _sign(self, sign: str) -> str:
        return {"": "", "-": self.minus, "+": self.plus, "±": self.plus_or_minus}[sign]

    def _unsigned(self, number: Number, *, counting: bool = False) -> str:
        words = self.cardinal(number.integer)
        if counting and not number.fraction and number.integer.lstrip("0") == "2":
            words = self.two
        if number.fraction:
            words += self.point + self.one_by_one(number.fraction)
        return words

    def cardinal(self, digits: str) -> str:
        """Return a whole number of any length in words."""
        value = int(digits)
        if value < _MYRIAD:
            return self._below_myriad(value)
        unit, word = (
            (_HUNDRED_MILLION, self.hundred_million)
            if value >= _HUNDRED_MILLION
            else (_MYRIAD, self.myriad)
        )
        high, low = divmod(value, unit)
        words = (self.two if high == 2 else self.cardinal(str(high))) + word  # noqa: PLR2004
        if low:
            words += (DIGITS[0] if low < unit // 10 else "") + self._continued(low)
        return words

    def _continued(self, value: int) -> str:
        """Words of a number after a higher part, where 十 alone is not enough: 一万零一十."""
        words = self.cardinal(str(value))
        return "一" + words if words.startswith("十") else words

    def _below_myriad(self, value: int) -> str:
        if value < 10:  # noqa: PLR2004
            return DIGITS[value]
        words, skipped = "", False
        for place, unit in ((1000, "千"), (100, "百"), (10, "十"), (1, "")):
            digit, value = divmod(value, place)
            if digit:
                words += (DIGITS[0] if skipped else "") + DIGITS[digit] + unit
            skipped = bool(words) and not digit
        words = words.removeprefix("一") if words.startswith("一十") else words
        return self.two_before_thousand + words[1:] if words.startswith("二千") else words

    def one_by_one(self, digits: str, *, one: str = "一") -> str:
        """Return the digits one after another."""
        return "".join(one if digit == "1" else DIGITS[int(digit)] for digit in digits)

    def fraction(self, fraction: Fraction) -> str:
        whole = self.cardinal(fraction.whole) + self.whole_and if fraction.whole else ""
        parts = (self.cardinal(fraction.denominator), self.cardinal(fraction.numerator))
        return whole + self.out_of.join(parts)

    def power(self, power: Power) -> str:
        return f"{self.number(power.base)}的{self.number(power.exponent)}次方"

    def percent(self, percent: Percent) -> str:
        base = ("百" if percent.sign == "%" else "千") + self.out_of
        if isinstance(percent.amount, Range):
            low, high = percent.amount.low, percent.amount.high
            return self._percentage(base, low) + self.to + self._percentage(base, high)
        return self._percentage(base, percent.amount)

    def _percentage(self, base: str, part: Number | Fraction | Time | Date | Year) -> str:
        if isinstance(part, Number):
            return self._sign(part.sign) + base + self._unsigned(part)
        return base + self.say(part)

    def ratio(self, ratio: Ratio) -> str:
        return "比".join(map(self.number, ratio.parts))

    def range(self, pair: Range) -> str:
        return self.say(pair.low) + self.to + self.say(pair.high)

    def date(self, date: Date) -> str:
        words = self.one_by_one(str(date.year)) + "年" if date.year else ""
        if date.month:
            words += self.cardinal(str(date.month)) + "月"
        if date.day:
            words += self.cardinal(str(date.day)) + self.day
        return words

    def year(self, year: Year) -> str:
        return self.one_by_one(year.digits)

    def time(self, time: Time) -> str:
        words = self._period(time) + self._hours(time) + self.hour
        if time.minute and (time.minute != "00" or time.second):
            words += self._two_digits(time.minute) + self.minute
        elif time.minute == "00" and not time.period:
            words += "整"
        if time.second:
            words += self._two_digits(time.second) + "秒"
        return words

    def _hours(self, time: Time) -> str:
        return self.two if time.hour == 2 else self.cardinal(str(time.hour))  # noqa: PLR2004

    def _period(self, time: Time) -> str:
        if not time.period:
            return ""
        if time.hour == 12:  # noqa: PLR2004
            return self.noon if time.period == "pm" else self.dawn
        if time.period == "am":
            return self.morning
        return self.evening if time.hour >= 6 else self.afternoon  # noqa: PLR2004

    def _two_digits(self, digits: str) -> str:
        """Return minutes or seconds, 零五 for 05."""
        zero = DIGITS[0] if len(digits) > 1 and digits[0] == "0" and digits != "00" else ""
        return zero + self.cardinal(digits)

    def quantity(self, quantity: Quantity) -> str:
        name = quantity.unit.name(self.language)
        if quantity.amount is None:
            return name
        if quantity.unit.temperature:
            return self._temperature(quantity.amount) + name
        return self._counted(quantity.amount) + name

    def _temperature(self, amount: Amount) -> str:
        if isinstance(amount, Range):
            return self._degrees(amount.low) + self.to + self._degrees(amount.high)
        return self._degrees(amount)

    def _degrees(self, part: Number | Fraction | Time | Date | Year) -> str:
        if isinstance(part, Number) and part.sign == "-":
            return self.below_zero + self._unsigned(part)
        return self.say(part)

    def _counted(self, amount: Amount) -> str:
        """Return an amount before what is counted, where 2 is 两."""
        if isinstance(amount, Range):
            parts = (amount.low, amount.high)
            return self.to.join(
                self._counted(part) if isinstance(part, Number) else self.say(part)
                for part in parts
            )
        if isinstance(amount, Number):
            return self._sign(amount.sign) + self._unsigned(amount, counting=True)
        return self.say(amount)

    def money(self, money: Money) -> str:
        unit, _ = money.currency.names(self.language)
        return self._counted(_without_idle_zeros(money.amount)) + money.magnitude + unit

    def counted(self, counted: Counted) -> str:
        return self._before(counted.amount, counted.counter) + counted.counter

    def _before(self, amount: Amount, counter: str) -> str:
        if isinstance(amount, Range):
            parts = (amount.low, amount.high)
            return self.to.join(
                self._before(part, counter) if isinstance(part, Number) else self.say(part)
                for part in parts
            )
        if not isinstance(amount, Number):
            return self.say(amount)
        if counter == "年" and len(amount.integer) == _YEAR_DIGITS and not amount.fraction:
            return self.one_by_one(amount.integer)
        if counter == "度" or counter.endswith("氏度"):
            return self._degrees(amount)
        if counter[0] in "点點时時分秒" and not amount.fraction:
            zero = len(amount.integer) > 1 and amount.integer[0] == "0" and amount.integer != "00"
            padded = DIGITS[0] if zero and counter[0] in "分秒" else ""
            return padded + self._sign(amount.sign) + self._unsigned(amount, counting=not padded)
        return self._sign(amount.sign) + self._unsigned(amount, counting=counter not in PLAIN_TWO)

    def digits(self, digits: Digits) -> str:
        one = self.phone_one if digits.kind is DigitsKind.PHONE else "一"
        words = "，".join(self.one_by_one(group, one=one) for group in digits.groups)
        return self.signs["+"] + words if digits.plus else words

    def dotted(self, dotted: Dotted) -> str:
        if dotted.kind is DottedKind.ADDRESS:
            return self.dot.join(map(self.one_by_one, dotted.parts))
        return self.dot.join(map(self.cardinal, dotted.parts))

    def ordinal(self, ordinal: Ordinal) -> str:
        words = self.cardinal(ordinal.integer)
        return words + self.number_word if ordinal.numbered else "第" + words

    def sign(self, sign: Sign) -> str:
        if sign.sign == "-" and not sign.arithmetic:
            return self.minus
        return self.signs.get(sign.sign, "")


class _TraditionalChinese(Chinese):
    """Mandarin beside traditional characters, as in Taiwan."""

    def say(self, token: Token) -> str:
        return super().say(token).translate(TO_TRADITIONAL)


TRADITIONAL = _TraditionalChinese()


def _without_idle_zeros(amount: Amount) -> Amount:
    """Return `3.50` as `3.5`: a price's last zero is not said."""
    if isinstance(amount, Number):
        return replace(amount, fraction=amount.fraction.rstrip("0"))
    return amount
