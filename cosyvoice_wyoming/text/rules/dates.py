"""Dates and times written in digits."""

from __future__ import annotations

import re
from collections.abc import Sequence

from cosyvoice_wyoming.text import patterns
from cosyvoice_wyoming.text.language import Language
from cosyvoice_wyoming.text.numbers import Date, Ordinal, Range, Time, Year
from cosyvoice_wyoming.text.rules.place import Place, Rule, Tokens

_YEARS = range(1900, 2200)
_MONTHS = range(1, 13)
_DAYS = range(1, 32)
_HOURS = range(25)
_CLOCK_HOURS = range(1, 13)
_YEAR_DIGITS = 4
_SIMPLE_DENOMINATORS = frozenset({2, 3, 4, 5, 6, 8, 10, 12, 16, 100})
_RATIO_BEFORE = re.compile(r"(?:ratio|比例|比率|ratio of|비율|縮尺|比分)\D{0,3}$")
_PERIODS = {"a": "am", "p": "pm"}


def is_date(parts: Sequence[str]) -> bool:
    """Whether the three parts of `2026.11.30` can be year, month and day."""
    year, month, day = (parts[0], int(parts[1]), int(parts[2])) if len(parts) == 3 else ("", 0, 0)  # noqa: PLR2004
    return len(year) == _YEAR_DIGITS and month in _MONTHS and day in _DAYS


def is_date_in_dots(parts: Sequence[str]) -> bool:
    """Whether the parts of `2026.11.30` or `30.11.2026` are a date rather than a version."""
    return is_date(parts) or is_date(parts[::-1])


def _date(match: re.Match[str], place: Place) -> Tokens:
    if not is_date((match["y"], match["m"], match["d"])) or place.after_latin():
        return None
    date = Date(year=int(match["y"]), month=int(match["m"]), day=int(match["d"]))
    if match["th"] is None or int(match["th"]) not in _HOURS:
        return [date] if match["th"] is None else None
    time = Time(hour=int(match["th"]), minute=match["tm"], second=match["ts"] or "")
    return [date, ", " if place.language is Language.EN else "", time]


def _month(match: re.Match[str], place: Place) -> Tokens:
    year, month = int(match["y"]), int(match["m"])
    if year not in _YEARS or month not in _MONTHS or place.after_latin():
        return None
    return [Date(year=year, month=month)]


def _day_first(match: re.Match[str], place: Place) -> Tokens:
    first, second = int(match["a"]), int(match["b"])
    swap = match["sep"] == "." or first not in _MONTHS
    month, day = (second, first) if swap else (first, second)
    if month not in _MONTHS or day not in _DAYS or place.after_latin():
        return None
    return [Date(year=int(match["y"]), month=month, day=day)]


def _month_and_day(match: re.Match[str], place: Place) -> Tokens:
    """`11/30`; `3/4` is rather three quarters."""
    month, day = int(match["n"]), int(match["d"])
    told = place.language is Language.EN and patterns.DATE_BEFORE.search(place.before)
    fraction = match["whole"] or (month < day and day in _SIMPLE_DENOMINATORS and not told)
    if fraction or month not in _MONTHS or day not in _DAYS or place.after_latin():
        return None
    return None if place.equation or (day == 1 and not told) else [Date(month=month, day=day)]


def _time(match: re.Match[str], place: Place) -> Tokens:
    if place.score or place.after_latin() or _RATIO_BEFORE.search(place.before):
        return None
    times = [_clock(match, name) for name in "ab" if match[f"{name}h"] is not None]
    if None in times:
        return None
    first, *rest = [time for time in times if time is not None]
    return [Range(low=first, high=rest[0])] if rest else [first]


def _clock(match: re.Match[str], name: str) -> Time | None:
    hour = int(match[f"{name}h"])
    if hour not in _HOURS:
        return None
    period = _PERIODS.get((match[f"{name}p"] or "").lower(), "")
    return Time(hour=hour, minute=match[f"{name}m"], second=match[f"{name}s"] or "", period=period)


def _hour(match: re.Match[str], place: Place) -> Tokens:
    if place.after_latin():
        return None
    first, second = (_on_the_hour(match, name) for name in "ab")
    if first and second:
        return [Range(low=first, high=second)]
    return [first] if first and match["bh"] is None else None


def _on_the_hour(match: re.Match[str], name: str) -> Time | None:
    if match[f"{name}h"] is None or int(match[f"{name}h"]) not in _CLOCK_HOURS:
        return None
    period = _PERIODS[match[f"{name}p"].lower()]
    return Time(hour=int(match[f"{name}h"]), minute="00", period=period)


def _years(match: re.Match[str], place: Place) -> Tokens:
    if place.after_latin() or place.text[match.end() :].startswith(("年", "년")):
        return None
    return [Range(low=Year(digits=match["a"]), high=Year(digits=match["b"]))]


def _day_of_month(match: re.Match[str], place: Place) -> Tokens:
    """`November 30`, `Dec 24–26`; the other languages write a word after the day."""
    days = [int(match[name]) for name in "ab" if match[name]]
    if place.language is not Language.EN or not all(day in _DAYS for day in days):
        return None
    if not patterns.MONTH_BEFORE.search(place.before):
        return None
    first, *last = [Ordinal(integer=str(day)) for day in days]
    return [first, " to ", *last] if last else [first]


def _year(match: re.Match[str], place: Place) -> Tokens:
    digits = match[0]
    if len(digits) != _YEAR_DIGITS or not 1100 <= int(digits) < _YEARS.stop:  # noqa: PLR2004
        return None
    if place.after_latin() or not patterns.YEAR_BEFORE.search(place.before):
        return None
    rest = place.text[match.end() :].lstrip()
    return None if rest.startswith(("年", "년", "-", "%", "/")) else [Year(digits=digits)]


DATES = (
    Rule(patterns.DATE, _date, needs="-/."),
    Rule(patterns.MONTH, _month, needs="-/"),
    Rule(patterns.DAY_FIRST_DATE, _day_first, needs="/."),
    Rule(patterns.FRACTION, _month_and_day, needs="/"),
)
TIMES = (
    Rule(patterns.TIME, _time, needs=":"),
    Rule(patterns.HOUR, _hour, needs="mM"),
)
YEARS = (
    Rule(patterns.DAYS, _day_of_month),
    Rule(patterns.YEARS, _years, needs="-~～〜–—"),
    Rule(patterns.PLAIN, _year),
)
