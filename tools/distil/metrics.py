"""How near a waveform is to the teacher's. NumPy only; 24 kHz, 80 Hz frames of F0."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]

BANDS_HZ = ((300, 2000), (2000, 4000), (4000, 8000))
"""Where harmonic depth is measured."""

_MEL_FFT, _MEL_HOP, _MEL_BANDS = 1024, 256, 80
_AUDIBLE_DB = 50.0  # cells further below the teacher's loudest are not compared
HARMONIC_WINDOW, HARMONIC_FFT, HARMONIC_FLOOR = 1600, 4800, 1e-2
PITCH_HOP = 300
_STEADY_HZ = 6.0
_TRACK_WINDOW, _TRACK_FFT = 1200, 2048
_SHORTEST, _LONGEST = 60, 340  # periods in samples: 400 to 71 Hz
_PERIODIC = 0.6
_SILENT_DBFS = -60.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Pitch:
    """A tracked F0: Hz, and whether the frame is periodic enough to trust it; both [frames]."""

    hz: NDArray[np.float64]
    periodic: NDArray[np.bool_]


def log_mel(samples: Floats) -> NDArray[np.float64]:
    """Return 20·log10(mel + 1e-3), [frames, 80]: HTK mel 0 to 12 kHz, Hann 1024, hop 256."""
    window = np.hanning(_MEL_FFT + 1)[:-1]
    padded = np.pad(samples, _MEL_FFT // 2)
    frames = np.lib.stride_tricks.sliding_window_view(padded, _MEL_FFT)[::_MEL_HOP]
    spectrum = np.abs(np.fft.rfft(frames * window)) / window.sum()
    return 20 * np.log10(spectrum @ _mel_triangles().T + 1e-3)


def mel_rmse(teacher: Floats, student: Floats) -> float:
    """Return the RMSE in dB over the cells within 50 dB of the teacher's loudest."""
    expected, found = log_mel(teacher), log_mel(student)
    audible = expected > expected.max() - _AUDIBLE_DB
    return float(np.sqrt(np.mean((expected - found)[audible] ** 2)))


def pitch_within(f0: Floats, window: NDArray[np.float64], first: int) -> NDArray[np.float64]:
    """Return the mean pitch in Hz [frames] under a window centred at sample 300·i + `first`.

    The pulses turn by F0[i] between the centres of the frames i - 1 and i, so sample t is driven
    with F0[(t + 150) // 300]. Read as if F0[i] held around the centre of frame i, half a frame
    later, the pitch of exact pulses was 5 to 17 cents off.
    """
    half = len(window) // 2
    driven = np.pad(np.repeat(f0, PITCH_HOP), (half, half + PITCH_HOP), mode="edge")
    begin = first + PITCH_HOP // 2
    spans = np.lib.stride_tricks.sliding_window_view(driven, len(window))[begin::PITCH_HOP]
    pitch: NDArray[np.float64] = spans @ (window / window.sum())
    return pitch


def steady_frames(f0: Floats) -> NDArray[np.int64]:
    """Return the frames whose F0 is above 100 Hz and moves less than 6 Hz over five frames."""
    around = np.lib.stride_tricks.sliding_window_view(f0, 5)
    return 2 + np.flatnonzero((around.min(1) > 100) & (np.ptp(around, axis=1) < _STEADY_HZ))  # noqa: PLR2004


