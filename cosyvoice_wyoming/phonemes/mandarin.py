"""Mandarin characters to phonemes: words by rjieba, pinyin by pypinyin, sounds by a table."""

from __future__ import annotations

import logging

from cosyvoice_wyoming.phonemes.mandarin_context import in_context
from cosyvoice_wyoming.phonemes.mandarin_tones import Syllable, with_sandhi
from cosyvoice_wyoming.phonemes.pinyin import sound_of
from cosyvoice_wyoming.phonemes.pypinyin_packed import pack
from cosyvoice_wyoming.phonemes.symbols import PUNCTUATION, Phonemes, gap
from cosyvoice_wyoming.phonemes.tables import table

_LOGGER = logging.getLogger(__name__)


class MandarinReader:
    """Standard Mandarin, simplified or traditional characters."""

    def __init__(self) -> None:
        import rjieba
        from pypinyin import Style, lazy_pinyin

        pack()
        self._lazy_pinyin = lazy_pinyin
        self._style = Style.TONE3
        self._words = {word: pinyin.split() for word, pinyin in table("mandarin_words.tsv").items()}
        self._simplified = str.maketrans(table("traditional.tsv"))
        # the module's own cutter: another one would hold its 24 MB dictionary a second time
        self._cut = rjieba.cut
        for word in self._words:
            if len(word) > 1:
                rjieba.add_word(word, freq=None, tag=None)
        self.words("你好")  # the dictionaries are unpacked by the first sentence

    def read(self, text: str) -> Phonemes:
        symbols = ""
        for word in self.words(text):
            sounds = _sounds_of(word)
            symbols += gap(symbols, sounds) + sounds
        return Phonemes(symbols=symbols)

    def words(self, text: str) -> list[list[Syllable]]:
        """Read `text` aloud: the syllables of each word, with the tones they have together."""
        cut = self._cut(text.translate(self._simplified), hmm=False)
        words = [syllables for word in cut if (syllables := self._syllables(word))]
        return with_sandhi(in_context(words))

    def _syllables(self, word: str) -> list[Syllable]:
        if word.isspace():
            return []
        if word in PUNCTUATION:
            return [Syllable(character=word, pinyin=word)]
        found = self._words.get(word) or self._lazy_pinyin(
            word, style=self._style, neutral_tone_with_five=True, errors="ignore"
        )
        if len(found) < len(word):
            _LOGGER.debug("no pinyin for some of %r", word)
        return [
            Syllable(character=character, pinyin=pinyin)
            for character, pinyin in zip(word, found, strict=False)
        ]


def _sounds_of(word: list[Syllable]) -> str:
    sounds = ""
    for syllable in word:
        if syllable.is_erhua:
            sounds = sounds.removesuffix("n")  # 一点儿 loses its n
        sounds += syllable.pinyin if syllable.pinyin in PUNCTUATION else sound_of(syllable.pinyin)
    return sounds
