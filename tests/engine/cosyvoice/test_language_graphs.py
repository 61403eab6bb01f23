"""The language model's graph, against the original's way of attending written out in numpy."""

from __future__ import annotations

import numpy as np
import pytest

from cosyvoice_wyoming.engine.cosyvoice import bundle, load_model
from cosyvoice_wyoming.engine.cosyvoice.graphs.language import PositionSource, build_speech_lm
from cosyvoice_wyoming.engine.cosyvoice.layout import LM_FILE, checkpoint_layout
from cosyvoice_wyoming.engine.cosyvoice.positions import sinusoids
from cosyvoice_wyoming.engine.cosyvoice.presets import PRESETS
from cosyvoice_wyoming.engine.cosyvoice.quantise import Precision
from cosyvoice_wyoming.engine.cosyvoice.sessions import Session
from cosyvoice_wyoming.engine.cosyvoice.speech_lm import BUCKET, Past, SpeechLm
from cosyvoice_wyoming.engine.cosyvoice.weights import CheckpointWeights
from tests.support.tiny_cosyvoice import TINY

LM = TINY.speech_lm
RNG = np.random.default_rng(3)


@pytest.fixture(scope="module")
def model(tiny_bundles):
    return load_model(tiny_bundles["exact"], TINY, PRESETS["exact"], 1)


@pytest.fixture(scope="module")
def weights(tiny_source):
    with CheckpointWeights(tiny_source / LM_FILE, checkpoint_layout(TINY)[LM_FILE]) as opened:
        yield opened


def norm(x, weights, name, epsilon):
    centred = x - x.mean(axis=-1, keepdims=True)
    scaled = centred / np.sqrt((centred**2).mean(axis=-1, keepdims=True) + epsilon)
    return scaled * weights.read(f"{name}.weight") + weights.read(f"{name}.bias")


def linear(x, weights, name):
    return x @ weights.read(f"{name}.weight").T + weights.read(f"{name}.bias")


def heads(x):
    return x.reshape(len(x), LM.heads, LM.head_dim).transpose(1, 0, 2)


def attend(x, weights, prefix):
    """Attend as the original does: project all 2n - 1 distances, then shift the rows."""
    n = len(x)
    q, k, v = (heads(linear(x, weights, f"{prefix}linear_{part}")) for part in "qkv")
    u, shift = (weights.read(f"{prefix}pos_bias_{part}")[:, None] for part in "uv")
    waves = sinusoids(np.arange(n - 1, -n, -1), LM.dim)
    p = heads(waves @ weights.read(f"{prefix}linear_pos.weight").T)
    distant = (q + shift) @ p.transpose(0, 2, 1)
    padded = np.concatenate([np.zeros((LM.heads, n, 1)), distant], axis=2)
    distant = padded.reshape(LM.heads, 2 * n, n)[:, 1:].reshape(LM.heads, n, 2 * n - 1)[:, :, :n]
    score = ((q + u) @ k.transpose(0, 2, 1) + distant) / np.sqrt(LM.head_dim)
    score[:, np.triu_indices(n, 1)[0], np.triu_indices(n, 1)[1]] = -np.inf
    weight = np.exp(score - score.max(axis=-1, keepdims=True))
    weight /= weight.sum(axis=-1, keepdims=True)
    mixed = (weight @ v).transpose(1, 0, 2).reshape(n, -1)
    return linear(mixed, weights, f"{prefix}linear_out")


def original(rows, weights):
    x = norm(linear(rows, weights, "llm.embed.out.0"), weights, "llm.embed.out.1", 1e-5)
    x = np.maximum(x, 0) * np.sqrt(LM.dim)
    for layer in range(LM.layers):
        prefix = f"llm.encoders.{layer}."
        x = x + attend(norm(x, weights, f"{prefix}norm1", 1e-12), weights, f"{prefix}self_attn.")
        inner = linear(
            norm(x, weights, f"{prefix}norm2", 1e-12), weights, f"{prefix}feed_forward.w_1"
        )
        x = x + linear(np.maximum(inner, 0), weights, f"{prefix}feed_forward.w_2")
    return linear(norm(x, weights, "llm.after_norm", 1e-5), weights, "llm_decoder")


@pytest.mark.parametrize("count", [1, 2, 9])
def test_a_prompt_gives_the_original_s_logits(model, weights, count):
    rows = RNG.standard_normal((count, LM.dim)).astype(np.float32)
    _, logits = model.speech_lm.start(rows)
    np.testing.assert_allclose(logits, original(rows, weights)[-1], atol=1e-4)


