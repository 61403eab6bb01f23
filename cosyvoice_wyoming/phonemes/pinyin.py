"""Pinyin syllables to the voices' sounds."""

from __future__ import annotations

from functools import cache

from cosyvoice_wyoming.phonemes.tables import table

_TONE_MARKS = {"1": "→", "2": "↗", "3": "↓", "4": "↘", "5": ""}


def sound_of(pinyin: str) -> str:
    """Return the symbols of a syllable such as `zhong1` or `lv4`; nothing for what is none."""
    sounds = _sounds()
    if pinyin in sounds:
        return sounds[pinyin]
    base, tone = pinyin[:-1], pinyin[-1:]
    for other in "12345":  # a tone that no word has is made from one that some word has
        if (known := sounds.get(base + other)) and tone in _TONE_MARKS:
            return known.replace(_TONE_MARKS[other], _TONE_MARKS[tone], 1)
    return ""


@cache
def _sounds() -> dict[str, str]:
    return table("pinyin.tsv")
