"""Words that carry a pronunciation of their own inside a segment's text.

SSML may say how a word sounds in the middle of a sentence. Such a word travels through the
segmenter as `OPEN`, the word, and the pronunciation in characters of a private plane, which
nothing takes for text; `prepare` puts a placeholder there and a span with `phonemes` in the end.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_OPEN = "\ue000"
_PLANE = 0xF0000
_FIRST_PLACEHOLDER = 0xE100
_MOST_PLACEHOLDERS = 256

NO_PLACEHOLDER = -1

_PRIVATE = re.compile("[\ue000-\uf8ff\U000f0000-\U0010ffff]")
_PLACEHOLDER = re.compile(
    f"([{chr(_FIRST_PLACEHOLDER)}-{chr(_FIRST_PLACEHOLDER + _MOST_PLACEHOLDERS - 1)}])"
)
_GIVEN = re.compile(f"{_OPEN}([^{_OPEN}\U000f0000-\U000fffff]*)([\U000f0000-\U000fffff]+)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Given:
    """A word and its pronunciation, `pinyin:chong2 qing4`, `jyutping:…` or `ipa:…`."""

    word: str
    phonemes: str


def without_private(text: str) -> str:
    """Return text of a user without the characters that this module gives a meaning."""
    return _PRIVATE.sub("", text)


def embed(given: Given) -> str:
    """Return the word with its pronunciation, to stand in a segment's text."""
    phonemes = "".join(
        chr(_PLANE + ord(char)) for char in given.phonemes if ord(char) < _PLANE and char != "\n"
    )
    return f"{_OPEN}{given.word}{phonemes}"


def extract(text: str) -> tuple[str, tuple[Given, ...]]:
    """Return the text with a placeholder for each such word, and the words in order."""
    if _OPEN not in text:
        return without_private(text), ()
    found: list[Given] = []

    def place(match: re.Match[str]) -> str:
        if len(found) == _MOST_PLACEHOLDERS:
            return match[1]
        phonemes = "".join(chr(ord(char) - _PLANE) for char in match[2])
        found.append(Given(word=match[1].strip(), phonemes=phonemes))
        return chr(_FIRST_PLACEHOLDER + len(found) - 1)

    pieces, end = [], 0
    for match in _GIVEN.finditer(text):
        pieces += [without_private(text[end : match.start()]), place(match)]
        end = match.end()
    return "".join([*pieces, without_private(text[end:])]), tuple(found)


def split_at_placeholders(text: str) -> list[str]:
    """Return the text cut so that each placeholder is a piece of its own; no piece is empty."""
    return [piece for piece in _PLACEHOLDER.split(text) if piece]


def placeholder_index(char: str) -> int:
    """Return which of the words a placeholder stands for, NO_PLACEHOLDER if it is none."""
    index = ord(char) - _FIRST_PLACEHOLDER
    return index if 0 <= index < _MOST_PLACEHOLDERS else NO_PLACEHOLDER


def is_placeholder(char: str) -> bool:
    return placeholder_index(char) != NO_PLACEHOLDER
