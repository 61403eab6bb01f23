"""What the HTTP side has of the server, and how it has a text spoken."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Sequence
from dataclasses import dataclass, replace

from cosyvoice_wyoming.audio import Pcm
from cosyvoice_wyoming.errors import BadOption
from cosyvoice_wyoming.journal import Journal
from cosyvoice_wyoming.settings import Settings
from cosyvoice_wyoming.speech import Manner, Request, Studio, TextFeed, speak
from cosyvoice_wyoming.stats import Stats
from cosyvoice_wyoming.text.language import parse_tag
from cosyvoice_wyoming.voices import STANDARD_VOICES, Voice, VoiceWish
from cosyvoice_wyoming.worker import Worker

COSYVOICE_SPEAKERS = {
    "中文女": "zh_female_01",
    "中文男": "zh_male_01",
    "日语男": "ja_male_01",
    "粤语女": "yue_female_01",
    "英文女": "en_female_01",
    "英文男": "en_male_01",
    "韩语女": "ko_female_01",
}
"""The names under which CosyVoice's own web service knows its speakers."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Desk:
    """The server as the HTTP side sees it.

    `studio` is what has been loaded, None before; `clients` how many are connected; `switch` ends
    the server so that it goes on with another model. `stats` are all figures, for the metrics.
    """

    settings: Settings
    worker: Worker[Studio]
    manner: Manner
    journal: Journal
    studio: Callable[[], Studio | None]
    clients: Callable[[], int]
    switch: Callable[[str], None]
    stats: Callable[[], Stats] | None = None

    @property
    def voices(self) -> Sequence[Voice]:
        """The voices of the model; before it is loaded, those of every model."""
        studio = self.studio()
        return studio.engine.voices if studio else STANDARD_VOICES


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """What an HTTP client wants to hear; `speed` and `sample_rate` 0 are the server's own."""

    text: str
    speaker: str = ""
    language: str = ""
    speed: float = 0.0
    sample_rate: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Speech:
    """Speech that has begun: its first audio is there, so that no error comes before it."""

    first: Pcm
    rest: AsyncGenerator[Pcm]

    @property
    def rate(self) -> int:
        return self.first.rate

    async def pieces(self) -> AsyncGenerator[Pcm]:
        """Yield all of the audio. Raises SpeechError if it breaks off."""
        yield self.first
        async for pcm in self.rest:
            yield pcm

    async def close(self) -> None:
        """Give up what is not spoken yet."""
        await self.rest.aclose()


async def begin(desk: Desk, order: Order) -> Speech:
    """Have an order spoken and return when its first audio is there. Raises SpeechError."""
    wish = _wish(order, desk.voices)
    feed = TextFeed(desk.settings.max_text_chars)
    feed.put(order.text)
    feed.close()
    manner = replace(
        desk.manner,
        speed=order.speed or desk.manner.speed,
        sample_rate=order.sample_rate or desk.manner.sample_rate,
    )
    audio = speak(Request(text=feed, wish=wish), desk.worker, manner, desk.journal)
    return Speech(first=await anext(audio), rest=audio)


def _wish(order: Order, voices: Sequence[Voice]) -> VoiceWish:
    """Return the voice that is wanted. Raises BadOption for a name or a language of none."""
    name = COSYVOICE_SPEAKERS.get(order.speaker, order.speaker.lower())
    names = [voice.name for voice in voices]
    if name and name not in names:
        raise BadOption(f"there is no speaker '{order.speaker[:40]}': take {', '.join(names)}")
    if order.language and parse_tag(order.language) is None:
        raise BadOption(f"'{order.language[:40]}' is no language here: take zh, yue, en, ja or ko")
    return VoiceWish(name=name, language=order.language)
