"""Hangul to phonemes: the surface pronunciation by rule, then its sounds."""

from __future__ import annotations

from cosyvoice_wyoming.phonemes.hangul import Block, decompose, is_block
from cosyvoice_wyoming.phonemes.korean_rules import pronounce
from cosyvoice_wyoming.phonemes.korean_spelling import KoreanSpelling
from cosyvoice_wyoming.phonemes.symbols import PUNCTUATION, Phonemes, gap

_ONSETS = {
    "ㄱ": "k", "ㄲ": "ʔk", "ㅋ": "kʰ", "ㄴ": "n", "ㄷ": "t", "ㄸ": "ʔt", "ㅌ": "tʰ", "ㄹ": "ɾ",
    "ㅁ": "m", "ㅂ": "p", "ㅃ": "ʔp", "ㅍ": "pʰ", "ㅅ": "s", "ㅆ": "ʔs", "ㅇ": "", "ㅈ": "ʨ",
    "ㅉ": "ʔʨ", "ㅊ": "ʨʰ", "ㅎ": "h",
}  # fmt: skip
_VOICED = {"ㄱ": "ɡ", "ㄷ": "d", "ㅂ": "b", "ㅈ": "ʥ"}
_VOWELS = {
    "ㅏ": "a", "ㅐ": "ɛ", "ㅑ": "ja", "ㅒ": "jɛ", "ㅓ": "ʌ", "ㅔ": "e", "ㅕ": "jʌ", "ㅖ": "je",
    "ㅗ": "o", "ㅘ": "wa", "ㅙ": "wɛ", "ㅚ": "we", "ㅛ": "jo", "ㅜ": "u", "ㅝ": "wʌ", "ㅞ": "we",
    "ㅟ": "wi", "ㅠ": "ju", "ㅡ": "ɨ", "ㅢ": "ɨi", "ㅣ": "i",
}  # fmt: skip
_CODAS = {"": "", "ㄱ": "k", "ㄴ": "n", "ㄷ": "t", "ㄹ": "l", "ㅁ": "m", "ㅂ": "p", "ㅇ": "ŋ"}
_SONORANT_CODAS = frozenset(("", "ㄴ", "ㅁ", "ㅇ", "ㄹ"))
_FRONT = frozenset("ㅣㅑㅕㅛㅠㅟㅖㅒ")


class KoreanReader:
    """Standard (Seoul) Korean."""

    def __init__(self) -> None:
        self._spelling = KoreanSpelling()

    def read(self, text: str) -> Phonemes:
        tokens = self._tokens(text)
        pronounce([token for token in tokens if isinstance(token, Block)])
        symbols = ""
        previous: Block | None = None
        for token in tokens:
            if isinstance(token, Block):
                sound = _sound(token, previous)
                symbols += (gap(symbols, sound) if token.starts_word else "") + sound
                previous = token
            else:
                symbols += gap(symbols, token) + token
        return Phonemes(symbols=symbols)

    def spoken_hangul(self, text: str) -> str:
        """Write what is said in Hangul: 같이 as 가치. Marks are left as they are."""
        tokens = self._tokens(text)
        pronounce([token for token in tokens if isinstance(token, Block)])
        return "".join(
            f" {token}" if isinstance(token, Block) and token.starts_word else str(token)
            for token in tokens
        ).strip()

    def _tokens(self, text: str) -> list[Block | str]:
        text = self._spelling.respell(text)
        tokens: list[Block | str] = []
        starts_word = starts_phrase = True
        for character in text:
            if is_block(character):
                onset, vowel, coda = decompose(character)
                tokens.append(Block(onset, vowel, coda, starts_word, starts_phrase))
                starts_word = starts_phrase = False
            elif character in PUNCTUATION:
                tokens.append(character)
                starts_word = starts_phrase = True
            elif character.isspace():
                starts_word = True
        return tokens


def _sound(block: Block, previous: Block | None) -> str:
    onset = _ONSETS[block.onset]
    coda_before = None if previous is None or block.starts_phrase else previous.coda
    if block.onset in _VOICED and coda_before in _SONORANT_CODAS:
        onset = _VOICED[block.onset]
    elif block.onset == "ㄹ" and coda_before == "ㄹ":
        onset = "l"
    elif block.onset in "ㅅㅆ" and block.vowel in _FRONT:
        onset = onset.replace("s", "ɕ")
    if block.starts_word:
        onset = onset.removeprefix("ʔ")
    vowel = _VOWELS[block.vowel]
    if onset.endswith(("ɕ", "ʥ", "ʨ")):
        vowel = vowel.removeprefix("j")
    return onset + vowel + _CODAS[block.coda]
