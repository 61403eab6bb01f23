"""What turns features into sound. The teacher does; a distilled student may."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    import numpy as np

    from cosyvoice_wyoming.engine import Waveform
    from cosyvoice_wyoming.engine.kokoro.features import Features


class Decoder(Protocol):
    """Features to waveform.

    Stateless between calls: what runs on within an utterance (the phase of the voice, the noise)
    belongs to the iterator, so that one may be dropped at any point.
    """

    def decode(self, features: Features, noise: np.random.Generator) -> Iterator[Waveform]:
        """Yield pieces that together have 600 samples for each frame of `features`.

        Any randomness comes from `noise`. Raises EngineFailed.
        """
