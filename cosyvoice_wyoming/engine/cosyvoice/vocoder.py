"""Mel to waveform: whole, in chunks as the original does it, and in chunks without seams."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from cosyvoice_wyoming.engine.cosyvoice.config import VocoderConfig
from cosyvoice_wyoming.engine.cosyvoice.draws import Draws
from cosyvoice_wyoming.engine.cosyvoice.source import HarmonicSource
from cosyvoice_wyoming.engine.cosyvoice.speech_lm import Graph

Array = NDArray[np.float32]

_PITCH_REACH = 5
"""Frames on either side that the pitch of a frame depends on: five convolutions of width 3."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Vocoder:
    """The graphs of HiFT and its source."""

    pitch: Graph
    wave: Graph
    source: HarmonicSource
    config: VocoderConfig

    def pitches(self, mel: Array) -> Array:
        """Return Hz per frame, [T], of mel [1, mel, T]."""
        pitches: Array = self.pitch.run({"mel": mel})[0][0]
        return pitches

    def decode(self, mel: Array, source: Array) -> Array:
        """Return samples [hop * T] of mel [1, mel, T] with source [1, 1, hop * T]."""
        samples: Array = self.wave.run({"mel": mel, "source": source})[0][0]
        return samples

    def whole(self, mel: Array, draws: Draws, cached: Array | None = None) -> tuple[Array, Array]:
        """Return samples and source of a mel, the source's start replaced by `cached`."""
        source = self.source.whole(self.pitches(mel), draws)
        if cached is not None:
            source[:, :, : cached.shape[2]] = cached
        return self.decode(mel, source), source


def reach(config: VocoderConfig) -> int:
    """Return how many frames on either side a sample of HiFT's output depends on, at most.

    Samples of every stage's convolutions, added up along the longest path, in frames.
    """
    first, second = config.upsample_rates
    frames = 3.0
    kernel = max(*config.kernels, *config.source_kernels)
    blocks = sum(config.dilations) + len(config.dilations)
    samples = (kernel - 1) // 2 * blocks
    frames += 1 + samples / first
    frames += (
        1 + samples / second + 3 / second + 1 + config.fft / config.stft_hop / second
    ) / first
    return int(np.ceil(frames))


@dataclass(slots=True)
class VocoderStream:
    """A waveform that grows with its mel and equals that of the whole mel.

    HiFT depends on `reach` frames on either side of a sample only. So each piece is decoded with
    that many frames around it and the surroundings are cut off: there is no seam to fade over.
    The source runs on from piece to piece; its last frames, whose pitch lacks what comes after,
    are drawn again with the next piece.
    """

    vocoder: Vocoder
    draws: Draws
    _mel: Array | None = None
    _source: Array = field(default_factory=lambda: np.zeros((1, 1, 0), np.float32))
    _turns: NDArray[np.float64] | None = None
    _emitted: int = 0
    """Frames of `_mel` whose samples are out."""

    def feed(self, mel: Array, *, final: bool) -> Array:
        """Return the samples that are certain once `mel` [1, mel, T] has followed the others."""
        hop = self.vocoder.source.hop
        window = mel if self._mel is None else np.concatenate([self._mel, mel], axis=2)
        frames = window.shape[2]
        source = self._extend_source(window, final=final)
        ready = frames if final else max(self._emitted, frames - reach(self.vocoder.config))
        if ready == self._emitted:
            self._mel = window
            return np.zeros(0, np.float32)
        wave = self.vocoder.decode(window, source)[self._emitted * hop : ready * hop]
        drop = max(0, ready - reach(self.vocoder.config))
        self._mel = window[:, :, drop:]
        self._source = self._source[:, :, drop * hop :]
        self._emitted = ready - drop
        return wave

    def _extend_source(self, window: Array, *, final: bool) -> Array:
        """Return the source of the whole window; keep what of it cannot change any more."""
        generator = self.vocoder.source
        if self._turns is None:
            self._turns = generator.start_phases(self.draws).astype(np.float64) / (2 * np.pi)
        known = self._source.shape[2] // generator.hop
        pitch = self.vocoder.pitches(window)[known:]
        certain = len(pitch) if final else max(0, len(pitch) - _PITCH_REACH)
        fixed = self._source
        if certain:
            fresh = generator.running(pitch[:certain], self._turns, self.draws)
            self._turns = generator.advance(pitch[:certain], self._turns)
            fixed = self._source = np.concatenate([self._source, fresh], axis=2)
        if certain == len(pitch):
            return fixed
        guess = generator.running(pitch[certain:], self._turns, self.draws)
        return np.concatenate([fixed, guess], axis=2)
