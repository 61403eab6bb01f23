"""Clients for tests on the library's own framing: Home Assistant's two ways to ask, and raw."""

from __future__ import annotations

import asyncio
import contextlib
import json
import time
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from wyoming.event import Event, async_read_event, async_write_event

PATIENCE_SECONDS = 60.0


@dataclass(slots=True, kw_only=True)
class Heard:
    """What came back. `events` has runs of audio-chunk as one; it ends in EOF if that came."""

    events: list[str] = field(default_factory=list)
    chunks: list[Event] = field(default_factory=list)
    start: dict[str, Any] = field(default_factory=dict)
    error: dict[str, Any] = field(default_factory=dict)
    first_at: float = 0.0
    done_at: float = 0.0

    @property
    def pcm(self) -> bytes:
        return b"".join(chunk.payload or b"" for chunk in self.chunks)

    @property
    def samples(self) -> np.ndarray:
        return np.frombuffer(self.pcm, "<i2")

    @property
    def seconds(self) -> float:
        return len(self.pcm) / 2 / int(self.start["rate"])

    def take(self, event: Event | None) -> str:
        kind = event.type if event else "EOF"
        if kind != "audio-chunk" or self.events[-1:] != ["audio-chunk"]:
            self.events.append(kind)
        if event and kind == "audio-start":
            self.start = event.data
        if event and kind == "audio-chunk":
            self.first_at = self.first_at or time.monotonic()
            self.chunks.append(event)
        if event and kind == "error":
            self.error = event.data
        self.done_at = time.monotonic()
        return kind


class Client:
    """One connection."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader = reader
        self.writer = writer

    async def send(self, kind: str, **data: Any) -> None:
        await async_write_event(Event(type=kind, data=data), self.writer)

    async def send_raw(self, frame: bytes) -> None:
        self.writer.write(frame)
        await self.writer.drain()

    async def read(self) -> Event | None:
        async with asyncio.timeout(PATIENCE_SECONDS):
            return await async_read_event(self.reader)

    async def expect(self, kind: str) -> Event:
        """Read the next event, which must be of a kind."""
        event = await self.read()
        assert event is not None
        assert event.type == kind
        return event

    async def hear(self, until: Sequence[str]) -> Heard:
        """Read until an event of a kind in `until`, an error or the end."""
        heard = Heard()
        while heard.take(await self.read()) not in {*until, "error", "EOF"}:
            pass
        return heard

    async def hear_all(self) -> Heard:
        """Read to the end of the connection."""
        heard = Heard()
        while heard.take(await self.read()) != "EOF":
            pass
        return heard


@contextlib.asynccontextmanager
async def connected(port: int, host: str = "127.0.0.1", **options) -> AsyncIterator[Client]:
    reader, writer = await asyncio.open_connection(host, port, **options)
    try:
        yield Client(reader, writer)
    finally:
        writer.close()
        with contextlib.suppress(ConnectionError):
            await writer.wait_closed()


async def plain(port: int, text: str, **data: Any) -> Heard:
    """Ask as Home Assistant does of a server that does not stream: read to the first audio-stop."""
    async with connected(port) as client:
        await client.send("synthesize", text=text, **data)
        return await client.hear(["audio-stop"])


async def stream(
    port: int, pieces: Sequence[str], *, gap: float = 0.0, whole: bool = True, **data: Any
) -> Heard:
    """Ask as Home Assistant does of a server that streams: write and read at the same time.

    `whole` adds the compatibility event with the whole text that Home Assistant sends.
    """
    async with connected(port) as client:

        async def write() -> None:
            await client.send("synthesize-start", **data)
            for piece in pieces:
                await client.send("synthesize-chunk", text=piece)
                await asyncio.sleep(gap)
            if whole:
                await client.send("synthesize", text="".join(pieces))
            await client.send("synthesize-stop")

        writing = asyncio.create_task(write())
        heard = await client.hear(["synthesize-stopped"])
        with contextlib.suppress(ConnectionError):
            await writing
        return heard


async def describe(port: int, host: str = "127.0.0.1") -> dict[str, Any]:
    """Ask as Home Assistant's coordinator does every 30 seconds."""
    async with connected(port, host) as client:
        await client.send("describe")
        answer = await client.read()
    assert answer is not None
    assert answer.type == "info"
    return answer.data


def frame(kind: str, **fields: Any) -> bytes:
    """A frame as a single line."""
    return json.dumps({"type": kind, **fields}).encode() + b"\n"
