"""Which part of a sentence is pronounced by which language."""

from __future__ import annotations

from collections.abc import Iterator

from cosyvoice_wyoming.text.characters import is_han, is_hangul, is_kana
from cosyvoice_wyoming.text.language import Language
from cosyvoice_wyoming.text.spoken import Span

_READS_HAN = frozenset({Language.ZH, Language.YUE, Language.JA})


def spans_of(words: str, language: Language) -> Iterator[Span]:
    """Cut words where another language than the segment's has to pronounce them.

    Spaces and marks stay with the words before them.
    """
    start = 0
    current: Language | None = None
    for index, char in enumerate(words):
        owner = _owner(char, language)
        if owner is None or owner is current:
            continue
        if current is not None:
            yield Span(text=words[start:index], language=current)
            start = index
        current = owner
    if words:
        yield Span(text=words[start:], language=current or language)


def _owner(char: str, language: Language) -> Language | None:
    """Return the language that reads a letter, None for a mark."""
    if char.isascii():
        return Language.EN if char.isalpha() else None
    if is_hangul(char):
        return Language.KO
    if is_han(char) or char in "々〇〆":
        return language if language in _READS_HAN else Language.ZH
    if is_kana(char):
        return Language.JA
    return Language.EN if char.isalpha() else None
