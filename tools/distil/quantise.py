"""Round an exported decoder's products to 8 bits, with fixed scales read off held-out lessons.

Fixed, so that a window is computed as in the whole utterance; scales measured on each window would
differ. Weights keep 7 bits: the sum of two products then fits 16 bits, so that CPUs without 8-bit
dot products add them exactly too.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
from lessons import is_held_out, load
from numpy.typing import NDArray
from onnx import helper, numpy_helper

LARGEST = 64
"""Of a weight: 2 * 255 * 64 is the largest sum of two products, and less than 2 ** 15."""
CLIPPED = 1e-5
"""Part of the activations on either side that may lie outside the range."""
LESSONS = 48

_DECIBELS = 20 / np.log(10)

Feed = dict[str, NDArray[np.float32]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Range:
    """What an activation's bytes stand for: (byte - zero) * step."""

    step: float
    zero: int


def quantise(path: Path, lessons: Path) -> None:
    """Quantise the float graph at `path` in place and print what that does to the filters."""
    model = onnx.load(path)
    feeds = [load(lesson).feed for lesson in held_out(lessons)]
    exact = [filters for (filters,) in outputs(model, [], feeds)]
    write_bytes(model, calibrate(model, feeds))
    onnx.save(model, path)
    rounded = [filters for (filters,) in outputs(model, [], feeds)]
    for place, what in ((0, "pulses"), (2, "noise")):
        pairs = zip(exact, rounded, strict=True)
        squares = [np.mean(np.square(old[0, :, place] - new[0, :, place])) for old, new in pairs]
        print(f"filter of {what}: {_DECIBELS * np.sqrt(np.mean(squares)):.2f} dB by rounding")


def held_out(lessons: Path) -> list[Path]:
    """Return the first lessons that training did not hear, voices in turn."""
    found = [path for path in lessons.glob("*/*.npz") if is_held_out(path)]
    return sorted(found, key=lambda path: (path.stem, path.parent.name))[:LESSONS]


def products(model: onnx.ModelProto) -> list[onnx.NodeProto]:
    """Return the products over frames; those of the style alone are too small to matter."""
    return [node for node in model.graph.node if node.op_type == "MatMul"]


def calibrate(model: onnx.ModelProto, feeds: list[Feed]) -> dict[str, Range]:
    """Return the range of each product's input over all frames of the lessons."""
    names = sorted({node.input[0] for node in products(model)})
    lows, highs = np.full(len(names), np.inf), np.full(len(names), -np.inf)
    for values in outputs(model, names, feeds):
        ends = np.array([np.quantile(value, [CLIPPED, 1 - CLIPPED]) for value in values[:-1]])
        lows, highs = np.minimum(lows, ends[:, 0]), np.maximum(highs, ends[:, 1])
    return {
        name: range_of(float(low), float(high))
        for name, low, high in zip(names, lows, highs, strict=True)
    }


def outputs(
    model: onnx.ModelProto, watched: list[str], feeds: list[Feed]
) -> Iterator[list[NDArray[np.float32]]]:
    """Yield for each lesson the tensors `watched` and, last, the filters."""
    wide = onnx.ModelProto()
    wide.CopyFrom(model)
    wide.graph.output.extend(
        helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, None) for name in watched
    )
    session = onnxruntime.InferenceSession(
        wide.SerializeToString(), providers=["CPUExecutionProvider"]
    )
    for feed in feeds:
        yield session.run([*watched, "filters"], feed)


def range_of(low: float, high: float) -> Range:
    """Return the range that reaches from `low` to `high` and has a byte for 0."""
    low, high = min(low, 0.0), max(high, 0.0)
    step = (high - low) / 255
    return Range(step=step, zero=round(-low / step))


def write_bytes(model: onnx.ModelProto, ranges: dict[str, Range]) -> None:
    """Write each product and the bias after it as one product of bytes."""
    graph = model.graph
    constants = {tensor.name: numpy_helper.to_array(tensor) for tensor in graph.initializer}
    for node in products(model):
        (biased,) = [other for other in graph.node if node.output[0] in other.input]
        bias = next(tensor for tensor in biased.input if tensor != node.output[0])
        name = node.name.strip("/").replace("/", ".")
        reach, weight = ranges[node.input[0]], constants[node.input[1]]
        steps = np.maximum(np.abs(weight).max(axis=0), 1e-12) / LARGEST
        kept = {
            "step": np.array(reach.step, np.float32),
            "zero": np.array(reach.zero, np.uint8),
            "weight": np.rint(weight / steps).astype(np.int8),
            "steps": steps.astype(np.float32),
            "bias": constants[bias],
        }
        names = {part: f"{name}.{part}" for part in kept}
        graph.initializer.extend(
            numpy_helper.from_array(value, names[part]) for part, value in kept.items()
        )
        rounded = helper.make_node(
            "QuantizeLinear", [node.input[0], names["step"], names["zero"]], [f"{name}.bytes"]
        )
        inputs = [rounded.output[0], *(names[part] for part in ("weight", "step", "steps", "zero"))]
        product = helper.make_node(
            "MatMulIntegerToFloat",
            [*inputs, "", names["bias"]],
            list(biased.output),
            name=node.name,
            domain="com.microsoft",
        )
        place = list(graph.node).index(biased)
        graph.node.remove(biased)
        graph.node.insert(place, product)
        graph.node.insert(place, rounded)
        graph.node.remove(node)
    used = {tensor for node in graph.node for tensor in node.input}
    for tensor in [tensor for tensor in graph.initializer if tensor.name not in used]:
        graph.initializer.remove(tensor)
    model.opset_import.append(helper.make_opsetid("com.microsoft", 1))
