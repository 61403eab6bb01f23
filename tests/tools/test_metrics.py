from __future__ import annotations

import numpy as np
import pytest

from cosyvoice_wyoming.engine.kokoro.excitation import pulses
from tests.tools import distil

metrics = distil("metrics")

FRAMES = 160


@pytest.fixture
def f0():
    return (180 + 3 * np.sin(np.arange(FRAMES) / 40)).astype(np.float32)


@pytest.fixture
def buzz(f0):
    return 0.001 * pulses(f0).samples


@pytest.fixture
def hiss():
    return np.random.default_rng(0).normal(0, 0.2, 300 * FRAMES).astype(np.float32)


def test_a_waveform_is_no_distance_from_itself(hiss):
    assert metrics.mel_rmse(hiss, hiss) == 0


def test_half_the_level_is_six_decibels_everywhere(hiss):
    assert metrics.mel_rmse(hiss, hiss / 2) == pytest.approx(6.02, abs=0.6)


def test_differences_far_below_the_loudest_do_not_count(buzz):
    faint = np.random.default_rng(1).normal(0, 1e-7, len(buzz)).astype(np.float32)
    assert metrics.mel_rmse(buzz, buzz + faint) < 0.01


def test_pulses_are_deep_and_noise_is_flat_in_every_band(buzz, hiss, f0):
    deep = np.nanmean(metrics.harmonic_depths(buzz, f0), axis=0)
    flat = np.nanmean(metrics.harmonic_depths(hiss, f0), axis=0)
    assert (deep > 15).all()
    assert (np.abs(flat) < 1).all()


def test_moving_pitch_is_no_steady_frame(hiss):
    gliding = np.linspace(120, 400, FRAMES).astype(np.float32) * 2
    assert len(metrics.harmonic_depths(hiss, gliding)) == 0


def test_the_pitch_of_pulses_is_the_one_they_were_made_with(buzz, f0):
    cents = metrics.pitch_errors(buzz, buzz, f0)
    assert len(cents) > FRAMES // 2
    assert np.median(cents) < 1


def test_the_pitch_of_moving_pulses_is_the_one_they_were_made_with():
    moving = (180 * 2 ** (0.4 * np.sin(np.arange(FRAMES) / 8))).astype(np.float32)
    train = 0.001 * pulses(moving).samples
    cents = metrics.pitch_errors(train, train, moving)
    assert len(cents) > FRAMES // 2
    assert np.median(cents) < 3


def test_a_student_a_semitone_off_is_a_hundred_cents_off(buzz, f0):
    sharp = 0.001 * pulses(f0 * np.float32(2 ** (1 / 12))).samples
    assert np.median(metrics.pitch_errors(buzz, sharp, f0)) == pytest.approx(100, abs=2)


def test_hiss_where_the_teacher_is_silent_shows(hiss):
    silent = hiss.copy()
    silent[: len(hiss) // 2] = 0
    teacher, student = metrics.pause_level(silent, hiss)
    assert teacher == pytest.approx(-100)
    assert student == pytest.approx(-14, abs=1)


def test_without_silence_there_is_no_level_of_pauses(hiss):
    assert np.isnan(metrics.pause_level(hiss, hiss)[0])
