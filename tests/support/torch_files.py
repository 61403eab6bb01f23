"""Writes files as `torch.save` does, without PyTorch: a zip of stored members around a pickle."""

from __future__ import annotations

import pickle
import struct
import zipfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

KINDS = {"float32": "FloatStorage", "float16": "HalfStorage", "int32": "IntStorage"}
ORDERED_DICT = b"ccollections\nOrderedDict\n)R"


def text(value: str) -> bytes:
    raw = value.encode("utf-8")
    return b"X" + struct.pack("<I", len(raw)) + raw


def integer(value: int) -> bytes:
    return pickle.dumps(value, protocol=2)[2:-1]


def integers(values: Iterable[int]) -> bytes:
    return b"(" + b"".join(integer(value) for value in values) + b"t"


def tensor(key: str, shape: tuple[int, ...], kind: str = "FloatStorage", count: int = -1) -> bytes:
    """Return the opcodes of a tensor in storage `key`, which claims `count` elements."""
    size = int(np.prod(shape)) if count < 0 else count
    strides = [int(np.prod(shape[axis + 1 :])) for axis in range(len(shape))]
    storage = b"(" + text("storage") + f"ctorch\n{kind}\n".encode() + text(key) + text("cpu")
    return (
        b"ctorch._utils\n_rebuild_tensor_v2\n("
        + (storage + integer(size) + b"tQ")
        + integer(0)
        + integers(shape)
        + integers(strides)
        + (b"\x89" + ORDERED_DICT + b"tR")
    )


def program(body: bytes) -> bytes:
    return b"\x80\x02" + body + b"."


def table(items: Mapping[str, bytes]) -> bytes:
    body = b"".join(text(name) + value for name, value in items.items())
    return ORDERED_DICT + b"(" + body + b"u"


def write_archive(path: Path, data_pickle: bytes, storages: Mapping[str, bytes]) -> None:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED) as archive:
        archive.writestr("archive/data.pkl", data_pickle)
        archive.writestr("archive/byteorder", b"little")
        for key, raw in storages.items():
            archive.writestr(f"archive/data/{key}", raw)
        archive.writestr("archive/version", b"3\n")


def write_state_dict(path: Path, tensors: Iterable[tuple[str, NDArray[np.generic]]]) -> None:
    """Write a state dict; `tensors` is read once, one tensor in memory at a time."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED) as archive:
        items: dict[str, bytes] = {}
        for number, (name, values) in enumerate(tensors):
            items[name] = tensor(str(number), values.shape, KINDS[str(values.dtype)])
            archive.writestr(f"archive/data/{number}", np.ascontiguousarray(values).tobytes())
        archive.writestr("archive/data.pkl", program(table(items)))
        archive.writestr("archive/version", b"3\n")


def write_speakers(path: Path, vectors: Mapping[str, NDArray[np.float32]]) -> None:
    """Write a spk2info.pt: speaker -> {"embedding": [1, dim]}."""
    items, storages = {}, {}
    for number, (speaker, vector) in enumerate(vectors.items()):
        items[speaker] = table({"embedding": tensor(str(number), vector.shape)})
        storages[str(number)] = vector.tobytes()
    write_archive(path, program(table(items)), storages)
