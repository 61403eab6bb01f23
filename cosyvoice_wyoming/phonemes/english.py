"""English words to phonemes, by the grapheme-to-phoneme converter of hibari."""

from __future__ import annotations

import re

from cosyvoice_wyoming.phonemes.symbols import Phonemes, only_known
from cosyvoice_wyoming.phonemes.tables import table


class EnglishReader:
    """American English. Unknown words are read by a small network inside the library."""

    def __init__(self) -> None:
        from hibari.g2p import G2P

        self._g2p = G2P()
        self._words = table("english_words.tsv")

    def read(self, text: str) -> Phonemes:
        text = re.sub(r"[^\W\d_]+", self._own_spelling, text)
        return Phonemes(symbols=only_known(self._g2p(text.strip())))

    def _own_spelling(self, match: re.Match[str]) -> str:
        return self._words.get(match[0].lower(), match[0])
