"""Hangul syllables as their letters."""

from __future__ import annotations

from dataclasses import dataclass

ONSETS = "ㄱㄲㄴㄷㄸㄹㅁㅂㅃㅅㅆㅇㅈㅉㅊㅋㅌㅍㅎ"
VOWELS = "ㅏㅐㅑㅒㅓㅔㅕㅖㅗㅘㅙㅚㅛㅜㅝㅞㅟㅠㅡㅢㅣ"
CODAS = ("", *"ㄱㄲㄳㄴㄵㄶㄷㄹㄺㄻㄼㄽㄾㄿㅀㅁㅂㅄㅅㅆㅇㅈㅊㅋㅌㅍㅎ")
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
