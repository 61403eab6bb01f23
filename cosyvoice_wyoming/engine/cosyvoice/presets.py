"""What a preset trades: exactness, speed, and how soon the first sound comes."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from cosyvoice_wyoming.engine.cosyvoice.flow import Schedule
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
    Each chunk reads `EDGE_TOKENS` more.
    """

    precision: Precision
    scheme: Scheme
    schedule: Schedule
    hops: tuple[int, ...]

    def hop(self, chunk: int) -> int:
        return self.hops[min(chunk, len(self.hops) - 1)]


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
        schedule=Schedule(guidance=(OFFICIAL_GUIDANCE,) * 10),
        hops=(30, 60, 100),
    ),
    "fast": Preset(
        precision=Precision.INT8,
        scheme=Scheme.SEAMLESS,
        schedule=Schedule(guidance=(OFFICIAL_GUIDANCE, OFFICIAL_GUIDANCE, 0.0, 0.0)),
        hops=(20, 60, 100),
    ),
}
DEFAULT_PRESET = "balanced"
