"""Hangul syllables as their letters."""

from __future__ import annotations

from dataclasses import dataclass

ONSETS = "ㄱㄲㄴㄷㄸㄹㅁㅂㅃㅅㅆㅇㅈㅉㅊㅋㅌㅍㅎ"
VOWELS = "ㅏㅐㅑㅒㅓㅔㅕㅖㅗㅘㅙㅚㅛㅜㅝㅞㅟㅠㅡㅢㅣ"
CODAS = ("", *"ㄱㄲㄳㄴㄵㄶㄷㄹㄺㄻㄼㄽㄾㄿㅀㅁㅂㅄㅅㅆㅇㅈㅊㅋㅌㅍㅎ")
LETTER_NAMES = {
    "ㄱ": "기역", "ㄴ": "니은", "ㄷ": "디귿", "ㄹ": "리을", "ㅁ": "미음", "ㅂ": "비읍",
    "ㅅ": "시옷", "ㅇ": "이응", "ㅈ": "지읒", "ㅊ": "치읓", "ㅋ": "크", "ㅌ": "티읕",
    "ㅍ": "피읖", "ㅎ": "흐", "ㄲ": "쌍기역", "ㄸ": "쌍디귿", "ㅃ": "쌍비읍", "ㅆ": "쌍시옷",
    "ㅉ": "쌍지읒",
    "ㅏ": "아", "ㅐ": "애", "ㅑ": "야", "ㅒ": "얘", "ㅓ": "어", "ㅔ": "에", "ㅕ": "여", "ㅖ": "예",
    "ㅗ": "오", "ㅘ": "와", "ㅙ": "왜", "ㅚ": "외", "ㅛ": "요", "ㅜ": "우", "ㅝ": "워", "ㅞ": "웨",
    "ㅟ": "위", "ㅠ": "유", "ㅡ": "으", "ㅢ": "의", "ㅣ": "이",
}  # fmt: skip
"""How single letters are read; ㅋ and ㅎ in a row are laughter."""

_FIRST = ord("가")
_LAST = ord("힣")


@dataclass(slots=True)
class Block:
    """One syllable: onset (ㅇ if it has none), vowel and coda ("" if it has none).

    `starts_word` is true after a space or a mark, `starts_phrase` after a mark only.
    """

    onset: str
    vowel: str
    coda: str = ""
    starts_word: bool = False
    starts_phrase: bool = False

    def __str__(self) -> str:
        return compose(self.onset, self.vowel, self.coda)


def is_block(character: str) -> bool:
    """Whether `character` is a whole Hangul syllable."""
    return _FIRST <= ord(character) <= _LAST


def decompose(character: str) -> tuple[str, str, str]:
    """Onset, vowel and coda of a syllable; ValueError if it is none."""
    if not is_block(character):
        raise ValueError(f"{character!r} is no Hangul syllable")
    onset, rest = divmod(ord(character) - _FIRST, len(VOWELS) * len(CODAS))
    vowel, coda = divmod(rest, len(CODAS))
    return ONSETS[onset], VOWELS[vowel], CODAS[coda]


def compose(onset: str, vowel: str, coda: str = "") -> str:
    """Put the letters of a syllable together."""
    index = ONSETS.index(onset) * len(VOWELS) + VOWELS.index(vowel)
    return chr(_FIRST + index * len(CODAS) + CODAS.index(coda))
