"""From an engine's waveforms to PCM: levels, joins, pauses, framing. Pure; no asyncio.

A request is one stream at one rate. Engines leave silence of any length around a segment, so it is
trimmed here and replaced by the pause that the punctuation asks for, and the edges are faded so
that a join cannot click.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cosyvoice_wyoming.errors import EngineFailed

SAMPLE_WIDTH = 2
"""Bytes of a sample: signed 16 bits, little-endian, one channel."""

FRAME_SECONDS = 0.1
"""The most audio in one event; also what Home Assistant needs before it answers its player."""

WINDOW_SECONDS = 0.005
SILENCE_PEAK = 10 ** (-50 / 20)
"""A window whose peak is under -50 dBFS is silence: under the breath noise of the voices."""

LEAD_SECONDS = 0.03
TAIL_SECONDS = 0.05
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
    over = np.abs(wave) - np.float32(KNEE)
    if (over > 0).any():
        bent = KNEE + (1 - KNEE) * np.tanh(over / (1 - KNEE))
        wave = np.where(over > 0, np.copysign(bent, wave), wave)
    return Pcm(data=np.rint(wave * 32767).astype("<i2").tobytes(), rate=rate)


def frames(pcm: Pcm) -> Iterator[Pcm]:
    """Cut audio into events of at most FRAME_SECONDS."""
    size = SAMPLE_WIDTH * int(FRAME_SECONDS * pcm.rate)
    for start in range(0, len(pcm.data), size):
        yield Pcm(data=pcm.data[start : start + size], rate=pcm.rate)


def resampled(
    waves: Iterable[NDArray[np.float32]], source: int, target: int
) -> Iterator[NDArray[np.float32]]:
    """Bring a segment's waveforms from rate `source` to rate `target`."""
    if source == target:
        yield from waves
        return
    import soxr

    stream = soxr.ResampleStream(source, target, 1, dtype="float32")
    for wave in waves:
        yield stream.resample_chunk(wave)
    yield stream.resample_chunk(np.zeros(0, np.float32), last=True)


def trimmed(waves: Iterable[NDArray[np.float32]], rate: int) -> Iterator[NDArray[np.float32]]:
    """Cut a segment's silence down to LEAD_SECONDS and TAIL_SECONDS and fade both edges.

    What may turn out to be the end is held back until the next piece shows that it is not, so
    silence within the segment passes. Yields nothing for a segment of silence only.
    """
    window = max(1, round(WINDOW_SECONDS * rate))
    fade = max(1, round(FADE_SECONDS * rate))
    lead, tail = round(LEAD_SECONDS * rate), max(fade, round(TAIL_SECONDS * rate))
    held = np.zeros(0, np.float32)
    started = False
    for wave in waves:
        held = np.concatenate((held, wave))
        loud = _loud_part(held, window)
        if loud is None:
            held = held if started else held[-lead:]
            continue
        if not started:
            started = True
            held = _faded_in(held[max(0, loud.start - lead) :], fade)
            loud = range(0, loud.stop - max(0, loud.start - lead))
        sure = min(loud.stop, len(held) - tail)
        if sure > 0:
            yield held[:sure]
            held = held[sure:]
    if started:
        loud = _loud_part(held, window)
        yield _faded_out(held[: (loud.stop if loud else 0) + tail], fade)


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


def _faded_out(wave: NDArray[np.float32], fade: int) -> NDArray[np.float32]:
    return _faded_in(wave[::-1], fade)[::-1]
