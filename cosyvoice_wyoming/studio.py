"""Loads what speaks: a model's bundle, its engine, its voices."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import TYPE_CHECKING

from cosyvoice_wyoming.engine.registry import ENGINES
from cosyvoice_wyoming.narration import Studio
from cosyvoice_wyoming.phrase_files import PhraseFiles
from cosyvoice_wyoming.phrases import PhraseCache
from cosyvoice_wyoming.text.dictionary import DictionaryFile
from cosyvoice_wyoming.voices import VoiceCatalog

if TYPE_CHECKING:
    from cosyvoice_wyoming.bundles import Progress
    from cosyvoice_wyoming.settings import Settings

WITHOUT_BUNDLE = "tone"
"""The engine that is also a model: it has no files."""

DICTIONARY = "dictionary.txt"
"""The user's own pronunciations, in the data folder."""

PHRASES = "phrases"
"""Folder of the audio that is kept, in the data folder."""


def check_model(name: str) -> None:
    """Raise BadOption if there is no model of that name."""
    from cosyvoice_wyoming.bundles.sources import recipe

    if name != WITHOUT_BUNDLE:
        recipe(name)


def load_studio(settings: Settings, progress: Progress | None = None) -> Studio:
    """Load the model that the settings name; fetch and build its bundle first if need be.

    Raises BadOption for an unknown model, DownloadFailed, ModelCorrupt, EngineFailed.
    """
    model = WITHOUT_BUNDLE
    if settings.model == WITHOUT_BUNDLE:
        engine = ENGINES[WITHOUT_BUNDLE](Path(), threads=settings.threads)
    else:
        from cosyvoice_wyoming.bundles import ensure, open_bundle, silent
        from cosyvoice_wyoming.bundles.manifest import MANIFEST

        bundle = ensure(settings.model, settings.data_dir, progress or silent)
        engine = ENGINES[open_bundle(bundle).engine](bundle, threads=settings.threads)
        model = hashlib.sha256((bundle / MANIFEST).read_bytes()).hexdigest()
    return Studio(
        engine=engine,
        catalog=VoiceCatalog(engine.voices, settings.default_voices),
        dictionary=DictionaryFile(settings.data_dir / DICTIONARY),
        phrases=_phrases(settings),
        model=model,
    )


def _phrases(settings: Settings) -> PhraseCache | None:
    """Return the phrases that are kept; None if the settings give them no room."""
    if not settings.cache_mb:
        return None
    return PhraseCache(PhraseFiles(settings.data_dir / PHRASES, settings.cache_mb << 20))
