"""From a segment as it was written to the words that are said."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

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


def prepare(
    segment: Segment, hint: Language | None = None, dictionary: Dictionary | None = None
) -> Spoken | None:
    """Return what is to be said for a segment, None if there is nothing to say.

    `hint` is the voice's language; without one the text alone decides.
    """
    text = strip_markup(segment.text)
    language = segment.language or detect(text, hint)
    spans = tuple(spans_of(words_of(text, language), language))
    if not spans:
        return None
    return Spoken(text=text, language=language, spans=spans, pause=segment.pause, rate=segment.rate)


def words_of(text: str, language: Language) -> str:
    """Return clean text in words: no digit or sign is left."""
    said_by = verbaliser(language).for_text(text)
    text = say_links(said_by.rewrite(text), said_by)
    text = say_numbers(text, said_by)
    text = say_letters(text, said_by)
    return tidy(text, language)
