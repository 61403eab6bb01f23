"""Korean spellings whose sound depends on words and grammar, respelled as the rules expect them.

The numbers in the comments are the articles (항) of 표준 발음법.
"""

from __future__ import annotations

import re

from cosyvoice_wyoming.phonemes.hangul import LETTER_NAMES, compose, decompose, is_block
from cosyvoice_wyoming.phonemes.tables import table

_TENSE_ONSETS = {"ㄱ": "ㄲ", "ㄷ": "ㄸ", "ㅂ": "ㅃ", "ㅅ": "ㅆ", "ㅈ": "ㅉ"}

_DEPENDENT_NOUN = re.compile(
    r"(?<=[가-힣]) (?:것|겁|거(?=[예에야라지니면같임고였 ,.?!]|$)|걸(?=[로요 ]|$)|건(?=[가데지 ]|$)"
    r"|게(?=[요 ]|$)|수(?=[가는도를밖록 ,.?!]|$)|데(?=[가는도를다에 ,.?!]|$)|바(?=[를가는에 ]|$)"
    r"|적(?=[에이은도 ]|$)|줄(?=[은도을 ]|$)|지(?=[도는를 ]|$)|듯)"
)
"""A noun that only follows a verb in -ㄹ: 할 것 할껃 (27)."""

_ENDING_AFTER_L = re.compile(r"(?<=[가-힣])(?:게요|수록|걸요)(?![가-힣])|(?<=[가-힣])수록")
_ENDING_OF_VERB = re.compile(r"(?<=[할갈올볼될줄켤끌릴을])(?:게|지|걸)(?=[ ,.?!도는를]|$)")
_POSSESSIVE = re.compile(r"(?<=[가-힣])의(?=[ ,.?!—…”)]|$)")
_NOUN_IN_UI = re.compile(
    r"(?<![가-힣])[주회동강정거편예합문논의결호협토유심명성열모상하창임고수사저건본]의$|주주의$|상회의$|부주의$"
)
_STATION = re.compile(r"(?<=[가-힣]{2})역(?=[ ,.?!에까부을이은과]|$)")
_NOT_A_STATION = re.compile(r"(?:영|번|통|방|면|권|음|현|전|병|농|용|독)$")


class KoreanSpelling:
    """Respells by a table of words and by the grammar around a syllable."""

    def __init__(self) -> None:
        self._words = table("korean_words.tsv")
        self._pattern = re.compile(
            "|".join(map(re.escape, sorted(self._words, key=len, reverse=True)))
        )

    def respell(self, text: str) -> str:
        text = "".join(LETTER_NAMES.get(character, character) for character in text)
        text = _POSSESSIVE.sub(_possessive, text)
        text = self._pattern.sub(lambda match: self._words[match[0]], text)
        for pattern in (_DEPENDENT_NOUN, _ENDING_AFTER_L, _ENDING_OF_VERB):
            text = pattern.sub(_tense_after_l, text)
        return _STATION.sub(_station, text)


def _tense_after_l(match: re.Match[str]) -> str:
    """Make the first consonant tense if the syllable before ends in ㄹ."""
    if _coda(match.string[match.start() - 1]) != "ㄹ":
        return match[0]
    space = match[0][: len(match[0]) - len(match[0].lstrip())]
    onset, vowel, coda = decompose(match[0].lstrip()[0])
    tense = compose(_TENSE_ONSETS.get(onset, onset), vowel, coda)
    return space + tense + match[0].lstrip()[1:]


def _possessive(match: re.Match[str]) -> str:
    """Say the particle 의 as 에, as everyone does (5.4); 회의 and its like are nouns."""
    return "의" if _NOUN_IN_UI.search(match.string[: match.end()]) else "에"


def _station(match: re.Match[str]) -> str:
    """Add ㄴ to 역 after a name that ends in a consonant: 강남역 강남녁, 서울역 서울력 (29)."""
    before = match.string[: match.start()]
    if not _coda(before[-1]) or _NOT_A_STATION.search(before):
        return match[0]
    return "력" if _coda(before[-1]) == "ㄹ" else "녁"


def _coda(character: str) -> str:
    return decompose(character)[2] if is_block(character) else ""
