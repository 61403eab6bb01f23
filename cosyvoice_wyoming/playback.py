"""What a player hears of a request: it starts with the first audio and never waits. Pure."""

from __future__ import annotations

from dataclasses import dataclass

HEARD_SECONDS = 0.02
"""A shorter wait is hidden by any player's buffer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Delivery:
    """Audio of `seconds`, made at `made_at`; its text was there at `asked_at`. One clock."""

    seconds: float
    made_at: float
    asked_at: float


class Playback:
    """Counts the gaps that a player has to bridge with silence.

    It starts when `start` is called; what was delivered before was held back for it. A wait counts
    from when the last audio was played or the next text was there, whichever is later: a language
    model that pauses is not this server's gap.
    """

    def __init__(self) -> None:
        self.gaps = 0
        self.gap_seconds = 0.0
        self.longest_gap = 0.0
        self._delivered = 0.0
        self._ends_at: float | None = None

    def start(self, now: float) -> None:
        """Note that the player gets its first audio now."""
        self._ends_at = now + self._delivered

    def deliver(self, delivery: Delivery) -> None:
        """Note audio that goes out to the player."""
        self._delivered += delivery.seconds
        if self._ends_at is None:
            return
        gap = delivery.made_at - max(self._ends_at, delivery.asked_at)
        if gap > HEARD_SECONDS:
            self.gaps += 1
            self.gap_seconds += gap
            self.longest_gap = max(self.longest_gap, gap)
        self._ends_at = max(self._ends_at, delivery.made_at) + delivery.seconds
