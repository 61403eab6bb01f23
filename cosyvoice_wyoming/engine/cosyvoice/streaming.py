"""Chunks of speech tokens to pieces of waveform, in the official way and in ours."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from cosyvoice_wyoming.engine.cosyvoice.draws import Draws
from cosyvoice_wyoming.engine.cosyvoice.flow import EDGE_TOKENS, Flow, FlowCache
from cosyvoice_wyoming.engine.cosyvoice.presets import Preset, Scheme
from cosyvoice_wyoming.engine.cosyvoice.stretch import Stretch, stretch_whole
from cosyvoice_wyoming.engine.cosyvoice.vocoder import Vocoder, VocoderStream

Array = NDArray[np.float32]

NOTHING = np.zeros(0, np.float32)
"""A piece without samples: a step that ended without sound, where a request may be cancelled."""

_CACHED_MEL = 20
"""Frames of mel that the official scheme vocodes again in the next chunk: 5120 samples."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Decoder:
    """The half of the model that turns speech tokens into sound."""

    flow: Flow
    vocoder: Vocoder


class ChunkStream(Protocol):
    """An utterance's sound, chunk after chunk."""

    def chunk(self, tokens: NDArray[np.int64], *, final: bool) -> Generator[Array, None, None]:
        """Yield pieces of waveform, NOTHING after each step of the flow."""


def open_stream(
    decoder: Decoder, preset: Preset, speaker: Array, draws: Draws, speed: float
) -> ChunkStream:
    """Return a new utterance's stream; `speaker` is [1, mel]."""
    if preset.scheme is Scheme.OFFICIAL:
        return OfficialStream(decoder, preset, speaker, draws, speed)
    return SeamlessStream(decoder, preset, speaker, draws, speed)


def decode(stream: ChunkStream, tokens: Iterable[int | None], preset: Preset) -> Iterator[Array]:
    """Cut tokens into chunks and yield their sound, NOTHING wherever None stands for a token."""
    pending: list[int] = []
    chunks = 0
    for token in tokens:
        if token is None:
            yield NOTHING
            continue
        pending.append(token)
        hop = preset.hop(chunks)
        if len(pending) >= preset.enough(chunks):
            yield from stream.chunk(np.array(pending[: hop + EDGE_TOKENS]), final=False)
            del pending[:hop]
            chunks += 1
    if pending:
        yield from stream.chunk(np.array(pending), final=True)


@dataclass(slots=True)
class _MelChunks:
    """The flow over chunks: each starts on the last frames of the one before."""

    flow: Flow
    preset: Preset
    speaker: Array
    draws: Draws
    cache: FlowCache | None = None

    def solve(self, tokens: NDArray[np.int64]) -> Generator[Array, None, Array]:
        mu = self.flow.encode(tokens)
        yield NOTHING
        noise = self.draws.normal(mu.shape)
        kept = self.flow.overlap
        if self.cache is not None:
            noise[:, :, :kept], mu[:, :, :kept] = self.cache.noise, self.cache.mu
        self.cache = FlowCache(noise=noise[:, :, -kept:].copy(), mu=mu[:, :, -kept:].copy())
        steps = self.flow.solve(mu, self.speaker, noise, self.preset.schedule)
        while True:
            try:
                next(steps)
            except StopIteration as end:
                mel: Array = end.value
                return mel
            yield NOTHING


class OfficialStream:
    """The original's scheme, number for number: Hamming fades of mel and of sound.

    Its fades add up to 1.06 to 1.08 and the harmonics jump behind each seam; it is kept as the
    reference. A speed other than 1 holds for an utterance of one chunk, as in the original;
    over several chunks each is stretched by itself.
    """

    def __init__(
        self, decoder: Decoder, preset: Preset, speaker: Array, draws: Draws, speed: float
    ) -> None:
        self._vocoder = decoder.vocoder
        self._draws = draws
        self._speed = speed
        self._chunks = _MelChunks(decoder.flow, preset, speaker, draws)
        self._overlap = decoder.flow.overlap
        self._cached_samples = _CACHED_MEL * decoder.vocoder.source.hop
        self._mel_tail: Array | None = None
        self._cached: tuple[Array, Array, Array] | None = None
        """Mel, source and sound of the last frames that are out or held back."""

    def chunk(self, tokens: NDArray[np.int64], *, final: bool) -> Generator[Array, None, None]:
        mel = yield from self._chunks.solve(tokens)
        if self._mel_tail is not None:
            mel = hamming_fade(mel, self._mel_tail, self._overlap)
        if self._cached is not None:
            mel = np.concatenate([self._cached[0], mel], axis=2)
        if not final:
            self._mel_tail = mel[:, :, -self._overlap :]
            mel = mel[:, :, : -self._overlap]
        elif self._cached is None:
            mel = stretch_whole(mel, self._speed)
        cached_source = None if self._cached is None else self._cached[1]
        wave, source = self._vocoder.whole(mel, self._draws, cached_source)
        if self._cached is not None:
            wave = hamming_fade(wave, self._cached[2], self._cached_samples)
        if final:
            yield wave
            return
        held = self._cached_samples
        self._cached = (mel[:, :, -_CACHED_MEL:], source[:, :, -held:], wave[-held:])
        yield wave[:-held]


class SeamlessStream:
    """Our scheme: mel chunks cross-faded with weights that add up to 1, sound without seams."""

    def __init__(
        self, decoder: Decoder, preset: Preset, speaker: Array, draws: Draws, speed: float
    ) -> None:
        self._chunks = _MelChunks(decoder.flow, preset, speaker, draws)
        self._overlap = decoder.flow.overlap
        self._stretch = Stretch(speed)
        self._sound = VocoderStream(decoder.vocoder, draws)
        self._mel_tail: Array | None = None

    def chunk(self, tokens: NDArray[np.int64], *, final: bool) -> Generator[Array, None, None]:
        mel = yield from self._chunks.solve(tokens)
        if self._mel_tail is not None:
            mel = even_fade(mel, self._mel_tail, self._overlap)
        if not final:
            self._mel_tail = mel[:, :, -self._overlap :]
            mel = mel[:, :, : -self._overlap]
        yield self._sound.feed(self._stretch.feed(mel, final=final), final=final)


def hamming_fade(new: Array, old: Array, count: int) -> Array:
    """Fade the first `count` of `new` in over the last of `old`, along the last axis.

    Both halves of a Hamming window, which do not add up to 1.
    """
    window = np.hamming(2 * count)
    faded = new.copy()
    faded[..., :count] = new[..., :count] * window[:count] + old[..., -count:] * window[count:]
    return faded


def even_fade(new: Array, old: Array, count: int) -> Array:
    """Fade likewise with a raised cosine, whose two halves add up to 1."""
    count = min(count, new.shape[-1], old.shape[-1])
    rise = (0.5 - 0.5 * np.cos(np.pi * (np.arange(count) + 0.5) / count)).astype(np.float32)
    faded = new.copy()
    faded[..., :count] = new[..., :count] * rise + old[..., :count] * (1 - rise)
    return faded
