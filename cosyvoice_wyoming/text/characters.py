"""What a single character is: its script, and how long it takes to say."""

from __future__ import annotations

import unicodedata
from functools import lru_cache

HAN_TENTHS = 10
KANA_TENTHS = 7
OTHER_TENTHS = 3


def is_han(char: str) -> bool:
    basic = "㐀" <= char <= "鿿" or "\uf900" <= char <= "\ufaff"
    return basic or "\U00020000" <= char <= "\U0003ffff"


def is_kana(char: str) -> bool:
    return "ぁ" <= char <= "ヿ" or "ㇰ" <= char <= "ㇿ" or "ｦ" <= char <= "ﾟ"


def is_hangul(char: str) -> bool:
    return "가" <= char <= "힣" or "ㄱ" <= char <= "ㆎ" or "\u1100" <= char <= "\u11ff"


def is_ascii_alnum(char: str) -> bool:
    return char.isascii() and char.isalnum()


@lru_cache(maxsize=4096)
def tenths(char: str) -> int:
    """Return how long a character takes to say, in tenths of a unit (4 to 5 units a second).

    Han characters and Hangul syllables 10, kana 7, anything else visible 3; nothing for the
    private planes, which carry pronunciations (see `given`).
    """
    if is_han(char) or "가" <= char <= "힣":
        return HAN_TENTHS
    if is_kana(char):
        return KANA_TENTHS
    return 0 if char.isspace() or char >= "\U000f0000" else OTHER_TENTHS


@lru_cache(maxsize=4096)
def joins_previous(char: str) -> bool:
    """Whether a cut before the character would tear a visible sign apart."""
    return unicodedata.category(char)[0] == "M" or char in "\u200c\u200d"
