"""One reader per language, loaded when it is first needed."""

from __future__ import annotations

import contextlib
import ctypes
import gc
from collections.abc import Callable
from importlib import import_module
from threading import Lock
from typing import Protocol, cast

from cosyvoice_wyoming.phonemes.symbols import Phonemes
from cosyvoice_wyoming.text.language import Language


class Reader(Protocol):
    """Pronounces text of one language."""

    def read(self, text: str) -> Phonemes:
        """Pronounce `text`: letters of this language, spaces and the vocabulary's punctuation.

        Safe to call from several threads. Never raises: what it cannot read it leaves out.
        """
        ...


_READERS: dict[Language, tuple[str, str]] = {
    Language.ZH: ("mandarin", "MandarinReader"),
    Language.YUE: ("cantonese", "CantoneseReader"),
    Language.JA: ("japanese", "JapaneseReader"),
    Language.KO: ("korean", "KoreanReader"),
    Language.EN: ("english", "EnglishReader"),
}

_loaded: dict[Language, Reader] = {}
_loading = {language: Lock() for language in Language}


def reader(language: Language) -> Reader:
    """Return the reader of `language`; the first call loads its library and dictionaries."""
    if (ready := _loaded.get(language)) is not None:
        return ready
    with _loading[language]:
        if language not in _loaded:
            module, name = _READERS[language]
            load = getattr(import_module(f"{__package__}.{module}"), name)
            _loaded[language] = cast("Callable[[], Reader]", load)()
            _return_memory()
        return _loaded[language]


def _return_memory() -> None:
    """Hand back what parsing the dictionaries left free: 20 MB of 210 for all five languages."""
    gc.collect()
    with contextlib.suppress(OSError, AttributeError):  # glibc only
        ctypes.CDLL("libc.so.6").malloc_trim(0)
