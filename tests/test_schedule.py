from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cosyvoice_wyoming.schedule import (
    AHEAD_SECONDS,
    BACKLOG_SECONDS,
    Standing,
    next_look,
    next_turn,
)

NOW = 100.0


def playing(order: int, *, made: float, since: float, taken: float | None = None) -> Standing:
    """A request that made `made` seconds of audio, the first of it `since` seconds ago."""
    return Standing(
        order=order, made=made, taken=made if taken is None else taken, first_at=NOW - since
    )


def test_nobody_waits_so_nobody_is_chosen():
    assert next_turn([], NOW) is None


def test_a_request_that_has_said_nothing_overtakes_those_that_play():
    old, new = playing(0, made=1, since=5), Standing(order=7)
    assert next_turn([old, new], NOW) == new


def test_of_several_that_have_said_nothing_the_first_to_come_is_chosen():
    waiting = [Standing(order=3), Standing(order=1), Standing(order=2)]
    assert next_turn(waiting, NOW) == Standing(order=1)


def test_the_request_nearest_to_running_dry_is_chosen():
    far_ahead, nearly_dry = playing(0, made=30, since=5), playing(1, made=6, since=5)
    assert next_turn([far_ahead, nearly_dry], NOW) == nearly_dry


def test_a_client_that_does_not_take_its_audio_waits():
    stuck = playing(0, made=BACKLOG_SECONDS, since=60, taken=0)
    assert next_turn([stuck], NOW) is None
    ahead = playing(1, made=50, since=5)
    assert next_turn([stuck, ahead], NOW) == ahead


@given(st.lists(st.integers(1, 4), min_size=2, max_size=5))
def test_requests_share_an_engine_that_cannot_keep_up(steps_per_turn):
    """With real-time factor 1 or worse nobody runs away: all stay within one step of each other."""
    count, step = len(steps_per_turn), 0.5
    made = [step] * count
    for _ in range(200):
        standings = [playing(i, made=made[i], since=5) for i in range(count)]
        turn = next_turn(standings, NOW)
        assert turn is not None
        made[turn.order] += step
    assert max(made) - min(made) <= step


def far_ahead(step: float) -> Standing:
    return Standing(order=0, made=60, taken=60, first_at=NOW - 5, step_at=NOW - 1, step=step)


def test_a_request_that_is_far_ahead_lets_the_engine_rest():
    assert next_turn([far_ahead(0.5)], NOW) is None
    assert next_look([far_ahead(0.5)], NOW) == pytest.approx(0.5)
    assert next_turn([far_ahead(0.2)], NOW) == far_ahead(0.2)
    assert next_look([far_ahead(0.2)], NOW) is None


def test_the_last_segment_is_made_without_rest():
    last = replace(far_ahead(0.5), is_last=True)
    assert next_turn([last], NOW) == last
    assert next_look([last], NOW) is None


def test_a_request_that_is_needed_soon_never_rests():
    needed = Standing(order=0, made=6, taken=6, first_at=NOW - 5, step_at=NOW, step=9)
    assert next_turn([needed], NOW) == needed


@given(st.floats(0.01, 0.2), st.integers(2, 60))
def test_what_rests_is_still_made_faster_than_it_is_heard(rtf, pieces):
    """An engine of that real-time factor, resting, keeps its lead of AHEAD_SECONDS."""
    now = first_at = busy = 0.0
    made = 1.0
    for _ in range(pieces):
        standing = Standing(order=0, made=made, first_at=first_at, step_at=now, step=rtf)
        now = max(now, standing.rests_until(now)) + rtf
        made += 1.0
        busy += rtf  # added up as the clock is: their product differs in the last bit
        assert made - (now - first_at) >= min(made - busy, AHEAD_SECONDS - 1)


@given(st.integers(1, 63))
def test_a_running_request_waits_for_one_first_piece_of_each_newer_one_at_most(newer):
    running = playing(0, made=5, since=5)
    silent = [Standing(order=number) for number in range(1, newer + 1)]
    turns = 0
    while (turn := next_turn([running, *silent], NOW)) != running:
        assert turn is not None
        silent = [s if s != turn else playing(s.order, made=1, since=0) for s in silent]
        turns += 1
    assert turns == newer
