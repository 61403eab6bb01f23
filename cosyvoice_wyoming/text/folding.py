"""Bring the many ways to write a character down to one, and drop what nobody can say."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from cosyvoice_wyoming.text.given import is_placeholder

_KEPT = "，。！？；、（）《》〈〉【】「」『』〔〕“”‘’…—·・〜～ー²³°№′″"
"""Compatibility characters and marks that NFKC would change, or whose change would hide meaning:
`100，200` is no thousands separator, and `m²` is not `m2`."""

_MAPPED = str.maketrans(
    {
        "\u00ad": "",  # soft hyphen
        "℃": "°C",
        "℉": "°F",
        "º": "°",
        "˚": "°",
        "㎡": "m²",
        "㎥": "m³",
        "㎢": "km²",
        "㎠": "cm²",
        "㎤": "cm³",
        "㎍": "μg",
        "⁄": "/",
        "∕": "/",
        "：": ":",
        "﹕": ":",
        "∶": ":",
        "．": ".",
        "％": "%",
        "﹪": "%",
        "￥": "¥",
        "￦": "₩",
        "￡": "£",
        "＄": "$",
        "−": "-",
        "﹣": "-",
        "－": "-",
        "‐": "-",
        "‑": "-",
        "‒": "–",
        "―": "—",
        "─": "—",
        "∼": "~",
        "｡": "。",
        "､": "、",
        "⋅": "·",
        "✕": "×",
        "✖": "×",
        "➕": "+",
        "➗": "÷",
    }
    | {chr(0x215F + value): str(value) for value in range(1, 13)}  # Roman numerals, both cases
    | {chr(0x216F + value): str(value) for value in range(1, 13)}
)

_SIGNS = frozenset("°%‰+×÷=≠<>≤≥≈±√∞^$¥€£₩₽₹฿₫₺₿№²³′″~/&@#*_|`")
"""Signs that a later step says or takes away with knowledge of what is around them."""

_COMPATIBLE = re.compile(f"[^{re.escape(_KEPT)}ㄱ-ㆎ\\x00-\\x7f]+")
_NOT_PLAIN = re.compile(r"[^\x20-\x7e一-鿿ぁ-ヿ가-힣，。！？；、]")
_ARROWS = re.compile(r"\s*(?:[←-⇿⟵-⟿➔-➾]|<?[-=]{1,2}>)+\s*")
_SPACES = re.compile(r"\s{2,}")
_EXPONENT = re.compile("[⁻⁰¹⁴-⁹][⁻⁰¹²³⁴-⁹]*|[²³][⁰¹²³⁴-⁹]+")
"""A lone ² or ³ is left alone, as it belongs to a unit more often than not."""
_VULGAR = re.compile(r"(\d?)([¼-¾⅐-⅞])")


def fold(text: str) -> str:
    """Return the text in NFKC where that is safe, without emoji, controls or lone surrogates.

    Digits of every script become ASCII digits, `½` becomes `1/2`, arrows a comma.
    """
    text = _SPACES.sub(lambda match: "\n" * min(match[0].count("\n"), 2) or " ", text)
    text = _EXPONENT.sub(_spell_exponent, text)
    text = _VULGAR.sub(_spell_fraction, text.translate(_MAPPED))
    text = _COMPATIBLE.sub(_normalize, text)
    text = _ARROWS.sub("，", text)
    return _NOT_PLAIN.sub(lambda match: _fold_character(match[0]), text)


def _normalize(match: re.Match[str]) -> str:
    return unicodedata.normalize("NFKC", match[0])


def _spell_fraction(match: re.Match[str]) -> str:
    parts = unicodedata.normalize("NFKC", match[2]).replace("\u2044", "/")
    return f"{match[1]} {parts} " if match[1] else parts


def _spell_exponent(match: re.Match[str]) -> str:
    return "^" + unicodedata.normalize("NFKC", match[0]).replace("−", "-")


@lru_cache(maxsize=8192)
def _fold_character(char: str) -> str:
    if char in _SIGNS or char in _KEPT or char == "\n" or is_placeholder(char):
        return char
    return _fold_number(char) if unicodedata.category(char)[0] == "N" else _fold_other(char)


def _fold_number(char: str) -> str:
    if char == "〇":
        return "零"
    value = unicodedata.numeric(char, 0)
    return str(int(value)) if value == int(value) else ""


def _fold_other(char: str) -> str:
    category = unicodedata.category(char)
    if char.isspace() or category in {"Cc", "Zl", "Zp"}:
        return "\n" if char in "\v\f\x85\u2028\u2029" else " "
    if category[0] == "M":
        return char if char in "\u3099\u309a" else ""
    if category[0] == "S":
        return " "
    return "" if category[0] == "C" else char
