"""Repetition-aware sampling of speech tokens (VALL-E 2, arXiv:2406.05370, section 3.3)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True, kw_only=True)
class Sampling:
    """The checkpoint's own settings. A token seen `window * share` times in `window` is redrawn."""

    top_p: float = 0.8
    top_k: int = 25
    window: int = 10
    share: float = 0.1


def log_softmax(logits: NDArray[np.float32]) -> NDArray[np.float32]:
    shifted = logits - logits.max()
    result: NDArray[np.float32] = shifted - np.log(np.exp(shifted).sum())
    return result


def nucleus(probabilities: NDArray[np.float32], sampling: Sampling) -> NDArray[np.int64]:
    """Return the most probable ids: up to the one that crosses `top_p`, and at most `top_k`.

    Equal probabilities keep the order of their ids.
    """
    count = min(sampling.top_k, len(probabilities))
    least = np.partition(probabilities, -count)[-count]
    likely = np.flatnonzero(probabilities >= least)
    best = likely[np.argsort(-probabilities[likely], kind="stable")[:count]]
    before = np.cumsum(probabilities[best], dtype=np.float32) - probabilities[best]
    return best[: max(1, int(np.searchsorted(before >= sampling.top_p, 1)))]


def pick(probabilities: NDArray[np.float32], fraction: float) -> int:
    """Return the index whose share of the probabilities' sum holds `fraction`."""
    cumulative = np.cumsum(probabilities, dtype=np.float64)
    index = np.searchsorted(cumulative, fraction * cumulative[-1], side="right")
    return int(min(index, len(probabilities) - 1))


def sample(
    log_probabilities: NDArray[np.float32],
    history: Sequence[int],
    fraction: Callable[[], float],
    sampling: Sampling,
) -> int:
    """Return a token. `history` holds the tokens so far, oldest first.

    A token that repeats too often is struck out and another drawn from all that are left.
    """
    probabilities = np.exp(log_probabilities)
    ids = nucleus(probabilities, sampling)
    token = int(ids[pick(probabilities[ids], fraction())])
    repeated = list(history[-sampling.window :]).count(token)
    if repeated < sampling.window * sampling.share:
        return token
    rest = log_probabilities.copy()
    rest[token] = -np.inf
    return pick(np.exp(log_softmax(rest)), fraction())
