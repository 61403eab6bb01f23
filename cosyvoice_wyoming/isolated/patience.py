"""When a step of the engine is hung. Pure: times and the process's CPU time are passed in.

A long utterance on a slow board may take half a minute, so time alone says little; but a process
that works uses the CPU. One that uses none for a while waits for something that never comes, and
one that works without end has run away.
"""

from __future__ import annotations

from dataclasses import dataclass

PROGRESS = 0.02
"""Share of a core that counts as working: a busy machine gives a process less than a whole one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Patience:
    """Seconds that a step may take: `still` without using the CPU, `whole` altogether."""

    still: float
    whole: float


STEP = Patience(still=15.0, whole=120.0)
LOADING = Patience(still=120.0, whole=600.0)
"""A slow card is waited for without any CPU time."""


class Watch:
    """One step under watch, from `now` and the process's CPU time at its start, in seconds."""

    def __init__(self, patience: Patience, *, now: float, cpu: float) -> None:
        self._patience = patience
        self._began = now
        self._moved_at = now
        self._cpu = cpu

    def verdict(self, *, now: float, cpu: float) -> str | None:
        """Return why the step is given up; None while it may go on."""
        if cpu - self._cpu > PROGRESS * (now - self._moved_at):
            self._moved_at, self._cpu = now, cpu
        if now - self._moved_at >= self._patience.still:
            return f"has done nothing for {now - self._moved_at:.0f} s"
        if now - self._began >= self._patience.whole:
            return f"has worked at one step for {now - self._began:.0f} s"
        return None


class Restarts:
    """How often an engine may break: `most` times within `seconds`."""

    def __init__(self, most: int = 3, seconds: float = 600.0) -> None:
        self._most = most
        self._seconds = seconds
        self._at: list[float] = []
        self.total = 0

    def allow(self, now: float) -> bool:
        """Note that the engine broke at `now`; return whether it may be started again."""
        self._at = [at for at in self._at if now - at < self._seconds]
        self._at.append(now)
        self.total += 1
        return len(self._at) <= self._most
