"""What the text front end hands to an engine."""

from __future__ import annotations

from dataclasses import dataclass

from cosyvoice_wyoming.text.language import Language


@dataclass(frozen=True, slots=True, kw_only=True)
class Segment:
    """A piece of a request's text that is spoken in one go, before any cleaning.

    `pause` is the silence after it in seconds, at speed 1. `language`, `rate` and `phonemes` are
    set only where SSML said so: a language that overrides detection, a factor on the request's
    speed (above 1 is faster), and a pronunciation that replaces the front end's.
    """

    text: str
    pause: float = 0.0
    language: Language | None = None
    rate: float = 1.0
    phonemes: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """A run of words that one language's pronunciation covers.

    `text` holds words and punctuation only: no digit, sign or markup is left in it. `phonemes`
    is a pronunciation given by the user, in the symbols of `cosyvoice_wyoming.phonemes`; where it
    is empty the engine pronounces `text` itself.
    """

    text: str
    language: Language
    phonemes: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Spoken:
    """A segment as it will be said: cleaned, in one matrix language, every number in words.

    `text` is the cleaned segment before numbers became words (shown by `explain`); `spans` follow
    one another without gaps and are never empty. `pause` is in seconds at speed 1.
    """

    text: str
    language: Language
    spans: tuple[Span, ...]
    pause: float = 0.0
    rate: float = 1.0

    @property
    def words(self) -> str:
        """The words that are said, all spans joined."""
        return "".join(span.text for span in self.spans)
