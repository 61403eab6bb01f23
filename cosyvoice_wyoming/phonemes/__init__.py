"""Words to phonemes, in the symbols of the Kokoro vocabulary, one module per language."""

from __future__ import annotations

from dataclasses import dataclass


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
