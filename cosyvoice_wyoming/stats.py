"""The figures of a running server in one place: for `stats`, the metrics and the page."""

from __future__ import annotations

import statistics
from dataclasses import dataclass
from typing import TYPE_CHECKING

from cosyvoice_wyoming import __version__, machine
from cosyvoice_wyoming.isolated.engine import IsolatedEngine

if TYPE_CHECKING:
    from cosyvoice_wyoming.journal import Journal
    from cosyvoice_wyoming.ladder import Rung
    from cosyvoice_wyoming.narration import Studio
    from cosyvoice_wyoming.worker import Worker

EVENT = "cosyvoice-stats"
"""Type of our own Wyoming event: a client sends it without data and is answered with the figures.
Other servers ignore it, as the protocol asks."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stats:
    """Counted since the start; times in seconds, memory in bytes, temperature in °C.

    `first_audio` is the median of the latest answers; `engine_memory` is the engine's process,
    `server_memory` this one; `rung` says what is given up to heat, load or lack of memory.
    """

    version: str
    ready: bool
    clients: int
    requests: int
    answers: int
    failures: int
    characters: int
    audio_seconds: float
    busy_seconds: float
    first_audio: float
    rtf: float
    gaps: int
    gap_seconds: float
    phrase_hits: int
    phrase_misses: int
    phrase_bytes: int
    engine_restarts: int
    server_memory: int
    engine_memory: int
    temperature: float
    rung: str


def take_stats(journal: Journal, worker: Worker[Studio], *, clients: int, rung: Rung) -> Stats:
    """Return the figures of now."""
    studio = worker.loaded
    phrases = studio.phrases if studio else None
    engine = studio.engine if studio and isinstance(studio.engine, IsolatedEngine) else None
    return Stats(
        version=__version__,
        ready=studio is not None,
        clients=clients,
        requests=worker.lanes,
        answers=journal.answers.total(),
        failures=journal.failures.total(),
        characters=journal.characters,
        audio_seconds=round(journal.audio_seconds, 3),
        busy_seconds=round(journal.busy_seconds, 3),
        first_audio=statistics.median([a.first_audio for a in journal.latest] or [0.0]),
        rtf=studio.pace.rtf if studio else 0.0,
        gaps=journal.gaps,
        gap_seconds=round(journal.gap_seconds, 3),
        phrase_hits=phrases.hits if phrases else 0,
        phrase_misses=phrases.misses if phrases else 0,
        phrase_bytes=phrases.bytes_in_memory + phrases.bytes_on_disk if phrases else 0,
        engine_restarts=engine.restarts.total if engine else 0,
        server_memory=machine.resident_bytes(),
        engine_memory=machine.resident_bytes(engine.pid) if engine else 0,
        temperature=machine.hottest(),
        rung=rung.name.lower(),
    )
