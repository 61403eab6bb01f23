"""Whose turn it is when several requests share one engine. Pure: times are passed in.

Home Assistant drains an answer as fast as it is made and does not cancel it when nobody listens any
more, so an old answer is often far ahead of its playback while a new one waits for its first word.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

BACKLOG_SECONDS = 10.0
"""Finished audio that a client has not taken yet, from which on its request waits."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """How far a request is. Times in seconds.

    `order` counts arrivals. `made` is audio finished so far, `taken` the part of it that went to
    the client, `first_at` when the first of it was finished (None: there is none yet) on the
    clock of `now`.
    """

    order: int
    made: float = 0.0
    taken: float = 0.0
    first_at: float | None = None

    def ahead(self, now: float) -> float:
        """Return the audio that a client playing since the first piece has still unplayed."""
        return 0.0 if self.first_at is None else self.made - (now - self.first_at)

    @property
    def held_up(self) -> bool:
        """Whether the client reads so slowly that more audio would only pile up."""
        return self.made - self.taken >= BACKLOG_SECONDS


def next_turn(standings: Iterable[Standing], now: float) -> Standing | None:
    """Choose the request whose next engine step is run; None if none may run.

    Requests that have said nothing yet come first, in order of arrival; then the one that is
    nearest to running dry. So a running request waits for at most one first piece of each newer
    one, and two that run dry share the engine.
    """
    waiting = [standing for standing in standings if not standing.held_up]
    silent = [standing for standing in waiting if standing.first_at is None]
    if silent:
        return min(silent, key=lambda standing: standing.order)
    return min(waiting, key=lambda s: (s.ahead(now), s.order), default=None)
