"""Convolutions through Fourier transforms against the sums written out."""

from __future__ import annotations

import numpy as np
import pytest

from cosyvoice_wyoming.engine.cosyvoice import bundle
from cosyvoice_wyoming.engine.cosyvoice.graphs.builder import GraphBuilder
from cosyvoice_wyoming.engine.cosyvoice.graphs.spectral import SpectralConvolutions, transforms
from cosyvoice_wyoming.engine.cosyvoice.sessions import Session
from tests.support.tiny_cosyvoice import TINY

RNG = np.random.default_rng(7)


@pytest.mark.parametrize(("kernel", "tile"), [(11, 14), (7, 14), (11, 8), (7, 8), (3, 2)])
def test_the_transforms_give_a_correlation_with_fewer_products(kernel, tile):
    parts = transforms(kernel, tile)
    taps, piece = RNG.standard_normal(kernel), RNG.standard_normal(kernel + tile - 1)
    result = parts.inverse @ ((parts.taps @ taps) * (parts.forward @ piece))
    np.testing.assert_allclose(result, np.correlate(piece, taps, "valid"), atol=1e-12)
    assert len(parts.forward) == 3 * (kernel + tile - 1) // 2 - 1


def convolved(rows, kernel, bias, dilation):
    """The same convolution, tap by tap."""
    length, taps = len(rows), kernel.shape[2]
    pad = dilation * (taps - 1) // 2
    padded = np.pad(rows, ((pad, pad), (0, 0)))
    shifted = (padded[tap * dilation : tap * dilation + length] for tap in range(taps))
    return sum(part @ kernel[:, :, tap].T for tap, part in enumerate(shifted)) + bias


@pytest.mark.parametrize("dilation", [1, 3, 5])
@pytest.mark.parametrize("taps", [7, 11])
def test_a_graph_s_convolution_is_the_direct_one(tmp_path, taps, dilation):
    kernel = RNG.standard_normal((6, 4, taps)).astype(np.float32)
    bias = RNG.standard_normal(6).astype(np.float32)
    with GraphBuilder(tmp_path / "conv.onnx") as graph:
        rows = graph.input("x", ["t", 4])
        result = SpectralConvolutions(graph, rows, 14).conv(rows, kernel, bias, dilation)
        graph.output(result, "y", ["t", 6])
    session = Session(tmp_path / "conv.onnx", threads=1)
    for length in (1, 2, 13, 14, 15, 70, 211):
        x = RNG.standard_normal((length, 4)).astype(np.float32)
        expected = convolved(x, kernel, bias, dilation)
        np.testing.assert_allclose(session.run({"x": x})[0], expected, atol=3e-5)


@pytest.mark.parametrize("frames", [1, 2, 9, 40])
def test_the_vocoder_sounds_the_same_either_way(tiny_bundles, frames):
    mel = RNG.standard_normal((1, TINY.mel, frames)).astype(np.float32)
    source = RNG.standard_normal((1, 1, frames * TINY.vocoder.hop)).astype(np.float32) / 10
    direct, spectral = (
        Session(tiny_bundles[name] / bundle.VOCODER, threads=1).run({"mel": mel, "source": source})
        for name in ("exact", "balanced")
    )
    np.testing.assert_allclose(spectral[0], direct[0], atol=1e-5)
