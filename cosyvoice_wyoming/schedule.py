"""Whose turn it is when several requests share one engine. Pure: times are passed in.

Home Assistant drains an answer as fast as it is made and does not cancel it when nobody listens any
more, so an old answer is often far ahead of its playback while a new one waits for its first word.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

BACKLOG_SECONDS = 10.0
"""Finished audio that a client has not taken yet, from which on its request waits."""

AHEAD_SECONDS = 14.0
"""Unplayed audio from which on a request is far ahead: more than an answer, less than a story. At
10 s the rests were a third of the time in which a paragraph of 14 s was made."""

REST = 3.0
"""A request that is far ahead lets the engine rest for as many times as its last step took. Three
times out of four a new request then finds the engine free, an answer that nobody hears any more
costs little, and a board stays cooler; what is far ahead is still made faster than it is heard. The
last segment of a text is made without rest: then the engine is free for good."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """How far a request is. Times in seconds.

    `order` counts arrivals. `made` is audio finished so far, `taken` the part of it that went to
    the client, `first_at` when the first of it was finished (None: there is none yet) on the
    clock of `now`. `step_at` is when its last step ended, `step` how long that took. `is_last` says
    that the whole text has come and all but its last segment is made.
    """

    order: int
    made: float = 0.0
    taken: float = 0.0
    first_at: float | None = None
    step_at: float = 0.0
    step: float = 0.0
    is_last: bool = False

    def ahead(self, now: float) -> float:
        """Return the audio that a client playing since the first piece has still unplayed."""
        return 0.0 if self.first_at is None else self.made - (now - self.first_at)

    def rests_until(self, now: float) -> float:
        """Return when its next step may be done; a time that is past if it may be now."""
        rests = self.ahead(now) >= AHEAD_SECONDS and not self.is_last
        return self.step_at + REST * self.step if rests else 0.0

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
    waiting = [s for s in standings if not s.held_up and s.rests_until(now) <= now]
    silent = [standing for standing in waiting if standing.first_at is None]
    if silent:
        return min(silent, key=lambda standing: standing.order)
    return min(waiting, key=lambda s: (s.ahead(now), s.order), default=None)


def next_look(standings: Iterable[Standing], now: float) -> float | None:
    """Return the seconds until a request that rests may go on; None if none does."""
    rests = [s.rests_until(now) - now for s in standings if not s.held_up]
    return min([rest for rest in rests if rest > 0], default=None)
