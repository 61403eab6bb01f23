"""The weights that tools/distil left in models/lite-decoder are what their description says."""

from __future__ import annotations

import hashlib
import tomllib
from pathlib import Path

import numpy as np
import onnxruntime
import pytest

from cosyvoice_wyoming.voices import STANDARD_VOICES
from tests.tools import distil

FOLDER = Path(__file__).parents[2] / "models" / "lite-decoder"
MOST_BYTES = 20_000_000


@pytest.fixture(scope="module")
def described():
    return tomllib.loads((FOLDER / "decoder.toml").read_text(encoding="utf-8"))


def test_the_file_is_the_one_described(described):
    content = (FOLDER / described["file"]).read_bytes()
    assert len(content) == described["size"] <= MOST_BYTES
    assert hashlib.sha256(content).hexdigest() == described["sha256"]


def test_it_was_taught_every_voice_of_the_model(described):
    assert set(described["voices"]) == {voice.name for voice in STANDARD_VOICES}
    assert set(distil("teach").VOICES) == set(described["voices"])


def test_the_graph_takes_the_shapes_described(described):
    session = onnxruntime.InferenceSession(
        FOLDER / described["file"], providers=["CPUExecutionProvider"]
    )
    frames = 5
    sizes = {"1": 1, "F": frames, "2F": 2 * frames, "4F": 4 * frames}
    shapes = {
        name: tuple(sizes.get(part) or int(part) for part in shape.strip("[]").split(", "))
        for name, shape in described["shapes"].items()
    }
    feed = {entry.name: np.zeros(shapes[entry.name], np.float32) for entry in session.get_inputs()}
    (filters,) = session.run(["filters"], feed)
    assert filters.shape == shapes["filters"]
    assert np.isfinite(filters).all()
