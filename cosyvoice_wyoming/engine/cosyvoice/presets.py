"""What a preset trades: exactness, speed, and how soon the first sound comes."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from cosyvoice_wyoming.engine.cosyvoice.flow import EDGE_TOKENS, Schedule
from cosyvoice_wyoming.engine.cosyvoice.quantise import Precision

OFFICIAL_GUIDANCE = 0.7


class Scheme(StrEnum):
    """How chunks are joined: as the original does it, or without its seams."""

    OFFICIAL = "official"
    SEAMLESS = "seamless"


@dataclass(frozen=True, slots=True, kw_only=True)
class Preset:
    """A way of running the model.

    `hops` are the new tokens of the first chunk, the second, and so on; the last number stays.
    Each chunk reads `EDGE_TOKENS` more. Later chunks than the first are cut only where
    `remainder` tokens more are there, so that the last one is no mere rest: whatever its length, a
    chunk costs the flow its overlap as well. Longer chunks have less of that but leave flow and
    vocoder waiting for their tokens, and more to do after the last one.
    """

    precision: Precision
    scheme: Scheme
    schedule: Schedule
    hops: tuple[int, ...]
    remainder: int = 0

    def hop(self, chunk: int) -> int:
        return self.hops[min(chunk, len(self.hops) - 1)]

    def enough(self, chunk: int) -> int:
        """Return how many tokens must be there before that chunk is cut from them."""
        return self.hop(chunk) + EDGE_TOKENS + (self.remainder if chunk else 0)


PRESETS = {
    "exact": Preset(
        precision=Precision.FP32,
        scheme=Scheme.OFFICIAL,
        schedule=Schedule(guidance=(OFFICIAL_GUIDANCE,) * 10),
        hops=(100,),
    ),
    "balanced": Preset(
        precision=Precision.INT8,
        scheme=Scheme.SEAMLESS,
        schedule=Schedule(guidance=(0.0,) + (OFFICIAL_GUIDANCE,) * 4),
        hops=(30, 60, 80),
        remainder=30,
    ),
    "fast": Preset(
        precision=Precision.INT8,
        scheme=Scheme.SEAMLESS,
        schedule=Schedule(guidance=(0.0, OFFICIAL_GUIDANCE, OFFICIAL_GUIDANCE)),
        hops=(15, 60, 80),
        remainder=30,
    ),
}
"""The steps grow, and what a step's guidance changes grows with it: the first does nearly as well
without it. Five steps start at every other time of the official ten, and stay nearer to their mel
than six or eight, which start at other times (tables in models/README.md)."""
DEFAULT_PRESET = "balanced"
