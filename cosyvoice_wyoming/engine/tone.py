"""A sine for every voice: as long as the text, the same every time.

Proves the wiring (`--model tone` beeps through Home Assistant) and stands in for a model in tests,
which may make it slow or let it fail, hang, crash and leak, and can count its steps.
"""

from __future__ import annotations

import os
import time
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from cosyvoice_wyoming.engine import Unhurried, Waveform
from cosyvoice_wyoming.errors import EngineFailed
from cosyvoice_wyoming.text.language import Language
from cosyvoice_wyoming.text.spoken import Spoken
from cosyvoice_wyoming.voices import STANDARD_VOICES, Voice

SAMPLE_RATE = 24_000
STEP_SECONDS = 0.25
CHARACTER_SECONDS = {Language.EN: 0.06, Language.KO: 0.2}
USUAL_CHARACTER_SECONDS = 0.2
EDGE_SECONDS = 0.1
"""Silence on both sides of a segment, as models leave it."""

FAULTS = "tone.toml"
"""File in the bundle's folder with the fields of ToneFaults, for tests of a whole server."""

LEVEL = 0.3
BASE_HERTZ = 220.0


@dataclass(frozen=True, slots=True, kw_only=True)
class ToneFaults:
    """What may go wrong below Python: words at which the second step of a segment does it.

    `aborts_at` ends the process with SIGABRT, `hangs_at` waits for ever without using the CPU,
    `spins_at` for ever with; with `once`, only the first time that a file of that name is not in
    the folder. `leaks_mb` is lost at each step, anywhere; `step_delay` are seconds for each step.
    """

    aborts_at: str = ""
    hangs_at: str = ""
    spins_at: str = ""
    once: str = ""
    leaks_mb: float = 0.0
    step_delay: float = 0.0


@dataclass(slots=True, kw_only=True)
class ToneEngine:
    """The engine, with what a test may want of it.

    `step_delay` is the seconds that a step takes; `fails_at` and `crashes_at` are words on which a
    segment raises EngineFailed or something that no engine should raise. `steps` counts the steps
    done and `spoken` keeps the segments begun, in order.
    """

    step_delay: float = 0.0
    fails_at: str = ""
    crashes_at: str = ""
    faults: ToneFaults = field(default_factory=ToneFaults)
    folder: Path = field(default_factory=Path)
    leaked: list[bytearray] = field(default_factory=list)
    sample_rate: int = SAMPLE_RATE
    voices: tuple[Voice, ...] = STANDARD_VOICES
    overlaps: bool = True
    steps: int = 0
    spoken: list[str] = field(default_factory=list)

    def speaker(self, voice: Voice, *, speed: float, seed: int = 0) -> ToneSpeaker:
        semitones = self.voices.index(voice) + seed % 12
        return ToneSpeaker(self, hertz=BASE_HERTZ * 2 ** (semitones / 12), speed=speed)

    def close(self) -> None:
        """Nothing to free."""


class ToneSpeaker(Unhurried):
    """One voice's sine."""

    def __init__(self, engine: ToneEngine, *, hertz: float, speed: float) -> None:
        self._engine = engine
        self._hertz = hertz
        self._speed = speed

    def speak(self, spoken: Spoken) -> Iterator[Waveform]:
        engine = self._engine
        engine.spoken.append(spoken.words)
        per_character = CHARACTER_SECONDS.get(spoken.language, USUAL_CHARACTER_SECONDS)
        seconds = len(spoken.words) * per_character / (self._speed * spoken.rate)
        wave = _sine(self._hertz, round(seconds * engine.sample_rate), engine.sample_rate)
        step = round(STEP_SECONDS * engine.sample_rate)
        for start in range(0, len(wave), step):
            if engine.fails_at and engine.fails_at in spoken.words:
                raise EngineFailed("the tone engine was asked to fail")
            if engine.crashes_at and engine.crashes_at in spoken.words:
                raise ZeroDivisionError(spoken.words)
            time.sleep(engine.step_delay)
            if start:
                _go_wrong(engine, spoken.words)
            engine.steps += 1
            yield wave[start : start + step]


def _sine(hertz: float, samples: int, rate: int) -> Waveform:
    edge = np.zeros(round(EDGE_SECONDS * rate), np.float32)
    tone = LEVEL * np.sin(2 * np.pi * hertz / rate * np.arange(samples))
    return np.concatenate((edge, tone.astype(np.float32), edge))


def _go_wrong(engine: ToneEngine, words: str) -> None:
    """Do what the faults say of these words."""
    faults = engine.faults
    if faults.leaks_mb:
        engine.leaked.append(bytearray(b"\1" * int(faults.leaks_mb * (1 << 20))))
    wrong = [
        at for at in (faults.aborts_at, faults.hangs_at, faults.spins_at) if at and at in words
    ]
    if not wrong:
        return
    if faults.once:
        mark = engine.folder / faults.once
        if mark.exists():
            return
        mark.touch()
    if faults.aborts_at in wrong:
        os.abort()
    while True:
        if faults.hangs_at in wrong:
            time.sleep(60)


def load(bundle: Path, *, threads: int = 0) -> ToneEngine:  # noqa: ARG001  # as every loader
    """Return the engine; it needs no files, but goes wrong as one named FAULTS says."""
    try:
        faults = ToneFaults(**tomllib.loads((bundle / FAULTS).read_text("utf-8")))
    except FileNotFoundError:
        faults = ToneFaults()
    return ToneEngine(faults=faults, step_delay=faults.step_delay, folder=bundle)
