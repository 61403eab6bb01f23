"""Sentences for the teacher to read: frames of the smart home filled with words, by a seed."""

from __future__ import annotations

import gzip
import json
import re
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from importlib import resources
from pathlib import Path
from random import Random

from cosyvoice_wyoming.text.language import Language

FOLDER = Path(__file__).parent / "corpus"

_FOREIGN = 0.12
"""Part of the lines in which a voice speaks another language than its own."""
_SHORT = 0.06
"""Part of the lines that are a word or two long: the decoder must begin and end cleanly."""
_STEADY = 0.4
"""Part of the lines at speed 1; the others lie anywhere between SLOWEST and FASTEST."""
SLOWEST, FASTEST = 0.7, 1.4


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """Something to say."""

    text: str
    language: Language
    speed: float = 1.0


class Corpus:
    """Draws lines; the same random state gives the same line."""

    def __init__(self) -> None:
        self._words: dict[tuple[str, str], list[str]] = {}
        for language, kind, words in _rows("words.tsv"):
            self._words[language, kind] = words.split("|")
        self._words["zh", "word"] = _mandarin_words()
        english = _english_words()
        for language in Language:
            self._words[language, "english"] = english
        self._words["en", "word"] = english
        self._frames: dict[str, list[str]] = defaultdict(list)
        for language, frame in _rows("frames.tsv"):
            self._frames[language].append(frame)
        self._made: dict[str, Callable[[Random], str]] = {
            "ja": partial(_kana, moras=self._words["ja", "mora"]),
            "ko": _hangul,
        }

    def line(self, home: Language, draw: Random) -> Line:
        """Return a line for a voice whose language is `home`."""
        others = [language for language in Language if language != home]
        language = draw.choice(others) if draw.random() < _FOREIGN else home
        speed = 1.0 if draw.random() < _STEADY else round(draw.uniform(SLOWEST, FASTEST), 2)
        if draw.random() < _SHORT:
            text = draw.choice(self._words[language, "short"])
        else:
            text = self._fill(language, draw.choice(self._frames[language]), draw)
        return Line(text=text, language=language, speed=speed)

    def _fill(self, language: Language, frame: str, draw: Random) -> str:
        def word(match: re.Match[str]) -> str:
            kind = match[1]
            if kind == "made":
                return self._made[language](draw)
            return draw.choice(self._words[language, kind])

        text = re.sub(r"\{(\w+)\}", word, frame)
        return text[0].upper() + text[1:]


def unseen() -> list[tuple[Language, str]]:
    """Return the sentences that the decoder is judged on; no line of the corpus is one of them."""
    return [(Language(language), text) for language, text in _rows("unseen.tsv")]


def _rows(name: str) -> list[list[str]]:
    lines = (FOLDER / name).read_text(encoding="utf-8").splitlines()
    return [line.split("\t") for line in lines if line and not line.startswith("#")]


def _mandarin_words() -> list[str]:
    from pypinyin.phrases_dict import phrases_dict

    return [word for word in phrases_dict if re.fullmatch("[一-鿿]{2,4}", word)]


def _english_words() -> list[str]:
    packed = resources.files("hibari") / "assets" / "lexicon_us_gold.json.gz"
    lexicon = json.loads(gzip.decompress(packed.read_bytes()))
    return [word for word in lexicon if re.fullmatch("[a-z]{3,11}", word)]


def _kana(draw: Random, moras: list[str]) -> str:
    """Return a word that no dictionary has, so that every mora meets every other."""
    return "".join(draw.choice(moras) for _ in range(draw.randint(2, 5)))


def _hangul(draw: Random) -> str:
    """Return a word of random syllables: onset, vowel and, mostly, no coda."""
    codas = (0, 0, 0, 1, 4, 7, 8, 16, 17, 21)  # none, ㄱ ㄴ ㄷ ㄹ ㅁ ㅂ ㅇ
    syllables = (
        chr(0xAC00 + 588 * draw.randrange(19) + 28 * draw.randrange(21) + draw.choice(codas))
        for _ in range(draw.randint(2, 4))
    )
    return "".join(syllables)
