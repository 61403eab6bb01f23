"""Loads what speaks: a model's bundle, its engine, its voices."""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from cosyvoice_wyoming.engine.registry import ENGINES
from cosyvoice_wyoming.errors import EngineFailed, SpeechError
from cosyvoice_wyoming.isolated.engine import IsolatedEngine
from cosyvoice_wyoming.machine import check_cpu
from cosyvoice_wyoming.narration import Studio
from cosyvoice_wyoming.phrase_files import PhraseFiles
from cosyvoice_wyoming.phrases import PhraseCache
from cosyvoice_wyoming.text.dictionary import DictionaryFile
from cosyvoice_wyoming.voices import VoiceCatalog

if TYPE_CHECKING:
    from cosyvoice_wyoming.bundles import Progress
    from cosyvoice_wyoming.engine import Engine
    from cosyvoice_wyoming.settings import Settings

_LOGGER = logging.getLogger(__name__)

EMBEDDED = "lite"
"""The model to fall back to."""

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


def load_studio(
    settings: Settings, progress: Progress | None = None, *, isolated: bool = False
) -> Studio:
    """Load the model that the settings name; fetch and build its bundle first if need be.

    An `isolated` engine runs in a process of its own.

    Raises BadOption for an unknown model, DownloadFailed, ModelCorrupt, EngineFailed.
    """
    check_cpu()
    bundle, name, model = settings.data_dir, WITHOUT_BUNDLE, WITHOUT_BUNDLE
    if settings.model != WITHOUT_BUNDLE:
        from cosyvoice_wyoming.bundles import ensure, open_bundle, silent
        from cosyvoice_wyoming.bundles.manifest import MANIFEST

        bundle = ensure(settings.model, settings.data_dir, progress or silent)
        name = open_bundle(bundle).engine
        model = hashlib.sha256((bundle / MANIFEST).read_bytes()).hexdigest()
    engine: Engine
    if isolated:
        engine = IsolatedEngine(name, bundle, threads=settings.threads)
    else:
        engine = ENGINES[name](bundle, threads=settings.threads)
    return Studio(
        engine=engine,
        catalog=VoiceCatalog(engine.voices, settings.default_voices),
        dictionary=DictionaryFile(settings.data_dir / DICTIONARY),
        phrases=_phrases(settings),
        model=model,
    )


class Loading:
    """Loads what the settings ask for; called again because that broke, the embedded model.

    If that breaks as well, or is what broke, `give_up` is called: a supervisor may do better.
    """

    def __init__(self, settings: Settings, give_up: Callable[[SpeechError], object]) -> None:
        self._settings = settings
        self._give_up = give_up
        self._loaded = ""
        self.small = False
        """Whether the next call loads the embedded model, whatever the settings ask for."""
        self.changing = False
        """Whether the next call is a change of mind, and nothing broke."""

    @property
    def model(self) -> str:
        """The model that a call loads now."""
        asked = self._settings.model
        return EMBEDDED if self.small and asked != WITHOUT_BUNDLE else asked

    def __call__(self) -> Studio:
        """Return a studio with an isolated engine. Raises SpeechError."""
        if self._loaded and not self.changing:
            self._fall_back()
        self.changing = False
        studio = load_studio(replace(self._settings, model=self.model), isolated=True)
        self._loaded = self.model
        return studio

    def _fall_back(self) -> None:
        broken = self._loaded
        if broken in {EMBEDDED, WITHOUT_BUNDLE}:
            error = EngineFailed(f"the model {broken} broke again and again: the server ends")
            self._give_up(error)
            raise error
        _LOGGER.error("the model %s broke again and again: %s speaks instead", broken, EMBEDDED)
        self._settings = replace(self._settings, model=EMBEDDED)
        self._loaded = ""


def _phrases(settings: Settings) -> PhraseCache | None:
    """Return the phrases that are kept; None if the settings give them no room."""
    if not settings.cache_mb:
        return None
    return PhraseCache(PhraseFiles(settings.data_dir / PHRASES, settings.cache_mb << 20))
