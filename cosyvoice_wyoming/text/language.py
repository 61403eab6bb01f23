"""Which language a text is in, and what the tags of languages mean."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

from cosyvoice_wyoming.text.characters import is_han, is_hangul, is_kana


class Language(StrEnum):
    """A language the server speaks; the value is the prefix of its voices' names."""

    ZH = "zh"
    YUE = "yue"
    JA = "ja"
    KO = "ko"
    EN = "en"


_PRIMARY_TAGS = {
    "zh": Language.ZH,
    "cmn": Language.ZH,
    "chi": Language.ZH,
    "zho": Language.ZH,
    "yue": Language.YUE,
    "ja": Language.JA,
    "jp": Language.JA,
    "jpn": Language.JA,
    "ko": Language.KO,
    "kr": Language.KO,
    "kor": Language.KO,
    "en": Language.EN,
    "eng": Language.EN,
}
_CANTONESE_SUBTAGS = frozenset({"hk", "mo", "yue"})

_CANTONESE_ONLY = frozenset("唔冇咁佢咩睇嘅咗喺哋啲嚟嗰嘢嘥攞揾搵瞓冚啱咪嘞喎咋㗎嗌囉噉乜嬲")
_CANTONESE_WORDS = re.compile(
    r"屋企|而家|下晝|上晝|聽日|尋日|琴日|今日係|點解|邊度|幾時|係咪|好似係|熄燈|食飯|返工"
)
_MANDARIN_MARKERS = frozenset("的是我了在不吗嗎这這们們你他她它没沒吧呢")
_SELDOM_JAPANESE = frozenset("我的是也都就又")
"""Not in Japanese without kana beside them, unless as one part of a word."""
_NEVER_JAPANESE = frozenset("这這们們吗嗎你她它没吧呢很")
_LATIN_WORD = re.compile(
    r"(?<![^\s\"“(])[A-Za-z]+(?:['’-][A-Za-z]+)*(?=[\s,.!?;:\"”)]|$)(?![.:]\S)"
)
_ENGLISH_GLUE = frozenset(
    [
        "a",
        "and",
        "are",
        "at",
        "for",
        "i",
        "in",
        "is",
        "it",
        "of",
        "on",
        "please",
        "the",
        "to",
        "you",
    ]
)
_QUANTITY = re.compile(r"\d\s*[A-Za-z°%μµ]")
_SENTENCE_WORDS = 3


@dataclass(frozen=True, slots=True)
class _Evidence:
    """How many letters of each script a text has; `only_no`: its kana are nothing but の."""

    han: str
    hiragana: int
    kana: int
    hangul: int
    only_no: bool


def parse_tag(tag: str) -> Language | None:
    """Return the language that a tag or one of its aliases means, None if there is none.

    Case does not matter, and `_` is as good as `-`: `zh-Hant-HK`, `jp`, `yue_HK`, `EN-gb`.
    """
    primary, *rest = tag.strip().lower().replace("_", "-").split("-")
    language = _PRIMARY_TAGS.get(primary)
    if language is Language.ZH and _CANTONESE_SUBTAGS.intersection(rest):
        return Language.YUE
    return language


def detect(text: str, hint: Language | None = None) -> Language:
    """Return the language of a segment, given the voice's.

    Only a script overrules the hint (kana, Hangul, characters that one country alone writes, a
    whole English sentence), never a statistic: `28°C` and 東京 are read in the voice's language.
    Without a hint, undecided Han text is Mandarin and text without any letter English.
    """
    found = _evidence(text)
    if hint in {Language.EN, None} and _is_english_with_names(found, text):
        return Language.EN
    if found.hangul and 2 * found.hangul >= len(found.han) + found.kana:
        return Language.KO
    if found.kana and _is_japanese(found, hint):
        return Language.JA
    if found.han:
        return _of_han(found.han, text, hint)
    if hint is None:
        return _of_rest(found)
    return Language.EN if _is_english_sentence(text) else hint


def _evidence(text: str) -> _Evidence:
    han = "".join(filter(is_han, text))
    kana = [char for char in text if is_kana(char) and char not in "・ー"]
    hiragana = sum("ぁ" <= char <= "ゟ" for char in kana)
    only_no = set(kana) == {"の"}
    return _Evidence(han, hiragana, len(kana), sum(map(is_hangul, text)), only_no)


def _is_japanese(found: _Evidence, hint: Language | None) -> bool:
    if hint is Language.JA:
        return not (any(map(_is_simplified, found.han)) and not found.hiragana)
    if not found.hiragana and _MANDARIN_MARKERS.intersection(found.han):
        return False  # a Chinese sentence that quotes ヤマシロヤ
    if found.only_no and hint in {Language.ZH, Language.YUE}:
        return False  # の stands in Chinese names of shops
    return 4 * found.kana >= len(found.han)


def _of_han(han: str, text: str, hint: Language | None) -> Language:
    """Decide between the languages that are written in Han characters alone."""
    if hint is Language.YUE:
        return Language.JA if _is_japanese_han(han) else Language.YUE
    if _CANTONESE_ONLY.intersection(han) or _CANTONESE_WORDS.search(text):
        return Language.YUE
    if _is_japanese_han(han):
        return Language.JA
    if hint is Language.JA and not any(map(_is_simplified, han)):
        doubtful = sum(char in _SELDOM_JAPANESE for char in han)
        chinese = doubtful > 1 or _NEVER_JAPANESE.intersection(han)
        return Language.ZH if chinese else Language.JA
    return Language.ZH


def _of_rest(found: _Evidence) -> Language:
    if found.hangul:
        return Language.KO
    return Language.JA if found.kana else Language.EN


def _is_english_sentence(text: str) -> bool:
    return len(_english_words(text)) >= _SENTENCE_WORDS and not _QUANTITY.search(text)


def _is_english_with_names(found: _Evidence, text: str) -> bool:
    """Whether an English sentence only quotes words in another script."""
    others = len(found.han) + found.kana + found.hangul
    words = _english_words(text) if others else []
    return 2 * others <= sum(map(len, words)) and any(_is_glue(word, text) for word in words)


def _is_glue(word: str, text: str) -> bool:
    """Whether a word holds an English sentence together.

    With a capital it does so only where a sentence begins: 播放 Shake It Off is no English.
    """
    if word.islower() or word == "I" or text.lstrip(' "“(').startswith(word):
        return word.lower() in _ENGLISH_GLUE
    return False


def _english_words(text: str) -> list[str]:
    """Return the Latin words that are neither initialisms nor part of an address."""
    return [word for word in _LATIN_WORD.findall(text) if not word.isupper() or word == "I"]


def _is_japanese_han(han: str) -> bool:
    return any(map(_is_japan_only, han)) and not any(map(_is_simplified, han))


# The codecs of the standard library are the tables of what each country writes.


@lru_cache(maxsize=8192)
def _is_simplified(char: str) -> bool:
    return _in("gb2312", char) and not _in("big5", char) and not _in("shift_jis", char)


@lru_cache(maxsize=8192)
def is_traditional(char: str) -> bool:
    """Whether only traditional Chinese writes a character (Japanese may, too)."""
    return is_han(char) and _in("big5", char) and not _in("gb2312", char)


@lru_cache(maxsize=8192)
def _is_japan_only(char: str) -> bool:
    return _in("shift_jis", char) and not _in("gb2312", char) and not _in("big5", char)


def _in(codec: str, char: str) -> bool:
    try:
        char.encode(codec)
    except UnicodeError:
        return False
    return True
