"""Loads what speaks: a model's bundle, its engine, its voices."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from cosyvoice_wyoming.engine.registry import ENGINES
from cosyvoice_wyoming.speech import Manner, Narration, Studio
from cosyvoice_wyoming.text.dictionary import DictionaryFile
from cosyvoice_wyoming.text.language import Language
from cosyvoice_wyoming.text.spoken import Segment
from cosyvoice_wyoming.voices import VoiceCatalog, VoiceWish

if TYPE_CHECKING:
    from cosyvoice_wyoming.bundles import Progress
    from cosyvoice_wyoming.settings import Settings

_LOGGER = logging.getLogger(__name__)

WITHOUT_BUNDLE = "tone"
"""The engine that is also a model: it has no files."""

DICTIONARY = "dictionary.txt"
"""The user's own pronunciations, in the data folder."""

_GREETINGS = {
    Language.ZH: "你好。",
    Language.EN: "Hello.",
    Language.JA: "こんにちは。",
    Language.KO: "안녕하세요.",
    Language.YUE: "早晨呀。",
}


def check_model(name: str) -> None:
    """Raise BadOption if there is no model of that name."""
    from cosyvoice_wyoming.bundles.sources import recipe

    if name != WITHOUT_BUNDLE:
        recipe(name)


def load_studio(settings: Settings, progress: Progress | None = None) -> Studio:
    """Load the model that the settings name; fetch and build its bundle first if need be.

    Raises BadOption for an unknown model, DownloadFailed, ModelCorrupt, EngineFailed.
    """
    if settings.model == WITHOUT_BUNDLE:
        engine = ENGINES[WITHOUT_BUNDLE](Path(), threads=settings.threads)
    else:
        from cosyvoice_wyoming.bundles import ensure, open_bundle, silent

        bundle = ensure(settings.model, settings.data_dir, progress or silent)
        engine = ENGINES[open_bundle(bundle).engine](bundle, threads=settings.threads)
    return Studio(
        engine=engine,
        catalog=VoiceCatalog(engine.voices, settings.default_voices),
        dictionary=DictionaryFile(settings.data_dir / DICTIONARY),
    )


def warm_up() -> Sequence[Callable[[Studio], None]]:
    """Return what makes the first request in each language as fast as the second."""
    return [partial(_greet, language) for language in Language]


def _greet(language: Language, studio: Studio) -> None:
    narration = Narration(VoiceWish(language=language), Manner())
    for _ in narration.say(Segment(text=_GREETINGS[language], language=language), studio):
        pass
    _LOGGER.debug("warmed up %s", language)
