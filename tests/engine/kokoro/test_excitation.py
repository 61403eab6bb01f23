from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cosyvoice_wyoming.engine.kokoro.excitation import (
    PITCH_HOP,
    SAMPLE_RATE,
    VOICED_ABOVE_HZ,
    prosody,
    pulses,
)

pitches = st.lists(st.one_of(st.floats(5, 9), st.floats(60, 500)), min_size=2, max_size=40).map(
    lambda values: np.array(values, np.float32)
)


def naive(f0, phase):
    """The same train, harmonic by harmonic in double precision."""
    centres = phase + 2 * np.pi * PITCH_HOP / SAMPLE_RATE * np.cumsum(f0.astype(np.float64))
    place = (np.arange(len(f0) * PITCH_HOP) - (PITCH_HOP - 1) / 2) / PITCH_HOP
    angle = np.interp(place, np.arange(len(f0)), centres)
    train = np.zeros(len(angle))
    highest = np.repeat(np.floor(11_900 / np.maximum(f0, 1)), PITCH_HOP)
    for number in range(1, int(highest[np.repeat(f0 > VOICED_ABOVE_HZ, PITCH_HOP)].max()) + 1):
        train += np.cos(number * angle) * (number <= highest)
    return train * np.repeat(f0 > VOICED_ABOVE_HZ, PITCH_HOP)


@pytest.mark.parametrize("phase", [0.0, 2.5])
def test_a_train_is_the_sum_of_its_harmonics(phase):
    f0 = np.array([120, 123, 130, 8, 7, 90, 260, 255], np.float32)
    assert np.allclose(pulses(f0, phase).samples, naive(f0, phase), atol=0.02)


@given(pitches)
def test_a_train_has_300_samples_a_frame_and_is_finite(f0):
    samples = pulses(f0).samples
    assert samples.shape == (PITCH_HOP * len(f0),)
    assert samples.dtype == np.float32
    assert np.isfinite(samples).all()


@given(pitches)
def test_nothing_sounds_in_unvoiced_frames(f0):
    frames = pulses(f0).samples.reshape(-1, PITCH_HOP)
    assert not frames[f0 <= VOICED_ABOVE_HZ].any()


@given(pitches, pitches)
def test_a_segment_goes_on_where_the_last_one_ended(first, second):
    whole = pulses(np.concatenate([first, second])).samples
    start = pulses(first)
    joined = np.concatenate([start.samples, pulses(second, start.phase).samples])
    seam = len(first) * PITCH_HOP
    # half a frame on each side is held instead of interpolated across the seam
    away = np.abs(np.arange(len(whole)) - seam) > PITCH_HOP // 2
    assert np.allclose(joined[away], whole[away], atol=0.5)


@given(pitches)
def test_the_breath_of_unvoiced_frames_is_even(f0):
    frames = pulses(f0).breath.reshape(-1, PITCH_HOP)
    assert np.allclose(frames[f0 <= VOICED_ABOVE_HZ], 1)


@pytest.mark.parametrize("hz", [80, 120, 200, 400])
def test_breath_takes_nothing_from_the_noise_and_gives_nothing(hz):
    power = np.square(pulses(np.full(82, hz, np.float32)).breath)[PITCH_HOP:-PITCH_HOP]
    assert power.mean() == pytest.approx(1, abs=0.01)


def test_breath_comes_in_puffs_before_the_pulses_and_deeper_in_low_voices():
    low, high = (pulses(np.full(80, hz, np.float32)) for hz in (100, 200))
    period = SAMPLE_RATE // 100
    peaks = low.samples[PITCH_HOP:].argmax(), low.breath[PITCH_HOP:].argmax()
    ahead = (peaks[0] - peaks[1]) % period
    assert ahead == pytest.approx(0.0009 * SAMPLE_RATE, abs=2)
    assert np.ptp(low.breath) > 1.5 * np.ptp(high.breath) > 0.5


@given(pitches, pitches)
def test_the_breath_goes_on_where_the_last_one_ended(first, second):
    whole = pulses(np.concatenate([first, second])).breath
    start = pulses(first)
    joined = np.concatenate([start.breath, pulses(second, start.phase).breath])
    away = np.abs(np.arange(len(whole)) - len(first) * PITCH_HOP) > PITCH_HOP // 2
    assert np.allclose(joined[away], whole[away], atol=0.01)


def test_the_input_is_left_alone():
    f0 = np.array([100, 110, 8], np.float32)
    kept = f0.copy()
    pulses(f0)
    prosody(f0, f0)
    assert np.array_equal(f0, kept)


def test_prosody_shows_voicing_and_clamps_onsets():
    rows = prosody(np.array([200, 8, 20], np.float32), np.array([4, -8, 0], np.float32))
    assert np.allclose(rows[0], [0, 0, np.log(50 / 200)])
    assert np.allclose(rows[1], [1, 0, 1])
    assert np.allclose(rows[2], [0.5, -1, 0])
    assert np.allclose(rows[3], [1, 8 / 60, 20 / 60])
