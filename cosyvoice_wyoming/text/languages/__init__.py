"""How each language says numbers and signs. A new language is one line in VERBALISERS."""

from __future__ import annotations

from functools import cache
from importlib import import_module

from cosyvoice_wyoming.text.language import Language
from cosyvoice_wyoming.text.languages.verbaliser import Verbaliser

__all__ = ["VERBALISERS", "Verbaliser", "verbaliser"]

VERBALISERS: dict[Language, str] = {
    Language.ZH: "chinese.Chinese",
    Language.YUE: "cantonese.Cantonese",
    Language.JA: "japanese.Japanese",
    Language.KO: "korean.Korean",
    Language.EN: "english.English",
}
"""The class of each language in this package, imported on first use."""


@cache
def verbaliser(language: Language) -> Verbaliser:
    """Return the one verbaliser of a language."""
    module, _, name = VERBALISERS[language].partition(".")
    found: type[Verbaliser] = getattr(import_module(f"{__name__}.{module}"), name)
    return found()
