"""The marks that end something, how much of an end each is, and full stops that end nothing."""

from __future__ import annotations

import re
from enum import IntEnum


class Strength(IntEnum):
    """How much of an end a run of punctuation is."""

    NONE = 0
    SOFT = 1
    CLAUSE = 2
    TRAIL = 3
    SENTENCE = 4
    LINE = 5
    PARAGRAPH = 6


PAUSES = {
    Strength.NONE: 0.0,
    Strength.SOFT: 0.15,
    Strength.CLAUSE: 0.25,
    Strength.TRAIL: 0.35,
    Strength.SENTENCE: 0.45,
    Strength.LINE: 0.5,
    Strength.PARAGRAPH: 0.7,
}
"""Silence after a segment in seconds at speed 1; a cut without punctuation must not be heard."""

STRENGTHS = (
    dict.fromkeys("，、,､", Strength.SOFT)
    | dict.fromkeys("；：;:", Strength.CLAUSE)
    | dict.fromkeys("…", Strength.TRAIL)
    | dict.fromkeys("。！？｡.!?．‼⁉⁈⁇", Strength.SENTENCE)
)
NEED_SPACE = frozenset(".!?．,;:：，")
"""Marks that also stand inside numbers, times, addresses and file names."""
UNAMBIGUOUS = frozenset("。！？｡‼⁉⁈⁇")
CLOSERS = frozenset("”’」』）)]】》〉〕\"'*_~`")
QUOTE_CLOSERS = frozenset("”’」』）)")
QUOTED_GOES_ON = frozenset("とっ")
"""「…。」と言う goes on after the quotation's end."""
LINE_ENDS = frozenset("\n\v\f\x85\u2028\u2029")

_ABBREVIATIONS = frozenset(
    ["mr", "mrs", "ms", "dr", "prof", "st", "sr", "jr", "mt", "vs", "approx", "dept", "est", "cf"]
)
"""Never end a sentence. Kept short: each entry is a sentence that will not be split."""
_BEFORE_NUMBER = frozenset(
    ["no", "nos", "fig", "vol", "ch", "jan", "feb", "mar", "apr", "jun", "jul", "aug", "sep", "oct"]
)
"""End a sentence unless a number follows."""

_LAST_WORD = re.compile(r"[A-Za-z][A-Za-z.]*$")
_LIST_NUMBER = re.compile(r"(?:^|\n)[\s*_>#-]*(?:\d{1,3}|[A-Za-z])$")


def needs_its_stop(before: str, following: str) -> bool:
    """Whether the full stop after a text belongs to its last word: `Dr.`, `No. 5`, `1.` of a list.

    `following` is the first visible character after the stop.
    """
    if _LIST_NUMBER.search(before):
        return True
    word = _LAST_WORD.search(before[-12:])
    if word is None:
        return False
    name = word[0].lower()
    if name in _BEFORE_NUMBER:
        return following.isdigit()
    if name in {"a.m", "p.m"}:
        return False
    return name in _ABBREVIATIONS or "." in name or (len(name) == 1 and word[0] != "I")
