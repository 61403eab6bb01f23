"""Rung by rung down when the machine is hot, slow or short of memory, and up again. Pure.

Each rung keeps what the ones above it gave up. A rung down is taken when trouble has lasted
DOWN_SECONDS, one up after UP_SECONDS without; between the two thresholds of a sensor nothing moves.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

DOWN_SECONDS = 15.0
UP_SECONDS = 180.0


class Rung(IntEnum):
    """What is given up, the least missed first."""

    FULL = 0
    FEWER_THREADS = 1
    SHORT_SEGMENTS = 2
    SMALL_MODEL = 3
    LOW_RATE = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Readings:
    """Temperature in °C, the latest real-time factor, free memory in bytes."""

    temperature: float = 0.0
    rtf: float = 0.0
    free: int = 1 << 62


TROUBLE = Readings(temperature=82.0, rtf=1.0, free=96 << 20)
"""Boards throttle themselves from 80 to 85 °C on; RTF 1 is where speech breaks up."""

CALM = Readings(temperature=72.0, rtf=0.7, free=224 << 20)


def is_trouble(now: Readings) -> bool:
    """Whether any reading is beyond what can be borne."""
    return (
        now.temperature >= TROUBLE.temperature or now.rtf >= TROUBLE.rtf or now.free <= TROUBLE.free
    )


def is_calm(now: Readings) -> bool:
    """Whether all readings are well."""
    return now.temperature <= CALM.temperature and now.rtf <= CALM.rtf and now.free >= CALM.free


class Ladder:
    """Where the server stands. `step` is called every few seconds."""

    def __init__(self) -> None:
        self.rung = Rung.FULL
        self._trouble_since: float | None = None
        self._calm_since: float | None = None

    def step(self, readings: Readings, now: float) -> Rung:
        """Take in what the sensors say at `now` and return the rung to stand on."""
        if is_trouble(readings):
            self._calm_since = None
            self._trouble_since = now if self._trouble_since is None else self._trouble_since
            if now - self._trouble_since >= DOWN_SECONDS and self.rung < max(Rung):
                self.rung = Rung(self.rung + 1)
                self._trouble_since = now
        elif is_calm(readings):
            self._trouble_since = None
            self._calm_since = now if self._calm_since is None else self._calm_since
            if now - self._calm_since >= UP_SECONDS and self.rung > Rung.FULL:
                self.rung = Rung(self.rung - 1)
                self._calm_since = now
        else:
            self._trouble_since = self._calm_since = None
        return self.rung
