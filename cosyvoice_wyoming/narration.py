"""One request on the worker's thread: segment after segment becomes audio."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from cosyvoice_wyoming.audio import Pcm, SegmentShaper, silence, to_pcm
from cosyvoice_wyoming.pace import Measure, Pace
from cosyvoice_wyoming.phrases import LONGEST_SECONDS, Rendering, phrase_key
from cosyvoice_wyoming.schedule import AHEAD_SECONDS, Standing
from cosyvoice_wyoming.text.segment import FLUENT_LIMITS, LIMITS

if TYPE_CHECKING:
    from cosyvoice_wyoming.engine import Engine, Speaker
    from cosyvoice_wyoming.phrases import PhraseCache
    from cosyvoice_wyoming.text.dictionary import DictionaryFile
    from cosyvoice_wyoming.text.script import Script
    from cosyvoice_wyoming.text.segment import Limits
    from cosyvoice_wyoming.text.spoken import Segment, Spoken
    from cosyvoice_wyoming.voices import Voice, VoiceCatalog, VoiceWish

ANNOUNCED_SEGMENTS = 1
"""Segments that an engine is told of before their turn. Two made speech a tenth quicker, but a new
request waited up to 1.35 times as long as on an idle engine."""

NOTHING_SAID_SECONDS = 0.1
"""Silence in place of text that has no words: Home Assistant takes an empty stream for an error."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Manner:
    """How every request is spoken. `sample_rate` 0 is the engine's own; silences in seconds.

    `fluent` cuts long segments from the first word on, so that speech begins later and flows;
    `short` keeps them all as short as the first, which takes the engine less memory and time.
    """

    speed: float = 1.0
    sample_rate: int = 0
    lead_silence: float = 0.0
    trail_silence: float = 0.1
    fluent: bool = False
    short: bool = False

    def script(self, text_format: str = "text", limits: Sequence[Limits] = LIMITS) -> Script:
        """Return what cuts the text of a request into segments, of `limits` unless it is fluent."""
        from cosyvoice_wyoming.text.script import Script

        if self.short:
            limits = LIMITS[:1]
        elif self.fluent:
            limits = FLUENT_LIMITS
        return Script(text_format, limits=limits)


@dataclass(frozen=True, slots=True, kw_only=True)
class Studio:
    """What the worker loads.

    `dictionary` has the user's own pronunciations, `phrases` what was spoken before; `model` names
    the weights of the engine, so that phrases of others are not taken for its own. `pace` is how
    quick the engine has been.
    """

    engine: Engine
    catalog: VoiceCatalog
    dictionary: DictionaryFile | None = None
    phrases: PhraseCache | None = None
    model: str = ""
    pace: Pace = field(default_factory=Pace)

    def close(self) -> None:
        """Free the model's memory; write what phrases wait for the disk."""
        self.engine.close()
        if self.phrases:
            self.phrases.close()


@dataclass(slots=True, kw_only=True)
class _Reading:
    """How a segment is read: `spoken` is None without words, `speaker` one that was told of it."""

    segment: Segment
    engine: Engine
    voice: Voice
    spoken: Spoken | None
    speaker: Speaker | None = None

    def forget(self) -> None:
        """Tell the speaker that the segment is not wanted."""
        if self.speaker:
            self.speaker.withdraw()


