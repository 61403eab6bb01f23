from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cosyvoice_wyoming.ladder import (
    CALM,
    DOWN_SECONDS,
    TROUBLE,
    UP_SECONDS,
    Ladder,
    Readings,
    Rung,
)

WELL = Readings(temperature=50, rtf=0.2, free=1 << 30)
HOT = Readings(temperature=85, rtf=0.2, free=1 << 30)
WARM = Readings(temperature=76, rtf=0.2, free=1 << 30)


def stood(readings: Readings, seconds: float, ladder: Ladder, at: float = 0.0) -> Rung:
    for second in range(int(seconds) + 1):
        ladder.step(readings, at + second)
    return ladder.rung


@pytest.mark.parametrize(
    "trouble",
    [
        HOT,
        Readings(temperature=50, rtf=1.4, free=1 << 30),
        Readings(temperature=50, rtf=0.2, free=50 << 20),
    ],
)
def test_trouble_that_lasts_is_a_rung_down_and_only_one_at_a_time(trouble):
    ladder = Ladder()
    assert stood(trouble, DOWN_SECONDS - 1, ladder) == Rung.FULL
    assert stood(trouble, 1, ladder, DOWN_SECONDS) == Rung.FEWER_THREADS
    assert stood(trouble, DOWN_SECONDS - 3, ladder, DOWN_SECONDS + 2) == Rung.FEWER_THREADS


def test_trouble_without_end_stops_at_the_last_rung():
    assert stood(HOT, 10 * DOWN_SECONDS, Ladder()) == Rung.LOW_RATE


def test_a_moment_of_trouble_changes_nothing():
    ladder = Ladder()
    for round_ in range(20):
        stood(HOT, DOWN_SECONDS - 2, ladder, 100 * round_)
        stood(WARM, 1, ladder, 100 * round_ + 50)
    assert ladder.rung == Rung.FULL


def test_between_the_thresholds_nothing_moves():
    ladder = Ladder()
    stood(HOT, DOWN_SECONDS, ladder)
    assert stood(WARM, 100 * UP_SECONDS, ladder, 100) == Rung.FEWER_THREADS


def test_calm_that_lasts_leads_all_the_way_up():
    ladder = Ladder()
    stood(HOT, 10 * DOWN_SECONDS, ladder)
    assert stood(WELL, UP_SECONDS, ladder, 1000) == Rung.SMALL_MODEL
    assert stood(WELL, 4 * UP_SECONDS, ladder, 2000) == Rung.FULL


@given(
    st.lists(
        st.builds(
            Readings,
            temperature=st.floats(20, 100),
            rtf=st.floats(0, 3),
            free=st.integers(0, 1 << 31),
        )
    )
)
def test_the_rung_moves_by_one_and_never_in_the_wrong_direction(readings):
    ladder, rung = Ladder(), Rung.FULL
    for number, reading in enumerate(readings):
        found = ladder.step(reading, 20.0 * number)
        assert abs(found - rung) <= 1
        if found > rung:
            assert reading.temperature >= TROUBLE.temperature or (
                reading.rtf >= TROUBLE.rtf or reading.free <= TROUBLE.free
            )
        if found < rung:
            assert reading.temperature <= CALM.temperature
        rung = found
