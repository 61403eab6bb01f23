"""Rewrites that keep what a graph computes and let onnxruntime's CPU kernels compute it faster."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
import onnx
from onnx import helper

from cosyvoice_wyoming.bundles.graph import Graph

if TYPE_CHECKING:
    from numpy.typing import NDArray

_TO_THE_END = np.iinfo(np.int64).max


def fuse_instance_norm(graph: Graph) -> int:
    """Replace the seven steps of an instance normalisation and its affine map by one node.

    The exporter wrote (x - mean) / sqrt(mean((x - mean)^2) + eps), then * gain + shift with gain
    and shift of shape [1, channels, 1]. Return how many were found.
    """
    roots = [node for node in graph.nodes if node.op_type == "Sqrt"]
    return sum(_fuse_one_norm(graph, root) for root in roots)


def _fuse_one_norm(graph: Graph, root: onnx.NodeProto) -> bool:
    """Fuse the normalisation that takes the square root `root`; False if it is none."""
    if not (
        (shifted_variance := graph.made_by(root.input[0], "Add"))
        and (variance := graph.made_by(shifted_variance.input[0], "ReduceMean"))
        and (square := graph.made_by(variance.input[0], "Mul"))
        and (division := graph.only_consumer(root.output[0], "Div"))
        and (centred := graph.made_by(division.input[0], "Sub"))
        and (mean := graph.made_by(centred.input[1], "ReduceMean"))
        and (gained := graph.only_consumer(division.output[0], "Mul"))
        and (shifted := graph.only_consumer(gained.output[0], "Add"))
    ):
        return False
    epsilon = graph.constant(shifted_variance.input[1])
    if epsilon is None or list(square.input) != [centred.output[0]] * 2:
        return False
    flat = graph.add_constant("flat_shape", np.array([-1], np.int64))
    factor, offset = _other(gained, division), _other(shifted, gained)
    gain = helper.make_node("Reshape", [factor, flat], [f"{gained.output[0]}_gain"])
    shift = helper.make_node("Reshape", [offset, flat], [f"{shifted.output[0]}_shift"])
    norm = helper.make_node(
        "InstanceNormalization",
        [mean.input[0], gain.output[0], shift.output[0]],
        list(shifted.output),
        name=f"{shifted.name}_norm",
        epsilon=float(epsilon.item()),
    )
    graph.replace(shifted, [gain, shift, norm])
    return True


def square_by_product(graph: Graph) -> int:
    """Replace x ** 2 by x * x, which needs no call of `pow` per element; return how many."""
    squares = [
        node
        for node in graph.nodes
        if node.op_type == "Pow"
        and (exponent := graph.constant(node.input[1])) is not None
        and exponent.size == 1
        and exponent.item() == 2  # noqa: PLR2004
    ]
    for node in squares:
        product = helper.make_node(
            "Mul", [node.input[0]] * 2, list(node.output), name=f"{node.name}_product"
        )
        graph.replace(node, [product])
    return len(squares)


def widen_convolutions(graph: Graph) -> int:
    """Write each 1-D convolution as a 2-D one of height 1; return how many.

    onnxruntime's blocked (NCHWc) convolution kernels exist for two dimensions only. No two
    convolutions may share a weight.
    """
    axis = graph.add_constant("height_axis", np.array([2], np.int64))
    narrow = [node for node in graph.nodes if node.op_type == "Conv"]
    for node in narrow:
        weight = graph.constant(node.input[1])
        if weight is None or weight.ndim != 3:  # noqa: PLR2004
            raise ValueError(f"{node.name} is not a 1-D convolution with constant weights")
        outs, ins, length = weight.shape
        graph.reshape_constant(node.input[1], (outs, ins, 1, length))
        taller = helper.make_node("Unsqueeze", [node.input[0], axis], [f"{node.name}_in"])
        inputs = [taller.output[0], *node.input[1:]]
        conv = helper.make_node("Conv", inputs, [f"{node.name}_out"], name=f"{node.name}_wide")
        conv.attribute.extend(_widened(node))
        flatter = helper.make_node("Squeeze", [conv.output[0], axis], list(node.output))
        graph.replace(node, [taller, conv, flatter])
    return len(narrow)


def multiply_convolutions(graph: Graph, *, signed: bool) -> int:
    """Write each integer 1-D convolution as a matrix product of the same integers; return how many.

    onnxruntime's ConvInteger copies its input on one thread and its weights are unsigned here. A
    product reads the K frames that a tap of K weights sees as one row of K * channels. With
    `signed`, weights become signed bytes about zero: twice as fast where `machine.has_vnni`;
    elsewhere on x86 the largest sums of two products could overflow.

    Raises ValueError for a convolution with groups, strides, dilations, or another length after
    it than before.
    """
    convolutions = [node for node in graph.nodes if node.op_type == "ConvInteger"]
    for node in convolutions:
        _multiply_one(graph, node, signed=signed)
    return len(convolutions)


def _multiply_one(graph: Graph, node: onnx.NodeProto, *, signed: bool) -> None:
    source, kernel, zero, kernel_zero = node.input
    weight, weight_zero = graph.constant(kernel), graph.constant(kernel_zero)
    if weight is None or weight_zero is None:
        raise ValueError(f"{node.name} has no constant weights")
    outs, ins, taps = weight.shape
    if not _keeps_length(node, taps):
        raise ValueError(f"{node.name} is not a convolution that keeps its input's length")
    matrix = np.ascontiguousarray(weight.transpose(2, 1, 0).reshape(taps * ins, outs))
    if signed:
        matrix, weight_zero = _about_zero(matrix, weight_zero), np.zeros((), np.int8)
    rows = helper.make_node("Transpose", [source], [f"{node.name}_rows"], perm=[0, 2, 1])
    seen = _windows(graph, node.name, rows.output[0], zero, taps)
    inputs = [
        seen[-1].output[0] if seen else rows.output[0],
        graph.add_constant(f"{kernel}_matrix", matrix),
        zero,
        graph.add_constant(f"{kernel_zero}_matrix", weight_zero),
    ]
    product = helper.make_node(
        "MatMulInteger", inputs, [f"{node.name}_product"], name=f"{node.name}_product"
    )
    columns = helper.make_node("Transpose", product.output, list(node.output), perm=[0, 2, 1])
    graph.replace(node, [rows, *seen, product, columns])


def _keeps_length(node: onnx.NodeProto, taps: int) -> bool:
    attributes = {a.name: helper.get_attribute_value(a) for a in node.attribute}
    margins = attributes.get("pads", [0, 0])
    plain = [attributes.get("strides", [1]), attributes.get("dilations", [1])] == [[1], [1]]
    return plain and attributes.get("group", 1) == 1 and list(margins) == [taps // 2] * 2


def _windows(graph: Graph, name: str, rows: str, zero: str, taps: int) -> list[onnx.NodeProto]:
    """Return the nodes that put `taps` neighbouring rows side by side; none for a single tap."""
    if taps == 1:
        return []
    margin = taps // 2
    margins = graph.add_constant(
        f"margins_{margin}", np.array([0, margin, 0, 0, margin, 0], np.int64)
    )
    axis = graph.add_constant("rows_axis", np.array([1], np.int64))
    padded = helper.make_node("Pad", [rows, margins, zero], [f"{name}_padded"])
    slices = []
    for tap in range(taps):
        behind = taps - 1 - tap
        first = graph.add_constant(f"row_{tap}", np.array([tap], np.int64))
        last = graph.add_constant(
            f"row_before_last_{behind}", np.array([-behind if behind else _TO_THE_END], np.int64)
        )
        inputs = [padded.output[0], first, last, axis]
        slices.append(helper.make_node("Slice", inputs, [f"{name}_tap_{tap}"]))
    joined = helper.make_node(
        "Concat", [piece.output[0] for piece in slices], [f"{name}_windows"], axis=2
    )
    return [padded, *slices, joined]


def _about_zero(weights: NDArray[np.generic], zero: NDArray[np.generic]) -> NDArray[np.int8]:
    """Return unsigned weights less their zero point, which must leave signed bytes."""
    moved = weights.astype(np.int16) - zero.astype(np.int16)
    if np.abs(moved).max() > np.iinfo(np.int8).max:
        raise ValueError("the weights less their zero point are no signed bytes")
    return moved.astype(np.int8)


def _widened(node: onnx.NodeProto) -> Iterator[onnx.AttributeProto]:
    old = {a.name: helper.get_attribute_value(a) for a in node.attribute}
    before, after = old.get("pads", [0, 0])
    yield helper.make_attribute("kernel_shape", [1, *old["kernel_shape"]])
    yield helper.make_attribute("strides", [1, *old.get("strides", [1])])
    yield helper.make_attribute("dilations", [1, *old.get("dilations", [1])])
    yield helper.make_attribute("pads", [0, before, 0, after])
    yield helper.make_attribute("group", old.get("group", 1))


def _other(node: onnx.NodeProto, source: onnx.NodeProto) -> str:
    """Return the input of a two-input `node` that does not come from `source`."""
    first, second = node.input
    return str(second if first == source.output[0] else first)
