"""The graphs of the first half: text ids to rows, and rows to logits of speech tokens."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path

from onnx import TensorProto

from cosyvoice_wyoming.engine.cosyvoice.config import Config, EncoderConfig
from cosyvoice_wyoming.engine.cosyvoice.graphs.attention import EncoderGraph, Past, Positions
from cosyvoice_wyoming.engine.cosyvoice.graphs.builder import GraphBuilder
from cosyvoice_wyoming.engine.cosyvoice.quantise import Precision
from cosyvoice_wyoming.engine.cosyvoice.weights import Weights


class PositionSource(StrEnum):
    """Where the language model's projected positions come from.

    TABLE: computed once when the bundle is built, and given to the graph. PROJECTED: the original
    way, each step projects the sinusoids of all distances in every layer; kept as the yardstick.
    """

    TABLE = "table"
    PROJECTED = "projected"


def build_text_encoder(path: Path, weights: Weights, config: Config, precision: Precision) -> None:
    """Write the causal text encoder.

    Inputs: embeddings [n, text_dim], sinusoids [n, d] of distances 0 to n-1, distances int64
    [n, n], mask [n, n]. Output: rows [n, lm_dim].
    """
    encoder = config.text_encoder
    with GraphBuilder(path, precision) as graph:
        stack = EncoderGraph(graph, weights, encoder)
        rows = graph.input("embeddings", ["n", config.text_dim])
        sinusoids = graph.input("sinusoids", ["n", encoder.dim])
        columns = graph.input("distances", ["n", "n"], TensorProto.INT64)
        positions = Positions(
            distances=stack.distances(columns), mask=graph.input("mask", ["n", "n"])
        )
        hidden = stack.embed(rows)
        for layer in range(encoder.layers):
            table = stack.project_positions(layer, sinusoids)
            hidden, _, _ = stack.block(layer, hidden, table, positions)
        hidden = stack.linear(stack.finish(hidden), "text_encoder_affine_layer")
        graph.output(hidden, "rows", ["n", config.speech_lm.dim])


def build_speech_lm(
    path: Path,
    weights: Weights,
    config: Config,
    precision: Precision,
    source: PositionSource = PositionSource.TABLE,
) -> None:
    """Write the language model: one graph for the prompt (n rows) and for each step (one row).

    Inputs: rows [n, d]; keys_<l> [1, H, dk, past] and values_<l> [1, H, past, dk] of every layer;
    split int64 [past, n]; distances int64 [n, past + n]; mask [n, past + n]; and the projected
    positions table_<l> [1, H, dk, R] (or sinusoids [R, d]). The past is a buffer of the caller's,
    which writes the new keys and values into it: nothing is copied in the graph, and slots that
    are not filled yet are masked.
    Outputs: logits [1, speech_vocab + 1] of the last row; keys and values [L, H, n, dk] to keep.
    """
    lm = config.speech_lm
    with GraphBuilder(path, precision.of_steps) as graph:
        stack = EncoderGraph(graph, weights, lm)
        hidden = stack.embed(graph.input("rows", ["n", lm.dim]))
        columns = graph.input("distances", ["n", "all"], TensorProto.INT64)
        positions = Positions(
            distances=stack.distances(columns), mask=graph.input("mask", ["n", "all"])
        )
        split = graph.input("split", [2], TensorProto.INT64)
        sinusoids = ""
        if source is PositionSource.PROJECTED:
            sinusoids = graph.input("sinusoids", ["r", lm.dim])
        keys, values = [], []
        for layer in range(lm.layers):
            past = _past(graph, lm, layer, split)
            if sinusoids:
                table = stack.project_positions(layer, sinusoids)
            else:
                table = graph.input(f"table_{layer}", [1, lm.heads, lm.head_dim, "r"])
            hidden, key, value = stack.block(layer, hidden, table, positions, past)
            keys.append(key)
            values.append(value)
        last = graph.op("Gather", stack.finish(hidden), graph.constant([-1]), axis=0)
        graph.output(stack.linear(last, "llm_decoder"), "logits", [1, config.speech_vocab + 1])
        for name, rows in (("keys", keys), ("values", values)):
            shape: list[int | str] = [lm.layers, lm.heads, "n", lm.head_dim]
            graph.output(graph.op("Concat", *rows, axis=0), name, shape)


def _past(graph: GraphBuilder, lm: EncoderConfig, layer: int, split: str) -> Past:
    return Past(
        keys=graph.input(f"keys_{layer}", [1, lm.heads, lm.head_dim, "past"]),
        values=graph.input(f"values_{layer}", [1, lm.heads, "past", lm.head_dim]),
        split=split,
    )
