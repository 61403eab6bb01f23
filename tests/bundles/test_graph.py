"""The surgery on tiny graphs: what is rewritten computes the same."""

from __future__ import annotations

import numpy as np
import onnx
import onnxruntime
import pytest
from onnx import TensorProto, helper, numpy_helper
from onnxruntime.quantization import QuantType, quantize_dynamic

from cosyvoice_wyoming.bundles.dequantise import dequantise
from cosyvoice_wyoming.bundles.graph import Graph, Port
from cosyvoice_wyoming.bundles.rewrites import (
    fuse_instance_norm,
    multiply_convolutions,
    square_by_product,
    widen_convolutions,
)
from cosyvoice_wyoming.machine import has_vnni

RANDOM = np.random.default_rng(7)
ROUNDING = 1e-5
"""Sums of a few dozen floats of size one, taken in another order."""

X = RANDOM.normal(size=(1, 4, 50)).astype(np.float32)


def model(nodes, constants, outputs=("y",)):
    graph = helper.make_graph(
        nodes,
        "tiny",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, (1, 4, "frames"))],
        [helper.make_tensor_value_info(name, TensorProto.FLOAT, None) for name in outputs],
        [numpy_helper.from_array(value, name) for name, value in constants.items()],
    )
    return helper.make_model(graph, ir_version=9, opset_imports=[helper.make_opsetid("", 20)])


def run(made, **feed):
    session = onnxruntime.InferenceSession(
        made.SerializeToString(), providers=["CPUExecutionProvider"]
    )
    return session.run(None, feed or {"x": X})


def operators(made):
    return sorted(node.op_type for node in made.graph.node)


