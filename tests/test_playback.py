from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cosyvoice_wyoming.playback import HEARD_SECONDS, Delivery, Playback


def played(*deliveries: tuple[float, float, float]) -> Playback:
    """Play (seconds, made at, asked at); the first starts the player."""
    playback = Playback()
    for number, (seconds, made_at, asked_at) in enumerate(deliveries):
        playback.deliver(Delivery(seconds=seconds, made_at=made_at, asked_at=asked_at))
        if number == 0:
            playback.start(made_at)
    return playback


def test_audio_that_comes_before_the_last_is_over_leaves_no_gap():
    assert played((2, 10, 9), (2, 11.9, 9), (2, 14, 9)).gaps == 0


def test_audio_that_comes_late_is_a_gap_of_that_length():
    playback = played((2, 10, 9), (2, 12.5, 9), (2, 15, 9))
    assert playback.gaps == 2
    assert playback.gap_seconds == pytest.approx(1.0)
    assert playback.longest_gap == pytest.approx(0.5)


def test_waiting_for_text_is_no_gap():
    assert played((2, 10, 9), (2, 20.0, 19.99)).gaps == 0
    assert played((2, 10, 9), (2, 20.5, 20.0)).gap_seconds == pytest.approx(0.5)


def test_the_wait_before_the_player_starts_is_no_gap():
    playback = Playback()
    playback.deliver(Delivery(seconds=1, made_at=10, asked_at=9))
    playback.deliver(Delivery(seconds=1, made_at=14, asked_at=9))
    playback.start(14)
    playback.deliver(Delivery(seconds=1, made_at=16.5, asked_at=9))
    assert playback.gap_seconds == pytest.approx(0.5)


@given(st.lists(st.tuples(st.floats(0.1, 5), st.floats(0, 5)), min_size=1))
def test_playing_takes_as_long_as_the_audio_and_its_gaps(steps):
    """With all text there from the start, gaps are exactly the time that playing lost."""
    now = 0.0
    playback = Playback()
    for number, (seconds, wait) in enumerate(steps):
        now += wait
        playback.deliver(Delivery(seconds=seconds, made_at=now, asked_at=0))
        if number == 0:
            playback.start(now)
    first_wait, last = steps[0][1], steps[-1][0]
    audio = sum(seconds for seconds, _ in steps)
    lost = playback.gap_seconds + HEARD_SECONDS * len(steps)
    assert first_wait + audio + lost >= now + last - 1e-6
    assert playback.gap_seconds <= now
