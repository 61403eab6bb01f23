"""What the encoder says about an utterance, and what a decoder turns into sound."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

SAMPLE_RATE = 24_000
FRAME_SAMPLES = 600
"""Samples per frame of `asr` (40 Hz); F0 and energy have two values per frame."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Features:
    """An utterance of F frames, between encoder and decoder.

    `asr` float32 [1, 512, F]: the sounds, at 40 Hz. `f0` float32 [1, 2F]: in Hz at 80 Hz, with
    5 to 9 where nothing is voiced. `energy` float32 [1, 2F]. `style` float32 [1, 256]: the
    voice; decoders read columns 0 to 127. `durations` int64 [N]: the frames of each of the N
    tokens, the pads at both ends included; their sum is F.
    """

    asr: NDArray[np.float32]
    f0: NDArray[np.float32]
    energy: NDArray[np.float32]
    style: NDArray[np.float32]
    durations: NDArray[np.int64]

    @property
    def frames(self) -> int:
        return int(self.asr.shape[2])
