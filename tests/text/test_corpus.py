"""What is written is what is said: every line of the corpora."""

from __future__ import annotations

from collections import Counter

import pytest

from cosyvoice_wyoming.text import prepare
from cosyvoice_wyoming.text.language import Language
from cosyvoice_wyoming.text.spoken import Segment
from tests.text.corpus import letters, lines

OWN = [
    (language, *line[:2]) for language in ("zh", "yue", "en") for line in lines(f"{language}.tsv")
]
MIXED = [tuple(line[:3]) for line in lines("mixed.tsv")]
DEVIATIONS = [tuple(line[:4]) for line in lines("deviations.tsv")]
LEAST_LINES = 120
MOST_DEVIATIONS = 0.03


def said(language: str, text: str) -> str:
    spoken = prepare(Segment(text=text), Language(language))
    return letters(spoken.words) if spoken else ""


@pytest.mark.parametrize(("language", "text", "accepted"), OWN + MIXED)
def test_line_is_said_as_accepted(language: str, text: str, accepted: str) -> None:
    assert said(language, text) in map(letters, accepted.split("|"))


@pytest.mark.parametrize(("language", "text", "right", "actual"), DEVIATIONS)
def test_known_failure_is_said_as_noted(language: str, text: str, right: str, actual: str) -> None:
    """If this fails because the reading is right now, move the line to the language's corpus."""
    assert said(language, text) == letters(actual) != letters(right)


@pytest.mark.parametrize("name", ["zh", "yue", "en", "ja", "ko", "mixed"])
def test_corpus_is_long_enough_for_its_known_failures(name: str) -> None:
    known = Counter(language for language, *_ in DEVIATIONS)[name]
    total = len(lines(f"{name}.tsv"))
    assert total >= LEAST_LINES
    assert known <= MOST_DEVIATIONS * total
