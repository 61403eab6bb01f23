"""The full-size model against the outputs of the original code on the same weights.

Needs 3.5 GB of disk and 3 GB of memory: `pytest -m heavy tests/engine/cosyvoice`. With
COSYVOICE_SYNTHETIC=DIR the checkpoint (DIR/checkpoint) and the bundle (DIR/bundle-exact) are kept.
"""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

from cosyvoice_wyoming.engine.cosyvoice import bundle, load_model
from cosyvoice_wyoming.engine.cosyvoice.config import FULL
from cosyvoice_wyoming.engine.cosyvoice.generation import Limits, generate
from cosyvoice_wyoming.engine.cosyvoice.presets import PRESETS
from cosyvoice_wyoming.engine.cosyvoice.streaming import decode, open_stream
from cosyvoice_wyoming.engine.cosyvoice.synthesis import Identity
from tests.engine.cosyvoice.vector_draws import VectorDraws
from tests.support.tiny_cosyvoice import build_bundle, write_source

pytestmark = pytest.mark.heavy

VECTORS = Path(__file__).parent / "data" / "vectors"
EXACT = PRESETS["exact"]
LOGITS, MEL, WAVE = 2e-4, 1e-4, 1e-5
END_TO_END, END_TO_END_RMS = 2e-3, 1e-4


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    kept = os.environ.get("COSYVOICE_SYNTHETIC")
    root = Path(kept) if kept else tmp_path_factory.mktemp("full")
    if not (root / "checkpoint" / "hift.pt").exists():
        write_source(root / "checkpoint", FULL)
    if not (root / "bundle-exact" / bundle.MODEL_FILE).exists():
        build_bundle(root / "checkpoint", root / "bundle-exact", "exact", FULL)
    return root / "bundle-exact"


@pytest.fixture(scope="module")
def model(folder):
    return load_model(folder, FULL, EXACT)


@pytest.fixture(scope="module")
def speaker(folder):
    rows, mels = np.load(folder / bundle.SPEAKER_ROWS), np.load(folder / bundle.SPEAKER_MELS)
    return Identity(row=rows[:1], mel=mels[:1])


@pytest.fixture(scope="module")
def vectors():
    return {path.stem: np.load(path) for path in VECTORS.iterdir()}


@pytest.fixture(scope="module")
def prompt(model, speaker, vectors):
    return model.prompt(vectors["llm"]["text_ids"], speaker)


def close(actual, expected, tolerance):
    assert actual.shape == expected.shape
    assert np.abs(actual - expected).max() < tolerance


def close_end_to_end(actual, expected):
    close(actual, expected, END_TO_END)
    assert np.sqrt(np.mean((actual - expected) ** 2)) < END_TO_END_RMS


def finish(steps):
    while True:
        try:
            next(steps)
        except StopIteration as end:
            return end.value


def sound(model, speaker, tokens, run, *, speed=1.0, draws=None):
    stream = open_stream(model.decoder, EXACT, speaker.mel, draws or VectorDraws(run), speed)
    return [piece for piece in decode(stream, tokens, EXACT) if len(piece)]


def test_the_prompt(prompt, vectors):
    close(prompt, vectors["llm"]["lm_input"][0], 1e-4)


def test_the_keys_and_values_of_the_prompt(model, prompt, vectors):
    past, _ = model.speech_lm.start(prompt)
    for layer in (0, 13):
        expected = vectors["llm"][f"kv_cache_prefill_layer{layer}"]
        keys = past.feeds[f"keys_{layer}"][0, :, :, :11].transpose(0, 2, 1)
        close(keys, expected[:, :, :64], LOGITS)
        close(past.feeds[f"values_{layer}"][0, :, :11], expected[:, :, 64:], LOGITS)


def test_the_logits_under_teacher_forcing(model, prompt, vectors):
    past, logits = model.speech_lm.start(prompt)
    rows = [logits]
    rows += [model.speech_lm.step(past, int(t)) for t in vectors["llm"]["forced_tokens"]]
    close(np.array(rows), vectors["llm"]["logits"], LOGITS)


def test_the_greedy_tokens(model, prompt, vectors):
    expected = vectors["llm"]["greedy_tokens"].tolist()
    past, logits = model.speech_lm.start(prompt)
    tokens: list[int] = []
    while len(tokens) < len(expected):
        if len(tokens) < 16:
            logits[-1] = -np.inf
        tokens.append(int(logits.argmax()))
        logits = model.speech_lm.step(past, tokens[-1])
    assert tokens == expected


