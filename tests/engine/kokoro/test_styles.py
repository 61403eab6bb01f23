from __future__ import annotations

import numpy as np
import pytest

from cosyvoice_wyoming.engine.kokoro.styles import COLUMNS, ROWS, read_style
from cosyvoice_wyoming.errors import ModelCorrupt


@pytest.fixture
def packs(tmp_path):
    for name, base in (("a", 0.0), ("b", 1.0)):
        rows = np.arange(ROWS, dtype="<f4")[:, np.newaxis] + base
        np.broadcast_to(rows, (ROWS, COLUMNS)).astype("<f4").tofile(tmp_path / f"{name}.bin")
    return tmp_path


def test_a_voice_is_the_mean_of_its_packs(packs):
    assert read_style(packs, ["a"]).row(7)[0, 0] == 7.0
    style = read_style(packs, ["a", "b"])
    assert style.rows.dtype == np.float32
    assert style.row(7).shape == (1, COLUMNS)
    assert style.row(7)[0, 0] == 7.5


def test_a_long_utterance_takes_the_last_row(packs):
    assert read_style(packs, ["a"]).row(600)[0, 0] == ROWS - 1


def test_a_pack_of_another_size_is_a_broken_model(packs):
    (packs / "a.bin").write_bytes(b"1234")
    with pytest.raises(ModelCorrupt, match=r"a\.bin is not a pack of 510 styles"):
        read_style(packs, ["a"])