def convolution(**attributes):
    weight = RANDOM.normal(size=(8, 4 // attributes.get("group", 1), 3)).astype(np.float32)
    bias = RANDOM.normal(size=8).astype(np.float32)
    node = helper.make_node("Conv", ["x", "w", "b"], ["y"], name="conv", **attributes)
    return model([node], {"w": weight, "b": bias})


def normalisation():
    axes = np.array([2], np.int64)
    gain = RANDOM.normal(size=(1, 4, 1)).astype(np.float32)
    shift = RANDOM.normal(size=(1, 4, 1)).astype(np.float32)
    steps = [
        ("ReduceMean", ["x", "axes"], "mean"),
        ("Sub", ["x", "mean"], "centred"),
        ("Mul", ["centred", "centred"], "square"),
        ("ReduceMean", ["square", "axes"], "variance"),
        ("Add", ["variance", "epsilon"], "safe"),
        ("Sqrt", ["safe"], "deviation"),
        ("Div", ["centred", "deviation"], "normal"),
        ("Mul", ["gain", "normal"], "gained"),
        ("Add", ["gained", "shift"], "y"),
    ]
    nodes = [helper.make_node(op, inputs, [out], name=out) for op, inputs, out in steps]
    epsilon = np.array(1e-5, np.float32)
    return model(nodes, {"axes": axes, "gain": gain, "shift": shift, "epsilon": epsilon})


def test_a_normalisation_in_nine_steps_becomes_one_node_with_the_same_result():
    before = normalisation()
    graph = Graph(before)
    assert fuse_instance_norm(graph) == 1
    after = graph.whole()
    assert operators(after) == ["InstanceNormalization", "Reshape", "Reshape"]
    np.testing.assert_allclose(run(after)[0], run(before)[0], atol=ROUNDING)


def test_a_root_that_is_no_normalisation_is_left_alone():
    before = model([helper.make_node("Sqrt", ["x"], ["y"], name="root")], {})
    graph = Graph(before)
    assert fuse_instance_norm(graph) == 0
    assert operators(graph.whole()) == ["Sqrt"]


@pytest.mark.parametrize(("exponent", "operator"), [(2.0, "Mul"), (3.0, "Pow")])
def test_only_squares_become_products(exponent, operator):
    node = helper.make_node("Pow", ["x", "n"], ["y"], name="power")
    before = model([node], {"n": np.array(exponent, np.float32)})
    graph = Graph(before)
    square_by_product(graph)
    after = graph.whole()
    assert operators(after) == [operator]
    np.testing.assert_allclose(run(after)[0], run(before)[0], rtol=1e-6)


@pytest.mark.parametrize(
    "attributes",
    [
        {"kernel_shape": [3], "pads": [1, 1]},
        {"kernel_shape": [3], "pads": [0, 2], "dilations": [2], "strides": [2]},
        {"kernel_shape": [3], "group": 4},
    ],
)
def test_a_widened_convolution_gives_the_same_result(attributes):
    before = convolution(**attributes)
    (expected,) = run(before)
    graph = Graph(before)
    assert widen_convolutions(graph) == 1
    after = graph.whole()
    assert operators(after) == ["Conv", "Squeeze", "Unsqueeze"]
    np.testing.assert_allclose(run(after)[0], expected, atol=ROUNDING)


@pytest.mark.parametrize("per_channel", [False, True])
def test_a_dequantised_product_is_the_product_within_the_grid_of_its_weights(tmp_path, per_channel):
    weight = RANDOM.normal(size=(50, 6)).astype(np.float32)
    before = model([helper.make_node("MatMul", ["x", "w"], ["y"], name="m")], {"w": weight})
    check_dequantised(before, tmp_path, "MatMul", weight, per_channel=per_channel)


def test_a_dequantised_convolution_is_the_convolution_within_the_grid_of_its_weights(tmp_path):
    before = convolution(kernel_shape=[3], pads=[1, 1])
    weight = numpy_helper.to_array(before.graph.initializer[0])
    check_dequantised(before, tmp_path, "Conv", weight, per_channel=False)


def check_dequantised(before, folder, operator, weight, *, per_channel):
    onnx.save(before, folder / "float.onnx")
    quantize_dynamic(
        folder / "float.onnx",
        folder / "int8.onnx",
        per_channel=per_channel,
        weight_type=QuantType.QInt8 if per_channel else QuantType.QUInt8,
    )
    quantised = onnx.load(folder / "int8.onnx")
    assert operator not in operators(quantised)
    graph = Graph(quantised)
    assert dequantise(graph) == 1
    after = graph.whole()
    assert operator in operators(after)
    assert not {"ConvInteger", "MatMulInteger", "DynamicQuantizeLinear"} & set(operators(after))
    (kept,) = [
        numpy_helper.to_array(c) for c in after.graph.initializer if c.name.endswith("_float")
    ]
    step = np.ptp(weight) / 255
    assert np.abs(kept - weight).max() <= step
    np.testing.assert_allclose(run(after)[0], run(before)[0], atol=step * 50)


SIGNED = pytest.param(
    True, marks=pytest.mark.skipif(not has_vnni(), reason="sums of pairs may overflow here")
)


@pytest.mark.parametrize("signed", [False, SIGNED])
@pytest.mark.parametrize("taps", [1, 3, 5])
def test_an_integer_convolution_is_the_product_of_the_same_integers(tmp_path, taps, signed):
    weight = RANDOM.normal(size=(6, 4, taps)).astype(np.float32)
    node = helper.make_node(
        "Conv", ["x", "w"], ["y"], name="conv", kernel_shape=[taps], pads=[taps // 2] * 2
    )
    before = quantised_convolution(tmp_path, model([node], {"w": weight}))
    graph = Graph(before)
    assert multiply_convolutions(graph, signed=signed) == 1
    after = graph.whole()
    assert "ConvInteger" not in operators(after)
    assert "MatMulInteger" in operators(after)
    np.testing.assert_array_equal(run(after)[0], run(before)[0])


@pytest.mark.parametrize(
    "attributes",
    [{"strides": [2], "pads": [1, 1]}, {"dilations": [2], "pads": [2, 2]}, {"pads": [0, 0]}],
)
def test_a_convolution_of_another_kind_is_not_multiplied(tmp_path, attributes):
    before = quantised_convolution(tmp_path, convolution(kernel_shape=[3], **attributes))
    with pytest.raises(ValueError, match="keeps its input's length"):
        multiply_convolutions(Graph(before), signed=False)


def quantised_convolution(folder, made):
    onnx.save(made, folder / "float.onnx")
    quantize_dynamic(
        folder / "float.onnx",
        folder / "int8.onnx",
        weight_type=QuantType.QUInt8,
        reduce_range=True,
    )
    return onnx.load(folder / "int8.onnx")


def test_a_piece_has_the_names_of_its_ports_and_only_what_it_needs():
    nodes = [
        helper.make_node("Abs", ["x"], ["inner"], name="first"),
        helper.make_node("Add", ["inner", "one"], ["y"], name="second"),
        helper.make_node("Mul", ["inner", "two"], ["unused"], name="third"),
    ]
    constants = {"one": np.array(1, np.float32), "two": np.array(2, np.float32)}
    graph = Graph(model(nodes, constants))
    middle = Port(tensor="inner", name="middle", shape=(1, 4, "frames"))
    first = graph.cut("first", [Port(tensor="x", name="x", shape=(1, 4, "frames"))], [middle])
    second = graph.cut("second", [middle], [Port(tensor="y", name="z", shape=(1, 4, "frames"))])
    assert [c.name for c in second.graph.initializer] == ["one"]
    (inner,) = run(first)
    np.testing.assert_array_equal(run(second, middle=inner)[0], np.abs(X) + 1)


def test_a_piece_that_needs_another_input_is_refused():
    graph = Graph(model([helper.make_node("Abs", ["x"], ["y"], name="abs")], {}))
    with pytest.raises(ValueError, match="also needs the input x"):
        graph.cut("piece", [], [Port(tensor="y", name="y", shape=(1,))])
