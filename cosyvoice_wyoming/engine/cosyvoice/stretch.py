"""Speed: the mel is stretched along time, which keeps the pitch that is read from its values."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cosyvoice_wyoming.engine.cosyvoice.flow import interpolation

Array = NDArray[np.float32]


def stretch_whole(mel: Array, speed: float) -> Array:
    """Return mel [1, mel, int(T / speed)] of [1, mel, T], linearly interpolated."""
    if speed == 1:
        return mel
    frames = mel.shape[2]
    weights = interpolation(frames, int(frames / speed))
    return mel @ weights.T


@dataclass(slots=True)
class Stretch:
    """The same over a mel that arrives in pieces: frame k of the output lies at k * speed."""

    speed: float
    _rest: Array | None = None
    _start: int = 0
    """Number of the first frame in `_rest`."""
    _next: int = 0
    """Number of the next frame of the output."""

    def feed(self, mel: Array, *, final: bool) -> Array:
        """Return the frames [1, mel, n] that lie between frames that are there."""
        if self.speed == 1:
            return mel
        known = mel if self._rest is None else np.concatenate([self._rest, mel], axis=2)
        end = self._start + known.shape[2]
        last = end - (0 if final else 1)
        count = max(0, int(np.ceil(last / self.speed)) - self._next)
        places = (self._next + np.arange(count)) * self.speed - self._start
        places = places[places <= known.shape[2] - 1 + (1 if final else 0)]
        lower = np.minimum(places.astype(np.int64), known.shape[2] - 1)
        upper = np.minimum(lower + 1, known.shape[2] - 1)
        share = (places - lower).clip(0, 1).astype(np.float32)
        self._next += len(places)
        keep = min(int(self._next * self.speed) - self._start, known.shape[2] - 1)
        self._rest, self._start = known[:, :, max(0, keep) :], self._start + max(0, keep)
        stretched: Array = known[:, :, lower] * (1 - share) + known[:, :, upper] * share
        return stretched
