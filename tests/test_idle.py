from __future__ import annotations

from collections.abc import Iterator

import pytest

from cosyvoice_wyoming.idle import Idle


class Piece:
    """Work of several steps that rests as it is told after each."""

    def __init__(self, log: list[str], name: str, *rests: float) -> None:
        self.log = log
        self.name = name
        self.rests = rests

    def __call__(self, loaded: str) -> Iterator[float]:
        for rest in self.rests:
            self.log.append(f"{self.name} {loaded}")
            yield rest


def test_pieces_are_done_in_order_and_step_by_step():
    log: list[str] = []
    idle = Idle([Piece(log, "first", 0, 0), Piece(log, "second", 0)])
    while idle.due_in(1e12) is not None:
        idle.step("x")
    assert log == ["first x", "first x", "second x"]


def test_what_is_added_goes_before_what_waits():
    log: list[str] = []
    idle = Idle([Piece(log, "first", 0, 0), Piece(log, "second", 0)])
    idle.step("x")
    idle.add(Piece(log, "urgent", 0))
    while idle.due_in(1e12) is not None:
        idle.step("x")
    assert log == ["first x", "first x", "urgent x", "second x"]


def test_a_rest_is_waited_for():
    idle = Idle([Piece([], "long", 1e9, 0)])
    idle.step("x")
    wait = idle.due_in(0.0)
    assert wait is not None
    assert wait > 0
    assert idle.due_in(1e12) == 0


def test_work_that_fails_or_is_dropped_is_over():
    def fail(_: str) -> Iterator[float]:
        yield 1 / 0

    idle: Idle[str] = Idle([fail, Piece([], "next", 0, 0)])
    with pytest.raises(ZeroDivisionError):
        idle.step("x")
    idle.step("x")
    idle.drop()
    assert idle.due_in(0.0) is None
