"""Relative positions, as the encoders read them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

MASKED = np.float32(-1e9)
"""Added to a score, it makes the softmax's weight exactly 0 in float32."""


def sinusoids(distances: NDArray[np.int64], dim: int) -> NDArray[np.float32]:
    """Return PE(r) as [len(distances), dim]: sin(r f_m), cos(r f_m) in turn.

    f_m = exp(-2m ln(10000) / dim); Dai et al. 2019 (arXiv:1901.02860), section 3.3.
    """
    rates = np.exp(np.arange(0, dim, 2, dtype=np.float32) * np.float32(-np.log(10000) / dim))
    angles = distances.astype(np.float32)[:, None] * rates
    table = np.empty((len(distances), dim), np.float32)
    table[:, 0::2] = np.sin(angles)
    table[:, 1::2] = np.cos(angles)
    return table


def causal(length: int) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
    """Return distances [n, n] of each query to each key, and the mask that hides the future."""
    ahead = np.arange(length)
    distances = ahead[:, None] - ahead[None, :]
    mask = np.where(distances < 0, MASKED, np.float32(0)).astype(np.float32)
    return np.maximum(distances, 0), mask
