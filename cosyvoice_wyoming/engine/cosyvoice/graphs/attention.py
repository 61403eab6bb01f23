"""Transformer blocks with relative positions: text encoder, language model, flow encoder.

Per block, with q, k, v from one fused product of the normed rows, u and v' the two position biases
and p(r) the projected sinusoids of distance r:

    score[i, j] = ((q_i + u) . k_j + (q_i + v') . p(i - j)) / sqrt(dk) + mask[i, j]

The scale and u are folded into the product, so (q + v')/sqrt(dk) is that plus (v' - u)/sqrt(dk).
The distance term is one product with all p(r) and a gather by `distances`, which the caller fills:
exact for any chunk of queries, which the original's `rel_shift` is for the last ones only.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from cosyvoice_wyoming.engine.cosyvoice.config import Activation, EncoderConfig
from cosyvoice_wyoming.engine.cosyvoice.graphs.builder import GraphBuilder
from cosyvoice_wyoming.engine.cosyvoice.weights import Weights

if TYPE_CHECKING:
    from numpy.typing import NDArray

OUTER_EPSILON = 1e-5
INNER_EPSILON = 1e-12
"""Layer norms at the ends of the stack and inside its blocks differ in their epsilon."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Past:
    """Keys [1, H, dk, past] and values [1, H, past, dk] of one layer; `split` is [past, n]."""

    keys: str
    values: str
    split: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Positions:
    """What all blocks share about positions.

    `distances` is int64 [1, H, n, keys]: for each query and key the column of the projected
    sinusoids. `mask` is float [n, keys] to add, or "" where every key is seen.
    """

    distances: str
    mask: str = ""


