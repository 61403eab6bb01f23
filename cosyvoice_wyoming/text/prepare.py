"""From a segment as it was written to the words that are said."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cosyvoice_wyoming.text.language import Language, detect
from cosyvoice_wyoming.text.spoken import Segment, Span, Spoken

if TYPE_CHECKING:
    pass


def prepare(segment: Segment, hint: Language | None = None) -> Spoken | None:
    """Return what is to be said for a segment, None if there is nothing to say."""
    text = segment.text.strip()
    if not any(map(str.isalnum, text)):
        return None
    language = segment.language or detect(text, hint)
    return Spoken(
        text=text,
        language=language,
        spans=(Span(text=text, language=language),),
        pause=segment.pause,
        rate=segment.rate,
    )
