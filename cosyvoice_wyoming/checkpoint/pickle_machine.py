"""Executes the pickle inside a checkpoint with an interpreter that can only build data.

Python's own unpickler calls what a file names. This one has no way to: a global is an inert
`_Name`, and REDUCE understands three of them. Every operation that `torch.save` does not write is
an error. Opcodes and their arguments: the standard library's `pickletools`.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

from cosyvoice_wyoming.errors import ModelCorrupt

Value: TypeAlias = Any
"""None, bool, int, float, str, tuple, list, dict, TensorRecord: the only things a pickle builds."""

_MAX_INTEGER_BYTES = 8
_MAX_MEMO = 1 << 24


@dataclass(frozen=True, slots=True, kw_only=True)
class StorageRecord:
    """A tensor's bytes: member `data/<key>` of the archive, `count` elements of `kind`."""

    kind: str
    key: str
    count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class TensorRecord:
    """A tensor's claims, not yet checked against its storage; `offset` and strides in elements."""

    storage: StorageRecord
    offset: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class _Name:
    """A global of the pickle. It names something and is never looked up."""

    text: str


class _Mark:
    """Where a run of stacked values starts."""


_MARK = _Mark()
_TENSOR = _Name("torch._utils _rebuild_tensor_v2")
_PARAMETER = _Name("torch._utils _rebuild_parameter")
_ORDERED_DICT = _Name("collections OrderedDict")
STORAGE_KINDS = (
    "FloatStorage",
    "HalfStorage",
    "BFloat16Storage",
    "DoubleStorage",
    "LongStorage",
    "IntStorage",
    "ShortStorage",
    "CharStorage",
    "ByteStorage",
    "BoolStorage",
)
_STORAGES = {_Name(f"torch {kind}") for kind in STORAGE_KINDS}
_ALLOWED = {_TENSOR, _PARAMETER, _ORDERED_DICT, *_STORAGES}


def unpickle(data: bytes) -> Value:
    """Return what a checkpoint's pickle describes.

    Raises ModelCorrupt for anything but tensors and plain containers, and for broken pickles.
    """
    return _Machine(data).run()


