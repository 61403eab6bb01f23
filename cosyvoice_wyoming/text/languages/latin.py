"""Latin words and letters as Japanese and Korean write them themselves."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

from cosyvoice_wyoming.text.language import Language

_LONGEST_ABBREVIATION = 5


def in_native_script(word: str, language: Language) -> str | None:
    """Write a Latin word in kana or Hangul; None if it is better spoken as English.

    Words in capitals that are not in the table are spelled by the language's names of letters.
    """
    spellings = _spellings(language)
    if known := spellings.get(word.lower()):
        return known
    if word.isascii() and word.isalpha() and word.isupper() and len(word) <= _LONGEST_ABBREVIATION:
        return "".join(spellings[letter.lower()] for letter in word)
    return None


@cache
def _spellings(language: Language) -> dict[str, str]:
    """Read the table of `language`: words and letters in lower case to native script."""
    table = files(__package__).joinpath(f"latin_{language.value}.tsv").read_text(encoding="utf-8")
    pairs = (line.split("\t") for line in table.splitlines() if not line.startswith("#"))
    return {pair[0]: pair[1] for pair in pairs}
