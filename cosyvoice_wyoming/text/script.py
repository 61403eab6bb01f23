"""From the pieces of a request's text to segments."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from cosyvoice_wyoming.text.fences import FenceFilter
from cosyvoice_wyoming.text.given import without_private
from cosyvoice_wyoming.text.segment import LIMITS, Limits, Segmenter
from cosyvoice_wyoming.text.spoken import Segment
from cosyvoice_wyoming.text.ssml import Manner, Stretch, is_ssml, read_ssml

if TYPE_CHECKING:
    from cosyvoice_wyoming.text.language import Language

SSML = "ssml"
_OPENING = "<speak"
_PROLOGUE = "<?xml"


class Script:
    """The text of one request, fed as it arrives; how it is cut into pieces does not matter.

    Plain text gives segments on the way. An SSML document (`text_format` "ssml", or a text that
    starts with `<speak>`) gives them at the end; if it is broken it is read as text.
    """

    def __init__(
        self,
        text_format: str = "text",
        hint: Language | None = None,
        limits: Sequence[Limits] = LIMITS,
    ) -> None:
        self._hint = hint
        self._told = text_format.lower() == SSML
        self._document: list[str] = []
        self._beginning: str | None = None if self._told else ""
        self._is_ssml = self._told
        self._fences = FenceFilter()
        self._segmenter = Segmenter(limits)

    def feed(self, piece: str) -> list[Segment]:
        """Add text and return the segments that are complete."""
        piece = without_private(piece)
        if self._beginning is not None:
            self._beginning += piece
            start = self._beginning.lstrip().lower()
            if _OPENING.startswith(start[: len(_OPENING)]) and len(start) <= len(_OPENING):
                return []  # too short to tell
            self._is_ssml = start.startswith((_OPENING, _PROLOGUE))
            piece, self._beginning = self._beginning, None
        if self._is_ssml:
            self._document.append(piece)
            return []
        return self._segmenter.feed(self._fences.feed(piece))

    def flush(self) -> list[Segment]:
        """Return what ends beyond doubt, after a quiet moment."""
        return self._segmenter.flush()

    def finish(self) -> list[Segment]:
        """Return the rest."""
        if self._is_ssml:
            return self._finish_document()
        held, self._beginning = self._beginning or "", None
        text = self._fences.feed(held) + self._fences.finish()
        return self._segmenter.feed(text) + self._segmenter.finish()

    def _finish_document(self) -> list[Segment]:
        document = "".join(self._document)
        stretches = read_ssml(document, self._hint) if self._told or is_ssml(document) else None
        if stretches is None:
            return self._segmenter.feed(document) + self._segmenter.finish()
        return self._segments(stretches)

    def _segments(self, stretches: tuple[Stretch, ...]) -> list[Segment]:
        done: list[Segment] = []
        manner = Manner()
        for stretch in stretches:
            if stretch.text and stretch.manner == manner:
                done += _in_manner(self._segmenter.feed(stretch.text), manner)
                continue
            done += _in_manner(self._segmenter.cut(), manner)
            if stretch.text:
                manner = stretch.manner
                done += _in_manner(self._segmenter.feed(stretch.text), manner)
            else:
                _pause(done, stretch.pause)
        return done + _in_manner(self._segmenter.finish(), manner)


def _in_manner(segments: list[Segment], manner: Manner) -> list[Segment]:
    if manner == Manner():
        return segments
    return [replace(segment, language=manner.language, rate=manner.rate) for segment in segments]


def _pause(done: list[Segment], seconds: float) -> None:
    """Put a pause after the last segment, which a document's break overrules."""
    if done:
        done[-1] = replace(done[-1], pause=seconds)
    else:
        done.append(Segment(text="", pause=seconds))
