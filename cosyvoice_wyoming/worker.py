"""The one thread that runs the engine, and the lanes through which requests reach it.

A request opens a lane and puts work into it: generators of audio, run one after the other. Between
any two steps of a generator the thread turns to the lane that needs it most (schedule.py), so a new
request waits for one engine step and not for a paragraph, and a closed lane is left within one.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import logging
import threading
import time
from collections.abc import Callable, Sequence
from typing import Generic, TypeVar

from cosyvoice_wyoming.errors import EngineFailed, EngineLost, ServerBusy, ShuttingDown, SpeechError
from cosyvoice_wyoming.idle import Idle, IdleWork
from cosyvoice_wyoming.lane import Lane
from cosyvoice_wyoming.logs import log_failure
from cosyvoice_wyoming.schedule import next_look, next_turn

_LOGGER = logging.getLogger(__name__)

T = TypeVar("T")

MAX_LANES = 64
"""Requests in the worker at once; a household has a few rooms, so more is a client gone wrong."""

RETRY_SECONDS = (30.0, 60.0, 120.0, 300.0)
"""Waits between attempts to load: a boot without network heals, a broken file costs little."""

STOP_SECONDS = 1.0
"""How long `close` waits for a step to end."""


class Worker(Generic[T]):
    """Loads something with `load` on a thread of its own and runs the lanes' work on it there.

    Lanes may be opened before loading ends and wait for it; if it fails they get the error and
    loading is tried again later. `on_loaded` is called on the event loop; `warm_up` is done on the
    thread, step by step whenever no lane waits, and `unload` when the thread ends.
    """

    def __init__(
        self,
        load: Callable[[], T],
        *,
        unload: Callable[[T], object] | None = None,
        on_loaded: Callable[[T], object] | None = None,
        warm_up: Sequence[IdleWork[T]] = (),
        max_lanes: int = MAX_LANES,
    ) -> None:
        self.changed = threading.Condition()
        """Guards the lanes; notified when there may be something to run."""
        self.loaded: T | None = None
        """What was loaded last; None before. Others than the thread only look at it."""
        self._load = load
        self._unload = unload
        self._on_loaded = on_loaded
        self._idle = Idle(warm_up)
        self._max_lanes = max_lanes
        self._orders = itertools.count()
        self._lanes: list[Lane[T]] = []
        self._left: list[Lane[T]] = []
        self._failure: SpeechError | None = None
        self._stopping = False
        self._reload = False
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread = threading.Thread(target=self._run, name="engine", daemon=True)

    @property
    def running(self) -> bool:
        """Whether the thread lives; after `close`, that a step did not end in time."""
        return self._thread.is_alive()

    @property
    def failure(self) -> SpeechError | None:
        """Why the last attempt to load failed; None before, and once it has succeeded."""
        return self._failure

    @property
    def lanes(self) -> int:
        """How many requests are in the worker."""
        return len(self._lanes)

    def start(self) -> None:
        """Start the thread. Call it on the event loop that reads the lanes."""
        self._loop = asyncio.get_running_loop()
        self._thread.start()

    async def close(self) -> None:
        """End every lane with ShuttingDown, and the thread after its current step."""
        with self.changed:
            self._stopping = True
            self.changed.notify()
        self._end_all(_shutting_down())
        await asyncio.to_thread(self._thread.join, STOP_SECONDS)

    def reload(self) -> None:
        """Unload and load again as soon as no lane is open."""
        with self.changed:
            self._reload = True
            self.changed.notify()

    def when_idle(self, work: IdleWork[T]) -> None:
        """Have work done while no lane waits."""
        with self.changed:
            self._idle.add(work)
            self.changed.notify()

    def open(self) -> Lane[T]:
        """Return a lane for one request.

        Raises ServerBusy, ShuttingDown, or what loading failed with.
        """
        with self.changed:
            if self._stopping:
                raise _shutting_down()
            if self._failure:
                raise _again(self._failure)
            if len(self._lanes) >= self._max_lanes:
                raise ServerBusy(f"{self._max_lanes} requests are waiting already: try again later")
            lane = Lane(self, next(self._orders))
            self._lanes.append(lane)
            return lane

    def leave(self, lane: Lane[T]) -> None:
        """Take a lane out; the thread drops its work when it next looks."""
        with self.changed:
            if lane in self._lanes:
                self._lanes.remove(lane)
                self._left.append(lane)
                self.changed.notify()

    def is_alone(self, lane: Lane[T]) -> bool:
        """Whether no other request is here."""
        with self.changed:
            return self._lanes == [lane]

    # The rest runs on the thread.

    def _run(self) -> None:
        try:
            while True:
                self.loaded = loaded = self._load_patiently()
                if self._on_loaded:
                    self._tell(self._on_loaded, loaded)
                with contextlib.suppress(EngineLost):
                    self._work_until_stopped(loaded)
        except _StoppedError:
            pass
        except BaseException:
            self._give_up(EngineFailed("the engine's thread ended: restart the server"))
            raise

    def _work_until_stopped(self, loaded: T) -> None:
        try:
            while True:
                self._step(self._next_lane(loaded), loaded)
        finally:
            if self._unload:
                self._unload(loaded)

    def _load_patiently(self) -> T:
        for wait in itertools.chain(RETRY_SECONDS, itertools.repeat(RETRY_SECONDS[-1])):
            try:
                loaded = self._load()
            except SpeechError as error:
                failure = error
            except Exception as error:
                _LOGGER.debug("loading failed", exc_info=True)
                failure = EngineFailed(f"the model cannot be loaded: {error!r}")
            else:
                with self.changed:
                    self._failure = None
                return loaded
            self._give_up(failure)
            with self.changed:
                if self.changed.wait_for(lambda: self._stopping, wait):
                    break
        raise _StoppedError

    def _give_up(self, failure: SpeechError) -> None:
        """Fail all requests, now and until loading succeeds."""
        with self.changed:
            is_news = str(failure) != str(self._failure)
            self._failure = failure
        if is_news:
            _LOGGER.error("%s", failure)
        self._end_all(failure)

    def _next_lane(self, loaded: T) -> Lane[T]:
        """Wait for the lane whose turn it is; meanwhile clean up and warm up."""
        while True:
            with self.changed:
                if self._stopping:
                    raise _StoppedError
                if self._reload and not self._lanes:
                    self._reload = False
                    raise EngineLost("another engine is loaded")
                self._end_overdue()
                left, self._left = self._left, []
                now = time.monotonic()
                lane = None if left else self._choose(now)
                idle_in = None if left or lane else self._idle.due_in(now)
                if not (left or lane or idle_in == 0):
                    self.changed.wait(self._wait_seconds(now, idle_in))
            for gone in left:
                gone.drop()
            if lane:
                return lane
            if idle_in == 0:
                self._do_idle_step(loaded)

    def _do_idle_step(self, loaded: T) -> None:
        try:
            self._idle.step(loaded)
        except EngineLost as error:
            self._end_begun(error)
            raise
        except Exception as error:  # noqa: BLE001  # the request that needs it will say so
            log_failure(_LOGGER, error)

    def _end_overdue(self) -> None:
        now = time.monotonic()
        for lane in [lane for lane in self._lanes if lane.is_overdue(now)]:
            self._end(lane, ServerBusy("this machine cannot keep up: try again later"))

    def _wait_seconds(self, now: float, idle_in: float | None) -> float | None:
        """Return how long nothing is to be done; `now` is when that was found out."""
        rest = next_look([s for lane in self._lanes if (s := lane.standing())], now)
        return min([wait for wait in (rest, idle_in) if wait is not None], default=None)

    def _choose(self, now: float) -> Lane[T] | None:
        lanes = {standing: lane for lane in self._lanes if (standing := lane.standing())}
        turn = next_turn(lanes, now)
        return lanes[turn] if turn else None

    def _step(self, lane: Lane[T], loaded: T) -> None:
        began = time.perf_counter()
        try:
            steps = lane.current(loaded)
            asked_at = lane.asked_at or 0.0
            pcm = None if steps is None else next(steps, None)
        except EngineLost as error:
            self._end_begun(error)
            raise
        except SpeechError as error:
            self._end(lane, error)
        except Exception as error:  # noqa: BLE001  # engines fail in ways of their own
            log_failure(_LOGGER, error)
            self._end(lane, EngineFailed(f"the engine failed ({type(error).__name__})"))
        else:
            lane.record(pcm, time.perf_counter() - began)
            if pcm and pcm.data:
                self._tell(lane.arrive, pcm, time.monotonic(), asked_at)
            elif steps is None:
                self._end(lane, None)

    def _end(self, lane: Lane[T], item: SpeechError | None) -> None:
        self.leave(lane)
        self._tell(lane.end, item)

    def _end_begun(self, error: SpeechError) -> None:
        """End the lanes with work under way: it hangs on an engine that is lost."""
        self._idle.drop()
        with self.changed:
            begun = [lane for lane in self._lanes if lane.begun]
        for lane in begun:
            self._end(lane, _again(error))
            lane.drop()

    def _end_all(self, error: SpeechError) -> None:
        with self.changed:
            lanes = list(self._lanes)
        for lane in lanes:
            self._end(lane, _again(error))

    def _tell(self, callback: Callable[..., object], *args: object) -> None:
        """Call something on the event loop, unless it is gone."""
        if self._loop:
            with contextlib.suppress(RuntimeError):
                self._loop.call_soon_threadsafe(callback, *args)


class _StoppedError(Exception):
    """The worker was told to stop."""


def _shutting_down() -> ShuttingDown:
    return ShuttingDown("the server is shutting down: try again in a moment")


def _again(error: SpeechError) -> SpeechError:
    """Return an error to be raised anew: one object in several requests would mix tracebacks."""
    return type(error)(str(error))
