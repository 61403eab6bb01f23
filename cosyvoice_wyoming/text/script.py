"""From the pieces of a request's text to segments."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cosyvoice_wyoming.text.segment import Segmenter

if TYPE_CHECKING:
    from cosyvoice_wyoming.text.language import Language
    from cosyvoice_wyoming.text.spoken import Segment


class Script:
    """The text of one request, fed as it arrives."""

    def __init__(self, text_format: str = "text", hint: Language | None = None) -> None:
        self._format = text_format
        self._hint = hint
        self._segmenter = Segmenter()

    def feed(self, piece: str) -> list[Segment]:
        return self._segmenter.feed(piece)

    def flush(self) -> list[Segment]:
        return self._segmenter.flush()

    def finish(self) -> list[Segment]:
        return self._segmenter.finish()
