"""The voices by name, and which of them speaks when a client names another or none."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from cosyvoice_wyoming.text.language import Language


class Gender(StrEnum):
    """How a voice sounds; part of its name."""

    FEMALE = "female"
    MALE = "male"


@dataclass(frozen=True, slots=True, kw_only=True)
class Voice:
    """A voice that automations name: `<language>_<female|male>_<nn>`, the same in every model."""

    name: str
    language: Language
    gender: Gender
    description: str
    experimental: bool = False
