"""Phonemes to features: durations, sounds, pitch and energy of an utterance."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from cosyvoice_wyoming.engine.kokoro.features import Features
from cosyvoice_wyoming.engine.kokoro.session import Session, overlapping_threads

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

PAD = 0
"""The token at both ends of an utterance."""

LONGEST_SYMBOLS = 509
"""Symbols that fit into one utterance: the voice packs have 510 rows, the model 512 positions."""


class Encoder:
    """The text side of the model: a network for the context, one for what is made of it."""

    def __init__(self, context: Path, path: Path, threads: int = 0) -> None:
        threads = threads or overlapping_threads()
        self._context = Session(context, threads)
        self._session = Session(path, threads)

    def encode(self, tokens: Sequence[int], style: NDArray[np.float32], speed: float) -> Features:
        """Return the features of 1 to LONGEST_SYMBOLS tokens.

        `style` is the row [1, 256] of the voice's pack for that many tokens; `speed` divides the
        durations. Raises EngineFailed.
        """
        padded = np.array([[PAD, *tokens, PAD]], np.int64)
        (context,) = self._context.run(("context",), tokens=padded)
        asr, f0, energy, durations = self._session.run(
            ("asr", "f0", "energy", "durations"),
            tokens=padded,
            context=context,
            style=style,
            speed=np.array([speed], np.float32),
        )
        return Features(
            asr=asr,
            f0=f0,
            energy=energy,
            style=style,
            durations=durations[0].astype(np.int64),
        )
