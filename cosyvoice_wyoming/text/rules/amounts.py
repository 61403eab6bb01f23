"""Numbers that count or measure something."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from cosyvoice_wyoming.text import patterns
from cosyvoice_wyoming.text.language import Language
from cosyvoice_wyoming.text.numbers import (
    Counted,
    Fraction,
    Money,
    Number,
    Ordinal,
    Percent,
    Power,
    Quantity,
    Range,
    Ratio,
    Year,
)
from cosyvoice_wyoming.text.rules.place import (
    SIGNED,
    Place,
    Rule,
    Start,
    Tokens,
    amount_of,
    number_of,
)

if TYPE_CHECKING:
    from cosyvoice_wyoming.text.languages import Verbaliser

_YEAR_DIGITS = 4
_LEAST_PRESSURE = 40
"""`120/80` is no fraction."""
_LEAST_KELVIN = 100
_MOST_KELVIN = 10_000
_MOST_AMPERE = 200
_MAGNITUDES = {
    "K": {"en": "thousand", "zh": "千", "yue": "千", "ja": "千", "ko": "천"},
    "M": {"en": "million", "zh": "百万", "yue": "百萬", "ja": "百万", "ko": "백만"},
}


def _feet_and_inches(match: re.Match[str], place: Place) -> Tokens:
    if place.after_latin():
        return None
    feet, inches = patterns.UNIT_OF["ft"], patterns.UNIT_OF["inch"]
    return [
        Quantity(amount=number_of(match["a"]), unit=feet),
        Quantity(amount=number_of(match["b"]), unit=inches),
    ]


def _inches(match: re.Match[str], place: Place) -> Tokens:
    """`65"`, unless the mark closes a quotation."""
    if place.after_latin() or place.text.count('"') != 1:
        return None
    return [Quantity(amount=number_of(match["a"]), unit=patterns.UNIT_OF["inch"])]


def _percent(match: re.Match[str], place: Place) -> Tokens:
    if place.dash_is_no_minus(match[0]):
        return None
    return [Percent(amount=amount_of(match), sign=match["sign"])]


def _quantity(match: re.Match[str], place: Place) -> Tokens:
    if place.dash_is_no_minus(match[0]) or place.after_latin():
        return None
    unit = patterns.UNIT_OF[match["unit"]]
    if match["mid"] and patterns.UNIT_OF[match["mid"].strip()] is not unit:
        return None
    followed = place.text[match.end() : match.end() + 1]
    if not _plausible(match["unit"], match["b"] or match["a"], bool(match["gap"]), followed):
        return None
    if match["unit"] == "s" and place.before.endswith("the "):
        return None  # the 90s
    return [Quantity(amount=amount_of(match), unit=unit)]


def _plausible(symbol: str, written: str, spaced: bool, followed: str) -> bool:  # noqa: FBT001
    """Whether a letter after a number is a unit: in 4K, 6A巴士, 5B and 3d it is not."""
    value = float(written.replace(",", "").lstrip("±")[:20])
    if symbol == "K":
        return _LEAST_KELVIN <= value <= _MOST_KELVIN
    if symbol == "A":
        return (value < _MOST_AMPERE or spaced) and not followed.isalpha()
    return symbol not in {"B", "d", "J", "l"} or spaced


def _bare_unit(match: re.Match[str], place: Place) -> Tokens:
    """`km/h`, `°C` and `μg/m³` without a number."""
    if match[0] == "°" or place.after_latin():
        return None
    return [Quantity(amount=None, unit=patterns.UNIT_OF[match[0]])]


def _money(match: re.Match[str], place: Place) -> Tokens:
    if place.dash_is_no_minus(match[0]) or place.after_latin():
        return None
    amount = amount_of(match)
    if match[0].startswith("-") and isinstance(amount, Number):
        amount = replace(amount, sign="-")
    written = (match["mag"] or "").strip()
    magnitude = _MAGNITUDES.get(written.upper(), {}).get(place.language.value, written)
    currency = patterns.CURRENCY_OF[match["cur"]]
    return [Money(amount=amount, currency=currency, magnitude=magnitude)]


def _duration(match: re.Match[str], place: Place) -> Tokens:
    if place.after_latin():
        return None
    parts = (("h", "h"), ("m", "min"), ("s", "s"))
    return [
        Quantity(amount=number_of(match[name]), unit=patterns.UNIT_OF[symbol])
        for name, symbol in parts
        if match[name] is not None
    ]


def _power(match: re.Match[str], place: Place) -> Tokens:
    if place.after_latin():
        return None
    return [Power(base=number_of(match["a"]), exponent=number_of(match["b"]))]


def _counted(verbaliser: Verbaliser) -> Rule:
    words = patterns.one_of_whole(verbaliser.counters)
    pattern = re.compile(
        rf"(?P<a>{patterns.SIGNED})(?:\s?(?P<mid>{words})?"
        rf"{patterns.DASH}(?P<b>{patterns.NUMBER})(?=\s?(?(mid)(?P=mid))))?\s?(?P<word>{words})"
    )
    return Rule(pattern, _make_counted, SIGNED)


def _make_counted(match: re.Match[str], place: Place) -> Tokens:
    if place.dash_is_no_minus(match[0]) or place.after_latin():
        return None
    if match["mid"] and match["mid"] != match["word"]:
        return None
    return [Counted(amount=amount_of(match), counter=match["word"])]


def _fraction(match: re.Match[str], place: Place) -> Tokens:
    if place.equation or place.after_latin() or int(match["d"]) < 2:  # noqa: PLR2004
        return None
    if int(match["n"]) > int(match["d"]) >= _LEAST_PRESSURE:
        return None
    if match[0] == "24/7":
        gap = " " if place.language in {Language.EN, Language.KO} else "，"
        return [Number(integer="24"), gap, Number(integer="7")]
    if len(match["n"]) == len(match["d"]) == _YEAR_DIGITS:
        return [Year(digits=match["n"]), "，", Year(digits=match["d"])]
    return [Fraction(numerator=match["n"], denominator=match["d"], whole=match["whole"] or "")]


def _ordinal(match: re.Match[str], place: Place) -> Tokens:
    return None if place.after_latin() else [Ordinal(integer=match["n"].replace(",", ""))]


def _numbered(match: re.Match[str], _: Place) -> Tokens:
    return [Ordinal(integer=match["n"], numbered=True)]


def _han_ordinal(match: re.Match[str], place: Place) -> Tokens:
    """`第3`; Korean and English say the character as it stands."""
    if place.language in {Language.KO, Language.EN}:
        return None
    if match["b"]:
        return ["第", Range(low=Number(integer=match["n"]), high=Number(integer=match["b"]))]
    return [Ordinal(integer=match["n"])]


def _ratio(match: re.Match[str], place: Place) -> Tokens:
    if place.after_latin():
        return None
    return [Ratio(parts=tuple(map(number_of, re.split(r"\s?:\s?", match[0]))), score=place.score)]


def _score(match: re.Match[str], place: Place) -> Tokens:
    if not place.score or place.after_latin():
        return None
    return [Ratio(parts=(number_of(match["a"]), number_of(match["b"])), score=True)]


def _range(match: re.Match[str], place: Place) -> Tokens:
    low, high = number_of(match["a"]), number_of(match["b"])
    falls = float(match["b"].replace(",", "")[:20]) <= float(
        match["a"].replace(",", "").lstrip("±")[:20]
    )
    hyphen = "-" in match[0][len(match["a"]) :][:2]
    if place.dash_is_no_minus(match[0]) or place.after_latin():
        return None
    return None if hyphen and (falls or place.equation) else [Range(low=low, high=high)]


def _point(match: re.Match[str], _: Place) -> Tokens:
    return [Number(integer="0", fraction=match["f"])]


def _number(match: re.Match[str], place: Place) -> Tokens:
    return None if place.dash_is_no_minus(match[0]) else [number_of(match[0])]


def amounts(verbaliser: Verbaliser) -> tuple[Rule, ...]:
    """Return the rules for what is measured, paid or counted, in a language's own words too."""
    return (
        Rule(patterns.SCORE, _score, needs="-–:"),
        Rule(patterns.RATIO, _ratio, needs=":"),
        Rule(patterns.FEET_AND_INCHES, _feet_and_inches, needs="'′"),
        Rule(patterns.INCHES, _inches, needs='"'),
        Rule(patterns.POWER, _power, needs="^"),
        Rule(patterns.PERCENT, _percent, SIGNED, "%‰"),
        Rule(patterns.DURATION, _duration, needs="h"),
        Rule(patterns.MONEY, _money, Start.DASH | Start.OTHER),
        Rule(patterns.QUANTITY, _quantity, SIGNED),
        Rule(patterns.MONEY_AFTER, _money, SIGNED),
        Rule(patterns.BARE_UNIT, _bare_unit, Start.OTHER),
        _counted(verbaliser),
        Rule(patterns.ORDINAL, _ordinal, needs="tdhTDH"),
        Rule(patterns.NUMBERED, _numbered, Start.OTHER),
        Rule(patterns.HAN_ORDINAL, _han_ordinal, Start.OTHER),
        Rule(patterns.FRACTION, _fraction, needs="/"),
    )


NUMBERS = (
    Rule(patterns.RANGE, _range, SIGNED, "-~～〜–—"),
    Rule(patterns.POINT, _point, Start.OTHER),
    Rule(patterns.SIGNED_NUMBER, _number, SIGNED),
)
