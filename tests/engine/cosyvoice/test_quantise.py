"""Weights in 8 and 4 bits: how far they are from the real ones, and that graphs read them so."""

from __future__ import annotations

import numpy as np
import pytest
from onnx import TensorProto

from cosyvoice_wyoming.engine.cosyvoice.graphs.builder import GraphBuilder
from cosyvoice_wyoming.engine.cosyvoice.quantise import Precision, to_blocks, to_columns
from cosyvoice_wyoming.engine.cosyvoice.sessions import Session

RNG = np.random.default_rng(5)
MATRIX = RNG.standard_normal((256, 96)).astype(np.float32)


def test_columns_are_rounded_to_half_a_step():
    columns = to_columns(MATRIX)
    assert columns.values.dtype == np.int8
    error = np.abs(columns.values * columns.scales - MATRIX)
    assert (error <= 0.501 * columns.scales).all()


@pytest.mark.parametrize(("bits", "block"), [(8, 128), (4, 32)])
def test_blocks_are_rounded_to_half_a_step(bits, block):
    blocks = to_blocks(MATRIX, bits)
    assert blocks.block == block
    values = blocks.values
    if bits == 4:
        values = np.stack([values & 15, values >> 4], -1).reshape(96, -1, block)
    scales = blocks.scales.reshape(96, -1, 1)
    rounded = (values - np.float32(1 << (bits - 1))) * scales
    error = np.abs(rounded - MATRIX.T.reshape(rounded.shape))
    assert (error <= 0.501 * scales).all()


def test_an_empty_column_stays_empty():
    columns = to_columns(np.zeros((32, 2), np.float32))
    assert not columns.values.any()
    assert np.isfinite(columns.scales).all()


@pytest.mark.parametrize(
    ("precision", "tolerance"),
    [
        (Precision.FP32, 1e-5),
        (Precision.INT8, 0.02),
        (Precision.INT8_BLOCKS, 0.02),
        (Precision.INT4, 0.2),
    ],
)
@pytest.mark.parametrize("biased", [True, False])
def test_a_product_is_near_the_real_one_on_this_cpu(tmp_path, precision, tolerance, biased):
    """Weights at their largest and inputs all positive: sums of pairs overflow in 16 bits."""
    matrix = np.abs(MATRIX) + 2
    bias = RNG.standard_normal(96).astype(np.float32) if biased else None
    rows = (np.abs(RNG.standard_normal((7, 256))) + 2).astype(np.float32)
    with GraphBuilder(tmp_path / "product.onnx", precision) as graph:
        value = graph.input("x", ["n", 256], TensorProto.FLOAT)
        graph.output(graph.linear(value, matrix, bias), "y", ["n", 96])
    (result,) = Session(tmp_path / "product.onnx", threads=1).run({"x": rows})
    expected = rows @ matrix + (0 if bias is None else bias)
    assert np.abs(result - expected).max() / np.abs(expected).max() < tolerance


def test_only_products_of_single_rows_go_by_blocks():
    assert [p.of_steps for p in (Precision.FP32, Precision.INT8)] == ["fp32", "int8-blocks"]