class EncoderGraph:
    """Adds the parts of one encoder to a graph, reading its weights as it goes."""

    def __init__(self, graph: GraphBuilder, weights: Weights, config: EncoderConfig) -> None:
        self._graph = graph
        self._weights = weights
        self._config = config

    def distances(self, columns: str) -> str:
        """Return int64 [n, keys] `columns`, the same for every head."""
        graph = self._graph
        expanded = graph.op("Unsqueeze", columns, graph.constant([0, 1]))
        heads = graph.constant([1, self._config.heads, 1, 1])
        return graph.op("Expand", expanded, heads)

    def embed(self, rows: str) -> str:
        """Return the input layer of [n, input_dim] `rows`: linear, norm, scaled by sqrt(d)."""
        graph, prefix = self._graph, f"{self._config.prefix}embed.out."
        hidden = self.norm(self.linear(rows, f"{prefix}0"), f"{prefix}1", OUTER_EPSILON)
        if self._config.input_relu:
            hidden = graph.op("Relu", hidden)
        return graph.op("Mul", hidden, graph.constant(float(np.sqrt(self._config.dim))))

    def finish(self, hidden: str) -> str:
        return self.norm(hidden, f"{self._config.prefix}after_norm", OUTER_EPSILON)

    def project_positions(self, layer: int, sinusoids: str) -> str:
        """Return p(r) as [1, H, dk, R] of the sinusoids [R, d], projected in the graph."""
        graph, config = self._graph, self._config
        matrix = position_matrix(self._weights, config, layer)
        product = graph.linear(sinusoids, matrix)
        shape = graph.constant([1, -1, config.heads, config.head_dim])
        return graph.op("Transpose", graph.op("Reshape", product, shape), perm=[0, 2, 3, 1])

    def block(
        self, layer: int, hidden: str, table: str, positions: Positions, past: Past | None = None
    ) -> tuple[str, str, str]:
        """Add a block; `table` is p(r) as [1, H, dk, R].

        Return its output [n, d] and the new keys and values, both [1, H, n, dk].
        """
        graph, config = self._graph, self._config
        prefix = f"{config.prefix}encoders.{layer}."
        normed = self.norm(hidden, f"{prefix}{config.attention_norm}", INNER_EPSILON)
        query, key, value = self._project(normed, f"{prefix}self_attn.")
        score = self._scores(f"{prefix}self_attn.", query, key, table, positions, past)
        weight = graph.op("Softmax", score, axis=-1)
        if past is None:
            mixed = graph.op("MatMul", weight, value)
        else:
            old, new = graph.ops("Split", weight, past.split, outputs=2, axis=-1)
            mixed = graph.op(
                "Add", graph.op("MatMul", old, past.values), graph.op("MatMul", new, value)
            )
        rows = graph.op(
            "Reshape",
            graph.op("Transpose", mixed, perm=[0, 2, 1, 3]),
            graph.constant([-1, config.heads * config.head_dim]),
        )
        hidden = graph.op("Add", hidden, self.linear(rows, f"{prefix}self_attn.linear_out"))
        normed = self.norm(hidden, f"{prefix}{config.feed_forward_norm}", INNER_EPSILON)
        inner = self._activate(self.linear(normed, f"{prefix}feed_forward.w_1"))
        hidden = graph.op("Add", hidden, self.linear(inner, f"{prefix}feed_forward.w_2"))
        return hidden, key, value

    def linear(self, value: str, name: str) -> str:
        matrix = np.ascontiguousarray(self._weights.read(f"{name}.weight").T)
        return self._graph.linear(value, matrix, self._weights.read(f"{name}.bias"))

    def norm(self, value: str, name: str, epsilon: float) -> str:
        scale = self._graph.weight(self._weights.read(f"{name}.weight"))
        bias = self._graph.weight(self._weights.read(f"{name}.bias"))
        return self._graph.op("LayerNormalization", value, scale, bias, axis=-1, epsilon=epsilon)

    def _project(self, normed: str, prefix: str) -> tuple[str, str, str]:
        graph, config = self._graph, self._config
        scale = np.float32(1 / np.sqrt(config.head_dim))
        read = self._weights.read
        matrix = np.concatenate(
            [
                read(f"{prefix}linear_q.weight").T * scale,
                read(f"{prefix}linear_k.weight").T,
                read(f"{prefix}linear_v.weight").T,
            ],
            axis=1,
        )
        query_bias = read(f"{prefix}linear_q.bias") + read(f"{prefix}pos_bias_u").reshape(-1)
        bias = np.concatenate(
            [query_bias * scale, read(f"{prefix}linear_k.bias"), read(f"{prefix}linear_v.bias")]
        )
        fused = graph.op(
            "Reshape",
            graph.linear(normed, matrix, bias),
            graph.constant([-1, 3, config.heads, config.head_dim]),
        )
        parts = graph.op("Transpose", fused, perm=[1, 2, 0, 3])
        query, key, value = graph.ops("Split", parts, outputs=3, axis=0, num_outputs=3)
        return query, key, value

    def _scores(
        self,
        prefix: str,
        query: str,
        key: str,
        table: str,
        positions: Positions,
        past: Past | None,
    ) -> str:
        graph, config = self._graph, self._config
        content = graph.op("MatMul", query, graph.op("Transpose", key, perm=[0, 1, 3, 2]))
        if past is not None:
            content = graph.op("Concat", graph.op("MatMul", query, past.keys), content, axis=-1)
        difference = self._weights.read(f"{prefix}pos_bias_v") - self._weights.read(
            f"{prefix}pos_bias_u"
        )
        shift = (difference / np.float32(np.sqrt(config.head_dim))).reshape(
            1, config.heads, 1, config.head_dim
        )
        shifted = graph.op("Add", query, graph.weight(shift.astype(np.float32)))
        distant = graph.op("MatMul", shifted, table)
        placed = graph.op("GatherElements", distant, positions.distances, axis=3)
        score = graph.op("Add", content, placed)
        return graph.op("Add", score, positions.mask) if positions.mask else score

    def _activate(self, value: str) -> str:
        graph = self._graph
        if self._config.activation is Activation.RELU:
            return graph.op("Relu", value)
        return graph.op("Mul", value, graph.op("Sigmoid", value))


def position_matrix(weights: Weights, config: EncoderConfig, layer: int) -> NDArray[np.float32]:
    """Return linear_pos of a layer as [d, H * dk]; it has no bias."""
    name = f"{config.prefix}encoders.{layer}.self_attn.linear_pos.weight"
    return np.ascontiguousarray(weights.read(name).T)
