"""Where randomness comes from: one source per utterance, so that a seed fixes every sample."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray


class Draws(Protocol):
    """Random numbers; tests replace it by the numbers behind the reference vectors."""

    def fraction(self) -> float:
        """Return one number in 0 to 1, to pick a token with."""

    def normal(self, shape: tuple[int, ...]) -> NDArray[np.float32]:
        """Return independent normal numbers of variance 1."""

    def phases(self, count: int) -> NDArray[np.float32]:
        """Return independent angles in -pi to pi, shape [count]."""


class SeededDraws:
    """Draws that depend on `seed` and on the number of the segment within its request alone."""

    def __init__(self, seed: int, segment: int = 0) -> None:
        tokens, sound = np.random.SeedSequence((seed, segment)).spawn(2)
        # Two generators: the language model draws on its own thread, in an order of its own.
        self._tokens = np.random.default_rng(tokens)
        self._sound = np.random.default_rng(sound)

    def fraction(self) -> float:
        return float(self._tokens.random())

    def normal(self, shape: tuple[int, ...]) -> NDArray[np.float32]:
        return self._sound.standard_normal(shape, dtype=np.float32)

    def phases(self, count: int) -> NDArray[np.float32]:
        return self._sound.uniform(-np.pi, np.pi, count).astype(np.float32)
