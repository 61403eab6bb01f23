"""What has been spoken, in figures: for the log, the page and the metrics. Never the text."""

from __future__ import annotations

from collections import Counter, deque
from dataclasses import dataclass

KEPT = 200
"""Answers that are kept one by one, for medians; older ones count in the totals only."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """A request that was spoken to its end.

    `first_audio` is in seconds from the first text to the first audio, `seconds` is the audio's
    length, `busy` the engine's time for it. `gaps` are the silences of `gap_seconds` in all that a
    player heard because audio came too late.
    """

    voice: str
    characters: int
    seconds: float
    first_audio: float
    busy: float
    gaps: int = 0
    gap_seconds: float = 0.0

    @property
    def rtf(self) -> float:
        """Real-time factor: engine seconds for a second of audio."""
        return self.busy / self.seconds if self.seconds else 0.0

    def fields(self) -> dict[str, str | float]:
        """Return the figures by name, for a log that programs read."""
        return {
            "voice": self.voice,
            "characters": self.characters,
            "audio_seconds": round(self.seconds, 3),
            "first_audio_ms": round(1000 * self.first_audio),
            "rtf": round(self.rtf, 3),
            "gaps": self.gaps,
            "gap_seconds": round(self.gap_seconds, 3),
        }

    def __str__(self) -> str:
        return (
            f"{self.characters} characters as {self.seconds:.1f} s with {self.voice}: "
            f"first audio after {1000 * self.first_audio:.0f} ms, RTF {self.rtf:.2f}, "
            + (f"{self.gaps} gaps of {self.gap_seconds:.2f} s" if self.gaps else "no gaps")
        )


class Journal:
    """The answers of a server since its start. Used from the event loop only."""

    def __init__(self) -> None:
        self.latest: deque[Answer] = deque(maxlen=KEPT)
        self.answers: Counter[str] = Counter()
        """Answers by voice."""
        self.failures: Counter[str] = Counter()
        """Requests that ended in an error, by its kind."""
        self.characters = 0
        self.audio_seconds = 0.0
        self.busy_seconds = 0.0
        self.gaps = 0
        self.gap_seconds = 0.0

    def add(self, answer: Answer) -> None:
        """Note an answer."""
        self.latest.append(answer)
        self.answers[answer.voice] += 1
        self.characters += answer.characters
        self.audio_seconds += answer.seconds
        self.busy_seconds += answer.busy
        self.gaps += answer.gaps
        self.gap_seconds += answer.gap_seconds

    def fail(self, kind: str) -> None:
        """Note a request that ended in an error of that kind."""
        self.failures[kind] += 1
