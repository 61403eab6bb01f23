"""Files that PyTorch itself wrote, and files as it writes them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from cosyvoice_wyoming.checkpoint import Checkpoint, TensorRecord
from cosyvoice_wyoming.errors import ModelCorrupt
from tests.support import torch_files as tf

DATA = Path(__file__).parent / "data"


def read(path: Path, *keys: str) -> np.ndarray:
    with Checkpoint(path) as checkpoint:
        value = checkpoint.tree
        for key in keys:
            value = value[key]
        assert isinstance(value, TensorRecord)
        return checkpoint.read(value)


def test_a_file_of_pytorch_gives_its_tensors():
    assert read(DATA / "genuine.pt", "view").tolist() == [2, 3, 4, 5]
    assert read(DATA / "genuine.pt", "half").tolist() == [[0, 1, 2], [3, 4, 5]]
    assert read(DATA / "genuine.pt", "bfloat").tolist() == [1.5, -2.25]
    assert read(DATA / "genuine.pt", "numbers").tolist() == [[1, 2], [3, 70000]]
    assert read(DATA / "genuine.pt", "model", "0.weight").shape == (2, 3)
    direction = read(DATA / "genuine.pt", "model", "1.parametrizations.weight.original1")
    assert direction.shape == (4, 2, 3)


def test_a_file_of_pytorch_gives_its_plain_values():
    with Checkpoint(DATA / "genuine.pt") as checkpoint:
        assert checkpoint.tree["step"] == 7
        assert checkpoint.tree["names"] == ["中文女", None, True, 1.5]


def test_the_format_before_pytorch_1_6_is_named(tmp_path):
    with pytest.raises(ModelCorrupt, match="zip format"):
        Checkpoint(DATA / "legacy.pt")


def test_what_is_written_as_pytorch_writes_is_read_back(tmp_path):
    values = {
        "a": np.arange(6, dtype=np.float32).reshape(2, 3),
        "b": np.arange(4, dtype=np.int32),
        "scalar": np.array(3, np.float32),
    }
    tf.write_state_dict(tmp_path / "x.pt", values.items())
    for name, expected in values.items():
        np.testing.assert_array_equal(read(tmp_path / "x.pt", name), expected)


def test_a_read_tensor_outlives_the_file(tmp_path):
    tf.write_state_dict(tmp_path / "x.pt", [("a", np.ones(5000, np.float32))])
    values = read(tmp_path / "x.pt", "a")
    (tmp_path / "x.pt").write_bytes(b"")
    assert values.sum() == 5000


def test_a_transposed_tensor_is_refused_and_not_misread(tmp_path):
    columns_first = tf.tensor("0", (2, 3)).replace(tf.integers([3, 1]), tf.integers([1, 2]))
    tf.write_archive(
        tmp_path / "x.pt", tf.program(tf.table({"a": columns_first})), {"0": b"x" * 24}
    )
    with pytest.raises(ModelCorrupt, match="row by row"):
        read(tmp_path / "x.pt", "a")


@pytest.mark.parametrize("keep", [1, 10, 100, -1, -30, -200])
def test_a_file_cut_short_is_refused(tmp_path, keep):
    tf.write_state_dict(tmp_path / "x.pt", [("a", np.ones(100, np.float32))])
    whole = (tmp_path / "x.pt").read_bytes()
    (tmp_path / "x.pt").write_bytes(whole[:keep])
    with pytest.raises(ModelCorrupt):
        read(tmp_path / "x.pt", "a")


def test_a_missing_storage_is_named(tmp_path):
    tf.write_archive(tmp_path / "x.pt", tf.program(tf.table({"a": tf.tensor("7", (2,))})), {})
    with pytest.raises(ModelCorrupt, match="'7' is missing"):
        read(tmp_path / "x.pt", "a")


def test_a_zip_without_a_pickle_is_refused(tmp_path):
    import zipfile

    with zipfile.ZipFile(tmp_path / "x.pt", "w") as archive:
        archive.writestr("readme.txt", b"hello")
    with pytest.raises(ModelCorrupt, match=r"x\.pt: there is no data\.pkl"):
        Checkpoint(tmp_path / "x.pt")
