"""Runs the language model: text ids to rows, rows to logits, with the past as an explicit value."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from cosyvoice_wyoming import machine
from cosyvoice_wyoming.engine.cosyvoice.config import Config, EncoderConfig
from cosyvoice_wyoming.engine.cosyvoice.positions import MASKED, causal, sinusoids
from cosyvoice_wyoming.errors import EngineFailed

Array = NDArray[np.float32]

BUCKET = 64
"""The past grows by so many slots at a time: one copy per bucket instead of one per step."""


def lm_threads(threads: int) -> int:
    """Return on how many of `threads` cores (0: all) the language model runs.

    Reading its weights takes most of a step, which one core does nearly as fast as two; and flow
    and vocoder run at the same time. On one core of two a sentence takes as long as on both, and
    0.87 of the processor time.
    """
    return max(1, (threads or machine.cores()) // 2)


class Graph(Protocol):
    """A session, or what stands for one in a test."""

    def run(self, feeds: Mapping[str, NDArray[Any]]) -> list[Array]: ...


class TextEncoder:
    """Text ids to the rows that the language model reads."""

    def __init__(self, graph: Graph, config: Config, embedding: NDArray[np.floating]) -> None:
        self._graph = graph
        self._dim = config.text_encoder.dim
        self.embedding = embedding

    def encode(self, ids: NDArray[np.int64]) -> Array:
        """Return [len(ids), lm_dim]; ids must not be empty."""
        distances, mask = causal(len(ids))
        feeds: dict[str, NDArray[Any]] = {
            "embeddings": self.embedding[ids].astype(np.float32),
            "sinusoids": sinusoids(np.arange(len(ids)), self._dim),
            "distances": distances,
            "mask": mask,
        }
        return self._graph.run(feeds)[0]


class Past:
    """Keys and values of `length` positions, in buffers of `capacity` slots.

    `table` [R, L * H * dk] holds the projected positions of all distances; the buffer of a layer
    holds the first `capacity` + 1 of them, transposed, as the graph reads it.
    """

    def __init__(self, lm: EncoderConfig, table: Array, rows: int) -> None:
        self._lm = lm
        self._table = table
        self.length = 0
        self.capacity = 0
        shape = (lm.layers, 1, lm.heads, lm.head_dim, 0)
        self._keys = np.zeros(shape, np.float32)
        self._values = np.zeros((*shape[:3], 0, lm.head_dim), np.float32)
        self._distances = np.zeros(shape, np.float32)
        self.feeds: dict[str, NDArray[Any]] = {}
        self.reserve(rows)

    def reserve(self, rows: int) -> None:
        """Make room for `rows` more positions. Raises EngineFailed beyond the table's end."""
        if self.length + rows <= self.capacity:
            return
        longest = len(self._table) - 1
        if self.length + rows > longest:
            raise EngineFailed(
                "A sentence is too long for the speech model; end sentences with a full stop."
            )
        capacity = min(-(-(self.length + rows) // BUCKET) * BUCKET, longest)
        self.feeds.clear()  # they hold the old buffers, which go one by one
        self._keys = _widened(self._keys, 4, capacity)
        self._values = _widened(self._values, 3, capacity)
        self._distances = self._more_distances(capacity + 1)
        self.capacity = capacity
        for layer in range(self._lm.layers):
            self.feeds[f"keys_{layer}"] = self._keys[layer]
            self.feeds[f"values_{layer}"] = self._values[layer]
            self.feeds[f"table_{layer}"] = self._distances[layer]

    def append(self, keys: Array, values: Array) -> None:
        """Keep the new rows' keys and values, both [L, H, n, dk]."""
        end = self.length + keys.shape[2]
        self._keys[:, 0, :, :, self.length : end] = keys.transpose(0, 1, 3, 2)
        self._values[:, 0, :, self.length : end] = values
        self.length = end

    def _more_distances(self, size: int) -> Array:
        known = self._distances.shape[-1]
        wider = _widened(self._distances, 4, size)
        lm = self._lm
        fresh = self._table[known:size].reshape(-1, lm.layers, lm.heads, lm.head_dim)
        wider[:, 0, :, :, known:] = fresh.transpose(1, 2, 3, 0)
        return wider


def _widened(array: Array, axis: int, size: int) -> Array:
    shape = list(array.shape)
    shape[axis] = size
    wider = np.zeros(shape, np.float32)
    wider[(slice(None),) * axis + (slice(array.shape[axis]),)] = array
    return wider


class SpeechLm:
    """Rows to the logits of the next speech token."""

    def __init__(self, graph: Graph, config: Config, table: Array, embedding: Array) -> None:
        self._graph = graph
        self._lm = config.speech_lm
        self.table = table
        self.embedding = embedding

    def start(self, rows: Array) -> tuple[Past, Array]:
        """Read the prompt [n, d]; return the past and the logits [speech_vocab + 1]."""
        past = Past(self._lm, self.table, len(rows))
        return past, self.extend(past, rows)

    def step(self, past: Past, token: int) -> Array:
        """Read one speech token; return the logits of the next."""
        past.reserve(1)
        return self.extend(past, self.embedding[token : token + 1])

    def extend(self, past: Past, rows: Array) -> Array:
        """Read rows after the past, which must have room for them."""
        count = len(rows)
        distances, mask = _columns(past, count)
        feeds = {
            **past.feeds,
            "rows": np.ascontiguousarray(rows, np.float32),
            "split": np.array([past.capacity, count]),
            "distances": distances,
            "mask": mask,
        }
        logits, keys, values = self._graph.run(feeds)
        past.append(keys, values)
        last: Array = logits[0]
        return last


def _columns(past: Past, count: int) -> tuple[NDArray[np.int64], Array]:
    """Return distances and mask, both [count, capacity + count]: buffer slots, then new rows."""
    queries = past.length + np.arange(count)
    slots = np.arange(past.capacity)
    filled = np.broadcast_to(slots < past.length, (count, past.capacity))
    behind = np.where(filled, queries[:, None] - slots, 0)
    hidden = np.where(filled, np.float32(0), MASKED)
    among, ahead = causal(count)
    return np.concatenate([behind, among], 1), np.concatenate([hidden, ahead], 1)
