"""Tables on a terminal, where a Chinese character takes two columns."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence


def format_table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return lines of columns, two spaces apart, each as wide as its widest cell."""
    lines = [header, *rows]
    widths = [max(_width(line[column]) for line in lines) for column in range(len(header))]
    return "\n".join(
        "  ".join(
            cell + " " * (width - _width(cell)) for cell, width in zip(line, widths, strict=True)
        ).rstrip()
        for line in lines
    )


def _width(text: str) -> int:
    return sum(2 if unicodedata.east_asian_width(char) in "WF" else 1 for char in text)
