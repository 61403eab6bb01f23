"""The corpora as lists of lines, and what counts as the same reading."""

from __future__ import annotations

import unicodedata
from pathlib import Path

FOLDER = Path(__file__).parent.parent / "corpus"


def lines(name: str) -> list[list[str]]:
    """Return the columns of each line that is no comment."""
    text = (FOLDER / name).read_text(encoding="utf-8")
    return [line.split("\t") for line in text.splitlines() if line and not line.startswith("#")]


def letters(words: str) -> str:
    """Spaces and marks are not part of a reading."""
    return "".join(filter(str.isalnum, unicodedata.normalize("NFKC", words)))