class Narration:
    """A request's voice and rate, and the silence owed before its next words.

    Each segment is spoken by a fresh speaker with the same seed, so the same words are the same
    samples wherever they stand: they can be kept as a phrase, and a segment that broke off can be
    made again. With `private`, nothing is kept; `to_disk` keeps phrases for good at once; without
    `measured`, how long it takes does not count for the pace.
    """

    def __init__(
        self,
        wish: VoiceWish,
        manner: Manner,
        *,
        private: bool = False,
        to_disk: bool = False,
        measured: bool = True,
    ) -> None:
        self._wish = wish
        self._manner = manner
        self._private = private
        self._to_disk = to_disk
        self._measured = measured
        self._rate = manner.sample_rate
        self._owed = manner.lead_silence
        self._heard = False
        self._made_seconds = 0.0
        self._first_at: float | None = None
        self._expected: deque[Segment] = deque()
        self._announced: deque[_Reading] = deque()
        """The segments after the one that is being said that the engine has been told of."""
        self.is_alone: Callable[[], bool] = lambda: True
        """Whether the engine has no other request: what is done ahead would hold that one up."""
        self.voice: Voice | None = None
        """Fixed by the first segment that has words."""

    def expect(self, segment: Segment) -> None:
        """Note that `say` will be called with `segment` after all that are expected already."""
        self._expected.append(segment)

    def let_go(self) -> None:
        """Give up what was announced: `say` is not called again."""
        self._expected.clear()
        while self._announced:
            self._announced.popleft().forget()

    def say(self, segment: Segment, studio: Studio) -> Iterator[Pcm]:
        """Speak a segment: one piece for each engine step, some of them empty.

        With its sound the next segments are announced to the engine, unless it has other requests
        or this one is so far ahead that the engine should rest.
        """
        reading = self._taken_up(segment, studio)
        spoken = reading.spoken
        if spoken is None:
            self._owed = max(self._owed, segment.pause / self._manner.speed)
            return
        self.voice = reading.voice
        self._rate = self._rate or studio.engine.sample_rate
        for pcm in self._audio(reading, spoken, studio):
            yield self._paced(pcm)
            if pcm.data:
                self._announce_next(studio)
        self._owed = max(self._owed, spoken.pause / self._manner.speed)

    def end(self, studio: Studio) -> Iterator[Pcm]:
        """Close the request with the silence that players need so as not to cut the last word."""
        seconds = self._manner.trail_silence if self._heard else NOTHING_SAID_SECONDS
        yield silence(seconds, self._rate or studio.engine.sample_rate)

    def _taken_up(self, segment: Segment, studio: Studio) -> _Reading:
        """Return how a segment is read: as it was announced, or as it is found now."""
        if self._expected and self._expected[0] is segment:
            self._expected.popleft()
        while self._announced:
            announced = self._announced.popleft()
            if announced.segment is segment and announced.engine is studio.engine:
                return announced
            announced.forget()
        return self._read(segment, studio)

    def _read(self, segment: Segment, studio: Studio) -> _Reading:
        from cosyvoice_wyoming.text import prepare

        voice = self._voice_for(segment, studio)
        words = studio.dictionary.current() if studio.dictionary else None
        spoken = prepare(segment, voice.language, words)
        return _Reading(segment=segment, engine=studio.engine, voice=voice, spoken=spoken)

    def _announce_next(self, studio: Studio) -> None:
        place = len(self._announced)
        if place == ANNOUNCED_SEGMENTS or place >= len(self._expected):
            return
        if self._is_far_ahead() or not self.is_alone():
            return
        reading = self._read(self._expected[place], studio)
        self._announced.append(reading)
        phrases = None if self._private else studio.phrases
        if reading.spoken is None:
            return
        if phrases and phrases.has(self._key(reading.spoken, reading.voice, studio)):
            return
        reading.speaker = studio.engine.speaker(reading.voice, speed=self._manner.speed)
        reading.speaker.announce(reading.spoken)

    def _is_far_ahead(self) -> bool:
        standing = Standing(order=0, made=self._made_seconds, first_at=self._first_at)
        return standing.ahead(time.monotonic()) >= AHEAD_SECONDS

    def _voice_for(self, segment: Segment, studio: Studio) -> Voice:
        """Return the request's voice; another if the model has been replaced by one without it."""
        from cosyvoice_wyoming.text.language import detect

        if self.voice and self.voice in studio.engine.voices:
            return self.voice
        if voice := studio.catalog.resolve(self._wish):
            return voice
        return studio.catalog.default(segment.language or detect(segment.text, None))

    def _key(self, spoken: Spoken, voice: Voice, studio: Studio) -> str:
        rendering = Rendering(
            model=studio.model, voice=voice, speed=self._manner.speed, rate=self._rate
        )
        return phrase_key(spoken, rendering)

    def _audio(self, reading: _Reading, spoken: Spoken, studio: Studio) -> Iterator[Pcm]:
        """Yield a segment's audio: a phrase that is kept, or else what the engine makes."""
        phrases = None if self._private else studio.phrases
        if phrases is None:
            yield from self._made(reading, spoken, studio)
            return
        key = self._key(spoken, reading.voice, studio)
        if found := phrases.get(key, counted=not self._to_disk):
            reading.forget()  # the same words were being said when these were announced
            yield found
            return
        pieces: list[bytes] = []
        seconds = 0.0
        for pcm in self._made(reading, spoken, studio):
            yield pcm
            seconds += pcm.seconds
            if seconds <= LONGEST_SECONDS:
                pieces.append(pcm.data)
        if seconds <= LONGEST_SECONDS:
            whole = Pcm(data=b"".join(pieces), rate=self._rate)
            phrases.put(key, whole, to_disk=self._to_disk)

    def _made(self, reading: _Reading, spoken: Spoken, studio: Studio) -> Iterator[Pcm]:
        voice = reading.voice
        speaker = reading.speaker or studio.engine.speaker(voice, speed=self._manner.speed)
        shaper = SegmentShaper(studio.engine.sample_rate, self._rate)
        waves = speaker.speak(spoken)
        audio = busy = 0.0
        while True:
            began = time.perf_counter()
            wave = next(waves, None)
            busy += time.perf_counter() - began
            if wave is None:
                break
            audio += len(wave) / studio.engine.sample_rate
            yield to_pcm(shaper.feed(wave), self._rate)
        yield to_pcm(shaper.end(), self._rate)
        if self._measured:
            measure = Measure(audio=audio, busy=busy, characters=len(spoken.text))
            studio.pace.note(voice.name, measure)

    def _paced(self, pcm: Pcm) -> Pcm:
        """Put the silence that is owed before the next sound."""
        if not pcm.data:
            return pcm
        self._heard = True
        self._first_at = self._first_at or time.monotonic()
        self._made_seconds += pcm.seconds
        owed, self._owed = silence(self._owed, pcm.rate), 0.0
        return Pcm(data=owed.data + pcm.data, rate=pcm.rate)
