"""Sound from what the distilled decoder writes: a filter for pulses and one for noise.

Both are applied in an STFT of 600 points every 150 samples. Frame j is centred at sample
150 j + 75, so that L samples are exactly L / 150 frames, and its overlapping windows add up to a
constant: no division by a window sum at the edges, and a piece of an utterance sounds as it does
in the whole. Real FFTs in numpy take a third of the time of convolutions with the DFT's basis.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]
    Spectrum = NDArray[np.complex64]

N_FFT = 600
HOP = 150
BINS = N_FFT // 2 + 1
"""Bins of 40 Hz."""

LOUDEST_PULSE_FILTER = 5.0
LOUDEST_NOISE_FILTER = 3.0
"""Natural logs of magnitudes that speech never reaches; they keep exp() finite."""

_MARGIN = (N_FFT - HOP) // 2
_OVERLAP = N_FFT // HOP
REACH = _OVERLAP // 2
"""Frames before and after a stretch of HOP-long hops whose windows reach into it."""

_WINDOW = (0.5 - 0.5 * np.cos(2 * np.pi * np.arange(N_FFT) / N_FFT)).astype(np.float32)
_SYNTHESIS_WINDOW = (_WINDOW * (HOP / np.sum(np.square(_WINDOW, dtype=np.float64)))).astype(
    np.float32
)


def filtered(
    filters: Floats, pulses: Floats, noise: Floats, first: int, last: int, *, begins: int = 0
) -> Floats:
    """Return the samples of the hops `first` to `last` (half-open) of an utterance of L samples.

    `pulses` and `noise` [L] are those of the whole utterance, the noise already times its breath.
    `filters` [J, 3, BINS] are those of the frames from `begins` on, at least `first` - REACH to
    `last` + REACH as far as they exist: log magnitude and phase (radians) of the filter for the
    pulses, log magnitude of the one for the noise.
    """
    start = max(0, first - REACH)
    filters = filters[start - begins : last + REACH - begins]
    stop = start + len(filters)
    log_pulse, phase, log_noise = filters[:, 0], filters[:, 1], filters[:, 2]
    gain = np.exp(np.minimum(log_pulse, LOUDEST_PULSE_FILTER))
    shape = np.empty(gain.shape, np.complex64)
    np.multiply(gain, np.cos(phase), out=shape.real)
    np.multiply(gain, np.sin(phase), out=shape.imag)
    spectrum = _analysed(pulses, start, stop)
    spectrum *= shape
    hiss = _analysed(noise, start, stop)
    hiss *= np.exp(np.minimum(log_noise, LOUDEST_NOISE_FILTER))
    spectrum += hiss
    added = _synthesised(spectrum)
    begin = first * HOP - (start * HOP - _MARGIN)
    return added[begin : begin + (last - first) * HOP]


def _analysed(samples: Floats, start: int, stop: int) -> Spectrum:
    """[L] -> the spectra [stop - start, BINS] of the frames `start` to `stop`."""
    begin, end = start * HOP - _MARGIN, stop * HOP + _MARGIN
    before, after = max(0, -begin), max(0, end - len(samples))
    piece = np.pad(samples[begin + before : end - after], (before, after))
    frames = np.lib.stride_tricks.sliding_window_view(piece, N_FFT)[::HOP]
    # numpy 2 keeps single precision; its annotations do not know that.
    return np.fft.rfft(frames * _WINDOW).astype(np.complex64, copy=False)


def _synthesised(spectrum: Spectrum) -> Floats:
    """[J, BINS] -> [150 J + 450], of which sample _MARGIN is the first of frame 0's hop."""
    count = len(spectrum)
    frames = np.fft.irfft(spectrum, N_FFT).astype(np.float32, copy=False)
    frames *= _SYNTHESIS_WINDOW
    parts = frames.reshape(count, _OVERLAP, HOP)
    added = np.zeros((count + _OVERLAP - 1, HOP), np.float32)
    for part in range(_OVERLAP):
        added[part : part + count] += parts[:, part]
    return added.reshape(-1)
