"""The journal in the text format that Prometheus reads."""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Iterator, Mapping

from cosyvoice_wyoming import __version__
from cosyvoice_wyoming.http.desk import Desk
from cosyvoice_wyoming.journal import Answer
from cosyvoice_wyoming.ladder import Rung
from cosyvoice_wyoming.machine import family_bytes
from cosyvoice_wyoming.stats import Stats

MEDIA_TYPE = "text/plain; version=0.0.4; charset=utf-8"


def exposition(desk: Desk) -> str:
    """Return every metric, each with its help and type."""
    return "\n".join(_lines(desk)) + "\n"


def median_first_audio(answers: Iterable[Answer]) -> float:
    """Return the median time to the first audio in seconds, 0 for no answers."""
    return statistics.median([answer.first_audio for answer in answers] or [0.0])


def _lines(desk: Desk) -> Iterator[str]:
    journal = desk.journal
    model = desk.settings.model
    yield from _metric(
        "info", "gauge", "Version and model.", {_labels(version=__version__, model=model): 1}
    )
    yield from _metric(
        "ready", "gauge", "1 once the model is loaded.", {"": int(bool(desk.studio()))}
    )
    yield from _metric(
        "answers_total",
        "counter",
        "Requests spoken to their end, by voice.",
        {_labels(voice=voice): count for voice, count in sorted(journal.answers.items())},
    )
    yield from _metric(
        "failures_total",
        "counter",
        "Requests that ended in an error, by kind.",
        {_labels(kind=kind): count for kind, count in sorted(journal.failures.items())},
    )
    yield from _metric(
        "characters_total", "counter", "Characters spoken.", {"": journal.characters}
    )
    yield from _metric("audio_seconds_total", "counter", "Audio made.", {"": journal.audio_seconds})
    yield from _metric(
        "busy_seconds_total", "counter", "Time of the engine.", {"": journal.busy_seconds}
    )
    yield from _metric(
        "gaps_total", "counter", "Silences in speech that came too late.", {"": journal.gaps}
    )
    yield from _metric(
        "gap_seconds_total", "counter", "Length of these silences.", {"": journal.gap_seconds}
    )
    yield from _metric(
        "first_audio_seconds",
        "gauge",
        "Median over the latest 200 answers.",
        {"": median_first_audio(journal.latest)},
    )
    yield from _metric(
        "requests", "gauge", "Requests in the queue or being spoken.", {"": desk.worker.lanes}
    )
    yield from _metric(
        "clients", "gauge", "Wyoming clients that are connected.", {"": desk.clients()}
    )
    yield from _metric("resident_bytes", "gauge", "Memory in use.", {"": family_bytes()})
    if desk.stats:
        yield from _reliability(desk.stats())


def _reliability(stats: Stats) -> Iterator[str]:
    """Yield what tells how well the server holds out."""
    for name, kind, text, value in (
        ("phrase_hits_total", "counter", "Segments spoken from the cache.", stats.phrase_hits),
        ("phrase_misses_total", "counter", "Segments not in it.", stats.phrase_misses),
        ("engine_restarts_total", "counter", "Engine crashes and hangs.", stats.engine_restarts),
        ("engine_resident_bytes", "gauge", "Memory of the engine.", stats.engine_memory),
        ("temperature_celsius", "gauge", "Hottest sensor; 0: none.", stats.temperature),
    ):
        yield from _metric(name, kind, text, {"": value})
    rungs = {_labels(rung=rung.name.lower()): int(rung.name.lower() == stats.rung) for rung in Rung}
    yield from _metric("rung", "gauge", "What is given up to heat, load or memory.", rungs)


def _metric(name: str, kind: str, text: str, values: Mapping[str, float]) -> Iterator[str]:
    full = f"cosyvoice_wyoming_{name}"
    yield f"# HELP {full} {text}"
    yield f"# TYPE {full} {kind}"
    for labels, value in values.items():
        yield f"{full}{labels} {value:g}" if isinstance(value, float) else f"{full}{labels} {value}"


def _labels(**labels: str) -> str:
    return "{" + ",".join(f'{name}="{_escaped(value)}"' for name, value in labels.items()) + "}"


def _escaped(value: str) -> str:
    return value.replace("\\", r"\\").replace('"', r"\"").replace("\n", r"\n")