def harmonic_depths(samples: Floats, f0: Floats) -> NDArray[np.float64]:
    """Return dB at the harmonics minus dB midway, [steady frames, 3 bands].

    Deeper than the teacher in the upper bands is buzz, shallower is breath. NaN where a band has
    none.
    """
    half = (HARMONIC_WINDOW - PITCH_HOP) // 2
    padded = np.pad(samples, half)
    frames = np.lib.stride_tricks.sliding_window_view(padded, HARMONIC_WINDOW)[::PITCH_HOP]
    window = np.hanning(HARMONIC_WINDOW)
    pitches = pitch_within(f0, window, PITCH_HOP // 2)
    steady = steady_frames(f0[: len(frames)])
    windowed = frames[steady] * window
    decibels = 20 * np.log10(np.abs(np.fft.rfft(windowed, HARMONIC_FFT)) + HARMONIC_FLOOR)
    bin_hz = 24_000 / HARMONIC_FFT
    depths = np.full((len(steady), len(BANDS_HZ)), np.nan)
    for row, frame in enumerate(steady):
        pitch = float(pitches[frame])
        for column, (low, high) in enumerate(BANDS_HZ):
            numbers = np.arange(int(low / pitch) + 1, int(high / pitch))
            if numbers.size:
                at = np.rint(numbers * pitch / bin_hz).astype(int)
                midway = np.rint((numbers + 0.5) * pitch / bin_hz).astype(int)
                depths[row, column] = (decibels[row, at] - decibels[row, midway]).mean()
    return depths


def track_pitch(samples: Floats) -> Pitch:
    """Track F0 by normalised autocorrelation; frame i is centred at sample 300·i + 600."""
    frames = np.lib.stride_tricks.sliding_window_view(samples, _TRACK_WINDOW)[::PITCH_HOP]
    frames = frames - frames.mean(1, keepdims=True)
    window = np.hanning(_TRACK_WINDOW)
    power = np.abs(np.fft.rfft(frames * window, _TRACK_FFT)) ** 2
    power[:, int(1500 / 24_000 * _TRACK_FFT) :] = 0
    lags = np.fft.irfft(power)
    lags /= lags[:, :1] + 1e-9
    own = np.fft.irfft(np.abs(np.fft.rfft(window, _TRACK_FFT)) ** 2)
    lags /= own / own[0] + 1e-3
    periods = np.arange(_SHORTEST, _LONGEST)
    best = (lags[:, periods] - 0.25 * periods / _LONGEST).argmax(1) + _SHORTEST
    rows = np.arange(len(frames))
    left, peak, right = lags[rows, best - 1], lags[rows, best], lags[rows, best + 1]
    offset = 0.5 * (left - right) / (left - 2 * peak + right + 1e-12)
    refined = best + np.clip(offset, -0.5, 0.5)  # noise has no parabola to speak of
    loud = (frames**2).mean(1) > 1e-5  # noqa: PLR2004 - about -50 dB
    return Pitch(hz=24_000 / refined, periodic=(peak > _PERIODIC) & loud)


def pitch_errors(teacher: Floats, student: Floats, f0: Floats) -> NDArray[np.float64]:
    """Return |cents| between the student's tracked F0 and the F0 it was given.

    Only where F0 is voiced and both waveforms are periodic. `f0` is [2F] in Hz.
    """
    expected, found = track_pitch(teacher), track_pitch(student)
    count = min(len(expected.hz), len(f0) - 4)
    # a spectrum weighs a sample with the window, its power with the square of it
    given = pitch_within(f0, np.hanning(_TRACK_WINDOW) ** 2, _TRACK_WINDOW // 2)
    around = np.lib.stride_tricks.sliding_window_view(f0, 5)[:count]
    voiced = around.min(1) > 80  # noqa: PLR2004
    keep = voiced & expected.periodic[:count] & found.periodic[:count]
    cents: NDArray[np.float64] = np.abs(1200 * np.log2(found.hz[:count] / given[:count]))[keep]
    return cents


def pause_level(teacher: Floats, student: Floats) -> tuple[float, float]:
    """Return the level of both, in dBFS, where the teacher is silent (below -60); NaN if never.

    A student far above the teacher here hisses in pauses.
    """
    levels = [
        10 * np.log10((wave[: len(wave) // 300 * 300].reshape(-1, 300) ** 2).mean(1) + 1e-10)
        for wave in (teacher, student)
    ]
    silent = levels[0] < _SILENT_DBFS
    if not silent.any():
        return float("nan"), float("nan")
    return float(levels[0][silent].mean()), float(levels[1][silent].mean())


@cache
def _mel_triangles() -> NDArray[np.float64]:
    bins = np.linspace(0, 12_000, _MEL_FFT // 2 + 1)
    edges = np.linspace(0, 2595 * np.log10(1 + 12_000 / 700), _MEL_BANDS + 2)
    edges = 700 * (10 ** (edges / 2595) - 1)
    low, peak, high = edges[:-2, None], edges[1:-1, None], edges[2:, None]
    rising, falling = (bins - low) / (peak - low), (high - bins) / (high - peak)
    return np.clip(np.minimum(rising, falling), 0, None)
