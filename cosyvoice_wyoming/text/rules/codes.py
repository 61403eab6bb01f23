"""Numbers that count nothing: telephones, codes, rooms, versions, addresses."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from cosyvoice_wyoming.text import patterns
from cosyvoice_wyoming.text.language import Language
from cosyvoice_wyoming.text.numbers import Digits, DigitsKind, Dotted, DottedKind
from cosyvoice_wyoming.text.rules.dates import is_date_in_dots
from cosyvoice_wyoming.text.rules.place import SIGNED, Place, Rule, Tokens

if TYPE_CHECKING:
    from cosyvoice_wyoming.text.languages import Verbaliser

_VERSION_BEFORE = re.compile(
    r"(?:\b[vV]|[Vv]ersion|\b[Vv]er\.?|版本|バージョン|버전|Core|Assistant|OS|Supervisor|ESPHome)"
    r"(?:号|號)?(?:\s?(?:是|is|は|는|은))?\s?:?\s?$"
)
_LEADS_TO_CODE = r"\s?(?:是|係|为|為|は|is|の|는|은|가|이|number)?\s?[:#]?\s?$"
_MOBILE = re.compile(r"1[3-9]\d{9}|0\d{8,10}")
_SHORTEST_PHONE = 3
_SHORTEST_CODE = 2
_SHORTEST_ROOM = 3
_LONGEST_CARDINAL = 17
_FULL_PHONE = range(9, 16)
_INTERNATIONAL = range(7, 16)
"""Digits of a number in the form of E.164."""


def _address(match: re.Match[str], _: Place) -> Tokens:
    return [Dotted(parts=tuple(match[0].split(".")), kind=DottedKind.ADDRESS)]


def _version(match: re.Match[str], place: Place) -> Tokens:
    parts = tuple(match[0].split("."))
    told = _VERSION_BEFORE.search(place.before) is not None
    if not told and (match.re is patterns.SHORT_VERSION or is_date_in_dots(parts)):
        return None
    return [Dotted(parts=parts, kind=DottedKind.VERSION)]


def _phone(match: re.Match[str], place: Place) -> Tokens:
    written = match[0]
    groups = tuple(re.findall(r"\d+", written))
    told = patterns.PHONE_BEFORE.search(place.before) is not None
    if place.after_latin() or not (told or _looks_like_phone(written, groups, place.language)):
        return None
    return [Digits(groups=groups, kind=DigitsKind.PHONE, plus=written.startswith("+"))]


def _looks_like_phone(written: str, groups: tuple[str, ...], language: Language) -> bool:
    count = sum(map(len, groups))
    if written.startswith("+"):
        return count in _INTERNATIONAL
    area_code = written.startswith("0") or re.search("[)）]", written[1:-1])
    if area_code or (len(groups) > 2 and " " not in written):  # noqa: PLR2004
        return count in _FULL_PHONE
    shape = tuple(map(len, groups))
    if language is Language.YUE:
        return shape == (4, 4) and written[0] in "235689" and not patterns.YEARS.match(written)
    if language is Language.KO:
        return shape == (4, 4) and written.startswith("1") and "-" in written
    return language is Language.EN and shape == (3, 4) and "-" in written


def _plain_phone(match: re.Match[str], place: Place) -> Tokens:
    told = patterns.PHONE_BEFORE.search(place.before) and len(match[0]) >= _SHORTEST_PHONE
    if place.after_latin() or not (told or _MOBILE.fullmatch(match[0])):
        return None
    return [Digits(groups=(match[0],), kind=DigitsKind.PHONE)]


def _code_after(words: re.Pattern[str], shortest: int, kind: DigitsKind) -> Rule:
    """Return the rule that the words make a number after them digits."""

    def make(match: re.Match[str], place: Place) -> Tokens:
        if len(match[0]) < shortest or not words.search(place.before):
            return None
        return [Digits(groups=(match[0],), kind=kind)]

    return Rule(patterns.PLAIN, make)


def _room(match: re.Match[str], place: Place) -> Tokens:
    if len(match[0]) < _SHORTEST_ROOM or not patterns.ROOM_AFTER.match(place.text, match.end()):
        return None
    return [Digits(groups=(match[0],), kind=DigitsKind.ROOM)]


def _attached(match: re.Match[str], place: Place) -> Tokens:
    """`H265` and `705A`."""
    following = place.text[match.end() : match.end() + 1]
    before_latin = following.isascii() and following.isalpha()
    if not (place.after_latin() or before_latin):
        return None
    return [Digits(groups=(match[0],), kind=DigitsKind.CODE)]


def _digits(match: re.Match[str], place: Place) -> Tokens:
    """`007`, and what is too long to be a number."""
    digits = match[0]
    if len(digits) <= _LONGEST_CARDINAL and re.match(r"\.\d", place.text[match.end() :][:2]):
        return None
    if len(digits) <= _LONGEST_CARDINAL and not (digits[0] == "0" and len(digits) > 1):
        return None
    return [Digits(groups=(digits,), kind=DigitsKind.CODE)]


def codes(verbaliser: Verbaliser) -> tuple[Rule, ...]:
    """Return the rules for what the words of a language announce, and for telephones."""
    code, room = (
        re.compile(rf"(?:(?<![A-Za-z])|(?![A-Za-z]))(?:{patterns.one_of(words)}){_LEADS_TO_CODE}")
        for words in (verbaliser.code_words, verbaliser.room_words)
    )
    return (
        Rule(patterns.PHONE, _phone, SIGNED, " -)）"),
        Rule(patterns.PLAIN, _plain_phone),
        _code_after(code, _SHORTEST_CODE, DigitsKind.CODE),
        _code_after(room, _SHORTEST_ROOM, DigitsKind.ROOM),
    )


DOTTED = (
    Rule(patterns.ADDRESS, _address, needs="."),
    Rule(patterns.VERSION, _version, needs="."),
    Rule(patterns.SHORT_VERSION, _version, needs="."),
)
ROOMS = (Rule(patterns.PLAIN, _room),)
ATTACHED = (Rule(patterns.ATTACHED, _attached),)
LONG = (Rule(patterns.DIGITS, _digits),)
