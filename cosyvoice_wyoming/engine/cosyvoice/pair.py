"""Two calls at once."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

First = TypeVar("First")
Second = TypeVar("Second")


class Pair:
    """Runs the second of two calls on a thread of its own, if there are `cores` for both."""

    def __init__(self, cores: int) -> None:
        self._pool = ThreadPoolExecutor(1, thread_name_prefix="pair") if cores > 1 else None

    def run(self, first: Callable[[], First], second: Callable[[], Second]) -> tuple[First, Second]:
        """Return both results. Raises what either raises."""
        if self._pool is None:
            return first(), second()
        beside = self._pool.submit(second)
        try:
            ahead = first()
        finally:
            beside.exception()  # waits: nobody may find the graph still at work
        return ahead, beside.result()
