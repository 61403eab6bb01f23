"""The phonemes that acoustic models read: their alphabet, and values made of them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache

from cosyvoice_wyoming.phonemes.tables import rows

PUNCTUATION = frozenset(';:,.!?—…"()“”')
"""Symbols that are pauses and intonation rather than sounds."""

_OPENING = ("(", "“")


@dataclass(frozen=True, slots=True, kw_only=True)
class TonedSyllable:
    """A Cantonese syllable: symbols `start` to `end` (half-open) carry `tone` (1 to 6)."""

    start: int
    end: int
    tone: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Phonemes:
    """What an acoustic model reads: one symbol per character of `symbols`.

    `tones` is filled for Cantonese, whose pitch the engine draws itself.
    """

    symbols: str
    tones: tuple[TonedSyllable, ...] = ()


@cache
def symbol_ids() -> dict[str, int]:
    """Map every symbol of Kokoro's vocabulary to the number that the model knows it by."""
    return {symbol: int(number) for number, symbol in rows("vocabulary.tsv")}


def only_known(symbols: str) -> str:
    """`symbols` without the characters that are not in the vocabulary."""
    return "".join(symbol for symbol in symbols if symbol in symbol_ids())


def gap(before: str, following: str) -> str:
    """Choose what stands between two pieces of symbols: a space or nothing."""
    if not before or not following or before.endswith((" ", *_OPENING)):
        return ""
    closes = following[0] in PUNCTUATION and following[0] not in _OPENING
    return "" if closes or following[0] == " " else " "


def join(parts: Iterable[Phonemes]) -> Phonemes:
    """Say `parts` one after the other, with a space between sounds that would touch."""
    text = ""
    tones: list[TonedSyllable] = []
    for part in parts:
        text += gap(text, part.symbols)
        shift = len(text)
        text += part.symbols
        tones += (
            TonedSyllable(start=tone.start + shift, end=tone.end + shift, tone=tone.tone)
            for tone in part.tones
        )
    return Phonemes(symbols=text, tones=tuple(tones))
