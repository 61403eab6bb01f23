"""Mandarin characters to phonemes: words by rjieba, pinyin by pypinyin, sounds by a table."""

from __future__ import annotations

from cosyvoice_wyoming.phonemes.mandarin_tones import Syllable, with_sandhi
from cosyvoice_wyoming.phonemes.symbols import PUNCTUATION, Phonemes, gap
from cosyvoice_wyoming.phonemes.tables import rows, table

_TONE_MARKS = {"1": "→", "2": "↗", "3": "↓", "4": "↘", "5": ""}


class MandarinReader:
    """Standard Mandarin, simplified or traditional characters."""

    def __init__(self) -> None:
        import rjieba
        from pypinyin import Style, lazy_pinyin, load_phrases_dict

        load_phrases_dict(
            {row[0]: [[pinyin] for pinyin in row[1].split()] for row in rows("mandarin_words.tsv")},
            style="tone3",
        )
        self._cutter = rjieba.Jieba()
        self._lazy_pinyin = lazy_pinyin
        self._style = Style.TONE3
        self._sounds = table("pinyin.tsv")

    def read(self, text: str) -> Phonemes:
        words = [self._syllables(word) for word in self._cutter.cut(text, hmm=False)]
        symbols = ""
        for word in with_sandhi(words):
            sounds = "".join(self.sound(syllable.pinyin) for syllable in word)
            symbols += gap(symbols, sounds) + sounds
        return Phonemes(symbols=symbols)

    def sound(self, pinyin: str) -> str:
        """Return the symbols of a syllable such as `zhong1` or of a mark; nothing for others."""
        if pinyin in PUNCTUATION:
            return pinyin
        if pinyin in self._sounds:
            return self._sounds[pinyin]
        base, tone = pinyin[:-1], pinyin[-1:]
        for other in "12345":
            if (known := self._sounds.get(base + other)) and tone in _TONE_MARKS:
                return known.replace(_TONE_MARKS[other], _TONE_MARKS[tone], 1)
        return ""

    def _syllables(self, word: str) -> list[Syllable]:
        if word in PUNCTUATION or word.isspace():
            return [Syllable(character=word, pinyin=word.strip())]
        found = self._lazy_pinyin(
            word, style=self._style, neutral_tone_with_five=True, errors="ignore"
        )
        return [
            Syllable(character=character, pinyin=pinyin)
            for character, pinyin in zip(word, found, strict=False)
        ]
