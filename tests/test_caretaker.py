from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import signal
from collections.abc import AsyncIterator

from cosyvoice_wyoming.audio import Pcm
from cosyvoice_wyoming.caretaker import LOW_RATE, Caretaker
from cosyvoice_wyoming.engine.tone import ToneEngine
from cosyvoice_wyoming.isolated.engine import IsolatedEngine
from cosyvoice_wyoming.journal import Journal
from cosyvoice_wyoming.ladder import DOWN_SECONDS, UP_SECONDS, Readings, Rung
from cosyvoice_wyoming.narration import Manner, Studio
from cosyvoice_wyoming.phrases import PhraseCache
from cosyvoice_wyoming.text.language import Language
from cosyvoice_wyoming.text.spoken import Span, Spoken
from cosyvoice_wyoming.voices import VoiceCatalog
from cosyvoice_wyoming.worker import Worker
from tests.support.serving import until

WELL = Readings(temperature=50, rtf=0.1, free=1 << 30)
HOT = Readings(temperature=90, rtf=0.1, free=1 << 30)
SHORT_OF_MEMORY = Readings(temperature=50, rtf=0.1, free=10 << 20)

HELLO = Spoken(text="你好", language=Language.ZH, spans=(Span(text="你好", language=Language.ZH),))


class House:
    """A caretaker whose sensors say what a test wants."""

    def __init__(self, worker: Worker[Studio]) -> None:
        self.readings = WELL
        self.small: list[bool] = []
        self.now = 0.0
        self.caretaker = Caretaker(
            worker, Journal(), threads=0, use_small=self.small.append, read=lambda: self.readings
        )

    def feel(self, readings: Readings, seconds: float) -> Rung:
        self.readings = readings
        for _ in range(int(seconds / 5) + 1):
            self.caretaker.look(self.now)
            self.now += 5
        return self.caretaker.rung


@contextlib.asynccontextmanager
async def house() -> AsyncIterator[tuple[House, Studio]]:
    engine = ToneEngine()
    studio = Studio(
        engine=engine, catalog=VoiceCatalog(engine.voices), phrases=PhraseCache(), model="tone"
    )
    worker = Worker(lambda: studio)
    worker.start()
    try:
        await until(lambda: worker.loaded)
        yield House(worker), studio
    finally:
        await worker.close()


async def test_each_rung_gives_up_more_and_the_way_up_gives_it_back(caplog):
    async with house() as (home, _):
        manner = Manner()
        assert home.caretaker.manner(manner) == manner
        assert home.feel(HOT, 2 * DOWN_SECONDS) == Rung.SHORT_SEGMENTS
        assert home.caretaker.manner(manner).short
        assert home.small == []
        assert home.feel(HOT, 2 * DOWN_SECONDS) == Rung.LOW_RATE
        assert home.small == [True]
        assert home.caretaker.manner(manner).sample_rate == LOW_RATE
        assert home.feel(WELL, 5 * UP_SECONDS) == Rung.FULL
        assert home.small == [True, False]
        assert home.caretaker.manner(manner) == manner
    steps = [r.getMessage() for r in caplog.records if "the server goes" in r.getMessage()]
    assert len(steps) == 8
    assert "90 °C" in steps[0]


async def test_a_rate_that_was_asked_for_and_is_low_enough_stays():
    async with house() as (home, _):
        home.feel(HOT, 10 * DOWN_SECONDS)
        assert home.caretaker.manner(Manner(sample_rate=16_000)).sample_rate == 16_000
        assert home.caretaker.manner(Manner(sample_rate=48_000)).sample_rate == LOW_RATE


async def test_short_memory_drops_the_phrases_with_one_line(caplog):
    async with house() as (home, studio):
        assert studio.phrases
        studio.phrases.put("key", Pcm(data=bytes(20_000), rate=24_000))
        home.feel(SHORT_OF_MEMORY, DOWN_SECONDS)
        await until(lambda: studio.phrases and not studio.phrases.bytes_in_memory)
    lines = [r.getMessage() for r in caplog.records if "phrases are dropped" in r.getMessage()]
    assert len(lines) == 1


async def test_an_engine_that_was_started_again_learns_its_languages_again(tmp_path, caplog):
    engine = IsolatedEngine("tone", tmp_path)
    studio = Studio(engine=engine, catalog=VoiceCatalog(engine.voices), model="tone")
    worker = Worker(lambda: studio, unload=Studio.close)
    worker.start()
    try:
        await until(lambda: worker.loaded)
        home = House(worker)
        home.feel(WELL, 5)
        caplog.set_level(logging.DEBUG)
        os.kill(engine.pid, signal.SIGKILL)
        await asyncio.to_thread(list, engine.speaker(engine.voices[0], speed=1.0).speak(HELLO))
        home.feel(WELL, 5)
        await until(lambda: caplog.text.count("warmed up") == len(Language))
    finally:
        await worker.close()
