"""What the worker does while nobody waits: speaks once in each language, keeps common replies.

Each rehearsal is done step by step like a request, so that a request waits for one step of it.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import TypeAlias

from cosyvoice_wyoming.idle import IdleWork
from cosyvoice_wyoming.narration import Manner, Narration, Studio
from cosyvoice_wyoming.schedule import REST
from cosyvoice_wyoming.text.language import Language
from cosyvoice_wyoming.text.spoken import Segment
from cosyvoice_wyoming.voices import VoiceWish

_LOGGER = logging.getLogger(__name__)

Rehearsal: TypeAlias = IdleWork[Studio]

REPLIES = Path(__file__).parent / "replies.tsv"
"""Language and text, one reply a line: what Home Assistant and assistants say most."""

_GREETINGS = {
    Language.ZH: "你好。",
    Language.EN: "Hello.",
    Language.JA: "こんにちは。",
    Language.KO: "안녕하세요.",
    Language.YUE: "早晨呀。",
}


def rehearsals(manner: Manner) -> Sequence[Rehearsal]:
    """Return what makes first requests quick, the most useful first."""
    replies = [partial(_keep, manner, language, text) for language, text in common_replies()]
    return [*greetings(), *replies]


def greetings() -> Sequence[Rehearsal]:
    """Return what loads each language, so that its first request is as quick as the second."""
    return [partial(_greet, language) for language in Language]


def common_replies() -> Iterator[tuple[Language, str]]:
    """Yield the replies that are worth having ready."""
    for line in REPLIES.read_text("utf-8").splitlines():
        tag, text = line.split("\t")
        yield Language(tag), text


def _greet(language: Language, studio: Studio) -> Iterator[float]:
    # The first words of a language load it: seconds that say nothing about the next words.
    wish = VoiceWish(language=language)
    narration = Narration(wish, Manner(), private=True, measured=False)
    for _ in narration.say(Segment(text=_GREETINGS[language], language=language), studio):
        yield 0.0
    _LOGGER.debug("warmed up %s", language)


def _keep(manner: Manner, language: Language, text: str, studio: Studio) -> Iterator[float]:
    """Speak a reply as a client would hear it from the default voice of its language."""
    if studio.phrases is None:
        return
    narration = Narration(VoiceWish(language=language), manner, to_disk=True)
    script = manner.script()
    for segment in (*script.feed(text), *script.finish()):
        for _ in narration.say(segment, studio):
            yield REST
