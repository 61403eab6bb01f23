"""The marks that are left around words: a pause each, or nothing."""

from __future__ import annotations

import re
from functools import lru_cache

from cosyvoice_wyoming.text.given import is_placeholder
from cosyvoice_wyoming.text.language import Language

_STRENGTH = "、，：；。！？…"
"""Weakest first; one mark is left of a run."""
_TO_WIDE = str.maketrans(
    {
        ",": "，",
        ".": "。",
        "!": "！",
        "?": "？",
        ";": "；",
        ":": "：",
        **dict.fromkeys("()[]（）【】〔〕{}—–", "，"),
        **dict.fromkeys("·・~～〜_|/\\*#`^<>=+@&%$\n\t\u3000", " "),
        **dict.fromkeys('「」『』“”"《》〈〉‘', ""),
        "’": "'",
    }
)
_TO_NARROW = str.maketrans(dict(zip("、，：；。！？", ",,:;.!?", strict=True)))
_ELLIPSIS = re.compile(r"\.{2,}|…+|。{2,}")
_LONE_LETTER_BEFORE, _LONE_LETTER_AFTER = "(?<=(?<![A-Za-z])[A-Za-z])", "(?=[A-Za-z](?![A-Za-z-]))"
_INNER_POINT = re.compile(rf"(?<=[A-Za-z])\.{_LONE_LETTER_AFTER}|{_LONE_LETTER_BEFORE}\.")
_LATIN = "A-Za-zÀ-ɏ"
_LOOSE_APOSTROPHE = re.compile(f"(?<![{_LATIN}])'|'(?![{_LATIN}])")
_LOOSE_HYPHEN = re.compile(f"(?<![{_LATIN}])-+|-+(?![{_LATIN}])")
_RUN = re.compile(f"[ {_STRENGTH}]*[{_STRENGTH}][ {_STRENGTH}]*")
_WIDE_LETTER = r"[㐀-鿿ぁ-ヿ々〇\uf900-\ufaff\U00020000-\U0003ffff]"
_INNER_SPACE = re.compile(rf"(?<={_WIDE_LETTER}) +| +(?={_WIDE_LETTER})")
_SPACES = re.compile(r" {2,}")
_CLOSERS_AT_END = " )）]】〕"
_POINT = "\ue010"
"""Stands for a full stop inside an abbreviation, which is no pause."""


def tidy(text: str, language: Language) -> str:
    """Return words with at most one mark between them, in the width that the language uses.

    Quotation marks vanish, brackets and dashes become commas. Left are letters, spaces, inner
    apostrophes and hyphens, and the marks `、，：；。！？…` or `,:;.!?…`.
    """
    text = text.rstrip(_CLOSERS_AT_END)
    text = _INNER_POINT.sub(_POINT, _ELLIPSIS.sub("…", text))
    text = text.translate(_TO_WIDE)
    text = "".join(filter(_is_kept, text))
    text = _LOOSE_HYPHEN.sub(" ", _LOOSE_APOSTROPHE.sub(" ", text))
    text = _RUN.sub(_strongest, text).lstrip(f" {_STRENGTH}").rstrip()
    if language in {Language.EN, Language.KO}:
        text = re.sub(f"([{_STRENGTH}])(?=.)", r"\1 ", text).translate(_TO_NARROW)
    else:
        text = _INNER_SPACE.sub("", text)
    return _SPACES.sub(" ", text).replace(_POINT, ".")


_KEPT = frozenset(f" '-{_STRENGTH}{_POINT}")


@lru_cache(maxsize=8192)
def _is_kept(char: str) -> bool:
    return char.isalpha() or char in _KEPT or is_placeholder(char)


def _strongest(match: re.Match[str]) -> str:
    return max(match[0].replace(" ", ""), key=_STRENGTH.index)
