"""The lists of words with their right pronunciations."""

from __future__ import annotations

from pathlib import Path

_CORPUS = Path(__file__).parent.parent / "corpus"


def pronunciations(language: str) -> list[tuple[str, list[str]]]:
    """Read `pronunciation_<language>.tsv`: what is written, and the accepted readings."""
    text = (_CORPUS / f"pronunciation_{language}.tsv").read_text(encoding="utf-8")
    rows = (line.split("\t") for line in text.splitlines() if not line.startswith("#"))
    return [(row[0], row[1].split("|")) for row in rows]
