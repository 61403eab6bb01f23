"""An engine that lives in a process of its own and survives it."""

from __future__ import annotations

import itertools
import logging
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from cosyvoice_wyoming.errors import EngineFailed, EngineLost
from cosyvoice_wyoming.isolated.messages import Drop, Load, Loaded, Speak, Step, Stepped
from cosyvoice_wyoming.isolated.patience import LOADING, STEP, Patience, Restarts
from cosyvoice_wyoming.isolated.process import Broken, Process, Replaced

if TYPE_CHECKING:
    from pathlib import Path

    from cosyvoice_wyoming.engine import Waveform
    from cosyvoice_wyoming.text.spoken import Spoken
    from cosyvoice_wyoming.voices import Voice

_LOGGER = logging.getLogger(__name__)

TRIES = 2
"""How often a segment is begun: one that breaks the engine twice breaks it always."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Begun:
    """A segment that a process was told of."""

    spoken: Spoken
    generation: int
    utterance: int


class IsolatedEngine:
    """The engine `name`, loaded from `bundle` by another process.

    A process that dies or hangs is replaced, as often as `restarts` allows; then every call raises
    EngineLost. Raises what the engine's loader raises, and EngineFailed if its process breaks.
    """

    overlaps = True
    """Its process decides what it does beside what it was asked for."""

    def __init__(
        self,
        name: str,
        bundle: Path,
        *,
        threads: int = 0,
        patience: Patience = STEP,
        restarts: Restarts | None = None,
    ) -> None:
        self._load = Load(engine=name, bundle=str(bundle), threads=threads)
        self._patience = patience
        self.restarts = restarts or Restarts()
        self._numbers = itertools.count()
        self.generation = 0
        """Counts the processes: an utterance belongs to one of them."""
        try:
            self._process, loaded = self._start()
        except Broken as broken:
            raise EngineFailed(f"the model cannot be loaded: {broken}") from None
        self.sample_rate = loaded.sample_rate
        self.voices = loaded.voices

    @property
    def pid(self) -> int:
        """The process that runs the engine now."""
        return self._process.pid

    def speaker(self, voice: Voice, *, speed: float, seed: int = 0) -> IsolatedSpeaker:
        return IsolatedSpeaker(self, voice, speed=speed, seed=seed)

    def close(self) -> None:
        self._process.close()

    def begin(self, voice: Voice, speed: float, seed: int, spoken: Spoken) -> int:
        """Begin a segment and return its number. Raises Broken."""
        number = next(self._numbers)
        speak = Speak(utterance=number, voice=voice.name, speed=speed, seed=seed, spoken=spoken)
        self._process.tell(speak)
        return number

    def step(self, utterance: int, generation: int) -> Waveform | None:
        """Do a step of a segment. Raises Broken, EngineFailed."""
        if generation != self.generation:
            raise Replaced("the engine's process was replaced")
        answer = self._process.ask(Step(utterance=utterance), self._patience)
        if not isinstance(answer, Stepped):
            raise EngineFailed("the engine's process gave a wrong answer")
        return answer.samples

    def drop(self, utterance: int, generation: int) -> None:
        """Let go of a segment. Raises Broken."""
        if generation == self.generation:
            self._process.tell(Drop(utterance=utterance))

    def replace(self, generation: int, broken: Broken) -> None:
        """Start another process unless that was done already. Raises EngineLost."""
        if generation != self.generation:
            return
        self._process.kill()
        while self.restarts.allow(time.monotonic()):
            _LOGGER.error("%s: the engine is started again", broken)
            try:
                self._process, _ = self._start()
            except Broken as again:
                broken = again
            else:
                self.generation += 1
                return
        raise EngineLost(f"the engine broke {self.restarts.total} times: {broken}")

    def restart(self, threads: int | None = None) -> None:
        """Load the engine anew, on as many threads as before or others. Raises EngineLost."""
        if threads is not None:
            self._load = replace(self._load, threads=threads)
        self._process.close()
        try:
            self._process, _ = self._start()
        except Broken as broken:
            self.replace(self.generation, broken)
        else:
            self.generation += 1

    def _start(self) -> tuple[Process, Loaded]:
        process = Process()
        try:
            answer = process.ask(self._load, LOADING)
        except BaseException:
            process.kill()
            raise
        if not isinstance(answer, Loaded):
            process.kill()
            raise EngineFailed("the engine's process gave a wrong answer")
        return process, answer


class IsolatedSpeaker:
    """One voice through one segment or several."""

    def __init__(self, engine: IsolatedEngine, voice: Voice, *, speed: float, seed: int) -> None:
        self._engine = engine
        self._voice = voice
        self._speed = speed
        self._seed = seed
        self._begun: _Begun | None = None

    def announce(self, spoken: Spoken) -> None:
        self.withdraw()
        try:
            utterance = self._begin(spoken)
        except Broken:
            return  # whoever asks for the next step sees it too
        generation = self._engine.generation
        self._begun = _Begun(spoken=spoken, generation=generation, utterance=utterance)

    def withdraw(self) -> None:
        begun, self._begun = self._begun, None
        if begun:
            self._drop(begun.utterance, begun.generation)

    def speak(self, spoken: Spoken) -> Iterator[Waveform]:
        """Yield the waveform of a segment; see `engine.Speaker`.

        If the process breaks, the segment is begun again in the next one and goes on from the
        last sample that was yielded: the same seed gives the same samples.
        """
        yielded = tries = 0
        while True:
            generation = self._engine.generation
            try:
                for wave in self._steps(spoken, generation, yielded):
                    yielded += len(wave)
                    yield wave
            except Replaced:
                continue
            except Broken as broken:
                self._engine.replace(generation, broken)
                tries += 1
                if tries == TRIES:
                    raise EngineFailed(f"{broken}, again at the same words") from None
            else:
                return

    def _steps(self, spoken: Spoken, generation: int, skipped: int) -> Iterator[Waveform]:
        utterance = self._taken_up(spoken, generation)
        try:
            while (wave := self._engine.step(utterance, generation)) is not None:
                cut = min(skipped, len(wave))
                skipped -= cut
                yield wave[cut:]
        finally:
            self._drop(utterance, generation)

    def _taken_up(self, spoken: Spoken, generation: int) -> int:
        """Return the number of a segment: of the one announced, or of one begun now."""
        begun = self._begun
        if begun and begun.spoken is spoken and begun.generation == generation:
            self._begun = None
            return begun.utterance
        self.withdraw()
        return self._begin(spoken)

    def _begin(self, spoken: Spoken) -> int:
        return self._engine.begin(self._voice, self._speed, self._seed, spoken)

    def _drop(self, utterance: int, generation: int) -> None:
        try:
            self._engine.drop(utterance, generation)
        except Broken:
            _LOGGER.debug("the engine's process is gone")
