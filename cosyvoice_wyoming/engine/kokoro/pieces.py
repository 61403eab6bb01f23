"""Cut phonemes that are too long for one utterance where a speaker would breathe."""

from __future__ import annotations

from collections.abc import Iterator

from cosyvoice_wyoming.phonemes import Phonemes, TonedSyllable

_BOUNDARIES = (".!?…", ";:,—", " ")
"""Symbols that a piece may end with, the best first."""


def pieces(phonemes: Phonemes, longest: int) -> Iterator[Phonemes]:
    """Yield `phonemes` in pieces of at most `longest` symbols; nothing but spaces at cuts is lost.

    A piece ends with the best boundary in its second half; without any, after a whole word's
    worth of `longest` symbols.
    """
    start = 0
    symbols = phonemes.symbols
    while start < len(symbols):
        end = min(len(symbols), start + longest)
        if end < len(symbols):
            end = _boundary(symbols, start, end)
        yield _part(phonemes, start, end)
        start = end
        while start < len(symbols) and symbols[start] == " ":
            start += 1


def _boundary(symbols: str, start: int, end: int) -> int:
    middle = (start + end) // 2
    for marks in _BOUNDARIES:
        last = max(symbols.rfind(mark, middle, end) for mark in marks)
        if last >= 0:
            return last + 1
    return end


def _part(phonemes: Phonemes, start: int, end: int) -> Phonemes:
    return Phonemes(
        symbols=phonemes.symbols[start:end],
        tones=tuple(
            TonedSyllable(start=tone.start - start, end=tone.end - start, tone=tone.tone)
            for tone in phonemes.tones
            if start <= tone.start and tone.end <= end
        ),
    )
