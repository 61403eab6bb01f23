"""The graphs of the last part: mel to pitch, and mel with a harmonic source to a waveform.

Convolutions run over [1, channels, 1, T] although they have one axis only: ONNX Runtime has its
blocked kernels for two axes alone (73 to 84 against 62 to 77 GFLOP/s on AVX2).
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from cosyvoice_wyoming.engine.cosyvoice.config import Config, VocoderConfig
from cosyvoice_wyoming.engine.cosyvoice.graphs.builder import GraphBuilder
from cosyvoice_wyoming.engine.cosyvoice.graphs.spectral import SpectralConvolutions
from cosyvoice_wyoming.engine.cosyvoice.quantise import Precision
from cosyvoice_wyoming.engine.cosyvoice.weights import Weights

if TYPE_CHECKING:
    from numpy.typing import NDArray

_SLOPE = 0.1
_LAST_SLOPE = 0.01
"""The last leaky ReLU of the original is called without its slope and gets the default."""
_MAX_MAGNITUDE = 100.0
_LIMIT = 0.99

_LEAST_TAPS = 7
"""Shorter convolutions gain nothing from Fourier transforms."""
_TILES = (8, 14)
"""Samples that a transform yields, by stage: longer ones would save little time in the first, and
take more memory for its weights."""


def build_pitch(path: Path, weights: Weights, config: Config) -> None:
    """Write the pitch predictor. Input: mel [1, mel, T], natural log. Output: f0 [1, T] in Hz."""
    with GraphBuilder(path) as graph:
        layers = _Layers(graph, weights)
        value = _flat_to_plane(graph, graph.input("mel", [1, config.mel, "t"]))
        for index in range(5):
            value = layers.conv(value, f"f0_predictor.condnet.{2 * index}", pad=1)
            value = graph.op("Elu", value)
        rows = graph.op("Transpose", _plane_to_flat(graph, value), perm=[0, 2, 1])
        matrix = np.ascontiguousarray(weights.read("f0_predictor.classifier.weight").T)
        bias = weights.read("f0_predictor.classifier.bias")
        pitch = graph.op("Abs", graph.linear(rows, matrix, bias))
        graph.output(graph.op("Squeeze", pitch, graph.constant([2])), "f0", [1, "t"])


def build_vocoder(path: Path, weights: Weights, config: Config, precision: Precision) -> None:
    """Write HiFT. Inputs: mel [1, mel, T], source [1, 1, hop * T]. Output: wave [1, hop * T].

    All of it is fp32. In fewer bits than that, its long convolutions go through Fourier transforms,
    which is faster and moves the last digits.
    """
    vocoder = config.vocoder
    spectral = precision is not Precision.FP32
    with GraphBuilder(path) as graph:
        mel = graph.input("mel", [1, config.mel, "t"])
        source = graph.input("source", [1, 1, "samples"])
        spectrum = _flat_to_plane(graph, _stft(graph, source, vocoder))
        stages = _Stages(graph, weights, vocoder, spectral=spectral)
        value = stages.build(_flat_to_plane(graph, mel), spectrum)
        wave = _istft(graph, _plane_to_flat(graph, value), vocoder)
        wave = graph.op("Clip", wave, graph.constant(-_LIMIT), graph.constant(_LIMIT))
        graph.output(graph.op("Squeeze", wave, graph.constant([1])), "wave", [1, "samples"])


class _Stages:
    """Adds HiFT from mel to the spectrum of its sound."""

    def __init__(
        self, graph: GraphBuilder, weights: Weights, vocoder: VocoderConfig, *, spectral: bool
    ) -> None:
        self._graph = graph
        self._vocoder = vocoder
        self._spectral = spectral
        self._layers = _Layers(graph, weights)

    def build(self, mel: str, spectrum: str) -> str:
        graph, layers, vocoder = self._graph, self._layers, self._vocoder
        value = layers.conv(mel, "conv_pre", pad=3)
        for stage, rate in enumerate(vocoder.upsample_rates):
            last = stage == len(vocoder.upsample_rates) - 1
            value = graph.op("LeakyRelu", value, alpha=_SLOPE)
            pad = (vocoder.upsample_kernels[stage] - rate) // 2
            value = layers.conv_transpose(value, f"ups.{stage}", pad=pad, stride=rate)
            if last:
                value = _reflect_left(graph, value)
            down = 1 if last else vocoder.upsample_rates[1]
            fused = layers.conv(spectrum, f"source_downs.{stage}", pad=down // 2, stride=down)
            kernel = vocoder.source_kernels[stage]
            (fused,) = self._residuals(stage, fused, {f"source_resblocks.{stage}.": kernel})
            value = graph.op("Add", value, fused)
            first = stage * len(vocoder.kernels)
            kernels = {
                f"resblocks.{first + index}.": kernel
                for index, kernel in enumerate(vocoder.kernels)
            }
            branches = self._residuals(stage, value, kernels)
            share = graph.constant(1 / len(vocoder.kernels))
            value = graph.op("Mul", graph.op("Sum", *branches), share)
        value = graph.op("LeakyRelu", value, alpha=_LAST_SLOPE)
        return layers.conv(value, "conv_post", pad=3)

    def _residuals(self, stage: int, value: str, kernels: dict[str, int]) -> list[str]:
        """Return planes whose sum is that of `value`'s residual blocks, kernels by prefix."""
        graph, layers, dilations = self._graph, self._layers, self._vocoder.dilations
        long = {
            prefix: kernel
            for prefix, kernel in kernels.items()
            if self._spectral and kernel >= _LEAST_TAPS
        }
        branches = [
            layers.residual(value, prefix, kernel, dilations)
            for prefix, kernel in kernels.items()
            if prefix not in long
        ]
        if not long:
            return branches
        rows = graph.op(
            "Transpose", graph.op("Squeeze", value, graph.constant([0, 2])), perm=[1, 0]
        )
        convolutions = SpectralConvolutions(graph, rows, _TILES[stage])
        results = [layers.residual_rows(rows, prefix, dilations, convolutions) for prefix in long]
        total = results[0] if len(results) == 1 else graph.op("Sum", *results)
        plane = graph.op("Transpose", total, perm=[1, 0])
        return [*branches, graph.op("Unsqueeze", plane, graph.constant([0, 2]))]


