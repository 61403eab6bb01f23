"""What every engine promises, whoever made it."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from cosyvoice_wyoming.engine.registry import ENGINES
from cosyvoice_wyoming.text.language import Language
from cosyvoice_wyoming.text.spoken import Span, Spoken
from tests.support.models import lite
from tests.support.tiny_cosyvoice import tiny_cosyvoice

BUNDLES: dict[str, Callable[[], Path]] = {"kokoro": lite, "cosyvoice": tiny_cosyvoice, "tone": Path}
"""Engine: where a bundle for it is. One that needs no bundle gets the current folder."""

UNTRAINED = {"cosyvoice"}
"""Engines whose bundle here has random weights: they speak, but at no human pace."""

WORDS = {
    Language.ZH: "今天天气很好。",
    Language.YUE: "今日天氣好好。",
    Language.JA: "今日はいい天気です。",
    Language.KO: "오늘 날씨가 좋아요.",
    Language.EN: "The weather is fine today.",
}
SILENCE = 1e-3


def spoken(text, language, **more):
    span = Span(text=text, language=language)
    return Spoken(text=text, language=language, spans=(span,), **more)


@cache
def load(name):
    return ENGINES[name](BUNDLES[name](), threads=1)


def marks(name):
    return [pytest.mark.model] if name == "kokoro" else []


@pytest.fixture(params=[pytest.param(name, marks=marks(name)) for name in ENGINES])
def engine(request):
    return load(request.param)


def say(engine, voice, text=None, *, speed=1.0, seed=0, **more):
    speaker = engine.speaker(voice, speed=speed, seed=seed)
    return list(speaker.speak(spoken(text or WORDS[voice.language], voice.language, **more)))


def test_every_engine_stands_in_this_contract():
    assert set(BUNDLES) == set(ENGINES)


def test_voices_have_the_languages_of_their_names(engine):
    assert engine.sample_rate in (16000, 22050, 24000)
    assert len({voice.name for voice in engine.voices}) == len(engine.voices) > 0
    for voice in engine.voices:
        assert voice.name.startswith(f"{voice.language}_{voice.gender}_")


def test_every_voice_speaks_finite_and_audible_samples(engine):
    for voice in engine.voices:
        pieces = say(engine, voice)
        assert pieces
        for piece in pieces:
            assert piece.dtype == np.float32
            assert piece.ndim == 1
            assert np.isfinite(piece).all()
        samples = np.concatenate(pieces)
        assert np.abs(samples).max() > 0.05


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=marks(name)) for name in ENGINES if name not in UNTRAINED]
)
def test_every_voice_speaks_at_a_human_pace(name):
    engine = load(name)
    for voice in engine.voices:
        samples = np.concatenate(say(engine, voice))
        voiced = np.flatnonzero(np.abs(samples) > SILENCE)
        assert 0.6 < (voiced[-1] - voiced[0]) / engine.sample_rate < 5


def test_a_higher_speed_is_shorter_and_a_rate_multiplies_it(engine):
    voice = engine.voices[0]
    length = {speed: sum(map(len, say(engine, voice, speed=speed))) for speed in (0.5, 1.0, 2.0)}
    assert length[0.5] > 1.4 * length[1.0] > 1.4 * 1.2 * length[2.0]
    assert sum(map(len, say(engine, voice, speed=1.0, rate=2.0))) == length[2.0]


def test_the_same_seed_gives_the_same_samples(engine):
    voice = engine.voices[0]
    one = np.concatenate(say(engine, voice, seed=3))
    np.testing.assert_array_equal(one, np.concatenate(say(engine, voice, seed=3)))


def test_an_iterator_may_be_dropped_at_any_point(engine):
    voice = engine.voices[0]
    whole = np.concatenate(say(engine, voice, seed=5))
    speaker = engine.speaker(voice, speed=1.0, seed=4)
    abandoned = speaker.speak(spoken(WORDS[voice.language], voice.language))
    next(abandoned)
    del abandoned
    untouched = speaker.speak(spoken(WORDS[voice.language], voice.language))
    del untouched
    np.testing.assert_array_equal(np.concatenate(say(engine, voice, seed=5)), whole)


def test_a_speaker_goes_on_to_the_next_segment(engine):
    voice = engine.voices[0]
    speaker = engine.speaker(voice, speed=1.0, seed=0)
    for _ in range(2):
        pieces = list(speaker.speak(spoken(WORDS[voice.language], voice.language)))
        assert np.abs(np.concatenate(pieces)).max() > 0.05
