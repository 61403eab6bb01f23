from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cosyvoice_wyoming.pace import MARGIN, Measure, Pace
from cosyvoice_wyoming.text.segment import LIMITS


def measured(rtf: float, voice: str = "v", segments: int = 1) -> Pace:
    pace = Pace()
    for _ in range(segments):
        pace.note(voice, Measure(audio=2.0, busy=2.0 * rtf, characters=10))
    return pace


def test_before_anything_is_measured_nothing_is_held_and_the_usual_limits_stand():
    assert Pace().held("v", 1000) == 0
    assert Pace().limits() == LIMITS


def test_a_fast_machine_keeps_the_usual_limits_and_starts_at_once():
    assert measured(0.05).limits() == LIMITS
    assert measured(0.05).held("v", 10_000) == 0


def test_a_machine_that_just_keeps_up_gets_segments_that_grow_slowly():
    first, second, third = measured(0.7).limits()
    assert first == LIMITS[0]
    assert first.soft < second.soft < LIMITS[1].soft
    assert second.soft < third.soft < LIMITS[2].soft


@given(st.floats(0.01, 0.85))
def test_each_segment_is_made_while_the_one_before_it_is_heard(rtf):
    limits = measured(rtf).limits()
    for before, after in pairwise(limits):
        assert after.soft * rtf <= before.soft
        assert after.soft <= after.space <= after.hard


@given(st.floats(1.0, 5.0), st.integers(1, 500))
def test_a_machine_that_cannot_keep_up_holds_just_enough_to_play_to_the_end(rtf, characters):
    pace = measured(rtf)
    whole = 0.2 * characters
    held = pace.held("v", characters)
    slow = rtf * MARGIN
    assert held == pytest.approx(whole - whole / slow)
    plays_until = whole
    made_by_then = held + plays_until / slow
    assert made_by_then == pytest.approx(whole)


def test_a_voice_of_its_own_speed_counts_for_itself():
    pace = measured(0.1)
    pace.note("slow", Measure(audio=2.0, busy=6.0, characters=10))
    assert pace.held("slow", 100) > 0
    assert pace.held("v", 100) == 0


def test_a_machine_that_gets_busy_is_noticed_within_a_few_segments():
    pace = measured(0.3, segments=50)
    for _ in range(4):
        pace.note("v", Measure(audio=2.0, busy=2.8, characters=10))
    assert pace.rtf > 0.95


def test_one_segment_that_waited_for_a_new_engine_does_not_change_how_the_next_begin():
    pace = measured(0.1, segments=10)
    pace.note("v", Measure(audio=2.0, busy=20.0, characters=10))
    assert pace.held("v", 1000) == 0
    assert pace.limits() == LIMITS
