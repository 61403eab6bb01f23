"""Which language a text is in, and what the tags of languages mean."""

from __future__ import annotations

from enum import StrEnum


class Language(StrEnum):
    """A language the server speaks; the value is the prefix of its voices' names."""

    ZH = "zh"
    YUE = "yue"
    JA = "ja"
    KO = "ko"
    EN = "en"
