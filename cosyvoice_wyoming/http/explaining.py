"""How a text is read: its segments, the language of each, the words and the phonemes."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from functools import partial

from pydantic import BaseModel

from cosyvoice_wyoming.audio import Pcm
from cosyvoice_wyoming.errors import BadOption, TextTooLong
from cosyvoice_wyoming.http.desk import Desk
from cosyvoice_wyoming.speech import Studio
from cosyvoice_wyoming.text.language import Language, parse_tag
from cosyvoice_wyoming.text.spoken import Segment

MAX_CHARS = 2_000


class Explained(BaseModel):
    """A segment as it is read. `words` is empty if nothing of it is said."""

    text: str
    language: str
    words: str
    phonemes: str


async def explain(desk: Desk, text: str, tag: str) -> list[Explained]:
    """Explain a text. Raises BadOption, TextTooLong and what the worker raises.

    It is done on the worker's thread, a segment at a time: the front ends' libraries are used by
    one thread only.
    """
    hint = parse_tag(tag) if tag else None
    if tag and hint is None:
        raise BadOption(f"'{tag[:40]}' is no language here: take zh, yue, en, ja or ko")
    if len(text) > MAX_CHARS:
        raise TextTooLong(f"a text over {MAX_CHARS} characters is not explained: send a part of it")
    from cosyvoice_wyoming.text.script import Script

    script = Script("text", hint)
    explainer = _Explainer(hint)
    lane = desk.worker.open()
    with contextlib.closing(lane):
        for segment in (*script.feed(text), *script.finish()):
            lane.put(partial(explainer.explain, segment))
        lane.finish()
        async for _ in lane:
            pass
    return explainer.explained


class _Explainer:
    """Explains segment after segment as they would be spoken. Used on the worker's thread."""

    def __init__(self, hint: Language | None) -> None:
        self._hint = hint
        self.explained: list[Explained] = []

    def explain(self, segment: Segment, studio: Studio) -> Iterator[Pcm]:
        from cosyvoice_wyoming.phonemes import phonemize
        from cosyvoice_wyoming.text import prepare

        dictionary = studio.dictionary.current() if studio.dictionary else None
        spoken = prepare(segment, self._hint, dictionary)
        if spoken:
            self._hint = self._hint or spoken.language  # the first words choose the voice
        self.explained.append(
            Explained(
                text=segment.text,
                language=spoken.language if spoken else "",
                words=spoken.words if spoken else "",
                phonemes=phonemize(spoken).symbols if spoken else "",
            )
        )
        yield from ()
