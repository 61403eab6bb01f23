"""Cantonese characters to phonemes: Jyutping by canto-hk-g2p, sounds by rule."""

from __future__ import annotations

import logging
import re

from cosyvoice_wyoming.phonemes.symbols import PUNCTUATION, Phonemes, TonedSyllable, gap
from cosyvoice_wyoming.phonemes.tables import table

_LOGGER = logging.getLogger(__name__)

# longest first, so that "ng" is tried before "n" and "gw" before "g"
_INITIALS = {
    "ng": "ŋ", "gw": "kw", "kw": "kʰw", "b": "p", "p": "pʰ", "m": "m", "f": "f", "d": "t",
    "t": "tʰ", "n": "n", "l": "l", "g": "k", "k": "kʰ", "h": "h", "w": "w", "z": "ʦ", "c": "ʦʰ",
    "s": "s", "j": "j", "": "",
}  # fmt: skip
_NUCLEI = {
    "aa": "a", "oe": "œ", "eo": "ø", "yu": "y", "a": "ɐ", "e": "ɛ", "i": "i", "o": "ɔ", "u": "u",
}  # fmt: skip
_BEFORE_VELAR = {"i": "ɪ", "u": "ʊ"}
_DIPHTHONGS = {"ei": "ei", "ou": "ou", "eoi": "øy"}
_CODAS = {"": "", "m": "m", "n": "n", "ng": "ŋ", "p": "p", "t": "t", "k": "k"}
_TONE_MARKS = {1: "→", 2: "↗", 3: "", 4: "↓", 5: "↗", 6: ""}
# which of several traditional characters a simplified one stands for most often
_COMMONER = {
    "发": "發", "钟": "鐘", "历": "歷", "复": "復", "尽": "盡", "获": "獲", "汇": "匯", "坛": "壇",
    "团": "團", "签": "簽", "纤": "纖", "脏": "髒", "当": "當", "摆": "擺", "苏": "蘇", "弥": "彌",
    "恶": "惡", "么": "麼", "须": "須", "卢": "盧", "饥": "飢", "铲": "鏟", "锤": "錘", "鉴": "鑒",
    "启": "啟", "说": "說", "税": "稅", "脱": "脫", "悦": "悅", "阅": "閱", "奖": "獎", "册": "冊",
}  # fmt: skip
_SYLLABLE = re.compile(r"(ng|gw|kw|[bpmfdtnlgkhwzcsj]?)(aa|oe|eo|yu|[aeiou])(ng|[iumnptk]?)([1-6])")
_SYLLABIC = re.compile(r"h?(m|ng)([1-6])")


class CantoneseReader:
    """Hong Kong Cantonese, traditional or simplified characters."""

    def __init__(self) -> None:
        from canto_hk_g2p import Pipeline

        self._pipeline = Pipeline(punc_norm=False, user_dict=table("cantonese_words.tsv"))
        self._traditional = str.maketrans(_traditional_characters())

    def read(self, text: str) -> Phonemes:
        symbols = ""
        tones: list[TonedSyllable] = []
        for token, jyutping in self._readings(text):
            if token in PUNCTUATION:
                symbols += gap(symbols, token) + token
                continue
            sounds = [sound_of(syllable) for syllable in jyutping.split()]
            symbols += gap(symbols, "".join(sound for sound, _ in sounds))
            for sound, tone in sounds:
                start = len(symbols)
                symbols += sound
                if sound:
                    tones.append(TonedSyllable(start=start, end=len(symbols), tone=tone))
                else:
                    _LOGGER.debug("no Jyutping for %r", token)
        return Phonemes(symbols=symbols, tones=tuple(tones))

    def jyutping(self, text: str) -> list[str]:
        """Read `text` aloud: its syllables in Jyutping."""
        readings = (jyutping for token, jyutping in self._readings(text) if token != jyutping)
        return [syllable for jyutping in readings for syllable in jyutping.split()]

    def _readings(self, text: str) -> list[tuple[str, str]]:
        """Return words and their Jyutping; marks stand for themselves."""
        tokens = self._pipeline.convert_detailed(text.translate(self._traditional))
        return [(token, jyutping) for token, jyutping, *_ in tokens]


def _traditional_characters() -> dict[str, str]:
    """Map simplified characters, as far as they are not traditional ones too, to traditional."""
    pairs = {simple: full for full, simple in table("traditional.tsv").items()} | _COMMONER
    return {simple: full for simple, full in pairs.items() if not _is_traditional(simple)}


def _is_traditional(character: str) -> bool:
    try:
        character.encode("big5")
    except UnicodeEncodeError:
        return False
    return True


def sound_of(jyutping: str) -> tuple[str, int]:
    """Return the symbols and the tone of a syllable such as `hoeng1`; ("", 0) if it is none."""
    if match := _SYLLABIC.fullmatch(jyutping):
        nasal, digit = match.groups()
        return _CODAS[nasal] + _TONE_MARKS[int(digit)], int(digit)
    match = _SYLLABLE.fullmatch(jyutping)
    if match is None:
        return "", 0
    initial, nucleus, coda, digit = match.groups()
    tone = int(digit)
    if diphthong := _DIPHTHONGS.get(nucleus + coda):
        vowel, ending = diphthong, ""
    elif coda in ("i", "u"):
        vowel, ending = _NUCLEI[nucleus] + coda, ""
    else:
        velar = coda in ("ng", "k")
        vowel = _BEFORE_VELAR.get(nucleus, _NUCLEI[nucleus]) if velar else _NUCLEI[nucleus]
        ending = _CODAS[coda]
    return _INITIALS[initial] + vowel + _TONE_MARKS[tone] + ending, tone
