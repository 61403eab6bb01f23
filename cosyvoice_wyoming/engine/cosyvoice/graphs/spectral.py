"""Convolutions through short Fourier transforms: the same sums with fewer multiplications.

A sequence is cut into overlapping pieces of `size` samples, each of which gives `tile` =
size - kernel + 1 samples of the result (overlap-save). On a piece the convolution is a product per
frequency, and a complex product takes three real ones (Karatsuba), so that

    y = A ((G w) * (B x))

with `rank` = 3 size/2 - 1 products for each pair of channels instead of kernel * tile: of 11 taps
and 14 samples 35 instead of 154. B and A cost little where there are many channels. Against the
direct convolution in float32 the result differs by 4e-6 of its deviation; on Zen 4 it takes half
the time for 11 taps and 0.6 of it for 7. For 3 taps nothing is gained.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from cosyvoice_wyoming.engine.cosyvoice.graphs.builder import GraphBuilder

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True, kw_only=True)
class Transforms:
    """The matrices above: `inverse` A [tile, rank], `forward` B [rank, size], `taps` G [rank, k].

    y[i] = sum over j of w[j] x[i + j], for i from 0 to tile - 1.
    """

    inverse: NDArray[np.float64]
    forward: NDArray[np.float64]
    taps: NDArray[np.float64]


def transforms(kernel: int, tile: int) -> Transforms:
    """Return the matrices for an even size kernel + tile - 1.

    With X and W the spectra of piece and taps, y is the inverse of X times W's conjugate. Of
    (a + ib)(c + id), p = (a + b) c, q = a (d - c) and r = b (c + d) give the real part as p - r and
    the imaginary one as p + q. The first and the last frequency are real.
    """
    size = kernel + tile - 1
    samples = np.arange(size)
    inverse, forward, taps = [], [], []
    for frequency in range(size // 2 + 1):
        angles = 2 * np.pi * frequency * samples / size
        cosine, sine = np.cos(angles), np.sin(angles)
        real = frequency in (0, size // 2)
        back = (1 if real else 2) / size
        outer_cosine, outer_sine = back * cosine[:tile], -back * sine[:tile]
        if real:
            forward.append(cosine)
            taps.append(cosine[:kernel])
            inverse.append(outer_cosine)
            continue
        forward += [cosine - sine, cosine, -sine]
        tap_cosine, tap_sine = cosine[:kernel], sine[:kernel]
        taps += [tap_cosine, tap_sine - tap_cosine, tap_cosine + tap_sine]
        inverse += [outer_cosine + outer_sine, outer_sine, -outer_cosine]
    return Transforms(
        inverse=np.stack(inverse, axis=1), forward=np.stack(forward), taps=np.stack(taps)
    )


class SpectralConvolutions:
    """Adds convolutions over rows [T, channels] to a graph, padded so that T stays.

    All inputs have the same T, so that those of equal kernel and dilation are cut alike.
    """

    def __init__(self, graph: GraphBuilder, rows: str, tile: int) -> None:
        self._graph = graph
        self._tile = tile
        self._length = graph.op("Shape", rows, start=0, end=1)
        self._cuts: dict[tuple[int, int], tuple[str, str]] = {}

    def conv(
        self, rows: str, kernel: NDArray[np.float32], bias: NDArray[np.float32], dilation: int
    ) -> str:
        """Return the convolution of `rows` with `kernel` [out, in, taps], an odd number of them."""
        graph, tile = self._graph, self._tile
        outputs, inputs, taps = kernel.shape
        parts = transforms(taps, tile)
        rank, size = parts.forward.shape
        product = np.einsum("rk,oik->rio", parts.taps, kernel.astype(np.float64), optimize=True)

        pads, places = self._cut(taps, dilation)
        pieces = graph.op("Gather", graph.op("Pad", rows, pads), places, axis=0)
        pieces = graph.op("Reshape", pieces, graph.constant([size, -1]))
        spectra = graph.op("MatMul", graph.constant(parts.forward), pieces)
        spectra = graph.op("Reshape", spectra, graph.constant([rank, -1, inputs]))
        weight = graph.weight(product.astype(np.float32))
        spectra = graph.op("MatMul", spectra, weight)
        spectra = graph.op("Reshape", spectra, graph.constant([rank, -1]))
        result = graph.op("MatMul", graph.constant(parts.inverse), spectra)
        result = graph.op("Reshape", result, graph.constant([tile, -1, dilation, outputs]))
        result = graph.op("Transpose", result, perm=[1, 0, 2, 3])
        result = graph.op("Reshape", result, graph.constant([-1, outputs]))
        start, axis = graph.constant([0]), graph.constant([0])
        result = graph.op("Slice", result, start, self._length, axis)
        return graph.op("Add", result, graph.weight(bias))

    def _cut(self, taps: int, dilation: int) -> tuple[str, str]:
        """Return the padding, and the places [size, pieces] of the pieces' rows behind it.

        With dilation d, every d-th row belongs to one sequence: piece j of sequence p has the rows
        (j tile + n) d + p.
        """
        key = taps, dilation
        if key not in self._cuts:
            self._cuts[key] = self._new_cut(taps, dilation)
        return self._cuts[key]

    def _new_cut(self, taps: int, dilation: int) -> tuple[str, str]:
        graph, stride = self._graph, self._tile * dilation
        size = self._tile + taps - 1
        rounded = graph.op("Add", self._length, graph.constant([stride - 1]))
        count = graph.op("Div", rounded, graph.constant([stride]))

        before = dilation * (taps - 1) // 2
        covered = graph.op("Mul", count, graph.constant([stride]))
        missing = graph.op("Sub", covered, self._length)
        after = graph.op("Add", missing, graph.constant([dilation * (taps - 1) - before]))
        zero = graph.constant([0])
        pads = graph.op("Concat", graph.constant([before]), zero, after, zero, axis=0)

        zero, one = (graph.weight(np.array(number, np.int64)) for number in (0, 1))
        pieces = graph.op("Range", zero, graph.op("Squeeze", count), one)
        starts = graph.op("Mul", pieces, graph.constant([stride]))
        starts = graph.op("Reshape", starts, graph.constant([1, -1, 1]))
        within = np.arange(size)[:, None, None] * dilation + np.arange(dilation)
        places = graph.op("Add", starts, graph.weight(within.astype(np.int64)))
        return pads, graph.op("Reshape", places, graph.constant([size, -1]))
