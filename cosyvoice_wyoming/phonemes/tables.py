"""The tab-separated data files beside this module."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.resources import files


def rows(name: str) -> Iterator[list[str]]:
    """Yield the fields of each line of the file `name`; lines that start with # are comments."""
    text = files(__package__).joinpath(name).read_text(encoding="utf-8")
    for line in text.splitlines():
        if line and not line.startswith("#"):
            yield line.split("\t")


def table(name: str) -> dict[str, str]:
    """Read the first two columns of the file `name` as key and value."""
    return {row[0]: row[1] for row in rows(name)}
