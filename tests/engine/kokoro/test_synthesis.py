"""The embedded voices, end to end from words to samples."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from cosyvoice_wyoming.engine.kokoro import load
from cosyvoice_wyoming.engine.kokoro.decoder import Running
from cosyvoice_wyoming.engine.kokoro.encoder import LONGEST_SYMBOLS, Encoder
from cosyvoice_wyoming.engine.kokoro.features import FRAME_SAMPLES
from cosyvoice_wyoming.engine.kokoro.styles import read_style
from cosyvoice_wyoming.engine.kokoro.teacher import TeacherDecoder
from cosyvoice_wyoming.errors import EngineFailed, ModelCorrupt
from cosyvoice_wyoming.phonemes import phonemize, symbol_ids
from cosyvoice_wyoming.text.language import Language
from cosyvoice_wyoming.text.spoken import Span, Spoken
from cosyvoice_wyoming.voices import STANDARD_VOICES
from tests.support.models import lite

pytestmark = pytest.mark.model


@cache
def engine():
    return load(lite(), threads=1)


@cache
def encoder():
    return Encoder(lite() / "context.onnx", lite() / "encoder.onnx", threads=1)


def spoken(text, language=Language.EN, phonemes="", rate=1.0):
    span = Span(text=text, language=language, phonemes=phonemes)
    return Spoken(text=text, language=language, spans=(span,), rate=rate)


def length(given, speed=1.0):
    speaker = engine().speaker(engine().voices[4], speed=speed)
    return sum(map(len, speaker.speak(given)))


def tokens(count):
    return [symbol_ids()["a"]] * count


def test_the_twelve_standard_voices_are_there():
    assert engine().voices == STANDARD_VOICES


def test_speed_and_rate_multiply_and_stop_at_the_limits():
    hello = spoken("Hello there.")
    assert length(spoken("Hello there.", rate=4.0), speed=1.5) == length(hello, speed=2.0)
    assert length(spoken("Hello there.", rate=0.1), speed=1.5) == length(hello, speed=0.5)
    assert length(spoken("Hello there.", rate=0.5), speed=2.0) == length(hello)


def test_a_pronunciation_that_was_given_is_the_one_that_is_spoken():
    given = phonemize(spoken("Hello there.")).symbols
    assert length(spoken("x", phonemes=given)) == length(spoken("Hello there."))
    assert length(spoken("x")) != length(spoken("Hello there."))


def test_nothing_to_say_is_no_sound():
    assert length(spoken(" ")) == 0


def test_features_have_the_lengths_that_the_decoder_needs():
    style = read_style(lite() / "voices", ["af_heart"]).row(5)
    features = encoder().encode(tokens(5), style, 1.0)
    assert features.asr.shape == (1, 512, features.frames)
    assert features.f0.shape == features.energy.shape == (1, 2 * features.frames)
    assert features.durations.shape == (7,)
    assert features.durations.sum() == features.frames


def test_the_longest_utterance_fits_and_one_more_symbol_is_an_engine_error():
    style = read_style(lite() / "voices", ["af_heart"]).row(LONGEST_SYMBOLS)
    assert encoder().encode(tokens(LONGEST_SYMBOLS), style, 2.0).frames > 0
    with pytest.raises(EngineFailed, match="The model failed"):
        encoder().encode(tokens(LONGEST_SYMBOLS + 2), style, 2.0)


def test_a_file_that_is_no_graph_is_a_broken_model(tmp_path):
    path = tmp_path / "decoder.onnx"
    path.write_bytes(b"not a graph")
    with pytest.raises(ModelCorrupt, match="cannot be loaded"):
        TeacherDecoder(path)


def features_of(voice, text="The kitchen light is on, and the door is open."):
    symbols = phonemize(spoken(text)).symbols
    style = engine()._styles[voice.name].row(len(symbols))
    return encoder().encode([symbol_ids()[symbol] for symbol in symbols], style, 1.0)


def decode(features, seed=0):
    running = Running(noise=np.random.default_rng(seed))
    return list(engine()._decoder.decode(features, running))


def test_windows_of_the_shipped_decoder_equal_the_whole(monkeypatch):
    features = features_of(STANDARD_VOICES[4])
    windows = decode(features)
    monkeypatch.setattr("cosyvoice_wyoming.engine.kokoro.student.FIRST_WINDOW_FRAMES", 1000)
    (whole,) = decode(features)
    assert len(windows) > 2
    assert np.abs(np.concatenate(windows) - whole).max() <= 1e-5


@pytest.mark.parametrize("voice", STANDARD_VOICES, ids=lambda voice: voice.name)
def test_before_the_first_word_and_after_the_last_nothing_hisses_or_clicks(voice):
    features = features_of(voice)
    samples = np.concatenate(decode(features))
    before = int(features.durations[0]) // 12
    after = int(features.durations[-1])
    for silence in (samples[: before * FRAME_SAMPLES], samples[-after * FRAME_SAMPLES :]):
        assert np.abs(silence).max() < 10 ** (-55 / 20)


def pitch_of(samples, rate=24_000):
    """Median F0 in Hz of the loud frames, by autocorrelation between 100 and 500 Hz."""
    frame, found = 1200, []
    for start in range(0, len(samples) - frame, frame // 2):
        part = samples[start : start + frame]
        if np.abs(part).max() < 0.1:
            continue
        part = part - part.mean()
        spectrum = np.abs(np.fft.rfft(part, 4 * frame)) ** 2
        correlation = np.fft.irfft(spectrum)[: rate // 100]
        best = np.argmax(correlation[rate // 500 :]) + rate // 500
        if correlation[best] > 0.5 * correlation[0]:
            found.append(rate / best)
    return float(np.median(found))


@pytest.mark.parametrize("name", ["yue_female_01", "yue_male_01"])
def test_cantonese_high_and_low_level_tones_are_heard_apart(name):
    voice = next(voice for voice in engine().voices if voice.name == name)
    pitch = {}
    for tone, text in ((1, "詩詩詩。"), (6, "事事事。")):
        pieces = engine().speaker(voice, speed=1.0).speak(spoken(text, Language.YUE))
        pitch[tone] = pitch_of(np.concatenate(list(pieces)))
    assert 12 * np.log2(pitch[1] / pitch[6]) > 3
