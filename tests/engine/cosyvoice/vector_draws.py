"""The random numbers behind the reference vectors."""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

_HARMONICS = 9


class VectorDraws:
    """The k-th draw of a kind in a run is that of a generator seeded with "run:kind:k"."""

    def __init__(self, run: str) -> None:
        self._run = run
        self._counts = {"multi": 0, "randn": 0, "uniform": 0}

    def fraction(self) -> float:
        return float(self._next("multi").random())

    def normal(self, shape: tuple[int, ...]) -> NDArray[np.float32]:
        values = self._next("randn").standard_normal(shape, np.float32)
        if shape[1] == _HARMONICS:
            # After the harmonics' noise the original draws another that it does not use.
            self._counts["randn"] += 1
        return values

    def phases(self, count: int) -> NDArray[np.float32]:
        fractions = self._next("uniform").random((1, count, 1)).reshape(-1)
        return (-np.pi + 2 * np.pi * fractions).astype(np.float32)

    def _next(self, kind: str) -> np.random.Generator:
        number = self._counts[kind]
        self._counts[kind] += 1
        return np.random.default_rng(zlib.crc32(f"{self._run}:{kind}:{number}".encode()))