def test_the_sampled_tokens(model, prompt, vectors):
    limits, draws = Limits.of_text(8, maximum=8), VectorDraws("sft_llm")
    tokens = list(generate(model.speech_lm, prompt, limits, draws))
    assert tokens == vectors["llm"]["sft_tokens_ratio8"].tolist()
    assert draws._counts["multi"] == vectors["llm"]["sft_n_uniforms"]


def test_the_tokens_behind_a_prompt_text_without_a_speaker(model, vectors):
    arrays = vectors["llm"]
    ids = np.concatenate([arrays["instruct_prompt_ids"], arrays["text_ids"]]).astype(np.int64)
    first, last = model.prompt_rows[:1], model.prompt_rows[1:]
    rows = np.concatenate([first, model.text_encoder.encode(ids), last])
    limits = Limits.of_text(8, maximum=3)
    tokens = list(generate(model.speech_lm, rows, limits, VectorDraws("instruct_llm")))
    assert tokens == arrays["instruct_tokens_ratio3"].tolist()


@pytest.mark.parametrize("case", ["a50", "b30"])
def test_the_flow(model, speaker, vectors, case):
    arrays, flow = vectors["flow"], model.decoder.flow
    mu = flow.encode(arrays[f"{case}_tokens"][0].astype(np.int64))
    close(mu.transpose(0, 2, 1), arrays[f"{case}_mu"], MEL)
    noise = VectorDraws(f"flow_{case}").normal(mu.shape)
    mel = finish(flow.solve(mu, speaker.mel, noise, EXACT.schedule))
    close(mel, arrays[f"{case}_mel"], MEL)
    tail = arrays[f"{case}_flow_cache"]
    close(noise[:, :, -34:], tail[..., 0], MEL)
    close(mu[:, :, -34:], tail[..., 1], MEL)


def test_the_speaker_of_the_flow(speaker, vectors):
    close(speaker.mel, vectors["flow"]["spks"], 1e-5)


def test_the_pitch(model, vectors):
    pitches = model.decoder.vocoder.pitches(vectors["hift"]["mel"])
    close(pitches[None], vectors["hift"]["f0"], 2e-3)


def test_the_vocoder_with_a_given_source(model, vectors):
    arrays, vocoder = vectors["hift"], model.decoder.vocoder
    close(vocoder.decode(arrays["mel"], arrays["source"])[None], arrays["wav"], WAVE)
    silent = vocoder.decode(arrays["mel"], 0 * arrays["source"])
    close(silent[None], arrays["wav_zero_source"], WAVE)


def test_the_vocoder_with_its_own_source(model, vectors):
    arrays, vocoder = vectors["hift"], model.decoder.vocoder
    wave, source = vocoder.whole(arrays["mel"], VectorDraws("hift60"))
    close(source, arrays["source"], 2e-3)
    close_end_to_end(wave[None], arrays["wav"])


def test_the_vocoder_with_a_cached_source(model, vectors):
    import zlib

    rng = np.random.default_rng(zlib.crc32(b"cachesrc"))
    cached = np.float32(0.05) * rng.standard_normal((1, 1, 5120), np.float32)
    wave, _ = model.decoder.vocoder.whole(vectors["hift"]["mel"], VectorDraws("hift60c"), cached)
    close_end_to_end(wave[None], vectors["hift"]["wav_cache_source"])


@pytest.mark.parametrize(("name", "speed"), [("nonstream_wav", 1.0), ("speed1.3_wav", 1.3)])
def test_an_utterance_in_one(model, speaker, vectors, name, speed):
    arrays = vectors["e2e"]
    tokens = arrays["nonstream_tokens"][0].tolist()
    (wave,) = sound(model, speaker, tokens, "nonstream", speed=speed)
    close_end_to_end(wave[None], arrays[name])


def test_an_utterance_in_chunks(model, speaker, vectors):
    arrays = vectors["e2e"]
    waves = sound(model, speaker, arrays["stream_tokens"][0].tolist(), "stream")
    assert len(waves) == 3
    for number, wave in enumerate(waves):
        close_end_to_end(wave[None], arrays[f"stream_wav_{number}"])


def test_a_text_end_to_end(model, speaker, vectors):
    arrays, draws = vectors["e2e"], VectorDraws("e2e")
    tokens = list(model.tokens(arrays["e2e_text_ids"], speaker, draws))
    assert tokens == arrays["e2e_speech_tokens"].tolist()
    (wave,) = sound(model, speaker, tokens, "e2e", draws=draws)
    close_end_to_end(wave[None], arrays["e2e_wav"])
