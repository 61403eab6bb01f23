"""Engines turn what the text front end prepared into sound. A new engine is one line in ENGINES."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from cosyvoice_wyoming.text.spoken import Spoken
from cosyvoice_wyoming.voices import Voice

Waveform: TypeAlias = NDArray[np.float32]
"""Mono samples in -1..1, shape [samples], at the engine's sample rate."""


class Unhurried:
    """A speaker that begins a segment when it is asked to speak it."""

    def announce(self, spoken: Spoken) -> None:
        """Nothing can be begun."""

    def withdraw(self) -> None:
        """Nothing was begun."""


class Speaker(Protocol):
    """One voice through one request: keeps what runs on from segment to segment (phase, seed)."""

    def speak(self, spoken: Spoken) -> Iterator[Waveform]:
        """Yield the waveform of one segment, piece after piece.

        Runs on the worker's thread. Each `next` is one engine step, the unit of cancellation: the
        iterator may be dropped between any two. A step that makes no sound yet yields an empty
        piece. Pieces join without a gap or a click; silence before the first word and after the
        last is trimmed by `audio`, pauses are added there.

        Raises EngineFailed.
        """

    def announce(self, spoken: Spoken) -> None:
        """Say what `speak` will be asked for next, so that an engine which can begins already."""

    def withdraw(self) -> None:
        """Say that what was announced is not wanted any more."""


class Engine(Protocol):
    """A loaded model. Built once, used from the worker's thread only.

    `overlaps` says that the first step of a segment may run on another thread, beside a step of
    another segment, and that it pays.
    """

    sample_rate: int
    voices: tuple[Voice, ...]
    overlaps: bool

    def speaker(self, voice: Voice, *, speed: float, seed: int = 0) -> Speaker:
        """Return the voice for one request; `speed` is a factor on the tempo, 0.5 to 2.0."""

    def close(self) -> None:
        """Free the model's memory."""


class Loader(Protocol):
    """Loads an engine from its bundle's folder, on `threads` threads (0: as the engine likes)."""

    def __call__(self, bundle: Path, *, threads: int = 0) -> Engine: ...
