"""The filters of the distilled decoder, applied to pulses and noise."""

from __future__ import annotations

import numpy as np
import pytest

from cosyvoice_wyoming.engine.kokoro.filters import BINS, HOP, N_FFT, REACH, filtered

SILENT = -30.0
HOPS = 40
RANDOM = np.random.default_rng(3)
PULSES, NOISE = RANDOM.normal(size=(2, HOPS * HOP)).astype(np.float32)
ROUNDING = 1e-5


def flat(log_pulse, phase, log_noise, hops=HOPS):
    """The same filter in all frames and bins."""
    rows = np.array([log_pulse, phase, log_noise], np.float32)
    return np.tile(rows[:, None], (hops, 1, BINS))


def inside(samples):
    """Without the edges, where windows are missing."""
    return samples[N_FFT:-N_FFT]


@pytest.mark.parametrize(
    ("source", "filters"),
    [
        (PULSES, flat(0.0, 0.0, SILENT)),
        (NOISE, flat(SILENT, 0.0, 0.0)),
    ],
)
def test_a_filter_of_one_lets_its_source_through(source, filters):
    heard = filtered(filters, PULSES, NOISE, 0, HOPS)
    assert heard.dtype == np.float32
    np.testing.assert_allclose(inside(heard), inside(source), atol=ROUNDING)


def test_magnitudes_are_natural_logs_and_both_sources_add_up():
    heard = filtered(flat(np.log(0.5), 0.0, np.log(2)), PULSES, NOISE, 0, HOPS)
    np.testing.assert_allclose(inside(heard), inside(0.5 * PULSES + 2 * NOISE), atol=ROUNDING)


def test_half_a_turn_of_phase_turns_the_wave_over():
    heard = filtered(flat(0.0, np.pi, SILENT), PULSES, NOISE, 0, HOPS)
    np.testing.assert_allclose(inside(heard), -inside(PULSES), atol=ROUNDING)


def test_magnitudes_beyond_speech_are_held():
    heard = filtered(flat(1000.0, 0.0, 1000.0), PULSES, NOISE, 0, HOPS)
    assert np.isfinite(heard).all()


@pytest.mark.parametrize(("first", "last"), [(0, 1), (0, HOPS), (7, 19), (1, 3), (HOPS - 1, HOPS)])
def test_a_piece_sounds_as_it_does_in_the_whole(first, last):
    filters = RANDOM.normal(size=(HOPS, 3, BINS)).astype(np.float32)
    whole = filtered(filters, PULSES, NOISE, 0, HOPS)
    near = filters[max(0, first - REACH) : last + REACH]
    piece = filtered(near, PULSES, NOISE, first, last, begins=max(0, first - REACH))
    np.testing.assert_allclose(piece, whole[first * HOP : last * HOP], atol=ROUNDING)