class _Layers:
    """Layers over [1, channels, 1, T]; each reads its weights by name."""

    def __init__(self, graph: GraphBuilder, weights: Weights) -> None:
        self._graph = graph
        self._weights = weights

    def conv(
        self, value: str, name: str, *, pad: int = 0, stride: int = 1, dilation: int = 1
    ) -> str:
        return self._graph.op(
            "Conv",
            value,
            *self._kernel(name),
            pads=[0, pad, 0, pad],
            strides=[1, stride],
            dilations=[1, dilation],
        )

    def conv_transpose(self, value: str, name: str, *, pad: int, stride: int) -> str:
        return self._graph.op(
            "ConvTranspose", value, *self._kernel(name), pads=[0, pad, 0, pad], strides=[1, stride]
        )

    def residual(self, value: str, prefix: str, kernel: int, dilations: tuple[int, ...]) -> str:
        for index, dilation in enumerate(dilations):
            inner = self._snake(value, f"{prefix}activations1.{index}")
            pad = dilation * (kernel - 1) // 2
            inner = self.conv(inner, f"{prefix}convs1.{index}", pad=pad, dilation=dilation)
            inner = self._snake(inner, f"{prefix}activations2.{index}")
            inner = self.conv(inner, f"{prefix}convs2.{index}", pad=(kernel - 1) // 2)
            value = self._graph.op("Add", value, inner)
        return value

    def residual_rows(
        self,
        rows: str,
        prefix: str,
        dilations: tuple[int, ...],
        convolutions: SpectralConvolutions,
    ) -> str:
        """Return the same block over rows [T, channels]."""
        for index, dilation in enumerate(dilations):
            inner = rows
            for half, spread in (("1", dilation), ("2", 1)):
                inner = self._snake(inner, f"{prefix}activations{half}.{index}", (1, -1))
                name = f"{prefix}convs{half}.{index}"
                kernel = self._weights.read(f"{name}.weight")
                bias = self._weights.read(f"{name}.bias")
                inner = convolutions.conv(inner, kernel, bias, spread)
            rows = self._graph.op("Add", rows, inner)
        return rows

    def _snake(self, value: str, name: str, shape: tuple[int, ...] = (1, -1, 1, 1)) -> str:
        """Snake: x + sin(alpha x)^2 / alpha, alpha per channel; `shape` sets the channels' axis."""
        graph = self._graph
        alpha = self._weights.read(f"{name}.alpha").reshape(shape)
        wave = graph.op("Sin", graph.op("Mul", value, graph.weight(alpha)))
        inverse = graph.weight((1 / (alpha + np.float32(1e-9))).astype(np.float32))
        return graph.op("Add", value, graph.op("Mul", graph.op("Mul", wave, wave), inverse))

    def _kernel(self, name: str) -> tuple[str, str]:
        kernel = self._weights.read(f"{name}.weight")[:, :, None, :]
        return self._graph.weight(kernel), self._graph.weight(self._weights.read(f"{name}.bias"))


def _flat_to_plane(graph: GraphBuilder, value: str) -> str:
    return graph.op("Unsqueeze", value, graph.constant([2]))


def _plane_to_flat(graph: GraphBuilder, value: str) -> str:
    return graph.op("Squeeze", value, graph.constant([2]))


def _reflect_left(graph: GraphBuilder, value: str) -> str:
    """Put the second frame before the first: the STFT has one frame more than the mel implies."""
    axis = graph.constant([3])
    second = graph.op("Slice", value, graph.constant([1]), graph.constant([2]), axis)
    return graph.op("Concat", second, value, axis=3)


def _hann(size: int) -> NDArray[np.float64]:
    window: NDArray[np.float64] = 0.5 - 0.5 * np.cos(2 * np.pi * np.arange(size) / size)
    return window


def _stft(graph: GraphBuilder, source: str, vocoder: VocoderConfig) -> str:
    """Return [1, 2 * bins, frames]: real parts, then imaginary ones, of the centred STFT."""
    size, half = vocoder.fft, vocoder.fft // 2
    angles = 2 * np.pi * np.outer(np.arange(vocoder.bins), np.arange(size)) / size
    kernels = np.concatenate([np.cos(angles), -np.sin(angles)]) * _hann(size)
    padded = graph.op("Pad", source, graph.constant([0, 0, half, 0, 0, half]), mode="reflect")
    kernel = graph.weight(kernels[:, None, :].astype(np.float32))
    return graph.op("Conv", padded, kernel, strides=[vocoder.stft_hop])


def _istft(graph: GraphBuilder, value: str, vocoder: VocoderConfig) -> str:
    """Return [1, 1, samples] of log magnitudes and phase angles' arcs, [1, 2 * bins, frames]."""
    size, half, bins = vocoder.fft, vocoder.fft // 2, vocoder.bins
    log_magnitude, arc = graph.ops("Split", value, outputs=2, axis=1, num_outputs=2)
    limit = graph.constant(_MAX_MAGNITUDE)
    magnitude = graph.op("Min", graph.op("Exp", log_magnitude), limit)
    phase = graph.op("Sin", arc)
    real = graph.op("Mul", magnitude, graph.op("Cos", phase))
    imaginary = graph.op("Mul", magnitude, graph.op("Sin", phase))
    angles = 2 * np.pi * np.outer(np.arange(bins), np.arange(size)) / size
    counts = np.full((bins, 1), 2.0)
    counts[[0, -1]] = 1.0
    window = _hann(size)
    kernels = np.concatenate([np.cos(angles) * counts, -np.sin(angles) * counts]) / size * window
    parts: dict[str, Any] = {"pads": [half, half], "strides": [vocoder.stft_hop]}
    kernel = graph.weight(kernels[:, None, :].astype(np.float32))
    spectrum = graph.op("Concat", real, imaginary, axis=1)
    wave = graph.op("ConvTranspose", spectrum, kernel, **parts)
    # The windows' squares add up to less at both ends, where fewer frames overlap.
    frames = graph.op("Shape", real, start=2, end=3)
    shape = graph.op("Concat", graph.constant([1, 1]), frames, axis=0)
    ones = graph.op("Expand", graph.constant(1.0), shape)
    squares = graph.weight((window**2)[None, None, :].astype(np.float32))
    return graph.op("Div", wave, graph.op("ConvTranspose", ones, squares, **parts))
