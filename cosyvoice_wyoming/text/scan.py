"""Find every number and sign in a text and have a language say it.

At each place where a number may begin, the rules are tried in order; the first one that makes
tokens wins. A rule is a pattern and a function that judges what it matched.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, TypeAlias

from cosyvoice_wyoming.text import patterns
from cosyvoice_wyoming.text.language import Language
from cosyvoice_wyoming.text.numbers import Counted, Money, Quantity
from cosyvoice_wyoming.text.rules import Place, Rule, Start, rules

if TYPE_CHECKING:
    from cosyvoice_wyoming.text.languages import Verbaliser

_SPACED = frozenset({Language.EN, Language.KO})
"""Languages that write a space between words."""
_MEASURES = (Quantity, Money, Counted)


_Candidates: TypeAlias = dict[Start, tuple[Rule, ...]]


@cache
def _rules(verbaliser: Verbaliser) -> tuple[Rule, ...]:
    return rules(verbaliser)


def _candidates(text: str, verbaliser: Verbaliser) -> _Candidates:
    """Return the rules that can match somewhere in a text, by what they start with."""
    possible = [rule for rule in _rules(verbaliser) if rule.may_match_in(text)]
    return {start: tuple(rule for rule in possible if start in rule.starts) for start in Start}


def say_numbers(text: str, verbaliser: Verbaliser) -> str:
    """Return the text with every digit and every sign in words; other characters stay.

    Signs that stand for nothing become a space or stay as punctuation. `text` has been folded.
    """
    said = _Said(verbaliser.language)
    place = Place.of(text, verbaliser)
    candidates: _Candidates | None = None
    at = 0
    while (start := patterns.START.search(text, at)) is not None:
        said.copy(text[at : start.start()])
        candidates = candidates or _candidates(text, verbaliser)
        here = place.at(start.start(), before=said.tail(), after_measure=said.measured)
        at = _say_at(here, candidates[Start.of(start[0][0])], said)
    said.copy(text[at:])
    return said.text()


def _say_at(place: Place, candidates: tuple[Rule, ...], said: _Said) -> int:
    """Say what begins at a place; return the index after it."""
    for rule in candidates:
        match = rule.pattern.match(place.text, place.index)
        if match is None:
            continue
        tokens = rule.make(match, place)
        if tokens is None:
            continue
        for token in tokens:
            if isinstance(token, str):
                said.copy(token)
            else:
                said.words(place.verbaliser.say(token), measure=isinstance(token, _MEASURES))
        return match.end()
    said.copy(" ")
    return place.index + 1


class _Said:
    """The text that comes out, with spaces between words where the language has them."""

    def __init__(self, language: Language) -> None:
        self._language = language
        self._parts: list[str] = []
        self._gap = False
        self.measured = False

    def tail(self) -> str:
        """Return the end of what was said so far; enough to judge what comes next."""
        return "".join(self._parts[-8:])[-40:]

    def copy(self, text: str) -> None:
        if not text:
            return
        if self._gap and self._joins(text[0]):
            self._parts.append(" ")
        self._gap = False
        self.measured = False
        self._parts.append(text)

    def words(self, words: str, *, measure: bool) -> None:
        """Add words in place of a number."""
        last = self._parts[-1][-1:] if self._parts else ""
        if last and not last.isspace() and self._parted(last, words[:1]):
            self._parts.append(" ")
        self._parts.append(words)
        self._gap = True
        self.measured = measure

    def _parted(self, last: str, first: str) -> bool:
        """Whether a space belongs between a character and the words after it."""
        if self._language in _SPACED:
            return last.isalnum() or last in ".,:;!?%)"
        return last.isascii() and last.isalpha() and first.isascii() and first.isalpha()

    def _joins(self, char: str) -> bool:
        """Whether a space belongs between words that were just said and a character."""
        if self._language is Language.EN:
            return char.isalnum()
        last = self._parts[-1][-1:]
        if self._language is Language.KO and char.isascii() and char.isalnum():
            return True
        return char.isascii() and char.isalpha() and last.isascii() and last.isalpha()

    def text(self) -> str:
        return "".join(self._parts)
