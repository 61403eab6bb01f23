"""A request's way through the worker: work in, audio out, in order."""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, Self, TypeAlias, TypeVar

from cosyvoice_wyoming.audio import Pcm
from cosyvoice_wyoming.errors import SpeechError
from cosyvoice_wyoming.playback import Delivery, Playback
from cosyvoice_wyoming.schedule import Standing

if TYPE_CHECKING:
    from cosyvoice_wyoming.worker import Worker

T = TypeVar("T")

Work: TypeAlias = Callable[[T], Iterator[Pcm]]
"""What a lane does with what the worker loaded.

Each `next` is one step on the worker's thread; it may yield empty audio.
"""


_LAST_AND_END = 2
"""Works that are left of a finished lane with its last segment: that, and what ends the audio."""

DEADLINE_SECONDS = 120.0
"""A request that has said nothing after so long ends in an error: nobody waits for it any more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Made:
    pcm: Pcm
    made_at: float
    asked_at: float


@dataclass(frozen=True, slots=True, kw_only=True)
class _End:
    error: SpeechError | None


class Lane(Generic[T]):
    """One request's place in the worker. Made by `Worker.open`; used from the event loop."""

    def __init__(self, worker: Worker[T], order: int) -> None:
        self._worker = worker
        self._order = order
        self._arrived: asyncio.Queue[_Made | _End] = asyncio.Queue()
        self._next: _Made | _End | None = None
        self._works: deque[tuple[Work[T], float]] = deque()
        """What is to be done, and when it was put here."""
        self._asked_at = 0.0
        self._steps: Iterator[Pcm] | None = None
        self._finished = False
        self._made = self._taken = 0.0
        self._first_at: float | None = None
        self._step_at = self._step = 0.0
        self.busy_seconds = 0.0
        """Time that the worker's thread has spent on this lane."""
        self.on_drop: Callable[[], None] | None = None
        """Called on the worker's thread when the lane has left and its work is dropped."""
        self.playback = Playback()
        """What a player hears that takes the audio as soon as it is made."""

    def put(self, work: Work[T]) -> None:
        """Add work to be run after what is already there."""
        with self._worker.changed:
            self._works.append((work, time.monotonic()))
            self._worker.changed.notify()

    def finish(self) -> None:
        """Say that no more work comes; the audio ends after the last."""
        with self._worker.changed:
            self._finished = True
            self._worker.changed.notify()

    def fail(self, error: SpeechError) -> None:
        """Give the lane up and end its audio with an error."""
        self.close()
        self.end(error)

    def is_alone(self) -> bool:
        """Whether the worker has no other request."""
        return self._worker.is_alone(self)

    def close(self) -> None:
        """Give the lane up: its work is dropped, within one step if it is running."""
        self._worker.leave(self)

    def __aiter__(self) -> Self:
        return self

    async def more(self) -> None:
        """Wait until the next audio, or the end, can be had at once."""
        if self._next is None:
            self._next = await self._arrived.get()

    async def __anext__(self) -> Pcm:
        """Return the next audio of the lane's work. Raises the SpeechError that ended it."""
        await self.more()
        if isinstance(self._next, _End):  # and so it stays
            raise self._next.error or StopAsyncIteration
        item, self._next = self._next, None
        assert item  # noqa: S101  # more() says so
        pcm = item.pcm
        self.playback.deliver(
            Delivery(seconds=pcm.seconds, made_at=item.made_at, asked_at=item.asked_at)
        )
        with self._worker.changed:
            self._taken += pcm.seconds
            self._worker.changed.notify()
        return pcm

    # The rest is the worker's side.

    def arrive(self, pcm: Pcm, made_at: float, asked_at: float) -> None:
        """Hand the reader audio. On the event loop."""
        self._arrived.put_nowait(_Made(pcm=pcm, made_at=made_at, asked_at=asked_at))

    def end(self, error: SpeechError | None) -> None:
        """Tell the reader that no more audio comes, and why. On the event loop."""
        self._arrived.put_nowait(_End(error=error))

    @property
    def asked_at(self) -> float | None:
        """When the work that is under way, or else the next, was put here."""
        if self._steps is not None:
            return self._asked_at
        return self._works[0][1] if self._works else None

    def is_overdue(self, now: float) -> bool:
        """Whether the first audio has not come for too long."""
        asked_at = self.asked_at
        return self._first_at is None and asked_at is not None and now - asked_at > DEADLINE_SECONDS

    @property
    def begun(self) -> bool:
        """Whether work is under way."""
        return self._steps is not None

    def standing(self) -> Standing | None:
        """Return how far the lane is; None while there is nothing to do in it."""
        if self._steps is None and not self._works and not self._finished:
            return None
        return Standing(
            order=self._order,
            made=self._made,
            taken=self._taken,
            first_at=self._first_at,
            step_at=self._step_at,
            step=self._step,
            is_last=self._finished and len(self._works) + self.begun <= _LAST_AND_END,
        )

    def current(self, loaded: T) -> Iterator[Pcm] | None:
        """Return the work that is under way, or else the next; None when all is done."""
        if self._steps is None:
            with self._worker.changed:
                if not self._works:
                    return None
                work, self._asked_at = self._works.popleft()
            self._steps = work(loaded)
        return self._steps

    def record(self, pcm: Pcm | None, seconds: float) -> None:
        """Note what a step made, None if its work is done, and how long it took."""
        self.busy_seconds += seconds
        self._step_at, self._step = time.monotonic(), seconds
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
        if self.on_drop:
            self.on_drop()