@pytest.mark.parametrize("chunks", [(1,) * 12, (5, 7), (3, 1, 1, 7)])
def test_rows_in_chunks_give_the_logits_of_rows_at_once(model, chunks):
    rows = RNG.standard_normal((12, LM.dim)).astype(np.float32)
    _, expected = model.speech_lm.start(rows)
    past, logits = model.speech_lm.start(rows[: chunks[0]])
    at = chunks[0]
    for count in chunks[1:]:
        past.reserve(count)
        logits = model.speech_lm.extend(past, rows[at : at + count])
        at += count
    np.testing.assert_allclose(logits, expected, atol=1e-4)


def test_the_logits_stay_right_where_the_past_outgrows_its_bucket(model):
    tokens = RNG.integers(0, TINY.speech_vocab, BUCKET + 6)
    embedding = model.speech_lm.embedding
    past, logits = model.speech_lm.start(embedding[tokens[:1]])
    for token in tokens[1:]:
        logits = model.speech_lm.step(past, int(token))
    _, expected = model.speech_lm.start(embedding[tokens])
    np.testing.assert_allclose(logits, expected, atol=2e-4)


def test_the_text_encoder_sees_no_later_text(model):
    ids = np.arange(300, 312)
    rows = model.text_encoder.encode(ids)
    ids[7:] += 1000
    np.testing.assert_allclose(model.text_encoder.encode(ids)[:7], rows[:7], atol=1e-5)
    assert np.abs(model.text_encoder.encode(ids)[7:] - rows[7:]).max() > 0.01


def test_the_original_way_of_projecting_each_step_gives_the_same(model, weights, tmp_path):
    path = tmp_path / "lm.onnx"
    build_speech_lm(path, weights, TINY, Precision.FP32, PositionSource.PROJECTED)
    rows = RNG.standard_normal((6, LM.dim)).astype(np.float32)
    past, expected = model.speech_lm.start(rows)

    class Projected:
        def __init__(self):
            self.session = Session(path, threads=1)

        def run(self, feeds):
            kept = {name: value for name, value in feeds.items() if "table" not in name}
            return self.session.run(
                {**kept, "sinusoids": sinusoids(np.arange(past.capacity + 1), LM.dim)}
            )

    lm = SpeechLm(Projected(), TINY, model.speech_lm.table, model.speech_lm.embedding)
    _, logits = lm.start(rows)
    np.testing.assert_allclose(logits, expected, atol=1e-4)


@pytest.mark.parametrize("precision", [Precision.INT8, Precision.INT4])
def test_fewer_bits_stay_near(model, weights, tmp_path, precision):
    build_speech_lm(tmp_path / "lm.onnx", weights, TINY, precision)
    rows = RNG.standard_normal((6, LM.dim)).astype(np.float32)
    _, expected = model.speech_lm.start(rows)
    session = Session(tmp_path / "lm.onnx", threads=1)
    lm = SpeechLm(session, TINY, model.speech_lm.table, model.speech_lm.embedding)
    _, logits = lm.start(rows)
    correlation = np.corrcoef(logits, expected)[0, 1]
    assert correlation > {Precision.INT8: 0.99, Precision.INT4: 0.7}[precision]


def test_a_bundle_s_sizes_survive_being_written(tiny_bundles):
    assert bundle.read_description(tiny_bundles["balanced"]) == ("balanced", TINY)


def test_a_past_keeps_what_it_holds_when_it_grows():
    table = RNG.standard_normal((300, LM.layers * LM.heads * LM.head_dim)).astype(np.float32)
    past = Past(LM, table, 3)
    keys = RNG.standard_normal((LM.layers, LM.heads, 3, LM.head_dim)).astype(np.float32)
    past.append(keys, -keys)
    past.reserve(2 * BUCKET)
    np.testing.assert_array_equal(past.feeds["keys_1"][0, :, :, :3], keys[1].transpose(0, 2, 1))
    np.testing.assert_array_equal(past.feeds["values_1"][0, :, :3], -keys[1])
    assert past.feeds["table_0"].shape[-1] == past.capacity + 1
    row = table[past.capacity].reshape(LM.layers, LM.heads, LM.head_dim)
    np.testing.assert_array_equal(past.feeds["table_2"][0, :, :, past.capacity], row[2])
