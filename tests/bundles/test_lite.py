"""The surgery on the real model: the cut changes nothing, the rewrites next to nothing."""

from __future__ import annotations

import numpy as np
import onnx
import onnxruntime
import pytest

from cosyvoice_wyoming import bundles
from cosyvoice_wyoming.bundles.dequantise import dequantise
from cosyvoice_wyoming.bundles.graph import Graph
from cosyvoice_wyoming.bundles.kokoro_graphs import faster_encoder, split
from cosyvoice_wyoming.bundles.sources import recipe
from cosyvoice_wyoming.engine.kokoro.styles import read_style
from cosyvoice_wyoming.machine import has_vnni
from cosyvoice_wyoming.phonemes import symbol_ids
from tests.support.models import kokoro, lite_hq

pytestmark = pytest.mark.model

SYMBOLS = "ðə kˈɪʧən lˈIts ɑɹ ˈɔn."
FEATURES = ["asr", "f0", "energy"]

REWRITE_TOLERANCE = 1e-4
"""Largest difference of a sample: the rewrites only change the order of float sums."""


def session(model):
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.log_severity_level = 3
    source = model if isinstance(model, str) else model.SerializeToString()
    return onnxruntime.InferenceSession(source, options, providers=["CPUExecutionProvider"])


@pytest.fixture(scope="module")
def feed():
    ids = [symbol_ids()[symbol] for symbol in SYMBOLS]
    return {
        "tokens": np.array([[0, *ids, 0]], np.int64),
        "style": read_style(lite_hq() / "voices", ["af_heart"]).row(len(ids)),
        "speed": np.array([1.0], np.float32),
    }


@pytest.fixture(scope="module")
def with_context(feed):
    (context,) = session(str(lite_hq() / "plbert.onnx")).run(None, {"tokens": feed["tokens"]})
    return {**feed, "context": context}


@pytest.fixture(scope="module")
def features(feed, with_context):
    values = session(str(lite_hq() / "encoder.onnx")).run(FEATURES, with_context)
    return {**dict(zip(FEATURES, values, strict=True)), "style": feed["style"]}


def test_the_three_parts_together_are_the_model_bit_for_bit(feed):
    parts = split(onnx.load(kokoro()))
    (context,) = session(parts.context).run(["context"], {"tokens": feed["tokens"]})
    values = session(parts.encoder).run(FEATURES, {**feed, "context": context})
    inputs = {**dict(zip(FEATURES, values, strict=True)), "style": feed["style"]}
    (cut,) = session(parts.decoder).run(["audio"], inputs)
    (uncut,) = session(str(kokoro())).run(["audio"], feed)
    np.testing.assert_array_equal(cut, uncut)


def test_the_rewritten_encoder_says_the_same(with_context):
    """Sums in another order move a few 8-bit roundings by one step, here or there."""
    encoder = split(onnx.load(kokoro())).encoder
    outputs = [*FEATURES, "durations"]
    *shipped, durations = session(encoder).run(outputs, with_context)
    made = session(faster_encoder(encoder, signed=has_vnni()))
    *rewritten, rewritten_durations = made.run(outputs, with_context)
    np.testing.assert_array_equal(rewritten_durations, durations)
    for name, old, new in zip(FEATURES, shipped, rewritten, strict=True):
        assert np.sqrt(np.mean((new - old) ** 2)) <= 0.01 * np.std(old), name


def test_the_float_decoder_is_the_dequantised_one_without_rewrites(features):
    graph = Graph(split(onnx.load(kokoro())).decoder)
    assert dequantise(graph) == 126
    (plain,) = session(graph.whole()).run(["audio"], features)
    (rewritten,) = session(str(lite_hq() / "decoder.onnx")).run(["audio"], features)
    assert np.abs(plain).max() > 0.1
    assert np.abs(rewritten - plain).max() <= REWRITE_TOLERANCE


def test_both_decoders_say_the_same_as_loud(features):
    levels = []
    for name in ("decoder.onnx", "decoder-int8.onnx"):
        (audio,) = session(str(lite_hq() / name)).run(["audio"], features)
        assert audio.size == 600 * features["asr"].shape[2]
        blocks = audio[: audio.size // 2400 * 2400].reshape(-1, 2400)
        levels.append(20 * np.log10(np.sqrt((blocks**2).mean(axis=1)) + 1e-3))
    assert np.abs(levels[0] - levels[1]).max() < 3


def test_nothing_distilled_has_the_name_of_a_piece_of_lite_hq():
    """Or a `lite-hq` made beside a whole `lite` would take it for the teacher's."""
    distilled = {file.name for file in recipe("lite").files if file.is_own}
    assert not [path.name for path in lite_hq().glob("*.onnx") if path.name in distilled]


def test_lite_is_put_together_from_a_whole_lite_hq_without_a_download(tmp_path):
    (tmp_path / "models").mkdir()
    (tmp_path / "models/lite-hq").symlink_to(lite_hq())
    steps = []
    folder = bundles.ensure("lite", tmp_path, lambda step: steps.append(step.text))
    assert [step for step in steps if "Fetching" in step] == [
        "Fetching context.onnx from this package",
        "Fetching student.onnx from this package",
    ]
    assert (folder / "encoder.onnx").read_bytes() == (lite_hq() / "encoder.onnx").read_bytes()
    assert bundles.verify("lite", tmp_path) == []