class _Machine:
    """A stack, a memo, and one method per opcode."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._at = 0
        self._stack: list[Value] = []
        self._memo: dict[int, Value] = {}
        self._operations = self._table()

    def run(self) -> Value:
        try:
            while (code := self._take(1)) != b".":
                operation = self._operations.get(code)
                if operation is None:
                    raise ModelCorrupt(f"The checkpoint's pickle uses operation {code!r}.")
                operation()
            result = self._pop()
        except (struct.error, KeyError, IndexError, TypeError, ValueError) as error:
            raise ModelCorrupt("The checkpoint's pickle is broken.") from error
        if self._stack:
            raise ModelCorrupt("The checkpoint's pickle leaves values behind.")
        return result

    def _take(self, count: int) -> bytes:
        piece = self._data[self._at : self._at + count]
        if len(piece) < count:
            raise ModelCorrupt("The checkpoint's pickle is cut short.")
        self._at += count
        return piece

    def _skip(self, count: int) -> None:
        self._take(count)

    def _number(self, layout: str) -> int:
        value: int = struct.unpack(layout, self._take(struct.calcsize(layout)))[0]
        return value

    def _line(self) -> str:
        end = self._data.index(b"\n", self._at)
        return self._take(end + 1 - self._at)[:-1].decode("utf-8")

    def _push(self, value: Value) -> None:
        self._stack.append(value)

    def _pop(self) -> Value:
        value = self._stack.pop()
        if value is _MARK:
            raise ModelCorrupt("The checkpoint's pickle is broken.")
        return value

    def _pop_to_mark(self) -> list[Value]:
        values: list[Value] = []
        while (value := self._stack.pop()) is not _MARK:
            values.append(value)
        return values[::-1]

    def _text(self, layout: str) -> None:
        self._push(self._take(self._number(layout)).decode("utf-8"))

    def _integer(self) -> None:
        count = self._number("<B")
        if count > _MAX_INTEGER_BYTES:
            raise ModelCorrupt("The checkpoint's pickle holds an integer of more than 64 bits.")
        self._push(int.from_bytes(self._take(count), "little", signed=True))

    def _float(self) -> None:
        self._push(struct.unpack(">d", self._take(8))[0])

    def _tuple(self, count: int) -> None:
        self._push(tuple(reversed([self._pop() for _ in range(count)])))

    def _put(self, index: int) -> None:
        if index > _MAX_MEMO:
            raise ModelCorrupt("The checkpoint's pickle is broken.")
        self._memo[index] = self._stack[-1]

    def _set_items(self, flat: list[Value]) -> None:
        target = self._stack[-1]
        if not isinstance(target, dict) or len(flat) % 2:
            raise ModelCorrupt("The checkpoint's pickle is broken.")
        for key, value in zip(flat[::2], flat[1::2], strict=True):
            if not isinstance(key, str | int):
                raise ModelCorrupt(
                    "The checkpoint's pickle has a key that is neither text nor number."
                )
            target[key] = value

    def _append(self, values: list[Value]) -> None:
        target = self._stack[-1]
        if not isinstance(target, list):
            raise ModelCorrupt("The checkpoint's pickle is broken.")
        target.extend(values)

    def _global(self, module: str, name: str) -> None:
        found = _Name(f"{module} {name}")
        if found not in _ALLOWED:
            raise ModelCorrupt(
                f"The checkpoint names {module}.{name}, which weights have no use for: it was not "
                "read any further. Fetch it from its official source."
            )
        self._push(found)

    def _stack_global(self) -> None:
        name, module = self._pop(), self._pop()
        if not isinstance(name, str) or not isinstance(module, str):
            raise ModelCorrupt("The checkpoint's pickle is broken.")
        self._global(module, name)

    def _reduce(self) -> None:
        arguments, function = self._pop(), self._pop()
        if not isinstance(arguments, tuple):
            raise ModelCorrupt("The checkpoint's pickle is broken.")
        if function == _ORDERED_DICT and not arguments:
            self._push({})
        elif function == _TENSOR:
            self._push(_tensor(*arguments[:4]))
        elif function == _PARAMETER and isinstance(arguments[0], TensorRecord):
            self._push(arguments[0])
        else:
            raise ModelCorrupt("The checkpoint's pickle calls something that builds no tensor.")

    def _persistent(self) -> None:
        tag, kind, key, _device, count = self._pop()
        if tag != "storage" or not isinstance(kind, _Name) or kind not in _STORAGES:
            raise ModelCorrupt("The checkpoint's pickle refers to something that is no storage.")
        if not isinstance(key, str) or not isinstance(count, int) or count < 0:
            raise ModelCorrupt("The checkpoint's pickle is broken.")
        self._push(StorageRecord(kind=kind.text.removeprefix("torch "), key=key, count=count))

    def _build(self) -> None:
        """PyTorch hangs `_metadata` (versions of modules) onto the state dict; it is dropped."""
        state = self._pop()
        if not isinstance(self._stack[-1], dict) or not isinstance(state, dict):
            raise ModelCorrupt("The checkpoint's pickle sets the state of something.")

    def _table(self) -> dict[bytes, Callable[[], None]]:
        return {
            b"\x80": lambda: _check_protocol(self._take(1)),
            b"\x95": lambda: self._skip(8),
            b"(": lambda: self._push(_MARK),
            b"N": lambda: self._push(None),
            b"\x88": lambda: self._push(value=True),
            b"\x89": lambda: self._push(value=False),
            b"J": lambda: self._push(self._number("<i")),
            b"K": lambda: self._push(self._number("<B")),
            b"M": lambda: self._push(self._number("<H")),
            b"\x8a": self._integer,
            b"G": self._float,
            b"X": lambda: self._text("<I"),
            b"\x8c": lambda: self._text("<B"),
            b"}": lambda: self._push({}),
            b"]": lambda: self._push([]),
            b")": lambda: self._push(()),
            b"\x85": lambda: self._tuple(1),
            b"\x86": lambda: self._tuple(2),
            b"\x87": lambda: self._tuple(3),
            b"t": lambda: self._push(tuple(self._pop_to_mark())),
            b"s": lambda: self._set_items([self._pop(), self._pop()][::-1]),
            b"u": lambda: self._set_items(self._pop_to_mark()),
            b"a": lambda: self._append([self._pop()]),
            b"e": lambda: self._append(self._pop_to_mark()),
            b"q": lambda: self._put(self._number("<B")),
            b"r": lambda: self._put(self._number("<I")),
            b"\x94": lambda: self._put(len(self._memo)),
            b"h": lambda: self._push(self._memo[self._number("<B")]),
            b"j": lambda: self._push(self._memo[self._number("<I")]),
            b"c": lambda: self._global(self._line(), self._line()),
            b"\x93": self._stack_global,
            b"R": self._reduce,
            b"Q": self._persistent,
            b"b": self._build,
        }


def _check_protocol(version: bytes) -> None:
    if not 2 <= version[0] <= 5:  # noqa: PLR2004  protocols with the binary opcodes above
        raise ModelCorrupt(f"The checkpoint's pickle has protocol {version[0]}.")


def _tensor(storage: Value, offset: Value, shape: Value, strides: Value) -> TensorRecord:
    numbers = (offset, *shape, *strides)
    if (
        not isinstance(storage, StorageRecord)
        or not all(type(number) is int and number >= 0 for number in numbers)
        or len(shape) != len(strides)
    ):
        raise ModelCorrupt("The checkpoint's pickle describes a tensor that cannot be.")
    return TensorRecord(storage=storage, offset=offset, shape=tuple(shape), strides=tuple(strides))
