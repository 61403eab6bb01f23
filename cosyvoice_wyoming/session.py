"""One client's connection: Wyoming events in, audio out.

One task reads, so that `describe`, `ping` and the end of the connection are seen while another
speaks the requests in order. Whatever goes wrong ends both, then in an `error` event and a closed
connection: Home Assistant takes audio that merely stops for complete and keeps it for good.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from cosyvoice_wyoming import stats, wire
from cosyvoice_wyoming.audio import SAMPLE_WIDTH, Pcm, frames
from cosyvoice_wyoming.errors import BadRequest, EngineFailed, ServerBusy, ShuttingDown, SpeechError
from cosyvoice_wyoming.journal import Journal
from cosyvoice_wyoming.speech import Manner, Request, Studio, TextFeed, speak
from cosyvoice_wyoming.voices import VoiceWish
from cosyvoice_wyoming.worker import Worker

_LOGGER = logging.getLogger(__name__)


PROBE_SECONDS = 0.5
"""The second write to a client that has gone fails, so it is noticed within twice that."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What one connection may ask for."""

    max_text_chars: int = 20_000
    max_pending: int = 16
    """Requests sent ahead on one connection."""
    idle_seconds: float = 600.0
    """Without an event for so long, a connection that waits for nothing is closed; an open text
    stream is taken for abandoned. Home Assistant's own limit for an answer is 300 s."""
    write_seconds: float = 120.0
    """How long a client may read nothing: a player that is paused does that for a while."""


@dataclass(frozen=True, slots=True, kw_only=True)
class House:
    """What all sessions share.

    `info` gives the answer to `describe`, `stats` that to our own event, `manner` how a request
    that begins now is spoken.
    """

    worker: Worker[Studio]
    manner: Callable[[], Manner]
    info: Callable[[], wire.Event]
    stats: Callable[[], wire.Event]
    limits: Limits
    journal: Journal = field(default_factory=Journal)


class _Idle(Exception):  # not an error
    """The client has had nothing to say for a long time."""


class Session:
    """One connection, from its first event to its end."""

    def __init__(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, house: House
    ) -> None:
        self._reader = reader
        self._writer = writer
        self._house = house
        self._requests: asyncio.Queue[Request | None] = asyncio.Queue()
        self._pending = 0
        self._stream: TextFeed | None = None
        self._answers = {
            "describe": self._describe,
            "ping": self._ping,
            stats.EVENT: self._stats,
            "synthesize": self._synthesize,
            "synthesize-start": self._start_stream,
            "synthesize-chunk": self._add_to_stream,
            "synthesize-stop": self._stop_stream,
        }

    async def run(self) -> None:
        """Serve the client until it goes. Cancelled, it tells a client that is being spoken to.

        Raises nothing but CancelledError.
        """
        goodbye: SpeechError | None = None
        try:
            await self._serve()
        except asyncio.CancelledError:
            if self._pending:
                goodbye = ShuttingDown("the server is shutting down: try again in a moment")
            raise
        except BaseExceptionGroup as group:
            goodbye = _what_to_tell(group)
        finally:
            await wire.hang_up(self._reader, self._writer, goodbye)

    async def _serve(self) -> None:
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(self._speak_in_order())
            tasks.create_task(self._read())

    # Reading

    async def _read(self) -> None:
        """Take events until the client ends its side; it may still listen to what it asked for."""
        while event := await self._next_event():
            answer = self._answers.get(event.type)
            if answer is None:
                _LOGGER.debug("ignored a %r event", event.type)
            else:
                await answer(event)
        if self._stream:
            raise BadRequest("the connection ended before synthesize-stop")
        self._requests.put_nowait(None)
        if self._writer.get_extra_info("socket"):
            await self._probe()

    async def _probe(self) -> None:
        """Find out whether a client that has ended its side still listens, while it waits.

        One that has gone looks the same until it is written to; without this, all that it asked
        for would be begun. A pong that nobody asked for is ignored by whoever still listens.
        """
        while self._pending:
            await asyncio.sleep(PROBE_SECONDS)
            if self._pending:
                await self._send(wire.Pong().event())

    async def _next_event(self) -> wire.Event | None:
        while True:
            patience = asyncio.timeout(self._house.limits.idle_seconds)
            try:
                async with patience:
                    return await wire.read_event(self._reader)
            except TimeoutError:
                if not patience.expired():
                    raise
            if self._stream:
                raise BadRequest("no text has come for too long: send synthesize-stop")
            if not self._pending:
                raise _Idle

    async def _describe(self, _: wire.Event) -> None:
        await self._send(self._house.info())

    async def _ping(self, event: wire.Event) -> None:
        text = event.data.get("text")
        await self._send(wire.Pong(text=text if isinstance(text, str) else None).event())

    async def _stats(self, _: wire.Event) -> None:
        await self._send(self._house.stats())

    async def _synthesize(self, event: wire.Event) -> None:
        if self._stream:
            return  # the whole text again, for servers that cannot stream
        text = TextFeed(self._house.limits.max_text_chars)
        text.put(_text_of(event))
        text.close()
        self._accept(event, text, streamed=False)

    async def _start_stream(self, event: wire.Event) -> None:
        if self._stream:  # a client that forgot to stop: what it has sent is spoken
            self._stream.close()
        self._stream = TextFeed(self._house.limits.max_text_chars)
        self._accept(event, self._stream, streamed=True)

    async def _add_to_stream(self, event: wire.Event) -> None:
        if not self._stream:
            raise BadRequest("synthesize-chunk came without synthesize-start")
        self._stream.put(_text_of(event))

    async def _stop_stream(self, _: wire.Event) -> None:
        if self._stream:
            self._stream.close()
            self._stream = None

    def _accept(self, event: wire.Event, text: TextFeed, *, streamed: bool) -> None:
        if self._pending >= self._house.limits.max_pending:
            raise ServerBusy(f"{self._pending} requests are waiting on this connection: wait")
        self._pending += 1
        self._requests.put_nowait(
            Request(
                text=text,
                wish=_wish_of(event),
                text_format="ssml" if event.data.get("text_format") == "ssml" else "text",
                streamed=streamed,
                private=_is_private(event),
            )
        )

    # Speaking

    async def _speak_in_order(self) -> None:
        while request := await self._requests.get():
            await self._speak(request)
            self._pending -= 1

    async def _speak(self, request: Request) -> None:
        position = 0.0
        house = self._house
        audio = speak(request, house.worker, house.manner(), house.journal)
        async with contextlib.aclosing(audio):
            async for pcm in audio:
                if not position:
                    await self._send(_audio_start(pcm.rate))
                for frame in frames(pcm):
                    await self._send(_audio_chunk(frame, position))
                    position += frame.seconds
        await self._send(wire.AudioStop(timestamp=_milliseconds(position)).event())
        if request.streamed:
            await self._send(wire.SynthesizeStopped().event())

    async def _send(self, event: wire.Event) -> None:
        patience = asyncio.timeout(self._house.limits.write_seconds)
        try:
            async with patience:
                await wire.write_event(self._writer, event)
        except TimeoutError:
            if patience.expired():
                _LOGGER.info("a client stopped reading: its connection is closed")
            raise


