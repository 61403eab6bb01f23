"""How quick this machine speaks, and what follows for segments and for the start of playback.

Pure: what a segment took is passed in. Written by the worker's thread and read by the event loop;
each value is replaced as a whole.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from cosyvoice_wyoming.text.segment import LIMITS, Limits

NEWEST = 0.3
"""Weight of the newest segment in the averages: a machine that gets busy is noticed in three."""

LEAP = 2.0
"""A segment counts as at most so much slower than the average: one that waited for an engine to be
started again says nothing about the next."""

MARGIN = 1.15
"""Real-time factors are taken to be that much worse than they were: words differ in speed."""

MOST_HELD_SECONDS = 4.0
"""No player waits longer for its first audio: Home Assistant's voice devices give up after 5 s."""

USUAL_GROWTH = LIMITS[1].soft / LIMITS[0].soft


@dataclass(frozen=True, slots=True, kw_only=True)
class Measure:
    """One segment: seconds of audio, of the engine, and characters of text."""

    audio: float
    busy: float
    characters: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Average:
    """Moving averages: real-time factor, and seconds of audio for a character."""

    rtf: float
    character_seconds: float

    def after(self, measure: Measure) -> Average:
        """Return the averages with one more segment in them."""
        newest = average_of(measure)
        return Average(
            rtf=_mixed(self.rtf, min(newest.rtf, LEAP * self.rtf + 0.1)),
            character_seconds=_mixed(self.character_seconds, newest.character_seconds),
        )


def average_of(measure: Measure) -> Average:
    """Return the averages of a single segment."""
    return Average(
        rtf=measure.busy / measure.audio,
        character_seconds=measure.audio / max(1, measure.characters),
    )


def _mixed(old: float, new: float) -> float:
    return old + NEWEST * (new - old)


class Pace:
    """What was measured, by voice. Before the first segment it decides as for a fast machine."""

    def __init__(self) -> None:
        self.averages: dict[str, Average] = {}
        self.latest: Average | None = None
        """Over all voices."""

    def note(self, voice: str, measure: Measure) -> None:
        """Take in a segment that the engine has spoken."""
        if not measure.audio:
            return
        old, latest = self.averages.get(voice), self.latest
        self.averages[voice] = old.after(measure) if old else average_of(measure)
        self.latest = latest.after(measure) if latest else average_of(measure)

    @property
    def rtf(self) -> float:
        """The real-time factor of late, over all voices; 0 before the first segment."""
        return self.latest.rtf if self.latest else 0.0

    def limits(self) -> tuple[Limits, ...]:
        """Return how long segments may be: each is made while the one before it is heard.

        A segment of L seconds takes RTF · L to make, so it may be 1 / RTF times as long as the one
        before. Where that is less than 1, cutting does not help and the usual limits stand.
        """
        rtf = self.rtf * MARGIN
        if rtf * USUAL_GROWTH <= 1 or rtf >= 1:
            return LIMITS
        grown = [LIMITS[0]]
        for usual in LIMITS[1:]:
            soft = min(usual.soft, int(grown[-1].soft / rtf))
            space = min(usual.space, max(grown[-1].space, 2 * soft))
            grown.append(replace(usual, soft=soft, space=space))
        return tuple(grown)

    def held(self, voice: str, characters: int) -> float:
        """Return the seconds of audio to have before the first is sent, so that none runs dry.

        With T seconds to come in all and RTF r > 1, playing starts safely with T · (1 - 1/r) of
        them made; later than that is waiting for nothing.
        """
        average = self.averages.get(voice) or self.latest
        if average is None or average.rtf * MARGIN <= 1:
            return 0.0
        whole = characters * average.character_seconds
        return whole * (1 - 1 / (average.rtf * MARGIN))
