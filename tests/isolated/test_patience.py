from __future__ import annotations

from cosyvoice_wyoming.isolated.patience import Patience, Restarts, Watch

PATIENCE = Patience(still=10, whole=60)


def verdict_at(seconds: int, share: float) -> str | None:
    """What is said of a step that takes that long on that share of a core."""
    watch = Watch(PATIENCE, now=100, cpu=5)
    for second in range(1, seconds):
        if found := watch.verdict(now=100 + second, cpu=5 + share * second):
            return found
    return None


def test_a_step_that_works_may_take_its_time():
    assert verdict_at(59, 1.0) is None


def test_a_step_that_gets_a_twentieth_of_a_core_still_works():
    assert verdict_at(59, 0.05) is None


def test_a_step_that_does_nothing_is_hung():
    assert verdict_at(10, 0.0) is None
    assert verdict_at(12, 0.0) == "has done nothing for 10 s"


def test_a_step_that_never_ends_has_run_away():
    assert verdict_at(100, 1.0) == "has worked at one step for 60 s"


def test_work_that_stops_in_the_middle_is_hung():
    watch = Watch(PATIENCE, now=0, cpu=0)
    assert watch.verdict(now=30, cpu=30) is None
    assert watch.verdict(now=39, cpu=30) is None
    assert watch.verdict(now=40, cpu=30) == "has done nothing for 10 s"


def test_an_engine_may_break_now_and_then_but_not_again_and_again():
    restarts = Restarts(most=3, seconds=600)
    assert all(restarts.allow(at) for at in (0, 250, 500, 750, 1000, 1250))
    assert [restarts.allow(at) for at in (3000, 3001, 3002, 3003)] == [True, True, True, False]
