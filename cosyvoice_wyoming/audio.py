"""From an engine's waveforms to PCM: levels, joins, pauses, framing. Pure; no asyncio.

A request is one stream at one rate. Engines leave silence of any length around a segment, so it is
trimmed here and replaced by the pause that the punctuation asks for, and the edges are faded so
that a join cannot click.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from cosyvoice_wyoming.errors import EngineFailed

if TYPE_CHECKING:
    from numpy.typing import NDArray

SAMPLE_WIDTH = 2
"""Bytes of a sample: signed 16 bits, little-endian, one channel."""

FRAME_SECONDS = 0.1
"""The most audio in one event; also what Home Assistant needs before it answers its player."""

WINDOW_SECONDS = 0.005
SILENCE_PEAK = 10 ** (-60 / 20)
"""A window whose peak is under -60 dBFS is silence: the voices' pauses are below -83 dBFS (RMS),
and an h or s that begins a phrase comes up slowly, from about -60."""

LEAD_SECONDS = 0.04
TAIL_SECONDS = 0.1
"""Silence kept around a segment: soft onsets and the release of a final consonant live there."""

FADE_SECONDS = 0.005

KNEE = 0.9
"""Where the limiter sets in: louder samples bend towards full scale instead of being cut."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pcm:
    """A piece of audio: s16le, mono, `rate` samples a second."""

    data: bytes
    rate: int

    @property
    def seconds(self) -> float:
        return len(self.data) / (SAMPLE_WIDTH * self.rate)


def silence(seconds: float, rate: int) -> Pcm:
    """Return silence of that length, to the nearest sample."""
    return Pcm(data=bytes(SAMPLE_WIDTH * round(seconds * rate)), rate=rate)


def to_pcm(wave: NDArray[np.float32], rate: int) -> Pcm:
    """Convert samples in -1..1; beyond ±KNEE they are bent, so that no run is clipped.

    Raises EngineFailed for samples that are not numbers.
    """
    if not np.isfinite(wave).all():
        raise EngineFailed("the model produced no valid audio: try again or another model")
    over = np.maximum(np.abs(wave) - KNEE, 0)
    if over.any():
        bent = KNEE + (1 - KNEE) * over / (over + 1 - KNEE)
        wave = np.where(over > 0, np.copysign(bent, wave), wave)
    return Pcm(data=np.rint(wave * 32767).astype("<i2").tobytes(), rate=rate)


def frames(pcm: Pcm) -> Iterator[Pcm]:
    """Cut audio into events of at most FRAME_SECONDS."""
    size = SAMPLE_WIDTH * int(FRAME_SECONDS * pcm.rate)
    for start in range(0, len(pcm.data), size):
        yield Pcm(data=pcm.data[start : start + size], rate=pcm.rate)


class SegmentShaper:
    """One segment's waveforms from rate `source` to rate `target`, trimmed and faded.

    Silence around the segment is cut down to LEAD_SECONDS and TAIL_SECONDS. What may turn out to be
    the end is held back until more comes, so silence within the segment passes. A segment of
    silence only gives nothing.
    """

    def __init__(self, source: int, target: int) -> None:
        self._resampler = _resampler(source, target)
        self._window = max(1, round(WINDOW_SECONDS * target))
        self._fade = max(1, round(FADE_SECONDS * target))
        self._lead = round(LEAD_SECONDS * target)
        self._tail = round(TAIL_SECONDS * target)
        self._held = np.zeros(0, np.float32)
        self._started = False

    def feed(self, wave: NDArray[np.float32]) -> NDArray[np.float32]:
        """Take the next piece and return what is sure to be heard, perhaps nothing."""
        return self._advance(self._resampler(wave, False))  # noqa: FBT003  # soxr's own order

    def end(self) -> NDArray[np.float32]:
        """Return the rest of the segment."""
        start = self._advance(self._resampler(np.zeros(0, np.float32), True))  # noqa: FBT003
        if not self._started:
            return start
        loud = _loud_part(self._held, self._window)
        rest = self._held[: (loud.stop if loud else 0) + self._tail]
        return np.concatenate((start, _faded_in(rest[::-1], self._fade)[::-1]))

    def _advance(self, wave: NDArray[np.float32]) -> NDArray[np.float32]:
        self._held = np.concatenate((self._held, wave))
        loud = _loud_part(self._held, self._window)
        if loud is None:
            if not self._started:
                self._held = self._held[-self._lead :]
            return _NOTHING
        cut = 0
        if not self._started:
            self._started = True
            cut = max(0, loud.start - self._lead)
            self._held = _faded_in(self._held[cut:], self._fade)
        sure = max(0, min(loud.stop - cut, len(self._held) - self._tail))
        done, self._held = self._held[:sure], self._held[sure:]
        return done


_NOTHING = np.zeros(0, np.float32)


def _resampler(
    source: int, target: int
) -> Callable[[NDArray[np.float32], bool], NDArray[np.float32]]:
    """Return a function of the next piece and whether it is the last."""
    if source == target:
        return lambda wave, last: wave  # noqa: ARG005
    import soxr

    stream = soxr.ResampleStream(source, target, 1, dtype="float32")
    return lambda wave, last: stream.resample_chunk(wave, last=last)


def _loud_part(wave: NDArray[np.float32], window: int) -> range | None:
    """Return the samples from the first window that is not silent to the last."""
    whole = len(wave) // window * window
    peaks = np.abs(wave[:whole]).reshape(-1, window).max(axis=1)
    loud = np.flatnonzero(peaks > SILENCE_PEAK)
    rest_is_loud = bool((np.abs(wave[whole:]) > SILENCE_PEAK).any())
    if not len(loud) and not rest_is_loud:
        return None
    start = int(loud[0]) * window if len(loud) else whole
    return range(start, len(wave) if rest_is_loud else (int(loud[-1]) + 1) * window)


def _ramp(fade: int) -> NDArray[np.float32]:
    return (0.5 - 0.5 * np.cos(np.pi * (np.arange(fade) + 0.5) / fade)).astype(np.float32)


def _faded_in(wave: NDArray[np.float32], fade: int) -> NDArray[np.float32]:
    fade = min(fade, len(wave))
    return np.concatenate((wave[:fade] * _ramp(fade), wave[fade:]))
