"""A loss on harmonic depth: shallower than the teacher's is breath, deeper is buzz.

The energy distance hardly hears it: with it alone the students were up to 2 dB off in a band, each
voice in its own direction.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import torch
from metrics import (
    BANDS_HZ,
    HARMONIC_FFT,
    HARMONIC_FLOOR,
    HARMONIC_WINDOW,
    PITCH_HOP,
    pitch_within,
    steady_frames,
)
from torch import Tensor

if TYPE_CHECKING:
    from lessons import Batch

_EVERY = 2
"""Of the steady frames: the windows of neighbours are four fifths the same."""
_SOFT_DB = 0.5
_BIN_HZ = 24_000 / HARMONIC_FFT
_PROSODY_HZ = 200.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Comb:
    """Where the steady frames of a batch have harmonics; S frames, K bins, three bands.

    `starts` int64 [S, 2]: the crop, the first sample of the frame's window. `weights` float32
    [S, 3, K]: times decibels, the depth of a band. `present` float32 [S, 3]: 0 where a band has no
    harmonic.
    """

    starts: Tensor
    weights: Tensor
    present: Tensor


def comb(batch: Batch) -> Comb:
    """Find the harmonics of the frames whose window lies where the loss listens."""
    window = np.hanning(HARMONIC_WINDOW)
    starts, weights = [], []
    for crop, (prosody, heard) in enumerate(zip(batch.prosody, batch.heard, strict=True)):
        f0 = np.where(prosody[1] > 0, _PROSODY_HZ * np.exp(prosody[0]), 0).astype(np.float32)
        pitches = pitch_within(f0, window, PITCH_HOP // 2)
        for frame in steady_frames(f0)[::_EVERY]:
            start = int(frame) * PITCH_HOP + (PITCH_HOP - HARMONIC_WINDOW) // 2
            if start >= 0 and heard[start : start + HARMONIC_WINDOW].sum() == HARMONIC_WINDOW:
                starts.append((crop, start))
                weights.append(_weights(float(pitches[frame])))
    bins = HARMONIC_FFT // 2 + 1
    stacked = np.array(weights, np.float32).reshape(-1, len(BANDS_HZ), bins)
    return Comb(
        starts=torch.tensor(starts, dtype=torch.long).reshape(-1, 2),
        weights=torch.from_numpy(stacked),
        present=torch.from_numpy(stacked.any(2).astype(np.float32)),
    )


def depth_distance(teacher: Tensor, student: Tensor, where: Comb) -> Tensor:
    """Return the mean over crops and bands of how many dB their depths lie apart; both [B, L]."""
    if not len(where.starts):
        return torch.zeros(())
    apart = _depths(student, where) - _depths(teacher, where)
    crops = torch.zeros(len(teacher), len(BANDS_HZ))
    count = crops.index_add(0, where.starts[:, 0], where.present)
    total = crops.index_add(0, where.starts[:, 0], apart * where.present)
    mean = total / count.clamp(min=1)
    return ((mean.square() + _SOFT_DB**2).sqrt() - _SOFT_DB).sum() / (count > 0).sum().clamp(min=1)


def _depths(samples: Tensor, where: Comb) -> Tensor:
    """[B, L] -> dB [S, 3]."""
    crop, start = where.starts.unbind(1)
    begin = crop * samples.shape[1] + start
    frames = samples.reshape(-1)[begin[:, None] + torch.arange(HARMONIC_WINDOW)]
    window = torch.from_numpy(np.hanning(HARMONIC_WINDOW).astype(np.float32))
    size = torch.fft.rfft(frames * window, HARMONIC_FFT).abs()
    decibels = 20 * torch.log10(size + HARMONIC_FLOOR)
    return torch.einsum("sbk,sk->sb", where.weights, decibels)


def _weights(pitch: float) -> np.ndarray[tuple[int, int], np.dtype[np.float32]]:
    """[3, K]: over a band's harmonics 1 / n each, midway between two of them -1 / n."""
    weights = np.zeros((len(BANDS_HZ), HARMONIC_FFT // 2 + 1), np.float32)
    for band, (low, high) in enumerate(BANDS_HZ):
        numbers = np.arange(int(low / pitch) + 1, int(high / pitch))
        for sign, shift in ((1, 0.0), (-1, 0.5)):
            bins = np.rint((numbers + shift) * pitch / _BIN_HZ).astype(int)
            weights[band, bins] += sign / max(1, len(numbers))
    return weights
