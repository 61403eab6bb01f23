"""Signs between and beside words and numbers."""

from __future__ import annotations

import re

from cosyvoice_wyoming.text import patterns
from cosyvoice_wyoming.text.language import Language
from cosyvoice_wyoming.text.numbers import Sign
from cosyvoice_wyoming.text.rules.place import Place, Rule, Start, Tokens

_ALWAYS = frozenset("×÷=≠≤≥≈±√∞²³°%‰&")
_BEFORE_NUMBER = frozenset("<>^#№")
_DASHES = frozenset("-–—~～〜")
_CJK = frozenset({Language.ZH, Language.YUE, Language.JA})


_TO = {
    Language.ZH: "到",
    Language.YUE: "到",
    Language.JA: "から",
    Language.KO: "에서 ",
    Language.EN: " to ",
}
_NUMBER_SOON = re.compile(r"\s?[^\W\d]{0,3}\s?\d")
"""`下午5点` after a dash: the other end of a range, with a word or two before its number."""


def _sign(match: re.Match[str], place: Place) -> Tokens:
    sign = match[0]
    after = place.text[place.index + 1 :][:2]
    number_follows = after.lstrip()[:1].isdigit()
    if sign in _DASHES:
        return _dash(sign, place, after, number_follows=number_follows)
    if sign == "/":
        return _slash(place, after, number_follows=number_follows)
    if sign == "&" and place.after_latin() and after.lstrip()[:1].isascii():
        return [" and "]
    said = sign in _ALWAYS or (sign in _BEFORE_NUMBER and number_follows)
    if sign == "+":
        said = place.previous.isalnum() or number_follows or place.previous in {"+", "%"}
    if sign == "@":
        said = place.previous.isalnum() and after[:1].isalnum()
    return [Sign(sign=sign, arithmetic=number_follows)] if said else [" "]


def _dash(sign: str, place: Place, after: str, *, number_follows: bool) -> Tokens:
    latin_follows = after[:1].isascii() and after[:1].isalpha()
    if place.after_measure and _NUMBER_SOON.match(place.text, place.index + 1):
        return [_TO[place.language]]
    if number_follows and place.equation and place.after_operand():
        return [Sign(sign="-", arithmetic=True)]
    if sign == "-" and place.after_latin() and latin_follows:
        return ["-"]
    if sign in "~～〜":
        about = number_follows and not place.previous.isalnum()
        return [Sign(sign="≈", arithmetic=True)] if about else [" "]
    spaced = place.previous in {"", " "} or after[:1] == " " or sign != "-"
    return ["，"] if spaced and place.before.strip() else [" "]


def _slash(place: Place, after: str, *, number_follows: bool) -> Tokens:
    if number_follows and place.previous.isdigit():
        if place.equation:
            return [Sign(sign="÷", arithmetic=True)]
        return [" over " if place.language is Language.EN else "，"]
    if place.after_measure and after[:1].isalpha():
        return [Sign(sign="per")]
    joins = place.previous.isalnum() and after[:1].isalnum() and place.language in _CJK
    return ["、"] if joins and not place.after_latin() else [" "]


def _per_unit(match: re.Match[str], place: Place) -> Tokens:
    """`0.6元/kWh`."""
    if not place.after_measure:
        return None
    return [Sign(sign="per"), " ", patterns.UNIT_OF[match["unit"]].name(place.language, one=True)]


SIGNS = (
    Rule(patterns.PER_UNIT, _per_unit, Start.OTHER),
    Rule(re.compile(r"[-–—+±×÷=≠<>≤≥≈√∞^&@#№%‰°²³/~～〜_]"), _sign, Start.DASH | Start.OTHER),
)
