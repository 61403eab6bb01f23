"""What is no letter of the five languages: punctuation, digits that were left, other alphabets."""

from __future__ import annotations

import re
import unicodedata

from cosyvoice_wyoming.phonemes.symbols import PUNCTUATION
from cosyvoice_wyoming.text.language import Language

_MARKS = str.maketrans(
    {
        # a wide mark has its space in itself
        **dict.fromkeys("、，﹐､", ", "),
        **dict.fromkeys("。．｡", ". "),
        **dict.fromkeys("！﹗", "! "),
        **dict.fromkeys("？﹖", "? "),
        **dict.fromkeys("：︰", ": "),
        **dict.fromkeys("；﹔", "; "),
        **dict.fromkeys("「『«〝", "“"),
        **dict.fromkeys("」』»〞", "”"),
        **dict.fromkeys("（《〈【〔［[{｛", "("),
        **dict.fromkeys("）》〉】〕］]}｝", ")"),
        **dict.fromkeys("–―─〜～~", "—"),
        **dict.fromkeys("·・･‧\t\n\r\u3000\u00a0/／|｜_＿", " "),
        "⋯": "…",
        '"': "”",
        "＂": "”",
        "’": "'",
        "‘": "'",
        "＇": "'",
    }
)

_CYRILLIC = dict(
    zip(
        "абвгдеёжзийклмнопрстуфхцчшщъыьэюяєіїґ",
        ("a", "b", "v", "g", "d", "e", "yo", "zh", "z", "i", "y", "k", "l", "m", "n", "o", "p",
         "r", "s", "t", "u", "f", "kh", "ts", "ch", "sh", "shch", "", "y", "", "e", "yu", "ya",
         "ye", "i", "yi", "g"),
        strict=True,
    )
)  # fmt: skip
_GREEK = dict(
    zip(
        "αβγδεζηθικλμνξοπρστυφχψω",
        ("alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta", "iota", "kappa",
         "lambda", "mu", "nu", "xi", "omicron", "pi", "rho", "sigma", "tau", "upsilon", "phi",
         "chi", "psi", "omega"),
        strict=True,
    )
)  # fmt: skip
_LATIN = {
    ord(form): latin
    for letters in (_CYRILLIC, {letter: f" {name} " for letter, name in _GREEK.items()})
    for letter, latin in letters.items()
    for form in (letter, letter.upper())
}
"""Cyrillic as English would write it, and Greek letters by their names."""

_WIDE_OR_HALF = re.compile("[\uff00-\uffdf]+")
_KEPT = PUNCTUATION | frozenset(" '-")

_DIGITS: dict[Language, str] = {
    Language.ZH: "零一二三四五六七八九",
    Language.YUE: "零一二三四五六七八九",
    Language.JA: "ゼロ イチ ニ サン ヨン ゴ ロク ナナ ハチ キュー",
    Language.KO: "영일이삼사오육칠팔구",
    Language.EN: "zero one two three four five six seven eight nine",
}


def plain_marks(text: str) -> str:
    """Replace each punctuation mark by the vocabulary's nearest one, and other signs by spaces.

    What comes back are letters and digits, spaces, the vocabulary's marks, and the apostrophes
    and hyphens of English words.
    """
    text = unicodedata.normalize("NFC", text).translate(_MARKS).translate(_LATIN)
    text = _WIDE_OR_HALF.sub(lambda match: unicodedata.normalize("NFKC", match[0]), text)
    text = "".join(c if c.isalnum() or c in _KEPT else " " for c in text)
    text = re.sub(r"[.… ]*…[.…]*|\.(?: ?\.)+", "…", text)
    text = re.sub(r"([—,.;:!?])(?:\s*\1)+", r"\1", text)
    return re.sub(r" {2,}", " ", text)


def spell_digits(text: str, language: Language) -> str:
    """Say digits one by one. The front end turns numbers into words; this is for what it missed."""
    if text.isascii() and not any(map(str.isdigit, text)):
        return text
    names = _DIGITS[language]
    words = names.split() if " " in names else list(names)
    gap = " " if " " in names else ""
    return "".join(
        f"{gap}{words[int(character)]}{gap}" if character.isdecimal() else character
        for character in text
    )
