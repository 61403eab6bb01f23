"""Source, vocoder and speed: a sound in pieces is the sound in one."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cosyvoice_wyoming.engine.cosyvoice import bundle, load_model
from cosyvoice_wyoming.engine.cosyvoice.presets import PRESETS
from cosyvoice_wyoming.engine.cosyvoice.source import HarmonicSource
from cosyvoice_wyoming.engine.cosyvoice.stretch import Stretch, stretch_whole
from cosyvoice_wyoming.engine.cosyvoice.vocoder import VocoderStream, reach

SOURCE = HarmonicSource(
    weights=np.full(9, 1 / 9, np.float32), bias=np.float32(0.01), rate=22050, hop=256
)


class Quiet:
    """Draws without noise, so that the number of draws does not matter."""

    def fraction(self):
        return 0.5

    def normal(self, shape):
        return np.zeros(shape, np.float32)

    def phases(self, count):
        return np.linspace(-1, 1, count).astype(np.float32)


@pytest.fixture(scope="module")
def vocoder(tiny_bundles):
    _, config = bundle.read_description(tiny_bundles["exact"])
    return load_model(tiny_bundles["exact"], config, PRESETS["exact"], 1).decoder.vocoder


def pieces_of(total, cuts):
    edges = [0, *sorted({cut % total for cut in cuts} - {0}), total]
    return list(itertools.pairwise(edges))


def test_the_running_source_is_the_whole_one():
    pitch = np.random.default_rng(0).uniform(0, 300, 12).astype(np.float32)
    whole = SOURCE.whole(pitch, Quiet())
    turns = SOURCE.start_phases(Quiet()).astype(np.float64) / (2 * np.pi)
    np.testing.assert_allclose(SOURCE.running(pitch, turns, Quiet()), whole, atol=2e-4)


def test_the_phase_runs_on_from_piece_to_piece():
    pitch = np.random.default_rng(1).uniform(20, 300, 12).astype(np.float32)
    turns = SOURCE.start_phases(Quiet()).astype(np.float64) / (2 * np.pi)
    whole = SOURCE.running(pitch, turns, Quiet())
    first = SOURCE.running(pitch[:5], turns, Quiet())
    second = SOURCE.running(pitch[5:], SOURCE.advance(pitch[:5], turns), Quiet())
    np.testing.assert_allclose(np.concatenate([first, second], axis=2), whole, atol=1e-6)


def test_an_unvoiced_frame_has_no_harmonics():
    silent = SOURCE.whole(np.full(3, 9.0, np.float32), Quiet())
    np.testing.assert_allclose(silent, np.tanh(0.01), atol=1e-7)


@pytest.mark.parametrize("cuts", [(), (40,), (3, 50), (20, 40, 60), (1, 2, 3, 4, 30, 89)])
def test_a_waveform_in_pieces_is_the_waveform_in_one(vocoder, cuts):
    mel = np.random.default_rng(2).standard_normal((1, 8, 90)).astype(np.float32)
    whole = VocoderStream(vocoder, Quiet()).feed(mel, final=True)
    stream = VocoderStream(vocoder, Quiet())
    parts = [stream.feed(mel[:, :, a:b], final=b == 90) for a, b in pieces_of(90, cuts)]
    np.testing.assert_allclose(np.concatenate(parts), whole, atol=2e-5)


def test_sound_comes_before_the_end(vocoder):
    stream = VocoderStream(vocoder, Quiet())
    mel = np.zeros((1, 8, 40), np.float32)
    assert len(stream.feed(mel, final=False)) == (40 - reach(vocoder.config)) * 256


@pytest.mark.parametrize("speed", [0.5, 0.9, 1.0, 1.3, 2.0])
def test_a_stretched_mel_has_the_length_that_the_speed_asks_for(speed):
    mel = np.ones((1, 8, 100), np.float32)
    assert stretch_whole(mel, speed).shape[2] == int(100 / speed)
    assert Stretch(speed).feed(mel, final=True).shape[2] == pytest.approx(100 / speed, abs=1)


@given(st.floats(0.5, 2.0), st.lists(st.integers(0, 59), max_size=5))
def test_a_mel_stretched_in_pieces_is_the_mel_stretched_in_one(speed, cuts):
    mel = np.cumsum(np.ones((1, 2, 60), np.float32), axis=2)
    whole = Stretch(speed).feed(mel, final=True)
    stretch = Stretch(speed)
    parts = [stretch.feed(mel[:, :, a:b], final=b == 60) for a, b in pieces_of(60, cuts)]
    np.testing.assert_allclose(np.concatenate(parts, axis=2), whole, atol=1e-4)
