"""The scenarios of `reliability.py`: each strains a server process and returns figures."""

from __future__ import annotations

import asyncio
import contextlib
import os
import random
import signal
import statistics
import time
from pathlib import Path

from observe import (
    EMPTY_PORT,
    LONG,
    OBSERVE,
    PARAGRAPH,
    TEXTS,
    Figure,
    Plan,
    ask_nothing,
    child,
    cpu_seconds,
    drained,
    end,
    first,
    handles,
    p95,
    percentiles,
    read_slowly,
    ready,
    run_python,
    stats,
    unique,
    wait_for_end,
)

from cosyvoice_wyoming.commands.bench.client import request
from cosyvoice_wyoming.errors import SpeechError
from cosyvoice_wyoming.health import ask
from cosyvoice_wyoming.text.language import Language


async def isolation_costs(_: Plan) -> list[Figure]:
    """Measure what the engine's own process costs: to start, in memory, at each step."""
    from cosyvoice_wyoming.engine.tone import ToneEngine
    from cosyvoice_wyoming.isolated.engine import IsolatedEngine
    from cosyvoice_wyoming.machine import resident_bytes
    from cosyvoice_wyoming.text.spoken import Span, Spoken

    words = "今天天气很好" * 50
    spans = (Span(text=words, language=Language.ZH),)
    spoken = Spoken(text=words, language=Language.ZH, spans=spans)

    def median_step(engine: IsolatedEngine | ToneEngine) -> float:
        steps = engine.speaker(engine.voices[0], speed=1.0).speak(spoken)
        times: list[float] = []
        while True:
            began = time.perf_counter()
            if next(steps, None) is None:
                return statistics.median(times)
            times.append(time.perf_counter() - began)

    began = time.perf_counter()
    engine = IsolatedEngine("tone", Path())
    started = time.perf_counter() - began
    added = median_step(engine) - median_step(ToneEngine())
    memory = resident_bytes(engine.pid)
    engine.close()
    return [
        Figure(name="engine process: start without a model", value=started, unit="s"),
        Figure(name="engine process: memory without a model", value=memory / 1e6, unit="MB"),
        Figure(name="engine process: added to a step of 0.25 s", value=added * 1e3, unit="ms"),
    ]


async def phrases_come_at_once(plan: Plan) -> list[Figure]:
    """First audio of a phrase that is kept, and of one that is not, with and without a cache."""
    async with ready(plan, "--cache-mb", "64") as server:
        misses = [await request(server.address, unique(n)) for n in range(plan.count(20))]
        hits = [await request(server.address, unique(n)) for n in range(plan.count(20))]
    async with ready(plan) as server:
        plain = [await request(server.address, unique(n)) for n in range(plan.count(20))]
    kept, missed, none = (first(heard) for heard in (hits, misses, plain))
    return [
        Figure(name="phrase kept: median first audio", value=kept * 1e3, unit="ms"),
        Figure(name="phrase missed: median first audio", value=missed * 1e3, unit="ms"),
        Figure(name="without phrases: median first audio", value=none * 1e3, unit="ms"),
    ]


async def killed_in_mid_speech(plan: Plan) -> list[Figure]:
    """SIGKILL for the engine while it speaks: the answer is whole, the next comes soon."""
    # Fluency cuts segments alike at any speed of the machine, so that two answers can be compared.
    async with ready(plan, "--pace", "fluency") as server:
        whole = await request(server.address, LONG[:160])
        speaking = asyncio.create_task(request(server.address, LONG[:160]))
        await asyncio.sleep(0.3)
        os.kill(child(server.pid), signal.SIGKILL)
        killed = time.perf_counter()
        following = await request(server.address, TEXTS[0])
        waited = time.perf_counter() - killed - (following.total - following.first_audio)
        lost = 0.0
        try:
            lost = abs((await speaking).audio - whole.audio)
        except SpeechError:
            lost = -1.0
        restarts = (await stats(server))["engine_restarts"]
    return [
        Figure(name="engine killed: audio lost of the answer", value=lost, unit="s", limit=0.01),
        Figure(name="engine killed: next request served after", value=waited, unit="s", limit=3.0),
        Figure(name="engine killed: starts since", value=restarts, unit=""),
    ]


async def barge_in(plan: Plan) -> list[Figure]:
    """First audio of a new request while an old one of 2,000 characters is made."""
    async with ready(plan) as server:
        idle = [await request(server.address, TEXTS[n]) for n in range(plan.count(10))]
        busy = []
        for n in range(plan.count(10)):
            old = asyncio.create_task(drained(server, LONG))
            await asyncio.sleep(0.3)
            busy.append(await request(server.address, TEXTS[n]))
            old.cancel()
            await asyncio.wait([old])
    ratio = first(busy) / first(idle)
    return [
        Figure(name="barge-in: idle median first audio", value=first(idle) * 1e3, unit="ms"),
        Figure(name="barge-in: median first audio", value=first(busy) * 1e3, unit="ms"),
        Figure(name="barge-in: ratio", value=ratio, unit="", limit=1.3),
    ]


