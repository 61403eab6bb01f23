"""Turn a dynamically quantised graph back into a float one.

The weights keep the values of their 8-bit grid; activations are no longer quantised. So the
result is closer to the original model than the quantised graph, but not the original.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import onnx
from onnx import helper

from cosyvoice_wyoming.bundles.graph import Graph

if TYPE_CHECKING:
    from numpy.typing import NDArray

_FLOAT_OPS = {"ConvInteger": "Conv", "MatMulInteger": "MatMul"}


def dequantise(graph: Graph) -> int:
    """Replace each integer convolution and product by its float form; return how many.

    The pattern is that of onnxruntime's dynamic quantisation: DynamicQuantizeLinear, the integer
    operation, an optional integer bias, Cast, and a product with both scales.

    Raises ValueError where a graph departs from it.
    """
    quantised = [node for node in graph.nodes if node.op_type in _FLOAT_OPS]
    for node in quantised:
        _dequantise_node(graph, node)
    return len(quantised)


def _dequantise_node(graph: Graph, node: onnx.NodeProto) -> None:
    source = graph.made_by(node.input[0], "DynamicQuantizeLinear")
    if source is None:
        raise ValueError(f"{node.name} has no quantised input")
    bias: str | None = None
    step = _next(graph, node)
    if step.op_type == "Add":
        bias = _float_bias(graph, step, node.output[0])
        step = _next(graph, step)
    scaled = _next(graph, step)
    if step.op_type != "Cast" or scaled.op_type != "Mul":
        raise ValueError(f"{node.name} is not followed by Cast and Mul")
    scales = next(tensor for tensor in scaled.input if tensor != step.output[0])
    weight = graph.add_constant(
        f"{node.input[1]}_float", _float_weight(graph, node, _weight_scale(graph, scales))
    )
    inputs = [source.input[0], weight] + ([bias] if bias else [])
    floating = helper.make_node(
        _FLOAT_OPS[node.op_type], inputs, list(scaled.output), name=f"{node.name}_float"
    )
    floating.attribute.extend(node.attribute)
    graph.replace(scaled, [floating])


def _next(graph: Graph, node: onnx.NodeProto) -> onnx.NodeProto:
    users = graph.consumers(node.output[0])
    if len(users) != 1:
        raise ValueError(f"{node.name} has {len(users)} users, not one")
    return users[0]


def _float_bias(graph: Graph, add: onnx.NodeProto, integer_output: str) -> str:
    """Find the float bias that the graph divides by the scale, rounds and adds as integers."""
    tensor = next(t for t in add.input if t != integer_output)
    while (node := graph.producer(tensor)) is not None:
        tensor = node.input[0]
    if graph.constant(tensor) is None:
        raise ValueError(f"{add.name} has no constant bias")
    return str(tensor)


def _weight_scale(graph: Graph, product: str) -> NDArray[np.generic]:
    node = graph.producer(product)
    values = [graph.constant(t) for t in node.input] if node is not None else []
    scales = [value for value in values if value is not None]
    if len(scales) != 1:
        raise ValueError(f"{product} is not the product of one constant and one measured scale")
    return scales[0]


def _float_weight(
    graph: Graph, node: onnx.NodeProto, scale: NDArray[np.generic]
) -> NDArray[np.float32]:
    """Return (weight - zero point) * scale; both are single values or one per output channel."""
    weight, zero = graph.constant(node.input[1]), graph.constant(node.input[3])
    if weight is None or zero is None:
        raise ValueError(f"{node.name} has no constant weight")
    # Output channels are the first axis of a convolution's weight and the last of a product's.
    per_channel = (-1,) + (1,) * (weight.ndim - 1) if node.op_type == "ConvInteger" else (-1,)
    offset = zero.astype(np.float32).reshape(per_channel)
    factor = scale.astype(np.float32).reshape(per_channel)
    return (weight.astype(np.float32) - offset) * factor
