"""An ONNX graph under surgery: look along its edges, replace nodes, cut pieces out."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import onnx
from onnx import helper, numpy_helper

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True, kw_only=True)
class Port:
    """An input or output of a piece: the tensor inside the source graph and its name outside."""

    tensor: str
    name: str
    shape: tuple[int | str, ...]
    element: int = onnx.TensorProto.FLOAT


class Graph:
    """The nodes and constants of a model, indexed by the tensors that they make and use.

    The model that it is made of is used up: its weights move on into what is cut out.

    The order of `nodes` stays topological as long as a replacement only uses tensors that exist
    where the replaced node stood.
    """

    def __init__(self, model: onnx.ModelProto) -> None:
        self._model = model
        self.nodes: list[onnx.NodeProto] = list(model.graph.node)
        self._constants = {tensor.name: tensor for tensor in model.graph.initializer}
        self._producer: dict[str, onnx.NodeProto] = {}
        self._consumers: dict[str, list[onnx.NodeProto]] = defaultdict(list)
        for node in self.nodes:
            self._index(node)

    def producer(self, tensor: str) -> onnx.NodeProto | None:
        """Return the node that makes `tensor`; None for constants and inputs."""
        return self._producer.get(tensor)

    def made_by(self, tensor: str, op_type: str) -> onnx.NodeProto | None:
        """Return the node that makes `tensor` if it is an `op_type`."""
        node = self.producer(tensor)
        return node if node is not None and node.op_type == op_type else None

    def consumers(self, tensor: str) -> Sequence[onnx.NodeProto]:
        return self._consumers.get(tensor, ())

    def only_consumer(self, tensor: str, op_type: str) -> onnx.NodeProto | None:
        """Return the one node that uses `tensor` if there is one only and it is an `op_type`."""
        users = self.consumers(tensor)
        return users[0] if len(users) == 1 and users[0].op_type == op_type else None

    def constant(self, tensor: str) -> NDArray[np.generic] | None:
        found = self._constants.get(tensor)
        return None if found is None else numpy_helper.to_array(found)

    def add_constant(self, name: str, value: NDArray[np.generic]) -> str:
        """Keep `value` under `name`, or under the name it already has; return the name."""
        if name not in self._constants:
            self._constants[name] = numpy_helper.from_array(value, name)
        return name

    def reshape_constant(self, name: str, shape: Sequence[int]) -> None:
        """Give a constant another shape of the same size, in place: its bytes stay as they are."""
        tensor = self._constants[name]
        del tensor.dims[:]
        tensor.dims.extend(shape)

    def replace(self, old: onnx.NodeProto, new: Sequence[onnx.NodeProto]) -> None:
        """Put `new` where `old` stands; the last of them must make what `old` made."""
        place = next(i for i, node in enumerate(self.nodes) if node is old)
        self.nodes[place : place + 1] = new
        for tensor in old.input:
            self._consumers[tensor] = [n for n in self._consumers[tensor] if n is not old]
        for node in new:
            self._index(node)

    def cut(self, name: str, inputs: Iterable[Port], outputs: Iterable[Port]) -> onnx.ModelProto:
        """Return the part of the graph between two sets of tensors, as a model of its own.

        Nodes that no output needs are left out, and so are their constants. The ports' tensors
        get the ports' names.

        Raises ValueError if an output also depends on a tensor that is not among `inputs`.
        """
        inputs, outputs = tuple(inputs), tuple(outputs)
        names = {port.tensor: port.name for port in (*inputs, *outputs)}
        nodes, constants = self._needed(
            [port.tensor for port in outputs], {port.tensor for port in inputs}
        )
        graph = helper.make_graph(
            [_renamed(node, names) for node in nodes],
            name,
            [helper.make_tensor_value_info(p.name, p.element, p.shape) for p in inputs],
            [helper.make_tensor_value_info(p.name, p.element, p.shape) for p in outputs],
        )
        graph.initializer.extend(self._constants[tensor] for tensor in constants)
        domains = {node.domain for node in nodes} | {""}
        return helper.make_model(
            graph,
            ir_version=self._model.ir_version,
            opset_imports=[o for o in self._model.opset_import if o.domain in domains],
        )

    def whole(self) -> onnx.ModelProto:
        """Return the graph as it is now, without what nothing needs any more."""
        graph = self._model.graph
        return self.cut(graph.name, _ports(graph.input), _ports(graph.output))

    def _needed(
        self, outputs: Sequence[str], inputs: set[str]
    ) -> tuple[list[onnx.NodeProto], list[str]]:
        wanted, todo, keep = set(), list(outputs), set()
        constants: list[str] = []
        while todo:
            tensor = todo.pop()
            if not tensor or tensor in inputs or tensor in wanted:
                continue
            wanted.add(tensor)
            node = self._producer.get(tensor)
            if node is not None:
                keep.add(id(node))
                todo.extend(node.input)
            elif tensor in self._constants:
                constants.append(tensor)
            else:
                raise ValueError(f"the piece also needs the input {tensor}")
        return [node for node in self.nodes if id(node) in keep], sorted(constants)

    def _index(self, node: onnx.NodeProto) -> None:
        for tensor in node.output:
            self._producer[tensor] = node
        for tensor in node.input:
            self._consumers[tensor].append(node)


def _ports(values: Iterable[onnx.ValueInfoProto]) -> Iterator[Port]:
    for value in values:
        tensor = value.type.tensor_type
        yield Port(
            tensor=value.name,
            name=value.name,
            shape=tuple(dim.dim_param or dim.dim_value for dim in tensor.shape.dim),
            element=tensor.elem_type,
        )


def _renamed(node: onnx.NodeProto, names: Mapping[str, str]) -> onnx.NodeProto:
    copy = onnx.NodeProto()
    copy.CopyFrom(node)
    copy.input[:] = [names.get(tensor, tensor) for tensor in node.input]
    copy.output[:] = [names.get(tensor, tensor) for tensor in node.output]
    return copy
