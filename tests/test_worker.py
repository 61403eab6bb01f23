from __future__ import annotations

import asyncio
import contextlib
import threading
import time
from collections.abc import Iterator

import pytest

from cosyvoice_wyoming import worker as worker_module
from cosyvoice_wyoming.audio import Pcm, silence
from cosyvoice_wyoming.errors import (
    EngineFailed,
    EngineLost,
    ModelMissing,
    ServerBusy,
    ShuttingDown,
    SpeechError,
)
from cosyvoice_wyoming.lane import Lane
from cosyvoice_wyoming.schedule import BACKLOG_SECONDS
from cosyvoice_wyoming.worker import Worker
from tests.support.serving import until

RATE = 1000


@contextlib.asynccontextmanager
async def working(load=lambda: "loaded", **options):
    worker = Worker(load, **options)
    worker.start()
    try:
        yield worker
    finally:
        await worker.close()


class Steps:
    """Work of several steps, which are done one by one when the test lets them."""

    def __init__(self, seconds: list[float], *, gated: bool = False) -> None:
        self.seconds = seconds
        self.done = 0
        self.closed_on = ""
        self.gate = threading.Semaphore(0 if gated else 1_000_000)

    def __call__(self, _: object) -> Iterator[Pcm]:
        try:
            for seconds in self.seconds:
                self.gate.acquire()
                self.done += 1
                yield silence(seconds, RATE)
        finally:
            self.closed_on = threading.current_thread().name


def opened(worker: Worker[str], *works) -> Lane[str]:
    lane = worker.open()
    for work in works:
        lane.put(work)
    lane.finish()
    return lane


def is_last(lane: Lane[str]) -> bool:
    standing = lane.standing()
    return standing is not None and standing.is_last


async def seconds_of(lane: Lane[str]) -> list[float]:
    return [pcm.seconds async for pcm in lane]


async def test_work_is_done_in_order_and_audio_ends_with_it():
    async with working() as worker:
        lane = opened(worker, Steps([0.1, 0.2]), Steps([]), Steps([0.3]))
        assert await seconds_of(lane) == [0.1, 0.2, 0.3]


async def test_a_lane_without_work_ends_at_once():
    async with working() as worker:
        assert await seconds_of(opened(worker)) == []


async def test_empty_audio_is_a_step_that_nobody_hears():
    async with working() as worker:
        assert await seconds_of(opened(worker, Steps([0.0, 0.1, 0.0]))) == [0.1]


async def test_a_lane_knows_whether_it_is_alone():
    async with working() as worker:
        first = worker.open()
        assert first.is_alone()
        second = worker.open()
        assert not first.is_alone()
        second.close()
        assert first.is_alone()


async def test_a_lane_knows_that_its_last_segment_is_being_made():
    async with working() as worker:
        first, last = Steps([1.0], gated=True), Steps([1.0], gated=True)
        lane = opened(worker, first, last, Steps([]))
        await until(lambda: lane.begun)
        assert not is_last(lane)
        first.gate.release()
        await until(lambda: is_last(lane))
        last.gate.release()
        assert await seconds_of(lane) == [1.0, 1.0]


async def test_work_runs_with_what_was_loaded_on_the_threads_own():
    seen = []

    def work(loaded: str) -> Iterator[Pcm]:
        seen.append((loaded, threading.current_thread().name))
        yield silence(0.1, RATE)

    async with working() as worker:
        await seconds_of(opened(worker, work))
    assert seen == [("loaded", "engine")]


async def test_a_new_request_overtakes_between_two_steps():
    async with working() as worker:
        long = Steps([1.0] * 8, gated=True)
        first = opened(worker, long)
        long.gate.release(2)
        await until(lambda: long.done == 2)
        second = opened(worker, Steps([1.0]))
        long.gate.release(1)
        assert await seconds_of(second) == [1.0]
        assert long.done <= 4
        long.gate.release(10)
        assert len(await seconds_of(first)) == 8


async def test_a_client_that_takes_nothing_stops_only_its_own_work():
    async with working() as worker:
        endless = Steps([1.0] * 1000)
        lane = opened(worker, endless)
        await until(lambda: endless.done >= BACKLOG_SECONDS)
        assert await seconds_of(opened(worker, Steps([1.0] * 30))) == [1.0] * 30
        assert endless.done == BACKLOG_SECONDS
        audio = aiter(lane)
        for _ in range(5):
            await anext(audio)
        await until(lambda: endless.done == BACKLOG_SECONDS + 5)


async def test_a_closed_lane_is_left_within_one_step_and_cleans_up_on_the_thread():
    async with working() as worker:
        work = Steps([1.0] * 100, gated=True)
        lane = opened(worker, work)
        work.gate.release(1)
        await until(lambda: work.done == 1)
        lane.close()
        work.gate.release(100)
        await until(lambda: work.closed_on)
        assert work.done <= 2
        assert work.closed_on == "engine"


@pytest.mark.parametrize("error", [EngineFailed("no"), ZeroDivisionError("secret"), MemoryError()])
async def test_a_failing_request_fails_alone(error):
    def fail(_: object) -> Iterator[Pcm]:
        yield silence(0.5, RATE)
        raise error

    async with working() as worker:
        lane = opened(worker, fail, Steps([1.0]))
        other = opened(worker, Steps([1.0]))
        assert (await anext(lane)).seconds == 0.5
        with pytest.raises(EngineFailed) as caught:
            await anext(lane)
        assert "secret" not in str(caught.value)
        assert await seconds_of(other) == [1.0]


