from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cosyvoice_wyoming.audio import (
    FRAME_SECONDS,
    KNEE,
    LEAD_SECONDS,
    SILENCE_PEAK,
    TAIL_SECONDS,
    Pcm,
    SegmentShaper,
    frames,
    silence,
    to_pcm,
)
from cosyvoice_wyoming.errors import EngineFailed

if TYPE_CHECKING:
    from numpy.typing import NDArray

RATE = 24_000


def tone(seconds: float, *, level: float = 0.5, rate: int = RATE) -> NDArray[np.float32]:
    times = np.arange(round(seconds * rate)) / rate
    return (level * np.sin(2 * np.pi * 300 * times)).astype(np.float32)


def quiet(seconds: float) -> NDArray[np.float32]:
    return np.zeros(round(seconds * RATE), np.float32)


def shape(
    wave: NDArray[np.float32], *, step: int = 6000, target: int = RATE
) -> NDArray[np.float32]:
    shaper = SegmentShaper(RATE, target)
    pieces = [shaper.feed(wave[start : start + step]) for start in range(0, len(wave), step)]
    return np.concatenate([*pieces, shaper.end()])


def samples(pcm: Pcm) -> NDArray[np.int16]:
    return np.frombuffer(pcm.data, "<i2")


def test_silence_around_a_segment_is_cut_to_what_the_ear_needs():
    shaped = shape(np.concatenate((quiet(0.4), tone(1), quiet(0.7))))
    wanted = LEAD_SECONDS + 1 + TAIL_SECONDS
    assert len(shaped) / RATE == pytest.approx(wanted, abs=0.01)


def test_silence_within_a_segment_stays():
    wave = np.concatenate((tone(0.3), quiet(0.8), tone(0.3)))
    assert len(shape(wave)) >= len(wave)


def test_a_segment_of_silence_gives_nothing():
    assert len(shape(quiet(2))) == 0
    assert len(shape(quiet(0))) == 0


def test_the_edges_are_faded_so_that_joins_cannot_click():
    shaped = shape(np.full(RATE, 0.8, np.float32))
    assert abs(shaped[0]) < 0.001
    assert abs(shaped[-1]) < 0.001
    assert np.abs(np.diff(shaped)).max() < 0.02


@given(step=st.integers(100, 9000), lead=st.floats(0, 0.3), length=st.floats(0.01, 0.4))
def test_the_size_of_the_engines_pieces_does_not_matter(step, lead, length):
    wave = np.concatenate((quiet(lead), tone(length), quiet(0.2), tone(0.05), quiet(lead)))
    assert len(shape(wave, step=step)) == pytest.approx(len(shape(wave)), abs=2 * 120)


def test_audio_comes_out_while_the_segment_is_made():
    shaper = SegmentShaper(RATE, RATE)
    first = shaper.feed(tone(0.5))
    assert len(first) / RATE > 0.5 - TAIL_SECONDS - 0.01


@pytest.mark.parametrize("target", [16_000, 22_050, 48_000])
def test_another_rate_keeps_length_and_level(target):
    shaped = shape(tone(1), target=target)
    assert len(shaped) / target == pytest.approx(1, abs=0.02)
    middle = shaped[target // 4 : target // 2]
    assert np.sqrt(np.mean(middle**2)) == pytest.approx(0.5 / np.sqrt(2), rel=0.02)


def test_a_tone_at_the_threshold_of_silence_is_kept():
    assert len(shape(tone(0.5, level=2 * SILENCE_PEAK))) > 0.4 * RATE


def test_loud_samples_are_bent_and_never_clipped():
    loud = samples(to_pcm(tone(0.1, level=2.0), RATE)).astype(int)
    bent = np.abs(loud) > KNEE * 32767
    assert bent.any()
    assert np.abs(loud).max() < 32767
    assert not ((np.diff(loud) == 0) & (np.diff(loud, prepend=0)[:-1] == 0) & bent[:-1]).any()


@given(st.lists(st.floats(-0.875, 0.875, width=32), min_size=1))
def test_samples_below_the_knee_keep_their_value(values):
    wave = np.array(values, np.float32)
    assert np.abs(samples(to_pcm(wave, RATE)) / 32767 - wave).max() <= 0.5 / 32767 + 1e-6


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_samples_that_are_no_numbers_fail_the_engine(bad):
    with pytest.raises(EngineFailed):
        to_pcm(np.array([0, bad], np.float32), RATE)


@given(st.integers(0, 20_000), st.sampled_from([8_000, 16_000, 22_050, 24_000, 44_100]))
def test_frames_hold_all_audio_in_whole_samples(count, rate):
    pcm = Pcm(data=np.arange(count, dtype="<u2").tobytes(), rate=rate)
    cut = list(frames(pcm))
    assert b"".join(frame.data for frame in cut) == pcm.data
    assert all(0 < frame.seconds <= FRAME_SECONDS for frame in cut)
    assert all(len(frame.data) % 2 == 0 and frame.rate == rate for frame in cut)


def test_silence_has_the_length_asked_for():
    assert silence(0.25, 22_050).data == bytes(2 * 5512)
