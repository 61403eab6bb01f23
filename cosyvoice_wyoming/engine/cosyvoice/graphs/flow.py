"""The graphs of the second part: speech tokens to mu, and the velocity of the flow."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from onnx import TensorProto

from cosyvoice_wyoming.engine.cosyvoice.config import Config
from cosyvoice_wyoming.engine.cosyvoice.graphs.attention import (
    OUTER_EPSILON,
    EncoderGraph,
    Positions,
)
from cosyvoice_wyoming.engine.cosyvoice.graphs.builder import MICROSOFT, GraphBuilder
from cosyvoice_wyoming.engine.cosyvoice.quantise import Precision
from cosyvoice_wyoming.engine.cosyvoice.weights import Weights

if TYPE_CHECKING:
    from numpy.typing import NDArray


def build_flow_encoder(path: Path, weights: Weights, config: Config, precision: Precision) -> None:
    """Write flow encoder and length regulator.

    Inputs: tokens int64 [n], sinusoids [2n-1, d] of distances n-1 down to -(n-1), distances int64
    [n, n], interpolation [T, n] (row t holds the weights of the tokens that frame t lies between).
    Output: mu [1, mel, T].
    """
    encoder = config.flow_encoder
    with GraphBuilder(path, precision) as graph:
        stack = EncoderGraph(graph, weights, encoder)
        tokens = graph.input("tokens", ["n"], TensorProto.INT64)
        sinusoids = graph.input("sinusoids", ["r", encoder.dim])
        columns = graph.input("distances", ["n", "n"], TensorProto.INT64)
        interpolation = graph.input("interpolation", ["t", "n"])
        positions = Positions(distances=stack.distances(columns))
        table = graph.weight(weights.read("input_embedding.weight"))
        hidden = stack.embed(graph.op("Gather", table, tokens, axis=0))
        for layer in range(encoder.layers):
            projected = stack.project_positions(layer, sinusoids)
            hidden, _, _ = stack.block(layer, hidden, projected, positions)
        rows = stack.linear(stack.finish(hidden), "encoder_proj")
        frames = graph.op("Transpose", graph.op("MatMul", interpolation, rows), perm=[1, 0])
        value = graph.op("Unsqueeze", frames, graph.constant([0]))
        layers = Convolutions(graph, weights)
        for index in (0, 3, 6, 9):
            value = layers.conv(value, f"length_regulator.model.{index}", pad=1)
            value = layers.group_norm(value, f"length_regulator.model.{index + 1}", 1)
            value = layers.mish(value)
        value = layers.conv(value, "length_regulator.model.12")
        graph.output(value, "mu", [1, config.mel, "t"])


class Convolutions:
    """Layers over [B, channels, T] that the regulator and the U-Net share."""

    def __init__(self, graph: GraphBuilder, weights: Weights) -> None:
        self._graph = graph
        self._weights = weights

    def conv(self, value: str, name: str, *, pad: int = 0, stride: int = 1) -> str:
        return self.conv_of(value, self._weights.read(f"{name}.weight"), name, pad, stride)

    def conv_of(
        self, value: str, kernel: NDArray[np.float32], name: str, pad: int, stride: int = 1
    ) -> str:
        """Return a convolution with `kernel` and the bias of `name`, run over two axes.

        ONNX Runtime has its blocked kernels for two axes alone.
        """
        graph = self._graph
        axis = graph.constant([2])
        plane = graph.op("Unsqueeze", value, axis)
        bias = graph.weight(self._weights.read(f"{name}.bias"))
        kernel_name = graph.weight(kernel[:, :, None, :])
        pads, strides = [0, pad, 0, pad], [1, stride]
        result = graph.op("Conv", plane, kernel_name, bias, pads=pads, strides=strides)
        return graph.op("Squeeze", result, axis)

    def group_norm(self, value: str, name: str, groups: int) -> str:
        """GroupNorm as an instance norm over [B, groups, channels/groups * T]."""
        graph = self._graph
        scale = self._weights.read(f"{name}.weight")
        bias = self._weights.read(f"{name}.bias")
        grouped = graph.op("Reshape", value, graph.constant([0, groups, -1]))
        ones = graph.weight(np.ones(groups, np.float32))
        zeros = graph.weight(np.zeros(groups, np.float32))
        normed = graph.op("InstanceNormalization", grouped, ones, zeros, epsilon=OUTER_EPSILON)
        restored = graph.op("Reshape", normed, graph.constant([0, len(scale), -1]))
        scaled = graph.op("Mul", restored, graph.weight(scale.reshape(1, -1, 1)))
        return graph.op("Add", scaled, graph.weight(bias.reshape(1, -1, 1)))

    def mish(self, value: str) -> str:
        """Mish, x tanh(ln(1 + e^x)), as x n / (n + 2) with n = e^x (e^x + 2).

        The same function without ONNX Runtime's Softplus, which takes 25 ns a value. Above 20 the
        factor is 1 in float32, so the exponent is clipped there.
        """
        graph = self._graph
        two = graph.constant(2.0)
        power = graph.op("Exp", graph.op("Min", value, graph.constant(20.0)))
        ratio = graph.op("Mul", power, graph.op("Add", power, two))
        return graph.op("Mul", value, graph.op("Div", ratio, graph.op("Add", ratio, two)))


def build_estimator(path: Path, weights: Weights, config: Config, precision: Precision) -> None:
    """Write the U-Net, for one sequence or for a batch of equal lengths, hence without masks.

    Inputs: x and mu [B, mel, T], speaker [B, mel], time [1] in 0 to 1. Output: velocity
    [B, mel, T]. The SFT model has no prompt, so the input channels of `cond`, all zero, are left
    out of the weights.
    """
    with GraphBuilder(path, precision) as graph:
        shape: list[int | str] = ["b", config.mel, "t"]
        x, mu = graph.input("x", shape), graph.input("mu", shape)
        speaker = graph.input("speaker", ["b", config.mel])
        time = graph.input("time", [1])
        graph.output(_UNet(graph, weights, config).build(x, mu, speaker, time), "velocity", shape)


class _UNet:
    """Adds the estimator to a graph."""

    def __init__(self, graph: GraphBuilder, weights: Weights, config: Config) -> None:
        self._graph = graph
        self._weights = weights
        self._mel = config.mel
        self._config = config.estimator
        self._prefix = "decoder.estimator."
        self._layers = Convolutions(graph, weights)
        self._time = ""

    def build(self, x: str, mu: str, speaker: str, time: str) -> str:
        graph, layers, prefix = self._graph, self._layers, self._prefix
        length = graph.op("Shape", x, start=2, end=3)
        repeats = graph.op("Concat", graph.constant([1, 1]), length, axis=0)
        spread = graph.op("Expand", graph.op("Unsqueeze", speaker, graph.constant([2])), repeats)
        value = graph.op("Concat", x, mu, spread, axis=1)
        self._time = layers.mish(self._embed_time(time))

        first = self._stage("down_blocks.0.", value, inputs=3 * self._mel)
        value = layers.conv(first, f"{prefix}down_blocks.0.2.conv", pad=1, stride=2)
        second = self._stage("down_blocks.1.", value)
        value = layers.conv(second, f"{prefix}down_blocks.1.2", pad=1)
        for index in range(self._config.middle):
            value = self._stage(f"mid_blocks.{index}.", value)
        value = self._stage("up_blocks.0.", graph.op("Concat", value, second, axis=1))
        value = self._upsample(value, f"{prefix}up_blocks.0.2.conv", length)
        value = self._stage("up_blocks.1.", graph.op("Concat", value, first, axis=1))
        value = layers.conv(value, f"{prefix}up_blocks.1.2", pad=1)
        value = self._conv_norm_mish(value, f"{prefix}final_block.block")
        return layers.conv(value, f"{prefix}final_proj")

    def _embed_time(self, time: str) -> str:
        """Return the embedding [1, time_dim] of the time: sinusoids of 1000 t, then an MLP."""
        graph, half = self._graph, 2 * self._mel
        rates = 1000 * np.exp(-np.arange(half) * np.log(10000) / (half - 1))
        angles = graph.op("Mul", time, graph.constant(rates.reshape(1, half)))
        waves = graph.op("Concat", graph.op("Sin", angles), graph.op("Cos", angles), axis=1)
        hidden = self._gemm(waves, f"{self._prefix}time_mlp.linear_1")
        hidden = graph.op("Mul", hidden, graph.op("Sigmoid", hidden))
        return self._gemm(hidden, f"{self._prefix}time_mlp.linear_2")

    def _gemm(self, value: str, name: str) -> str:
        kernel = self._graph.weight(self._weights.read(f"{name}.weight"))
        bias = self._graph.weight(self._weights.read(f"{name}.bias"))
        return self._graph.op("Gemm", value, kernel, bias, transB=1)

    def _stage(self, name: str, value: str, inputs: int = 0) -> str:
        """Add a residual convolution block and its transformer blocks."""
        graph = self._graph
        value = self._residual(f"{self._prefix}{name}0.", value, inputs)
        rows = graph.op("Transpose", value, perm=[0, 2, 1])
        for index in range(self._config.blocks):
            rows = self._transformer(f"{self._prefix}{name}1.{index}.", rows)
        return graph.op("Transpose", rows, perm=[0, 2, 1])

    def _residual(self, prefix: str, value: str, inputs: int) -> str:
        graph = self._graph
        inner = self._conv_norm_mish(value, f"{prefix}block1.block", inputs)
        shift = graph.op("Unsqueeze", self._gemm(self._time, f"{prefix}mlp.1"), graph.constant([2]))
        inner = graph.op("Add", inner, shift)
        inner = self._conv_norm_mish(inner, f"{prefix}block2.block")
        return graph.op("Add", inner, self._conv(value, f"{prefix}res_conv", 0, inputs))

    def _conv(self, value: str, name: str, pad: int, inputs: int) -> str:
        """Return a convolution that reads only the first `inputs` of its channels (0: all)."""
        kernel = self._weights.read(f"{name}.weight")
        kernel = np.ascontiguousarray(kernel[:, : inputs or kernel.shape[1]])
        return self._layers.conv_of(value, kernel, name, pad)

    def _conv_norm_mish(self, value: str, prefix: str, inputs: int = 0) -> str:
        value = self._conv(value, f"{prefix}.0", 1, inputs)
        value = self._layers.group_norm(value, f"{prefix}.1", self._config.groups)
        return self._layers.mish(value)

    def _upsample(self, value: str, name: str, length: str) -> str:
        """Double the length; an odd length was rounded up on the way down, so crop."""
        graph = self._graph
        kernel = graph.weight(self._weights.read(f"{name}.weight"))
        bias = graph.weight(self._weights.read(f"{name}.bias"))
        value = graph.op("ConvTranspose", value, kernel, bias, pads=[1, 1], strides=[2])
        return graph.op("Slice", value, graph.constant([0]), length, graph.constant([2]))

    def _transformer(self, prefix: str, rows: str) -> str:
        graph, config, read = self._graph, self._config, self._weights.read
        normed = self._norm(rows, f"{prefix}norm1")
        # Three products and not one: splitting it copies more than a wider product gains.
        parts = [
            graph.linear(normed, np.ascontiguousarray(read(f"{prefix}attn1.to_{part}.weight").T))
            for part in "qkv"
        ]
        mixed = graph.op(
            "MultiHeadAttention",
            *parts,
            domain=MICROSOFT,
            num_heads=config.heads,
            scale=float(1 / np.sqrt(config.head_dim)),
        )
        rows = graph.op("Add", rows, self._linear(mixed, f"{prefix}attn1.to_out.0"))
        inner = self._linear(self._norm(rows, f"{prefix}norm3"), f"{prefix}ff.net.0.proj")
        inner = graph.op("Gelu", inner, domain=MICROSOFT)
        return graph.op("Add", rows, self._linear(inner, f"{prefix}ff.net.2"))

    def _linear(self, value: str, name: str) -> str:
        matrix = np.ascontiguousarray(self._weights.read(f"{name}.weight").T)
        return self._graph.linear(value, matrix, self._weights.read(f"{name}.bias"))

    def _norm(self, value: str, name: str) -> str:
        scale = self._graph.weight(self._weights.read(f"{name}.weight"))
        bias = self._graph.weight(self._weights.read(f"{name}.bias"))
        return self._graph.op(
            "LayerNormalization", value, scale, bias, axis=-1, epsilon=OUTER_EPSILON
        )
