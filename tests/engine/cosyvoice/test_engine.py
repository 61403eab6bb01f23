"""The whole engine on a tiny model."""

from __future__ import annotations

import threading

import numpy as np
import pytest

from cosyvoice_wyoming.engine.cosyvoice import load_files
from cosyvoice_wyoming.engine.cosyvoice.ahead import TokensAhead
from cosyvoice_wyoming.engine.cosyvoice.build import SOURCE_FILES, build
from cosyvoice_wyoming.engine.cosyvoice.config import SPEAKERS
from cosyvoice_wyoming.engine.cosyvoice.layout import SPEAKERS_FILE
from cosyvoice_wyoming.errors import EngineFailed, ModelCorrupt
from cosyvoice_wyoming.text.language import Language
from cosyvoice_wyoming.text.spoken import Span, Spoken
from tests.support.tiny_cosyvoice import TINY
from tests.support.torch_files import write_speakers


@pytest.fixture(scope="module", params=["exact", "balanced", "fast"])
def engine(request, tiny_bundles):
    return load_files(tiny_bundles[request.param], threads=1)


def spoken(text="你好，世界。", language=Language.ZH, rate=1.0):
    span = Span(text=text, language=language)
    return Spoken(text=text, language=language, spans=(span,), rate=rate)


def say(engine, *, voice=0, speed=1.0, seed=0, segment=None):
    speaker = engine.speaker(engine.voices[voice], speed=speed, seed=seed)
    return np.concatenate(list(speaker.speak(segment or spoken())))


def test_the_seven_speakers_have_their_names(engine):
    assert [voice.name for voice in engine.voices] == [*SPEAKERS.values()]
    assert engine.sample_rate == 22050
    assert {voice.language for voice in engine.voices} == set(Language)


def test_speech_is_sound_in_range(engine):
    wave = say(engine)
    assert wave.dtype == np.float32
    assert wave.ndim == 1
    assert len(wave) > 1000
    assert np.abs(wave).max() <= 1
    assert wave.std() > 0


def test_a_seed_fixes_every_sample(engine):
    np.testing.assert_array_equal(say(engine, seed=5), say(engine, seed=5))


def test_another_seed_says_it_otherwise(engine):
    one, other = say(engine, seed=5), say(engine, seed=6)
    assert len(one) != len(other) or np.abs(one - other).max() > 1e-4


def test_voices_differ(engine):
    one, other = say(engine), say(engine, voice=2)
    assert len(one) != len(other) or np.abs(one - other).max() > 1e-4


def test_segments_of_a_request_draw_anew(engine):
    speaker = engine.speaker(engine.voices[0], speed=1.0, seed=1)
    one, other = (np.concatenate(list(speaker.speak(spoken()))) for _ in range(2))
    assert len(one) != len(other) or np.abs(one - other).max() > 1e-4


@pytest.mark.parametrize("speed", [0.5, 2.0])
def test_speed_changes_the_length(engine, speed):
    long = spoken("今天天气怎么样，我们去哪里玩。")
    ratio = len(say(engine, segment=long)) / len(say(engine, segment=long, speed=speed))
    assert ratio == pytest.approx(speed, rel=0.1)


def test_the_segment_s_rate_multiplies_the_speed(engine):
    fast = say(engine, segment=spoken(rate=1.5))
    np.testing.assert_array_equal(fast, say(engine, speed=1.5))


def test_nothing_to_say_makes_no_sound(engine):
    speaker = engine.speaker(engine.voices[0], speed=1.0)
    assert sum(len(piece) for piece in speaker.speak(spoken("  "))) == 0


def test_a_dropped_request_stops_the_language_model(engine):
    steps = engine.speaker(engine.voices[0], speed=1.0).speak(spoken("你好" * 40))
    next(steps)
    steps.close()
    assert not [thread for thread in threading.enumerate() if thread.name == "speech-lm"]


def test_a_sentence_beyond_the_model_is_refused_in_words(engine):
    with pytest.raises(EngineFailed, match="full stop"):
        say(engine, segment=spoken("好吗" * 900))


def test_a_closed_engine_speaks_no_more(tiny_bundles):
    engine = load_files(tiny_bundles["fast"], threads=1)
    engine.close()
    with pytest.raises(EngineFailed):
        say(engine)


def test_what_fails_on_the_thread_is_raised_where_tokens_are_read():
    def broken():
        yield 1
        raise EngineFailed("no more")

    with TokensAhead(broken()) as tokens, pytest.raises(EngineFailed, match="no more"):
        list(tokens)


@pytest.mark.parametrize("name", SOURCE_FILES)
def test_a_missing_file_is_named(tmp_path, tiny_source, name):
    source, target = tmp_path / "source", tmp_path / "target"
    source.mkdir()
    target.mkdir()
    for file in SOURCE_FILES:
        if file != name:
            (source / file).symlink_to(tiny_source / file)
    with pytest.raises(ModelCorrupt, match=name):
        build(source, target, "balanced", TINY)


def test_a_missing_speaker_is_named(tmp_path, tiny_source):
    for file in SOURCE_FILES:
        (tmp_path / file).symlink_to(tiny_source / file)
    (tmp_path / SPEAKERS_FILE).unlink()
    vectors = {name: np.ones((1, 12), np.float32) for name in SPEAKERS if name != "粤语女"}
    write_speakers(tmp_path / SPEAKERS_FILE, vectors)
    with pytest.raises(ModelCorrupt, match="粤语女"):
        build(tmp_path, tmp_path, "balanced", TINY)


@pytest.mark.parametrize("file", ["speech_lm.onnx", "text.model", "model.json", "source.npy"])
def test_a_broken_bundle_is_refused_in_words(tmp_path, tiny_bundles, file):
    for path in tiny_bundles["fast"].iterdir():
        (tmp_path / path.name).symlink_to(path)
    (tmp_path / file).unlink()
    (tmp_path / file).write_bytes(b"broken")
    with pytest.raises(ModelCorrupt):
        load_files(tmp_path)
