"""Speech tokens to mel: the flow's encoder, and the Euler steps along its velocity."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cosyvoice_wyoming import machine
from cosyvoice_wyoming.engine.cosyvoice.config import Config
from cosyvoice_wyoming.engine.cosyvoice.pair import Pair
from cosyvoice_wyoming.engine.cosyvoice.positions import sinusoids
from cosyvoice_wyoming.engine.cosyvoice.sessions import Session
from cosyvoice_wyoming.engine.cosyvoice.speech_lm import Graph

Array = NDArray[np.float32]

EDGE_TOKENS = 20
"""The overlap of two chunks. The regulator stretches both ends of a chunk on their own, so that
these tokens become the same number of frames in whichever chunk they are."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Schedule:
    """The Euler steps. `guidance` has a strength per step; 0 runs without the second row.

    v = (1 + g) f(x, mu, speaker, t) - g f(x, 0, 0, t): classifier-free guidance.
    """

    guidance: tuple[float, ...]

    @property
    def steps(self) -> int:
        return len(self.guidance)

    @property
    def times(self) -> Array:
        """Return steps + 1 times 1 - cos(u pi / 2), u evenly from 0 to 1."""
        even = np.linspace(0, 1, self.steps + 1, dtype=np.float32)
        times: Array = (1 - np.cos(even * np.float32(0.5 * np.pi))).astype(np.float32)
        return times

    @property
    def rows(self) -> int:
        """How often the estimator runs over a sequence in all."""
        return sum(2 if strength else 1 for strength in self.guidance)


@dataclass(frozen=True, slots=True, kw_only=True)
class FlowCache:
    """The last frames of a chunk's noise and mu, [1, mel, overlap]: the next one starts on them."""

    noise: Array
    mu: Array


class Estimator:
    """Runs the U-Net, with guidance twice: the two runs go beside each other.

    The original runs both as a batch of two. Two runs of one row each need no thread to wait for
    another within the graph: on two cores 0.7 to 0.85 of the time for 172 frames (8-bit, Zen 4).
    """

    def __init__(self, graph: Graph, pair: Pair) -> None:
        self._graph = graph
        self._pair = pair

    def velocity(
        self, x: Array, mu: Array, speaker: Array, time: np.float32, strength: float
    ) -> Array:
        """Return the velocity [1, mel, T] at x, the guidance of `strength` included."""

        def run(mu: Array, speaker: Array) -> Array:
            feeds = {"x": x, "mu": mu, "speaker": speaker, "time": np.array([time], np.float32)}
            return self._graph.run(feeds)[0]

        if not strength:
            return run(mu, speaker)
        guided, free = self._pair.run(
            lambda: run(mu, speaker), lambda: run(np.zeros_like(mu), np.zeros_like(speaker))
        )
        guide = np.float32(strength)
        velocity: Array = (1 + guide) * guided - guide * free
        return velocity


def open_estimator(path: Path, threads: int) -> Estimator:
    """Return the estimator of a graph, on `threads` cores (0: all). Raises ModelCorrupt."""
    cores = threads or machine.cores()
    # The thread that runs the second row takes the place of one of the graph's.
    return Estimator(Session(path, threads=max(1, cores - 1)), Pair(cores))


class Flow:
    """Runs the flow of one model."""

    def __init__(self, encoder: Graph, estimator: Estimator, config: Config) -> None:
        self._encoder = encoder
        self._estimator = estimator
        self._config = config

    @property
    def overlap(self) -> int:
        """Frames of EDGE_TOKENS."""
        return self._config.frames(EDGE_TOKENS)

    def encode(self, tokens: NDArray[np.int64]) -> Array:
        """Return mu [1, mel, T]."""
        count = len(tokens)
        rows = np.arange(count)
        feeds: dict[str, NDArray[Any]] = {
            "tokens": tokens,
            "sinusoids": sinusoids(np.arange(count - 1, -count, -1), self._config.flow_encoder.dim),
            "distances": count - 1 - (rows[:, None] - rows[None, :]),
            "interpolation": regulator_weights(count, self._config),
        }
        return self._encoder.run(feeds)[0]

    def solve(
        self, mu: Array, speaker: Array, noise: Array, schedule: Schedule
    ) -> Generator[None, None, Array]:
        """Yield after each Euler step; return the mel [1, mel, T], natural log.

        mu and noise are [1, mel, T], speaker [1, mel].
        """
        times = schedule.times
        time, step = times[0], times[1] - times[0]
        x = noise
        for index, strength in enumerate(schedule.guidance):
            x = x + step * self._estimator.velocity(x, mu, speaker, time, strength)
            # float32 sums, as in the original: 1e-7 in a time is 1e-6 in a mel
            time = time + step
            if index + 2 < len(times):
                step = times[index + 2] - time
            yield
        return x


def interpolation(source: int, target: int) -> Array:
    """Return [target, source]: linear interpolation between the centres of equal cells."""
    places = (np.arange(target, dtype=np.float32) + np.float32(0.5)) * np.float32(
        source / target
    ) - np.float32(0.5)
    places = np.clip(places, 0, source - 1)
    lower = places.astype(np.int64)
    upper = np.minimum(lower + 1, source - 1)
    share = (places - lower).astype(np.float32)
    weights = np.zeros((target, source), np.float32)
    rows = np.arange(target)
    weights[rows, lower] = 1 - share
    weights[rows, upper] += share
    return weights


def regulator_weights(tokens: int, config: Config) -> Array:
    """Return [frames, tokens]: how the length regulator stretches tokens to frames."""
    frames = config.frames(tokens)
    if tokens <= 2 * EDGE_TOKENS:
        return interpolation(tokens, frames)
    edge = config.frames(EDGE_TOKENS)
    weights = np.zeros((frames, tokens), np.float32)
    weights[:edge, :EDGE_TOKENS] = interpolation(EDGE_TOKENS, edge)
    weights[-edge:, -EDGE_TOKENS:] = weights[:edge, :EDGE_TOKENS]
    weights[edge:-edge, EDGE_TOKENS:-EDGE_TOKENS] = interpolation(
        tokens - 2 * EDGE_TOKENS, frames - 2 * edge
    )
    return weights
