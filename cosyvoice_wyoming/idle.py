"""Work for when nobody waits: loading languages, keeping common replies, changing the engine."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from typing import Generic, TypeAlias, TypeVar

T = TypeVar("T")

IdleWork: TypeAlias = Callable[[T], Iterator[float]]
"""What is done with what the worker loaded. Each `next` is one step; it yields how many times as
long as it took the worker rests before the next."""


class Idle(Generic[T]):
    """Pieces of work, done one after the other, step by step."""

    def __init__(self, works: Sequence[IdleWork[T]] = ()) -> None:
        self._works = deque(works)
        self._steps: Iterator[float] | None = None
        self._due_at = 0.0

    def add(self, work: IdleWork[T]) -> None:
        """Add work that is done before what waits here, after what is under way."""
        self._works.appendleft(work)

    def due_in(self, now: float) -> float | None:
        """Return the seconds until the next step, 0 if it may be done now; None without any."""
        if self._steps is None and not self._works:
            return None
        return max(0.0, self._due_at - now)

    def step(self, loaded: T) -> None:
        """Do the next step. Raises what the work raises, which is then over."""
        began = time.monotonic()
        steps, self._steps = self._steps, None
        if steps is None:
            steps = iter(self._works.popleft()(loaded))
        rest = next(steps, None)
        if rest is not None:
            self._steps = steps
            self._due_at = time.monotonic() + rest * (time.monotonic() - began)

    def drop(self) -> None:
        """Let go of the work that is under way."""
        self._steps = None
