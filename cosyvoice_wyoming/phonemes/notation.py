"""Pronunciations that users give: pinyin, Jyutping or IPA to the voices' symbols."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

from cosyvoice_wyoming.phonemes import cantonese, pinyin
from cosyvoice_wyoming.phonemes.symbols import Phonemes, TonedSyllable, only_known

_TONE_ACCENTS = {"\u0304": "1", "\u0301": "2", "\u030c": "3", "\u0300": "4"}
_UMLAUT = "\u0308"

# IPA as dictionaries of English write it, in the letters of the voices' vocabulary
_IPA = (
    (r"[\u0361\u035c‿|‖/\[\]]", ""),
    (r"(?<=\w)\.(?=\w)", ""),  # a boundary of syllables, not a full stop
    ("['\u02b9]", "ˈ"),
    ("g", "ɡ"), ("r", "ɹ"), (":", "ː"),
    ("t͡?ʃ", "ʧ"), ("d͡?ʒ", "ʤ"), ("tɕ", "ʨ"), ("dʑ", "ʥ"), ("ts", "ʦ"), ("dz", "ʣ"),
    ("e[ɪi]", "A"), ("a[ɪi]", "I"), ("ɔ[ɪi]", "Y"), ("[oə]ʊ", "O"), ("aʊ", "W"),
    ("ɝ", "ɜɹ"), ("ɫ", "l"), ("([iuɑɔɜ])ː", r"\1"),
)  # fmt: skip


def from_notation(notation: str) -> Phonemes:
    """Read `pinyin:chong2 qing4`, `jyutping:gaau3 zung1`, `ipa:təˈmɑtoʊ` or bare symbols.

    Tones stay as given: no sandhi. What cannot be read is left out; if that is everything, the
    result is empty.
    """
    alphabet, colon, text = notation.partition(":")
    if colon and alphabet == "pinyin":
        sounds = (pinyin.sound_of(base + (tone or "5")) for base, tone in _syllables(text))
        return Phonemes(symbols="".join(sounds))
    if colon and alphabet == "jyutping":
        return _jyutping(text)
    if colon and alphabet == "ipa":
        for pattern, symbol in _IPA:
            text = re.sub(pattern, symbol, text)
        return Phonemes(symbols=only_known(text).strip())
    return Phonemes(symbols=only_known(notation).strip())


def _jyutping(text: str) -> Phonemes:
    symbols = ""
    tones: list[TonedSyllable] = []
    for base, digit in _syllables(text):
        sound, tone = cantonese.sound_of(base + digit)
        if sound:
            end = len(symbols) + len(sound)
            tones.append(TonedSyllable(start=len(symbols), end=end, tone=tone))
            symbols += sound
    return Phonemes(symbols=symbols, tones=tuple(tones))


def _syllables(text: str) -> Iterator[tuple[str, str]]:
    """Yield the letters and the tone digit of each syllable; accents become digits, ü becomes v."""
    for word in re.split(r"[\s'’\-]+", text.lower().replace("u:", "ü")):
        for match in re.finditer(r"[^\W\d_]+[0-9]?", unicodedata.normalize("NFC", word)):
            yield _syllable(match[0])


def _syllable(written: str) -> tuple[str, str]:
    letters, tone = "", ""
    for letter in unicodedata.normalize("NFD", written):
        if letter.isdigit():
            tone = "5" if letter == "0" else letter
        elif letter in _TONE_ACCENTS:
            tone = _TONE_ACCENTS[letter]
        elif letter == _UMLAUT:
            letters = letters[:-1] + "v"
        else:
            letters += letter
    return letters, tone
