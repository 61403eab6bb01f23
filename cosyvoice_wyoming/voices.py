"""The voices by name, and which of them speaks when a client names another or none."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from cosyvoice_wyoming.text.language import Language, parse_tag

_LOGGER = logging.getLogger(__name__)

WARNED_NAMES = 256
"""Unknown names that are remembered to warn once each: clients make them up, so it has an end."""

SHOWN_CHARS = 40
"""Of an unknown name, how much the log repeats."""


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


@dataclass(frozen=True, slots=True, kw_only=True)
class VoiceWish:
    """What a client said about the voice it wants; each may be empty, wrong or unknown."""

    name: str = ""
    language: str = ""
    speaker: str = ""


def _voice(name: str, description: str, *, experimental: bool = False) -> Voice:
    language, gender, _ = name.split("_")
    return Voice(
        name=name,
        language=Language(language),
        gender=Gender(gender),
        description=description,
        experimental=experimental,
    )


# Home Assistant sorts the voices of a language by description and preselects the first, so the
# descriptions are worded to sort as the rows do.
STANDARD_VOICES = (
    _voice("zh_female_01", "中文 女声 1"),
    _voice("zh_female_02", "中文 女声 2"),
    _voice("zh_male_01", "中文 男声 1"),
    _voice("zh_male_02", "中文 男声 2"),
    _voice("en_female_01", "English, female 1"),
    _voice("en_male_01", "English, male 1"),
    _voice("ja_female_01", "日本語 女性 1"),
    _voice("ja_male_01", "日本語 男性 1"),
    _voice("ko_female_01", "한국어 1 (여성)", experimental=True),
    _voice("ko_male_01", "한국어 2 (남성)", experimental=True),
    _voice("yue_female_01", "粵語 女聲 1", experimental=True),
    _voice("yue_male_01", "粵語 男聲 1", experimental=True),
)
"""The voices of `lite`, announced from the start, before the model is loaded."""


class VoiceCatalog:
    """The voices of the model in use. `preferred` names the defaults that the settings ask for."""

    def __init__(self, voices: Sequence[Voice], preferred: Sequence[str] = ()) -> None:
        self._by_name = {voice.name: voice for voice in voices}
        self._warned: set[str] = set()
        self._defaults: dict[Language, Voice] = {}
        for voice in voices:
            self._defaults.setdefault(voice.language, voice)
        for name in preferred:
            if wanted := self._named(name):
                self._defaults[wanted.language] = wanted

    def resolve(self, wish: VoiceWish) -> Voice | None:
        """Return the voice that comes nearest to a wish; None leaves it to the text's language.

        The name counts most, then the speaker read as a name, then the language.
        """
        for name in (wish.name, wish.speaker):
            if name and (voice := self._named(name)):
                return voice
        if wish.name:
            self._warn_once(wish.name, "unknown voice %s: the default voice speaks")
        language = parse_tag(wish.language) if wish.language else None
        return self._defaults.get(language) if language else None

    def default(self, language: Language) -> Voice:
        """Return the voice for a text in `language`; if the model has none, its first voice."""
        return self._defaults.get(language) or next(iter(self._by_name.values()))

    def _named(self, name: str) -> Voice | None:
        """Return the voice of that name, or the nearest of its language and gender."""
        wanted = name.strip().lower()
        if voice := self._by_name.get(wanted):
            return voice
        language, _, rest = wanted.partition("_")
        gender, _, number = rest.partition("_")
        if gender not in set(Gender) or not number.isdecimal():
            return None
        same_language = [v for v in self._by_name.values() if v.language == language]
        same_gender = [v for v in same_language if v.gender == gender]
        nearest = next(iter(same_gender or same_language), None)
        if nearest:
            self._warn_once(name, f"the model has no voice %s: {nearest.name} speaks")
        return nearest

    def _warn_once(self, name: str, message: str) -> None:
        shown = repr(name[:SHOWN_CHARS])
        if shown not in self._warned and len(self._warned) < WARNED_NAMES:
            self._warned.add(shown)
            _LOGGER.warning(message, shown)
