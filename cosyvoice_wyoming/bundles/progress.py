"""How far a fetch or a build is, for whoever shows it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One moment of the work. `done` of `total` bytes; both 0 where a step cannot be measured."""

    text: str
    done: int = 0
    total: int = 0


Progress: TypeAlias = Callable[[Step], None]


def silent(_: Step) -> None:
    """Show nothing."""
