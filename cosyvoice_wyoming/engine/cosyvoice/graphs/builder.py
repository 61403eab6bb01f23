"""Writes an ONNX model whose weights go straight to a file beside it, one tensor at a time."""

from __future__ import annotations

from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from cosyvoice_wyoming.engine.cosyvoice.quantise import Precision, to_blocks, to_columns

if TYPE_CHECKING:
    from numpy.typing import NDArray

_OPSET = 18
_IR_VERSION = 9
_ALIGNMENT = 4096
"""ONNX Runtime maps weights from the file into memory where their offsets are whole pages."""
_INLINE_BYTES = 1024
MICROSOFT = "com.microsoft"
_INTEGER_PRODUCTS = 4
"""The accuracy level of MatMulNBits that rounds its input to 8 bits as well."""

Dim = int | str


class GraphBuilder:
    """A graph under construction: `<path>` gets the nodes, `<path>.data` the weights.

    Use it as a context manager; the model is written when the block ends without an error. Names
    of values are the return values of its methods.
    """

    def __init__(self, path: Path, precision: Precision = Precision.FP32) -> None:
        self.precision = precision
        self._path = path
        self._data_name = f"{path.name}.data"
        self._data = path.with_name(self._data_name).open("wb")
        self._nodes: list[onnx.NodeProto] = []
        self._initializers: list[onnx.TensorProto] = []
        self._inputs: list[onnx.ValueInfoProto] = []
        self._outputs: list[onnx.ValueInfoProto] = []
        self._constants: dict[tuple[bytes, str, tuple[int, ...]], str] = {}
        self._count = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._data.close()
        if kind is None:
            self._save()

    def input(self, name: str, shape: list[Dim], dtype: int = TensorProto.FLOAT) -> str:
        self._inputs.append(helper.make_tensor_value_info(name, dtype, shape))
        return name

    def output(self, value: str, name: str, shape: list[Dim]) -> None:
        self._nodes.append(helper.make_node("Identity", [value], [name]))
        self._outputs.append(helper.make_tensor_value_info(name, TensorProto.FLOAT, shape))

    def op(self, kind: str, *inputs: str, domain: str = "", **attributes: Any) -> str:  # noqa: ANN401
        """Add a node with one output and return its name."""
        return self.ops(kind, *inputs, outputs=1, domain=domain, **attributes)[0]

    def ops(
        self,
        kind: str,
        *inputs: str,
        outputs: int,
        domain: str = "",
        **attributes: Any,  # noqa: ANN401  what onnx takes: ints, floats, lists of them
    ) -> list[str]:
        names = [self._name(kind) for _ in range(outputs)]
        self._nodes.append(helper.make_node(kind, list(inputs), names, domain=domain, **attributes))
        return names

    def constant(self, values: NDArray[Any] | list[int] | float) -> str:
        """Return a constant: ints become int64, floats float32. Equal ones are shared."""
        array = np.asarray(values)
        array = array.astype(np.int64 if array.dtype.kind in "iu" else np.float32)
        key = (array.tobytes(), array.dtype.str, array.shape)
        if key not in self._constants:
            self._constants[key] = self.weight(array)
        return self._constants[key]

    def weight(self, array: NDArray[Any]) -> str:
        """Return an initializer; all but small ones go to the data file."""
        name = self._name("w")
        if array.nbytes <= _INLINE_BYTES:
            self._initializers.append(numpy_helper.from_array(array, name))
            return name
        self._data.write(b"\0" * (-self._data.tell() % _ALIGNMENT))
        proto = TensorProto(
            name=name, data_type=helper.np_dtype_to_tensor_dtype(array.dtype), dims=array.shape
        )
        proto.data_location = TensorProto.EXTERNAL
        places = {"location": self._data_name, "offset": self._data.tell(), "length": array.nbytes}
        for key, value in places.items():
            proto.external_data.add(key=key, value=str(value))
        self._data.write(np.ascontiguousarray(array).data)
        self._initializers.append(proto)
        return name

    def linear(
        self, value: str, matrix: NDArray[np.float32], bias: NDArray[np.float32] | None = None
    ) -> str:
        """Return value @ matrix + bias in the builder's precision; `matrix` is [in, out]."""
        if self.precision is Precision.INT8:
            columns = to_columns(matrix)
            zero_points = np.zeros(matrix.shape[1], np.int8)
            parts: list[NDArray[Any]] = [columns.values, columns.scales, zero_points]
            inputs = [self.weight(part) for part in parts]
            if bias is not None:
                inputs.append(self.weight(bias))
            return self.op("DynamicQuantizeMatMul", value, *inputs, domain=MICROSOFT)
        if self.precision is Precision.FP32:
            product = self.op("MatMul", value, self.weight(matrix))
            return product if bias is None else self.op("Add", product, self.weight(bias))
        return self._blocks(value, matrix, bias)

    def _blocks(
        self, value: str, matrix: NDArray[np.float32], bias: NDArray[np.float32] | None
    ) -> str:
        blocks = to_blocks(matrix, 4 if self.precision is Precision.INT4 else 8)
        return self.op(
            "MatMulNBits",
            value,
            self.weight(blocks.values),
            self.weight(blocks.scales),
            *([] if bias is None else ["", "", self.weight(bias)]),
            domain=MICROSOFT,
            K=matrix.shape[0],
            N=matrix.shape[1],
            bits=blocks.bits,
            block_size=blocks.block,
            accuracy_level=_INTEGER_PRODUCTS,
        )

    def _name(self, kind: str) -> str:
        self._count += 1
        return f"{kind}_{self._count}"

    def _save(self) -> None:
        graph = helper.make_graph(
            self._nodes, self._path.stem, self._inputs, self._outputs, self._initializers
        )
        imports = [helper.make_opsetid("", _OPSET), helper.make_opsetid(MICROSOFT, 1)]
        model = helper.make_model(graph, opset_imports=imports, ir_version=_IR_VERSION)
        self._path.write_bytes(model.SerializeToString())
