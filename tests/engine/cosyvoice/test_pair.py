"""Two calls at once."""

from __future__ import annotations

import threading

import pytest

from cosyvoice_wyoming.engine.cosyvoice.pair import Pair


@pytest.mark.parametrize("cores", [1, 2])
def test_each_call_s_result_is_in_its_place(cores):
    assert Pair(cores).run(lambda: "one", lambda: 2) == ("one", 2)


def test_both_run_at_once_where_there_are_cores():
    meeting = threading.Barrier(2, timeout=10)
    first, second = Pair(2).run(meeting.wait, meeting.wait)
    assert {first, second} == {0, 1}


def fail():
    raise ValueError("no")


@pytest.mark.parametrize("cores", [1, 2])
@pytest.mark.parametrize("calls", [(fail, lambda: 1), (lambda: 1, fail), (fail, fail)])
def test_a_failure_of_either_is_raised(cores, calls):
    with pytest.raises(ValueError, match="no"):
        Pair(cores).run(*calls)


def test_a_failure_waits_for_the_other_call():
    done = threading.Event()

    def slow():
        threading.Event().wait(0.05)
        done.set()

    with pytest.raises(ValueError, match="no"):
        Pair(2).run(fail, slow)
    assert done.is_set()
