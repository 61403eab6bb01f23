"""The rules that find numbers and signs, in the order in which they are tried."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cosyvoice_wyoming.text.rules.amounts import NUMBERS, amounts
from cosyvoice_wyoming.text.rules.codes import ATTACHED, DOTTED, LONG, ROOMS, codes
from cosyvoice_wyoming.text.rules.dates import DATES, TIMES, YEARS
from cosyvoice_wyoming.text.rules.place import Place, Rule, Start
from cosyvoice_wyoming.text.rules.signs import SIGNS

if TYPE_CHECKING:
    from cosyvoice_wyoming.text.languages import Verbaliser

__all__ = ["Place", "Rule", "Start", "rules"]


def rules(verbaliser: Verbaliser) -> tuple[Rule, ...]:
    """Return the rules for a language, the most special first."""
    return (
        *DOTTED,
        *DATES,
        *codes(verbaliser),
        *TIMES,
        *YEARS,
        *ROOMS,
        *amounts(verbaliser),
        *ATTACHED,
        *LONG,
        *NUMBERS,
        *SIGNS,
    )
