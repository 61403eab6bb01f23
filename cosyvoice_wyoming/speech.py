"""The main path: a request's text in, its audio out.

`speak` runs on the event loop and cuts the text into segments while it arrives; each is spoken on
the worker's thread by the request's Narration, which keeps what runs on from segment to segment.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
from collections.abc import AsyncGenerator, Callable
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

from cosyvoice_wyoming.audio import Pcm
from cosyvoice_wyoming.errors import EngineFailed, SpeechError, TextTooLong
from cosyvoice_wyoming.journal import Answer, Journal
from cosyvoice_wyoming.lane import Lane
from cosyvoice_wyoming.narration import Manner, Narration, Studio
from cosyvoice_wyoming.pace import MOST_HELD_SECONDS, Pace
from cosyvoice_wyoming.text.spoken import Segment
from cosyvoice_wyoming.voices import VoiceWish
from cosyvoice_wyoming.worker import Worker

if TYPE_CHECKING:
    from cosyvoice_wyoming.text.script import Script

__all__ = ["Manner", "Narration", "Request", "Studio", "TextFeed", "speak"]

_LOGGER = logging.getLogger(__name__)

QUIET_SECONDS = 0.2
"""A language model that pauses this long after an ender is not about to add a closing bracket."""

FEED_CHARS = 2_000
"""Characters cut into segments in one go, so that the event loop answers others in between."""


class TextFeed:
    """The text of a request while it arrives: at most `limit` characters."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._pieces: asyncio.Queue[str | None] = asyncio.Queue()
        self.characters = 0
        self.first_at: float | None = None
        """When the first text came, on the monotonic clock."""

    def put(self, piece: str) -> None:
        """Add text. Raises TextTooLong."""
        self.characters += len(piece)
        if self.characters > self._limit:
            raise TextTooLong(f"the text is over {self._limit} characters: send it in parts")
        if self.first_at is None:
            self.first_at = time.monotonic()
        for start in range(0, len(piece), FEED_CHARS):
            self._pieces.put_nowait(piece[start : start + FEED_CHARS])

    def close(self) -> None:
        """Say that the text is complete."""
        self._pieces.put_nowait(None)

    async def next_piece(self) -> str | None:
        """Wait for the next text; None at the end."""
        return await self._pieces.get()


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What a client wants to hear.

    `streamed` requests are ended by `synthesize-stopped`; `private` ones leave no audio behind.
    """

    text: TextFeed
    wish: VoiceWish = field(default_factory=VoiceWish)
    text_format: str = "text"
    streamed: bool = False
    private: bool = False


async def speak(
    request: Request, worker: Worker[Studio], manner: Manner, journal: Journal | None = None
) -> AsyncGenerator[Pcm]:
    """Speak a request while its text arrives, yielding audio as soon as it exists.

    Always yields some, all at one rate. Raises SpeechError.
    """
    journal = journal or Journal()
    try:
        async with contextlib.aclosing(_speak(request, worker, manner, journal)) as audio:
            async for pcm in audio:
                yield pcm
    except SpeechError as error:
        journal.fail(type(error).__name__)
        raise


async def _speak(
    request: Request, worker: Worker[Studio], manner: Manner, journal: Journal
) -> AsyncGenerator[Pcm]:
    lane = worker.open()
    pace = worker.loaded.pace if worker.loaded else Pace()
    narration = Narration(request.wish, manner, private=request.private)
    lane.on_drop = narration.let_go
    narration.is_alone = lane.is_alone
    script = manner.script(request.text_format, pace.limits())
    feeding = asyncio.create_task(_feed(request, lane, narration, script))
    feeding.add_done_callback(partial(_end_lane_if_failed, lane))
    first_at, seconds = None, 0.0
    try:
        holding = _held(lane, lambda: _seconds_to_hold(request, narration, pace))
        async with contextlib.aclosing(holding) as audio:
            async for pcm in audio:
                first_at = first_at or time.monotonic()
                seconds += pcm.seconds
                yield pcm
        began = request.text.first_at
        answer = Answer(
            voice=narration.voice.name if narration.voice else "no voice",
            characters=request.text.characters,
            seconds=seconds,
            first_audio=first_at - began if began and first_at else 0.0,
            busy=lane.busy_seconds,
            gaps=lane.playback.gaps,
            gap_seconds=lane.playback.gap_seconds,
        )
        _LOGGER.info("spoke %s", answer, extra={"fields": answer.fields()})
        journal.add(answer)
    finally:
        feeding.cancel()
        lane.close()


def _seconds_to_hold(request: Request, narration: Narration, pace: Pace) -> float:
    """Return the audio to have before a player starts; the more text has come, the better known."""
    voice = narration.voice.name if narration.voice else ""
    return pace.held(voice, request.text.characters)


async def _held(lane: Lane[Studio], needed: Callable[[], float]) -> AsyncGenerator[Pcm]:
    """Yield a lane's audio once `needed` seconds of it are there, or after MOST_HELD_SECONDS."""
    held: list[Pcm] = []
    starts_at = None
    async for pcm in lane:
        held.append(pcm)
        starts_at = starts_at or time.monotonic() + MOST_HELD_SECONDS
        if sum(piece.seconds for piece in held) >= needed() or time.monotonic() >= starts_at:
            break
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(lane.more(), starts_at - time.monotonic())
            continue
        break
    lane.playback.start(time.monotonic())
    for pcm in held:
        yield pcm
    async for pcm in lane:
        yield pcm


async def _feed(request: Request, lane: Lane[Studio], narration: Narration, script: Script) -> None:
    """Cut the text into segments as it comes and have them spoken."""
    quiet = True
    while True:
        try:
            async with asyncio.timeout(None if quiet else QUIET_SECONDS):
                piece = await request.text.next_piece()
        except TimeoutError:
            quiet = True
            _put(lane, narration, script.flush())
            continue
        if piece is None:
            break
        quiet = False
        _put(lane, narration, script.feed(piece))
        await asyncio.sleep(0)
    _put(lane, narration, script.finish())
    lane.put(narration.end)
    lane.finish()


def _put(lane: Lane[Studio], narration: Narration, segments: list[Segment]) -> None:
    for segment in segments:
        _LOGGER.debug("segment: %s", segment.text)
        narration.expect(segment)
        lane.put(partial(narration.say, segment))


def _end_lane_if_failed(lane: Lane[Studio], feeding: asyncio.Task[None]) -> None:
    if feeding.cancelled() or (error := feeding.exception()) is None:
        return
    _LOGGER.debug("the text could not be cut into segments", exc_info=error)
    if not isinstance(error, SpeechError):
        error = EngineFailed(f"the text could not be read ({type(error).__name__})")
    lane.fail(error)
