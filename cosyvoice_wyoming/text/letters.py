"""Letters that no voice reads as they stand: Greek, Cyrillic, other scripts, initialisms."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import TYPE_CHECKING

from cosyvoice_wyoming.text.characters import is_han, is_hangul, is_kana

if TYPE_CHECKING:
    from cosyvoice_wyoming.text.languages import Verbaliser

_LATIN_WORD = re.compile(r"[A-Za-z]+(?:['’-][A-Za-z]+)*")
_SPELLED = frozenset(
    {"CO", "HA", "UPS", "SOC", "COP", "MR", "LIFX", "SO", "NO", "HEMS", "DAB", "RIP", "FAQ", "CAD"}
)
"""Initialisms that an English reader would take for a word."""
_NOT_READ = re.compile(r"[^\x00-\x7f一-鿿ぁ-ヿ가-힣，。！？；：、]")
_NAME_HEAD = re.compile(r"^.*?\b(?:LETTER|SYLLABLE|CHARACTER|LIGATURE|SIGN)\b ?")
_CYRILLIC = dict(
    zip(
        "абвгдеёжзийклмнопрстуфхцчшщъыьэюяіїєґ",
        (
            *(
                "a",
                "b",
                "v",
                "g",
                "d",
                "e",
                "yo",
                "zh",
                "z",
                "i",
                "y",
                "k",
                "l",
                "m",
                "n",
                "o",
                "p",
            ),
            *(
                "r",
                "s",
                "t",
                "u",
                "f",
                "kh",
                "ts",
                "ch",
                "sh",
                "shch",
                "",
                "y",
                "",
                "e",
                "yu",
                "ya",
            ),
            *("i", "yi", "ye", "g"),
        ),
        strict=True,
    )
)


def say_letters(text: str, verbaliser: Verbaliser) -> str:
    """Return the text with Latin letters, Han, kana and Hangul only, besides punctuation."""
    text = _NOT_READ.sub(lambda match: _read(match[0]), text)
    return _LATIN_WORD.sub(lambda match: _say_word(match[0], verbaliser), text)


def _say_word(word: str, verbaliser: Verbaliser) -> str:
    own = verbaliser.latin(word)
    if own is not None:
        return own
    return "-".join(word) if word in _SPELLED else word


@lru_cache(maxsize=8192)
def _read(char: str) -> str:
    """Return a letter of another script in Latin letters, other characters as they are."""
    if not char.isalpha() or is_han(char) or is_kana(char) or is_hangul(char) or char in "々〆ー":
        return char
    name = unicodedata.name(char, "")
    if name.startswith("LATIN"):
        return char
    if char.lower() in _CYRILLIC:
        return _CYRILLIC[char.lower()]
    words = _NAME_HEAD.sub("", name.partition(" WITH ")[0]) or name
    spoken = " ".join(re.findall(r"[A-Z]+", words)).lower()
    return f" {spoken} "
