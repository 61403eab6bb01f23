"""Looks after the machine: every few seconds it reads the sensors and moves along the ladder."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from cosyvoice_wyoming import machine
from cosyvoice_wyoming.isolated.engine import IsolatedEngine
from cosyvoice_wyoming.ladder import TROUBLE, Ladder, Readings, Rung
from cosyvoice_wyoming.narration import Manner, Studio
from cosyvoice_wyoming.rehearsal import greetings

if TYPE_CHECKING:
    from cosyvoice_wyoming.journal import Journal
    from cosyvoice_wyoming.worker import Worker

_LOGGER = logging.getLogger(__name__)

LOOK_SECONDS = 5.0

CROWDED = 0.5
"""Share of time in which something waits for a CPU, from which on fewer threads are faster: each
step of a model waits for the slowest of them."""

LOW_RATE = 16_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Economy:
    """What a rung means for the server's engine; `threads` 0 are as many as it likes."""

    threads: int
    small: bool


class Caretaker:
    """Moves a server along the ladder. `use_small` says whether the smaller model is to speak."""

    def __init__(
        self,
        worker: Worker[Studio],
        journal: Journal,
        *,
        threads: int,
        use_small: Callable[[bool], object],
        read: Callable[[], Readings] | None = None,
    ) -> None:
        self._worker = worker
        self._journal = journal
        self._threads = threads
        self._use_small = use_small
        self._read = read or self._readings
        self._ladder = Ladder()
        self._economy = Economy(threads=threads, small=False)
        self._seen = 0.0
        self._restarts = 0

    @property
    def rung(self) -> Rung:
        return self._ladder.rung

    def manner(self, manner: Manner) -> Manner:
        """Return how requests are spoken on this rung."""
        if self.rung >= Rung.SHORT_SEGMENTS:
            manner = replace(manner, short=True)
        if self.rung >= Rung.LOW_RATE and not 0 < manner.sample_rate <= LOW_RATE:
            manner = replace(manner, sample_rate=LOW_RATE)
        return manner

    async def run(self) -> None:
        """Look for ever."""
        while True:
            await asyncio.sleep(LOOK_SECONDS)
            self.look(time.monotonic())

    def look(self, now: float) -> None:
        """Read the sensors once and do what follows."""
        self._greet_if_new()
        before, readings = self.rung, self._read()
        rung = self._ladder.step(readings, now)
        if rung == before:
            return
        _LOGGER.warning(
            "%.0f °C, RTF %.2f, %d MiB free: the server goes %s to %s",
            readings.temperature,
            readings.rtf,
            min(readings.free >> 20, 1 << 20),
            "down" if rung > before else "up",
            rung.name.lower().replace("_", " "),
        )
        if readings.free <= TROUBLE.free:
            self._worker.when_idle(_free_memory)
        self._economise(rung, readings)

    def _greet_if_new(self) -> None:
        """Have the languages loaded again into an engine that was started again."""
        engine = self._worker.loaded.engine if self._worker.loaded else None
        restarts = engine.restarts.total if isinstance(engine, IsolatedEngine) else 0
        if restarts > self._restarts:
            for greeting in greetings():
                self._worker.when_idle(greeting)
        self._restarts = restarts

    def _economise(self, rung: Rung, readings: Readings) -> None:
        too_much = readings.temperature >= TROUBLE.temperature or machine.pressure() >= CROWDED
        threads = self._economy.threads
        if rung < Rung.FEWER_THREADS:
            threads = self._threads
        elif too_much:
            threads = max(1, (self._threads or min(4, machine.cores())) // 2)
        economy = Economy(threads=threads, small=rung >= Rung.SMALL_MODEL)
        before, self._economy = self._economy, economy
        if economy.small != before.small:
            self._use_small(economy.small)
        if economy.threads != before.threads:
            self._worker.when_idle(lambda studio: _restart(studio, threads))

    def _readings(self) -> Readings:
        loaded = self._worker.loaded
        rtf = loaded.pace.rtf if loaded else 0.0
        if self._journal.audio_seconds == self._seen:  # nothing new was spoken: no news is no news
            rtf = min(rtf, TROUBLE.rtf - 0.01)
        self._seen = self._journal.audio_seconds
        return Readings(temperature=machine.hottest(), rtf=rtf, free=machine.free_memory())


def _free_memory(studio: Studio) -> Iterator[float]:
    """Give up what can be had again: phrases, and the engine's languages and heap."""
    if studio.phrases:
        kept = studio.phrases.bytes_in_memory
        _LOGGER.warning("memory is short: %d KiB of phrases are dropped", kept >> 10)
        studio.phrases.forget_memory()
    if isinstance(studio.engine, IsolatedEngine):
        _LOGGER.warning("memory is short: the engine is loaded anew, without its languages")
        studio.engine.restart()
    machine.trim_memory()
    yield from ()


def _restart(studio: Studio, threads: int) -> Iterator[float]:
    if isinstance(studio.engine, IsolatedEngine):
        _LOGGER.warning("the engine goes on with %s threads", threads or "all its")
        studio.engine.restart(threads)
    yield from ()
