"""English words to phonemes, by the grapheme-to-phoneme converter of hibari."""

from __future__ import annotations

import re

from cosyvoice_wyoming.phonemes.packed import PackedTable
from cosyvoice_wyoming.phonemes.symbols import Phonemes, only_known
from cosyvoice_wyoming.phonemes.tables import table

_WORD = re.compile(r"[^\W\d_]+")
_LETTER_A = re.compile(r"^[Aa]$|\bA\b(?= [A-Z]\b)|(?<=\b[A-Z] )A\b")
"""An A alone or among single capitals is the letter, not the article."""


class EnglishReader:
    """American English. Unknown words are read by a small network inside the library."""

    def __init__(self) -> None:
        from hibari.g2p import G2P

        self._g2p = G2P()
        # 43 MB less, for 1 ms a sentence
        lexicon, tagger = self._g2p.lexicon, self._g2p.tagger
        lexicon.golds.d = PackedTable(lexicon.golds.d)
        lexicon.silvers.d = PackedTable(lexicon.silvers.d)
        tagger.weights = PackedTable(tagger.weights)
        self._words = table("english_words.tsv")
        # the network is loaded by the first word that is in no dictionary, and the dictionaries'
        # rules are built by the first sentence
        self.read("Qwzx")

    def read(self, text: str) -> Phonemes:
        text = _WORD.sub(self._with_phonemes, text.strip())
        text = _LETTER_A.sub("[A](/ˈA/)", text)
        return Phonemes(symbols=only_known(self._g2p(text)).strip())

    def _with_phonemes(self, match: re.Match[str]) -> str:
        """Write a word of our table in the library's notation for given phonemes."""
        word = match[0]
        phonemes = self._words.get(word) or self._words.get(word.lower())
        return f"[{word}](/{phonemes}/)" if phonemes else word
