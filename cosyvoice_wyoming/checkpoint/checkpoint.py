"""A checkpoint file: its tree of containers, and its tensors one at a time."""

from __future__ import annotations

import math
import mmap
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from cosyvoice_wyoming.checkpoint.archive import Member, read_members
from cosyvoice_wyoming.checkpoint.pickle_machine import StorageRecord, TensorRecord, Value, unpickle
from cosyvoice_wyoming.errors import ModelCorrupt

if TYPE_CHECKING:
    from numpy.typing import NDArray

_MAX_PICKLE_BYTES = 16 << 20
"""The pickle of the largest official checkpoint has 0.2 MB."""

_DTYPES: dict[str, np.dtype[Any]] = {
    "FloatStorage": np.dtype("<f4"),
    "HalfStorage": np.dtype("<f2"),
    "BFloat16Storage": np.dtype("<u2"),
    "DoubleStorage": np.dtype("<f8"),
    "LongStorage": np.dtype("<i8"),
    "IntStorage": np.dtype("<i4"),
    "ShortStorage": np.dtype("<i2"),
    "CharStorage": np.dtype("i1"),
    "ByteStorage": np.dtype("u1"),
    "BoolStorage": np.dtype("?"),
}


class Checkpoint:
    """A file that `torch.save` wrote, as a memory map. Use it as a context manager.

    `tree` is what was saved, with a TensorRecord in place of each tensor. Raises ModelCorrupt
    where the file is not such a checkpoint or holds anything but tensors and plain containers.
    """

    def __init__(self, path: Path) -> None:
        self._name = path.name
        with path.open("rb") as file:
            if file.read(2) != b"PK":
                raise ModelCorrupt(
                    f"{self._name} is not a PyTorch checkpoint in the zip format of PyTorch 1.6 on."
                )
            self._map = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        try:
            self._members = read_members(self._map)
            self._root = self._find_root()
            self.tree: Value = unpickle(self._pickle())
        except ModelCorrupt as error:
            self._map.close()
            raise ModelCorrupt(f"{self._name}: {error}") from error

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._map.close()

    def read(self, record: TensorRecord) -> NDArray[np.generic]:
        """Return one tensor as an array of its own; bfloat16 comes as float32.

        The pages of the map are given back at once, so that a checkpoint larger than the memory
        leaves no more than one tensor in it. Raises ModelCorrupt where the tensor claims more
        than its storage holds.
        """
        member = self._storage(record.storage)
        dtype = _DTYPES[record.storage.kind]
        count = math.prod(record.shape)
        if record.offset + count > record.storage.count:
            raise ModelCorrupt(f"{self._name}: a tensor reaches beyond its storage.")
        if count and not _is_contiguous(record):
            raise ModelCorrupt(f"{self._name}: a tensor is not laid out row by row.")
        start = member.offset + record.offset * dtype.itemsize
        raw = self._map[start : start + count * dtype.itemsize]
        self._forget(start, len(raw))
        values: NDArray[np.generic] = np.frombuffer(raw, dtype=dtype).reshape(record.shape)
        if record.storage.kind == "BFloat16Storage":
            values = (values.astype(np.uint32) << 16).view(np.float32)
        return values

    def _find_root(self) -> str:
        pickles = [name for name in self._members if name.endswith("/data.pkl")]
        if len(pickles) != 1:
            raise ModelCorrupt("there is no data.pkl in it, so it is no PyTorch checkpoint.")
        root = pickles[0].removesuffix("data.pkl")
        order = self._members.get(root + "byteorder")
        if order is not None and self._bytes(order) != b"little":
            raise ModelCorrupt("it was written on a big-endian machine.")
        return root

    def _pickle(self) -> bytes:
        member = self._members[self._root + "data.pkl"]
        if member.size > _MAX_PICKLE_BYTES:
            raise ModelCorrupt(f"its pickle claims {member.size:,} bytes.")
        return self._bytes(member)

    def _bytes(self, member: Member) -> bytes:
        return self._map[member.offset : member.offset + member.size]

    def _storage(self, storage: StorageRecord) -> Member:
        member = self._members.get(f"{self._root}data/{storage.key}")
        if member is None:
            raise ModelCorrupt(f"{self._name}: storage {storage.key!r} is missing.")
        if storage.count * _DTYPES[storage.kind].itemsize > member.size:
            raise ModelCorrupt(
                f"{self._name}: storage {storage.key!r} claims more than its {member.size:,} bytes."
            )
        return member

    def _forget(self, start: int, size: int) -> None:
        if hasattr(mmap, "MADV_DONTNEED"):
            page = start - start % mmap.PAGESIZE
            self._map.madvise(mmap.MADV_DONTNEED, page, size + start - page)


def _is_contiguous(record: TensorRecord) -> bool:
    expected = 1
    for length, stride in zip(reversed(record.shape), reversed(record.strides), strict=True):
        if length != 1 and stride != expected:
            return False
        expected *= length
    return True
