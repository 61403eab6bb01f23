"""Weights in fewer bits, as ONNX Runtime's integer matrix products read them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray


class Precision(StrEnum):
    """How the weights of matrix products are kept; convolutions and norms stay fp32.

    INT8 has a scale per column, for products of many rows. INT8_BLOCKS has a scale per block of a
    column, for those of single rows. INT4 is kept to be measured.
    """

    FP32 = "fp32"
    INT8 = "int8"
    INT8_BLOCKS = "int8-blocks"
    INT4 = "int4"

    @property
    def of_steps(self) -> Precision:
        """What this precision is in the language model, most of whose runs read a single row.

        There the time goes into reading the weights, which the kernel for blocks does at 25 GB/s
        where that for columns reaches 16 (Zen 4 with VNNI, one thread); of 24 rows and more it is
        the slower one.
        """
        return Precision.INT8_BLOCKS if self is Precision.INT8 else self


LARGEST_BLOCKS = {8: 128, 4: 32}
"""Weights that share a scale, by their bits."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Columns8:
    """A matrix [K, N] in 8 bits with a scale per column: w = values * scales."""

    values: NDArray[np.int8]
    scales: NDArray[np.float32]


@dataclass(frozen=True, slots=True, kw_only=True)
class Blocks:
    """A matrix as MatMulNBits has it: values [N, K/block, block * bits/8], scales [N * K/block].

    w = (value - 2^(bits - 1)) * scale.
    """

    values: NDArray[np.uint8]
    scales: NDArray[np.float32]
    bits: int
    block: int


def to_columns(matrix: NDArray[np.float32]) -> Columns8:
    """Round [K, N] to 8 bits, one scale per column, symmetric about zero.

    The values are *signed*: the instructions that x86 (VNNI) and ARM have for products of bytes
    take one factor signed, and without it the same product takes twice the time. x86 without them
    adds up such products in 16 bits, which overflow; `sessions` has the values made unsigned there.
    """
    scales = np.maximum(np.abs(matrix).max(axis=0), np.float32(1e-12)) / np.float32(127)
    return Columns8(
        values=np.rint(matrix / scales).astype(np.int8), scales=scales.astype(np.float32)
    )


def to_blocks(matrix: NDArray[np.float32], bits: int) -> Blocks:
    """Round [K, N] to 8 or 4 bits in blocks along K, symmetric about zero."""
    inner, columns = matrix.shape
    block = math.gcd(inner, LARGEST_BLOCKS[bits])
    parts = matrix.T.reshape(columns, inner // block, block)
    middle = 1 << (bits - 1)
    scales = np.maximum(np.abs(parts).max(axis=-1), np.float32(1e-12)) / np.float32(middle - 1)
    values = (np.rint(parts / scales[..., None]) + middle).astype(np.uint8)
    if bits == 4:  # noqa: PLR2004  two to a byte, the lower half first
        values = values[..., 0::2] | (values[..., 1::2] << 4)
    return Blocks(
        values=np.ascontiguousarray(values),
        scales=scales.astype(np.float32).reshape(-1),
        bits=bits,
        block=block,
    )
