from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from cosyvoice_wyoming.schedule import BACKLOG_SECONDS, Standing, next_turn

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
