"""Which language's pronunciation reads which characters of a span."""

from __future__ import annotations

import logging
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum, auto

from cosyvoice_wyoming.text.language import Language

_LOGGER = logging.getLogger(__name__)


class Script(Enum):
    """What a character is to the languages that are spoken here."""

    LATIN = auto()
    HAN = auto()
    KANA = auto()
    HANGUL = auto()
    DIGIT = auto()
    OTHER = auto()
    """Letters that no language here reads, such as Thai."""
    COMMON = auto()
    """Punctuation, spaces and marks, which follow the words around them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """Consecutive characters that one language reads."""

    text: str
    language: Language


_RANGES = (
    (0x3041, 0x3096, Script.KANA),
    (0x30A1, 0x30FA, Script.KANA),
    (0x30FC, 0x30FE, Script.KANA),
    (0x3005, 0x3007, Script.HAN),
    (0x3400, 0x4DBF, Script.HAN),
    (0x4E00, 0x9FFF, Script.HAN),
    (0xF900, 0xFAFF, Script.HAN),
    (0x20000, 0x3FFFF, Script.HAN),
    (0xAC00, 0xD7A3, Script.HANGUL),
    (0x3131, 0x318E, Script.HANGUL),
    (0x1100, 0x11FF, Script.HANGUL),
)

_READS: dict[Language, frozenset[Script]] = {
    Language.ZH: frozenset({Script.HAN}),
    Language.YUE: frozenset({Script.HAN}),
    Language.JA: frozenset({Script.HAN, Script.KANA}),
    Language.KO: frozenset({Script.HANGUL}),
    Language.EN: frozenset({Script.LATIN}),
}

_FOREIGN: dict[Script, Language] = {
    Script.LATIN: Language.EN,
    Script.HAN: Language.ZH,
    Script.KANA: Language.JA,
    Script.HANGUL: Language.KO,
}


def script_of(character: str) -> Script:
    """Tell the script of one character."""
    code = ord(character)
    if character.isascii():
        if character.isalpha():
            return Script.LATIN
        return Script.DIGIT if character.isdigit() else Script.COMMON
    for first, last, script in _RANGES:
        if first <= code <= last:
            return script
    if not character.isalnum():
        return Script.COMMON
    if unicodedata.name(character, "").startswith("LATIN"):
        return Script.LATIN
    return Script.DIGIT if character.isdecimal() else Script.OTHER


def runs(text: str, language: Language) -> Iterator[Run]:
    """Cut `text` where another language than `language` has to read it.

    Marks and digits stay with the words before them. Letters of scripts that no language here
    reads are left out.
    """
    start = 0
    current: Language | None = None
    kept: list[str] = []
    for character in text:
        script = script_of(character)
        if script is Script.OTHER:
            _LOGGER.debug("no language here reads %r", character)
            kept.append(" ")
            continue
        if script not in (Script.COMMON, Script.DIGIT):
            reader = language if script in _READS[language] else _FOREIGN[script]
            if current is not None and reader is not current:
                yield Run(text="".join(kept[start:]), language=current)
                start = len(kept)
            current = reader
        kept.append(character)
    if rest := "".join(kept[start:]):
        yield Run(text=rest, language=current or language)