async def slow_and_fast_readers(plan: Plan) -> list[Figure]:
    """32 clients that read 1 kB/s hold long answers while 32 others ask, each in turn."""
    count = plan.count(32)
    async with ready(plan) as server:
        idle = [await request(server.address, TEXTS[n % 15]) for n in range(count)]
        slow = [asyncio.create_task(read_slowly(server, LONG[:600])) for _ in range(count)]
        await asyncio.sleep(2)
        fast = [await request(server.address, TEXTS[n % 15]) for n in range(count)]
        lost = sum(task.done() for task in slow)
        for task in slow:
            task.cancel()
        await asyncio.wait(slow)
    ratio = p95(fast) / p95(idle)
    return [
        Figure(name="slow readers: idle p95 first audio", value=p95(idle) * 1e3, unit="ms"),
        Figure(name="slow readers: p95 first audio", value=p95(fast) * 1e3, unit="ms"),
        Figure(name="slow readers: ratio", value=ratio, unit="", limit=2.0),
        Figure(name="slow readers: connections lost", value=lost, unit="", limit=0),
    ]


async def random_disconnects(plan: Plan) -> list[Figure]:
    """20 clients leave at random for 30 s: nothing stays behind and the CPU comes to rest."""
    async with ready(plan) as server:
        before = handles(server.pid)
        until = time.monotonic() + plan.count(30)

        async def come_and_go(seed: int) -> None:
            dice = random.Random(seed)  # noqa: S311  # no secret
            while time.monotonic() < until:
                with contextlib.suppress(TimeoutError, SpeechError, OSError):
                    async with asyncio.timeout(dice.uniform(0.01, 1.5)):
                        await drained(server, PARAGRAPH)

        await asyncio.gather(*map(come_and_go, range(20)))
        await asyncio.sleep(2)
        began, used = time.monotonic(), cpu_seconds(server.pid)
        await asyncio.sleep(2)
        idle = (cpu_seconds(server.pid) - used) / (time.monotonic() - began)
        after, found = handles(server.pid), await stats(server)
    return [
        Figure(name="disconnects: CPU 2 s after", value=idle * 100, unit="%", limit=5),
        Figure(name="disconnects: descriptors left", value=after[0] - before[0], unit="", limit=0),
        Figure(name="disconnects: threads left", value=after[1] - before[1], unit="", limit=0),
        Figure(name="disconnects: requests left", value=found["requests"], unit="", limit=0),
    ]


async def many_mixed_requests(plan: Plan) -> list[Figure]:
    """1,000 requests in five languages: memory must not grow with them."""
    count = plan.count(1_000)
    async with ready(plan) as server:
        sizes = []
        for number in range(count):
            await request(server.address, TEXTS[number % len(TEXTS)])
            if number % max(1, count // 100) == 0:
                sizes.append(server.rss_mb())
        found = await stats(server)
    settled = sizes[len(sizes) // 5 :]
    slope = statistics.linear_regression(range(len(settled)), settled).slope
    per_hundred = slope * 100 / max(1, count // 100)
    return [
        Figure(name=f"{count} requests: memory per 100", value=per_hundred, unit="MB", limit=1.0),
        Figure(name=f"{count} requests: peak memory", value=max(sizes), unit="MB", limit=1000),
        Figure(name=f"{count} requests: errors", value=found["failures"], unit="", limit=0),
        Figure(name=f"{count} requests: real-time factor", value=found["rtf"], unit=""),
        Figure(name=f"{count} requests: gaps", value=found["gaps"], unit=""),
    ]


async def describe_under_load(plan: Plan) -> list[Figure]:
    """Describe while the engine speaks without pause and every core is burnt by others.

    An empty server under the same load shows what of it is the machine's own.
    """
    burners = [run_python("-c", "while True: pass") for _ in range(os.cpu_count() or 1)]
    empty = run_python(OBSERVE, "empty", str(EMPTY_PORT))
    try:
        async with ready(plan) as server:
            listener = run_python(OBSERVE, "listen", str(server.address.port))
            try:
                await asyncio.sleep(4)  # until it is spoken to
                times = []
                for _ in range(plan.count(500)):
                    times.append((await ask(server.address)).seconds)
                    await asyncio.sleep(0.02)
            finally:
                end(listener)
        nothing = [await ask_nothing() for _ in range(plan.count(500))]
    finally:
        end(empty, *burners)
    return [
        *percentiles("describe at 100 % CPU", times, limit=50),
        *percentiles("an empty server at 100 % CPU", nothing),
    ]


async def stopped_under_load(plan: Plan) -> list[Figure]:
    """SIGTERM while five clients are spoken to."""
    async with ready(plan) as server:
        clients = [asyncio.create_task(drained(server, LONG)) for _ in range(5)]
        await asyncio.sleep(1)
        began = time.monotonic()
        os.kill(server.pid, signal.SIGTERM)
        ended = await asyncio.gather(*clients, return_exceptions=True)
        await asyncio.to_thread(wait_for_end, server.pid)
        took = time.monotonic() - began
    told = sum(isinstance(end, SpeechError) for end in ended)
    return [
        Figure(name="SIGTERM: ended after", value=took, unit="s", limit=5),
        Figure(name="SIGTERM: clients not told", value=5 - told, unit="", limit=0),
    ]