def _text_of(event: wire.Event) -> str:
    text = event.data.get("text")
    if not isinstance(text, str):
        raise BadRequest(f"the text of a {event.type} event is not a string")
    return text


def _wish_of(event: wire.Event) -> VoiceWish:
    """Read the voice from the raw data: the library's class drops the language beside a name."""
    voice = event.data.get("voice")
    if not isinstance(voice, dict):
        voice = {"name": voice}
    return VoiceWish(
        name=_as_text(voice.get("name")),
        language=_as_text(voice.get("language")),
        speaker=_as_text(voice.get("speaker")),
    )


def _is_private(event: wire.Event) -> bool:
    """Whether a client asks that nothing of the text is kept: `context: {"private": true}`."""
    context = event.data.get("context")
    return isinstance(context, dict) and bool(context.get("private"))


def _as_text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _audio_start(rate: int) -> wire.Event:
    return wire.AudioStart(rate=rate, width=SAMPLE_WIDTH, channels=1, timestamp=0).event()


def _audio_chunk(pcm: Pcm, position: float) -> wire.Event:
    return wire.AudioChunk(
        rate=pcm.rate,
        width=SAMPLE_WIDTH,
        channels=1,
        audio=pcm.data,
        timestamp=_milliseconds(position),
    ).event()


def _milliseconds(seconds: float) -> int:
    return round(1000 * seconds)


def _what_to_tell(group: BaseExceptionGroup) -> SpeechError | None:
    """Return the error that the client is told; None if it is the client that went."""
    causes = list(_leaves(group))
    for error in causes:
        if isinstance(error, SpeechError):
            _LOGGER.info("a request ended with an error: %s", error)
            return error
    unexpected = [error for error in causes if not isinstance(error, (OSError, _Idle))]
    if not unexpected:
        _LOGGER.debug("a client went away: %r", causes[0])
        return None
    _LOGGER.error("a session failed", exc_info=unexpected[0])
    return EngineFailed(f"the server failed ({type(unexpected[0]).__name__})")


def _leaves(error: BaseException) -> Iterator[BaseException]:
    if isinstance(error, BaseExceptionGroup):
        for part in error.exceptions:
            yield from _leaves(part)
    else:
        yield error
