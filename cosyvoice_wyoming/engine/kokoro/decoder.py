"""What turns features into sound: the distilled student, or the teacher it learnt from."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    import numpy as np

    from cosyvoice_wyoming.engine import Waveform
    from cosyvoice_wyoming.engine.kokoro.features import Features


@dataclass(slots=True, kw_only=True)
class Running:
    """What runs on from one utterance of a request to the next.

    `noise` is where noise is drawn from; `phase` is that of the voice at the end of the last
    utterance, in radians.
    """

    noise: np.random.Generator
    phase: float = 0.0


class Decoder(Protocol):
    """Features to waveform. Whatever is kept between two calls is in `running`."""

    def decode(self, features: Features, running: Running) -> Iterator[Waveform]:
        """Yield the sound of `features`, 600 samples for each frame, piece after piece.

        The silence of the first pad may be left out. The iterator may be dropped at any point.
        Raises EngineFailed.
        """
