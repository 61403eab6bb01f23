"""From a segment as it was written to the words that are said."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from cosyvoice_wyoming.text.given import (
    NO_PLACEHOLDER,
    Given,
    extract,
    placeholder_index,
    split_at_placeholders,
)
from cosyvoice_wyoming.text.language import Language, detect
from cosyvoice_wyoming.text.languages import verbaliser
from cosyvoice_wyoming.text.letters import say_letters
from cosyvoice_wyoming.text.links import say_links
from cosyvoice_wyoming.text.markup import strip_markup
from cosyvoice_wyoming.text.punctuation import tidy
from cosyvoice_wyoming.text.scan import say_numbers
from cosyvoice_wyoming.text.spans import spans_of
from cosyvoice_wyoming.text.spoken import Segment, Span, Spoken

if TYPE_CHECKING:
    from cosyvoice_wyoming.text.dictionary import Dictionary

_ALPHABETS = {"pinyin": Language.ZH, "jyutping": Language.YUE}
"""Languages of the alphabets that only one of them uses."""


def prepare(
    segment: Segment, hint: Language | None = None, dictionary: Dictionary | None = None
) -> Spoken | None:
    """Return what is to be said for a segment, None if there is nothing to say.

    `hint` is the voice's language; without one the text alone decides. Never raises.
    """
    text, given = extract(segment.text)
    text = strip_markup(text)
    language = segment.language or detect(text + "".join(word.word for word in given), hint)
    spans = tuple(_spans(text, language, dictionary, given))
    if segment.phonemes and spans:
        words = "".join(span.text for span in spans)
        spans = (Span(text=words, language=language, phonemes=segment.phonemes),)
    if not spans:
        return None
    return Spoken(
        text=_with_words(text, given),
        language=language,
        spans=spans,
        pause=segment.pause,
        rate=segment.rate,
    )


def _spans(
    text: str, language: Language, dictionary: Dictionary | None, given: tuple[Given, ...]
) -> Iterator[Span]:
    if dictionary is not None:
        text = dictionary.apply(text, language)
    for piece in split_at_placeholders(words_of(text, language)):
        index = placeholder_index(piece[0])
        if index == NO_PLACEHOLDER:
            yield from spans_of(piece, language)
        elif words := words_of(given[index].word, language):
            alphabet, _, _ = given[index].phonemes.partition(":")
            read_by = _ALPHABETS.get(alphabet, language)
            yield Span(text=words, language=read_by, phonemes=given[index].phonemes)


def _with_words(text: str, given: tuple[Given, ...]) -> str:
    """Return the text with words in place of their placeholders."""
    pieces = split_at_placeholders(text)
    indices = map(placeholder_index, (piece[0] for piece in pieces))
    return "".join(
        piece if index == NO_PLACEHOLDER else given[index].word
        for piece, index in zip(pieces, indices, strict=True)
    )


def words_of(text: str, language: Language) -> str:
    """Return clean text in words: no digit or sign is left."""
    said_by = verbaliser(language).for_text(text)
    text = say_links(said_by.rewrite(text), said_by)
    text = say_numbers(text, said_by)
    text = say_letters(text, said_by)
    return tidy(text, language)
