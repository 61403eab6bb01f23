"""A request's way through the worker: work in, audio out, in order."""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Callable, Generator, Iterator
from typing import TYPE_CHECKING, Generic, Self, TypeAlias, TypeVar

from cosyvoice_wyoming.audio import Pcm
from cosyvoice_wyoming.errors import SpeechError
from cosyvoice_wyoming.schedule import Standing

if TYPE_CHECKING:
    from cosyvoice_wyoming.worker import Worker

T = TypeVar("T")

Work: TypeAlias = Callable[[T], Iterator[Pcm]]
"""What a lane does with what the worker loaded.

Each `next` is one step on the worker's thread; it may yield empty audio.
"""


class Lane(Generic[T]):
    """One request's place in the worker. Made by `Worker.open`; used from the event loop."""

    def __init__(self, worker: Worker[T], order: int) -> None:
        self._worker = worker
        self._order = order
        self._arrived: asyncio.Queue[Pcm | SpeechError | None] = asyncio.Queue()
        self._works: deque[Work[T]] = deque()
        self._steps: Iterator[Pcm] | None = None
        self._finished = False
        self._made = self._taken = 0.0
        self._first_at: float | None = None
        self.busy_seconds = 0.0
        """Time that the worker's thread has spent on this lane."""

    def put(self, work: Work[T]) -> None:
        """Add work to be run after what is already there."""
        with self._worker.changed:
            self._works.append(work)
            self._worker.changed.notify()

    def finish(self) -> None:
        """Say that no more work comes; the audio ends after the last."""
        with self._worker.changed:
            self._finished = True
            self._worker.changed.notify()

    def fail(self, error: SpeechError) -> None:
        """Give the lane up and end its audio with an error."""
        self.close()
        self._arrived.put_nowait(error)

    def close(self) -> None:
        """Give the lane up: its work is dropped, within one step if it is running."""
        self._worker.leave(self)

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> Pcm:
        """Return the next audio of the lane's work. Raises the SpeechError that ended it."""
        item = await self._arrived.get()
        if item is None:
            raise StopAsyncIteration
        if isinstance(item, SpeechError):
            raise item
        with self._worker.changed:
            self._taken += item.seconds
            self._worker.changed.notify()
        return item

    # The rest is the worker's side.

    def arrive(self, item: Pcm | SpeechError | None) -> None:
        """Hand the reader audio, the error that ends it, or None at the end. On the event loop."""
        self._arrived.put_nowait(item)

    @property
    def begun(self) -> bool:
        """Whether work is under way."""
        return self._steps is not None

    def standing(self) -> Standing | None:
        """Return how far the lane is; None while there is nothing to do in it."""
        if self._steps is None and not self._works and not self._finished:
            return None
        return Standing(
            order=self._order, made=self._made, taken=self._taken, first_at=self._first_at
        )

    def current(self, loaded: T) -> Iterator[Pcm] | None:
        """Return the work that is under way, or else the next; None when all is done."""
        if self._steps is None:
            with self._worker.changed:
                work = self._works.popleft() if self._works else None
            self._steps = work(loaded) if work else None
        return self._steps

    def record(self, pcm: Pcm | None) -> None:
        """Note what a step made: None if its work is done."""
        if pcm is None:
            self._steps = None
            return
        with self._worker.changed:
            self._made += pcm.seconds
            if self._first_at is None and pcm.data:
                self._first_at = time.monotonic()

    def drop(self) -> None:
        """Let go of the work, so that its generators clean up on the thread that ran them."""
        self._works.clear()
        steps, self._steps = self._steps, None
        if isinstance(steps, Generator):
            steps.close()
