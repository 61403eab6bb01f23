"""Japanese to phonemes: readings by OpenJTalk, sounds by a table of kana."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from cosyvoice_wyoming.phonemes.japanese_spelling import respell
from cosyvoice_wyoming.phonemes.marks import plain_marks
from cosyvoice_wyoming.phonemes.readers import reader
from cosyvoice_wyoming.phonemes.scripts import Script, script_of
from cosyvoice_wyoming.phonemes.symbols import PUNCTUATION, Phonemes, gap
from cosyvoice_wyoming.phonemes.tables import table
from cosyvoice_wyoming.text.language import Language

if TYPE_CHECKING:
    from pyopenjtalk.types import NJDFeature

_N_BEFORE = {
    **dict.fromkeys("pbm", "m"),
    **dict.fromkeys("tdnɲʦʨʣʥɾz", "n"),
    **dict.fromkeys("kɡ", "ŋ"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Word:
    """A word in katakana as it is said, ー for long vowels, or a mark of punctuation.

    `accent` is the mora after which the pitch falls, 0 if it does not; `joins` is true if the
    word belongs to the accent phrase of the one before it. `unread` holds kanji that Japanese
    has no reading for; `kana` is empty then.
    """

    kana: str = ""
    unread: str = ""
    accent: int = 0
    joins: bool = False


class JapaneseReader:
    """Tokyo Japanese, from kanji and kana."""

    def __init__(self) -> None:
        import pyopenjtalk

        self._openjtalk = pyopenjtalk
        self._sounds = table("kana.tsv")
        self._moras = re.compile(
            "|".join(map(re.escape, sorted(self._sounds, key=len, reverse=True))) + "|."
        )
        self.words("あ")  # the dictionary is opened by the first sentence

    def read(self, text: str) -> Phonemes:
        symbols = ""
        for word in self.words(text):
            if word.unread:
                sounds = reader(Language.ZH).read(word.unread).symbols
            elif word.kana in PUNCTUATION:
                sounds = word.kana
            else:
                sounds = self._sounds_of(word.kana, symbols)
            symbols += gap(symbols, sounds) + sounds
        symbols = re.sub(r"ɴ(?= ?(.))", lambda found: _N_BEFORE.get(found[1], "ɴ"), symbols)
        return Phonemes(symbols=symbols)

    def words(self, text: str) -> list[Word]:
        """Read `text` aloud: its words and the marks between them."""
        return [word for feature in self._features(respell(text)) for word in _words(feature)]

    def _features(self, text: str) -> list[NJDFeature]:
        openjtalk = self._openjtalk
        try:
            features: list[NJDFeature] = openjtalk.run_frontend(
                text, use_sudachi_kanji_yomi=False, predict_nani=False, iu_pronunciation="Yuu"
            )
        except ModuleNotFoundError:
            # A kanji outside the dictionary makes the library ask for Sudachi's, 190 MB that are
            # not installed. Without the text it uses its table of single kanji instead.
            features = openjtalk.run_frontend(text, use_vanilla=True)
            features = openjtalk.apply_postprocessing(
                None, features, use_sudachi_kanji_yomi=False, predict_nani=False
            )
        return features

    def _sounds_of(self, kana: str, before: str) -> str:
        sounds = ""
        for mora in self._moras.findall(kana):
            if mora == "ー":
                last = (before + sounds)[-1:]
                sounds += "ː" if last not in ("", " ", "ː") else ""
            else:
                sounds += {"ッ": "ʔ", "ン": "ɴ"}.get(mora) or self._sounds.get(mora, "")
        return sounds


def _words(feature: NJDFeature) -> Iterator[Word]:
    if feature["pos"] == "記号" or feature["pron"] in ("、", "？", "！"):
        # the reading of every mark is a comma; what was written is more precise
        for mark in plain_marks(feature["string"]):
            if mark in PUNCTUATION:
                yield Word(kana=mark)
            elif script_of(mark) is Script.HAN:
                yield Word(unread=mark)
    else:
        yield Word(
            kana=feature["pron"].replace("’", ""),
            accent=feature["acc"],
            joins=feature["chain_flag"] == 1,
        )
