from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cosyvoice_wyoming.engine.kokoro.tones import (
    CONTOURS,
    DECLINATION_SEMITONES,
    LEVEL_SEMITONES,
    draw_tones,
)
from cosyvoice_wyoming.phonemes import TonedSyllable

BASE_HZ = 200.0
DURATION = 10


def semitones(f0):
    return 12 * np.log2(f0 / BASE_HZ)


def draw(symbols, tones, f0=None):
    """Draw `tones`, given as (start, end, tone), over symbols of ten frames each."""
    durations = np.full(len(symbols) + 2, DURATION)
    if f0 is None:
        f0 = np.full((1, 2 * durations.sum()), BASE_HZ, np.float32)
    syllables = [TonedSyllable(start=a, end=b, tone=tone) for a, b, tone in tones]
    return draw_tones(f0, durations, symbols, syllables)[0]


def frames_of(symbol, count=1):
    """The F0 frames of `count` symbols from number `symbol` on, behind the pad."""
    start = 2 * DURATION * (symbol + 1)
    return slice(start, start + 2 * DURATION * count)


@pytest.mark.parametrize("tone", CONTOURS)
def test_a_tone_begins_and_ends_on_its_levels(tone):
    rhyme = semitones(draw("a", [(0, 1, tone)])[frames_of(0)])
    first, last = CONTOURS[tone][0][1], CONTOURS[tone][-1][1]
    slack = DECLINATION_SEMITONES / 2 + 1.0
    assert rhyme[0] == pytest.approx((first - 3) * LEVEL_SEMITONES, abs=slack)
    assert rhyme[-1] == pytest.approx((last - 3) * LEVEL_SEMITONES, abs=slack)


def test_the_six_tones_stand_in_the_order_of_their_heights():
    ends = {tone: draw("a", [(0, 1, tone)])[frames_of(0)].mean() for tone in CONTOURS}
    assert ends[1] > ends[3] > ends[6] > ends[4]
    rises = {tone: np.ptp(draw("a", [(0, 1, tone)])[frames_of(0)]) for tone in CONTOURS}
    assert rises[2] > rises[5] > rises[3]


def test_the_melody_sinks_over_the_utterance():
    tones = [(0, 1, 3), (1, 2, 3), (2, 3, 3), (3, 4, 3)]
    f0 = draw("aaaa", tones)
    fall = semitones(f0[frames_of(0)].mean()) - semitones(f0[frames_of(3)].mean())
    assert fall == pytest.approx(DECLINATION_SEMITONES * 3 / 6, abs=0.1)


@pytest.mark.parametrize("initial", ["m", "s", "kʰw"])
def test_the_voiced_frames_of_an_initial_begin_as_the_rhyme_does(initial):
    count = len(initial)
    f0 = draw(f"{initial}a", [(0, count + 1, 1)])
    np.testing.assert_allclose(f0[frames_of(0, count)], f0[frames_of(count)][0], rtol=0.05)
    assert (f0[frames_of(0, count)] > BASE_HZ * 1.2).all()


def test_a_syllabic_nasal_carries_its_tone():
    assert (draw("m", [(0, 1, 1)])[frames_of(0)] > BASE_HZ * 1.2).all()


def test_silence_and_what_is_no_syllable_stay_as_they_were():
    f0 = np.full((1, 2 * DURATION * 5), BASE_HZ, np.float32)
    f0[0, 25:35] = 7.0
    drawn = draw("aba", [(0, 1, 1)], f0)
    np.testing.assert_array_equal(drawn[25:35], 7.0)
    np.testing.assert_array_equal(drawn[frames_of(1, 2)], BASE_HZ)


def test_an_utterance_without_any_voice_is_returned_as_it_is():
    f0 = np.full((1, 60), 7.0, np.float32)
    assert (draw("a", [(0, 1, 1)], f0) == 7.0).all()


@given(
    tones=st.lists(st.integers(1, 6), min_size=1, max_size=6),
    f0=st.lists(st.floats(5, 600, width=32), min_size=1, max_size=20),
)
def test_any_pitch_stays_within_two_octaves_of_the_voice(tones, f0):
    symbols = "ta" * len(tones)
    size = 2 * DURATION * (len(symbols) + 2)
    track = np.resize(np.array(f0, np.float32), (1, size))
    drawn = draw(symbols, [(2 * i, 2 * i + 2, tone) for i, tone in enumerate(tones)], track)
    changed = drawn != track[0]
    voiced = track[0] > 50
    assert drawn.shape == (size,)
    assert np.isfinite(drawn).all()
    assert not changed[~voiced].any()
    if changed.any():
        base = np.exp2(np.log2(track[0][voiced].astype(float)).mean())
        assert np.abs(np.log2(drawn[changed] / base)).max() < 2
