"""The harmonic source that HiFT shapes: sines of the pitch's multiples, and noise.

    s_h[n] = 0.1 sin(2 pi frac(sum f h / rate) + phi_h) if voiced, plus noise
    source = tanh(weights . s + bias)

Each frame's pitch holds for its `hop` samples. Noise is 0.003 where voiced and 0.1/3 where not.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cosyvoice_wyoming.engine.cosyvoice.draws import Draws

Array = NDArray[np.float32]

_AMPLITUDE = np.float32(0.1)
_VOICED_ABOVE_HZ = 10
_VOICED_NOISE = np.float32(0.003)
_UNVOICED_NOISE = np.float32(0.1 / 3)


@dataclass(frozen=True, slots=True, kw_only=True)
class HarmonicSource:
    """The merge of the harmonics, learned: `weights` [harmonics], `bias`; and the sizes."""

    weights: Array
    bias: np.float32
    rate: int
    hop: int

    @property
    def harmonics(self) -> int:
        return len(self.weights)

    def start_phases(self, draws: Draws) -> Array:
        """Return a random phase per harmonic, [harmonics]; the fundamental's is 0."""
        phases = draws.phases(self.harmonics)
        phases[0] = 0
        return phases

    def whole(self, pitch: Array, draws: Draws) -> Array:
        """Return the source [1, 1, hop * T] of a whole utterance or chunk, as the original does.

        pitch: [T] in Hz. The sums run in double precision and are rounded to float32 before their
        fraction is taken.
        """
        samples = np.repeat(pitch, self.hop)
        numbers = np.arange(1, self.harmonics + 1, dtype=np.float32)
        steps = numbers[:, None] * samples[None, :] / np.float32(self.rate)
        sums = np.cumsum(steps, axis=1, dtype=np.float64).astype(np.float32)
        turns = (sums % 1).astype(np.float32)
        angles = np.float32(2 * np.pi) * turns + self.start_phases(draws)[:, None]
        return self._merge(np.sin(angles), samples, draws)

    def running(self, pitch: Array, turns: NDArray[np.float64], draws: Draws) -> Array:
        """Return the source of frames that follow others.

        pitch: [T] in Hz; turns: [harmonics], the phase in turns that the frames before ended on.
        """
        samples = np.repeat(pitch, self.hop)
        base = self._base_turns(pitch)
        numbers = np.arange(1, self.harmonics + 1)
        angles = 2 * np.pi * ((numbers[:, None] * base + turns[:, None]) % 1)
        return self._merge(np.sin(angles).astype(np.float32), samples, draws)

    def advance(self, pitch: Array, turns: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the phase in turns after frames of `pitch`."""
        whole = pitch.astype(np.float64).sum() * self.hop / self.rate
        numbers = np.arange(1, self.harmonics + 1)
        after: NDArray[np.float64] = (turns + numbers * whole) % 1
        return after

    def _base_turns(self, pitch: Array) -> NDArray[np.float64]:
        """Return the fundamental's turns after each sample, [hop * T]."""
        steps = pitch.astype(np.float64) / self.rate
        before = np.concatenate([[0.0], np.cumsum(steps * self.hop)[:-1]])
        within = np.arange(1, self.hop + 1)
        turns: NDArray[np.float64] = (before[:, None] + steps[:, None] * within).reshape(-1)
        return turns

    def _merge(self, sines: Array, pitch: Array, draws: Draws) -> Array:
        voiced = (pitch > _VOICED_ABOVE_HZ).astype(np.float32)
        loudness = voiced * _VOICED_NOISE + (1 - voiced) * _UNVOICED_NOISE
        noise = draws.normal((1, *sines.shape))[0]
        waves = _AMPLITUDE * sines * voiced + loudness * noise
        merged: Array = np.tanh(self.weights @ waves + self.bias).astype(np.float32)
        return merged[None, None, :]