async def test_requests_wait_for_loading():
    may_load = threading.Event()
    async with working(may_load.wait) as worker:
        lane = opened(worker, Steps([1.0]))
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(anext(aiter(lane)), 0.05)
        other = opened(worker, Steps([1.0]))
        may_load.set()
        assert await seconds_of(other) == [1.0]


async def test_a_model_that_cannot_be_loaded_fails_requests_and_is_tried_again(monkeypatch, caplog):
    monkeypatch.setattr(worker_module, "RETRY_SECONDS", (0.2, 0.05))
    attempts: list[SpeechError | None] = [ModelMissing("no model"), ModelMissing("no model"), None]
    failed = threading.Event()

    def load() -> str:
        if error := attempts.pop(0):
            failed.set()
            raise error
        return "loaded"

    async with working(load) as worker:
        with pytest.raises(ModelMissing, match="no model"):
            await seconds_of(opened(worker, Steps([1.0])))
        await asyncio.to_thread(failed.wait)
        with pytest.raises(ModelMissing, match="no model"):
            worker.open()
        await until(lambda: not attempts)
        await asyncio.sleep(0.05)
        assert await seconds_of(opened(worker, Steps([1.0]))) == [1.0]
    assert [record.getMessage() for record in caplog.records] == ["no model"]


async def test_what_was_loaded_is_unloaded_on_the_thread_at_the_end():
    unloaded = []

    def unload(loaded: str) -> None:
        unloaded.append((loaded, threading.current_thread().name))

    async with working(unload=unload) as worker:
        await seconds_of(opened(worker, Steps([1.0])))
        assert not unloaded
    assert unloaded == [("loaded", "engine")]


async def test_too_many_requests_are_refused():
    async with working(max_lanes=2) as worker:
        lanes = [worker.open(), worker.open()]
        with pytest.raises(ServerBusy):
            worker.open()
        lanes[0].close()
        worker.open()


async def test_closing_ends_every_lane_with_an_error():
    async with working() as worker:
        work = Steps([1.0] * 100, gated=True)
        lane = opened(worker, work)
        waiting = worker.open()
        work.gate.release(1)
        await until(lambda: work.done == 1)
        closing = asyncio.create_task(worker.close())
        await asyncio.sleep(0.01)
        work.gate.release(100)
        await closing
        for ended in (lane, waiting):
            with pytest.raises(ShuttingDown):
                await seconds_of(ended)
        with pytest.raises(ShuttingDown):
            worker.open()


async def test_warming_up_waits_for_requests_and_its_failure_hurts_nobody():
    done = []
    may_load = threading.Event()

    def warm(loaded: object) -> Iterator[float]:
        done.append("warm-up")
        yield 1 / 0

    def work(_: object) -> Iterator[Pcm]:
        done.append("request")
        yield silence(1.0, RATE)

    async with working(may_load.wait, warm_up=[warm, warm]) as worker:
        lane = opened(worker, work)
        may_load.set()
        await seconds_of(lane)
        await until(lambda: len(done) == 3)
        assert done == ["request", "warm-up", "warm-up"]
        assert await seconds_of(opened(worker, work)) == [1.0]


async def test_a_request_waits_for_one_step_of_warming_up():
    gate, done = threading.Semaphore(0), []

    def warm(_: object) -> Iterator[float]:
        for number in range(100):
            gate.acquire()
            done.append(number)
            yield 0.0

    async with working(warm_up=[warm]) as worker:
        gate.release(2)
        await until(lambda: len(done) == 2)
        lane = opened(worker, Steps([1.0]))
        gate.release(1)
        assert await seconds_of(lane) == [1.0]
        assert len(done) <= 3
        gate.release(100)
        await until(lambda: len(done) == 100)


async def test_warming_up_rests_as_long_as_it_says_and_a_request_does_not_wait_for_that():
    done = []

    def warm(_: object) -> Iterator[float]:
        for number in range(2):
            done.append(number)
            time.sleep(0.01)
            yield 1e6

    async with working(warm_up=[warm]) as worker:
        await until(lambda: done)
        assert await seconds_of(opened(worker, Steps([1.0]))) == [1.0]
        assert done == [0]


async def test_a_lost_engine_is_loaded_anew_and_only_what_it_had_begun_fails():
    loads: list[int] = []
    unloads: list[str] = []

    def load() -> str:
        loads.append(len(loads))
        return f"engine {len(loads)}"

    def lose(_: object) -> Iterator[Pcm]:
        yield silence(0.5, RATE)
        raise EngineLost("it broke 3 times")

    def name(loaded: str) -> Iterator[Pcm]:
        yield silence(1.0 if loaded == "engine 2" else 0.5, RATE)

    async with working(load, unload=unloads.append) as worker:
        begun = Steps([1.0] * 2, gated=True)
        losing, other = opened(worker, lose), opened(worker, begun)
        waiting = worker.open()
        assert (await anext(losing)).seconds == 0.5
        begun.gate.release(1)
        for lane in (losing, other):
            with pytest.raises(EngineLost, match="3 times"):
                await seconds_of(lane)
        waiting.put(name)
        waiting.finish()
        assert await seconds_of(waiting) == [1.0]
        assert unloads == ["engine 1"]
