"""Wyoming events over asyncio streams, read with limits and written in one piece.

The library's own reader takes blocks of any size into memory and raises whatever a malformed frame
makes the JSON parser raise; this one bounds each part and raises BadRequest. A frame is one line of
JSON, then `data_length` bytes of JSON merged over `data`, then `payload_length` bytes.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
from dataclasses import dataclass
from typing import Any

from wyoming.audio import AudioChunk, AudioStart, AudioStop
from wyoming.error import Error
from wyoming.event import Event
from wyoming.info import Describe, SelectProgram
from wyoming.ping import Ping, Pong
from wyoming.tts import (
    Synthesize,
    SynthesizeChunk,
    SynthesizeStart,
    SynthesizeStop,
    SynthesizeStopped,
)
from wyoming.version import __version__ as protocol_version

from cosyvoice_wyoming.errors import BadRequest

__all__ = [
    "AudioChunk",
    "AudioStart",
    "AudioStop",
    "Describe",
    "Error",
    "Event",
    "Ping",
    "Pong",
    "SelectProgram",
    "Synthesize",
    "SynthesizeChunk",
    "SynthesizeStart",
    "SynthesizeStop",
    "SynthesizeStopped",
    "hang_up",
    "read_event",
    "write_event",
]

LINE_LIMIT = 128 * 1024
"""Bytes of a frame's first line: 20,000 characters of inline text, each escaped as \\uXXXX."""

DATA_LIMIT = 512 * 1024
"""Bytes of a data block: more text than a request may have, so that the text limit answers."""

PAYLOAD_LIMIT = 1024 * 1024
"""Bytes of a payload. Nothing that a client sends for speech has one; it is read and dropped."""

BLOCK_SECONDS = 30.0
"""How long a block that a line announced may take to arrive."""

HANG_UP_SECONDS = 1.0
"""How long a client has to take the `error` event before the connection is cut."""

_DROP_BYTES = 64 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class _Header:
    type: str
    data: dict[str, Any]
    data_length: int
    payload_length: int


async def read_event(reader: asyncio.StreamReader) -> Event | None:
    """Read the next event; None at the end of the stream. Payloads are dropped.

    The reader must have been made with `limit=LINE_LIMIT`. Raises BadRequest for a malformed,
    oversized or truncated frame, after which the stream has no known place to go on from, and
    whatever the connection raises.
    """
    line = await _read_line(reader)
    if line is None:
        return None
    header = _parse_header(line)
    try:
        async with asyncio.timeout(BLOCK_SECONDS):
            data = header.data
            if header.data_length:
                block = await reader.readexactly(header.data_length)
                data = data | _parse_object(block, "the data block")
            await _drop(reader, header.payload_length)
    except asyncio.IncompleteReadError:
        raise BadRequest(f"the connection ended inside a {header.type!r} event") from None
    except TimeoutError:
        raise BadRequest(f"a {header.type!r} event did not arrive whole in time") from None
    return Event(type=header.type, data=data)


async def _read_line(reader: asyncio.StreamReader) -> bytes | None:
    try:
        return await reader.readuntil(b"\n")
    except asyncio.IncompleteReadError as error:
        if error.partial:
            raise BadRequest("the connection ended inside the line of an event") from None
        return None
    except asyncio.LimitOverrunError:
        raise BadRequest(f"the line of an event is over {LINE_LIMIT} bytes") from None


async def _drop(reader: asyncio.StreamReader, length: int) -> None:
    while length:
        length -= len(await reader.readexactly(min(length, _DROP_BYTES)))


def _parse_header(line: bytes) -> _Header:
    fields = _parse_object(line, "the line of an event")
    kind = fields.get("type")
    if not isinstance(kind, str):
        raise BadRequest("an event has no type")
    data = fields.get("data")
    if data is None:
        data = {}
    if not isinstance(data, dict):
        raise BadRequest(f"the data of a {kind!r} event is not a JSON object")
    return _Header(
        type=kind,
        data=data,
        data_length=_length(fields, "data_length", DATA_LIMIT),
        payload_length=_length(fields, "payload_length", PAYLOAD_LIMIT),
    )


def _parse_object(text: bytes, what: str) -> dict[str, Any]:
    try:
        parsed = json.loads(text)
    except (ValueError, RecursionError):
        raise BadRequest(f"{what} is not JSON") from None
    if not isinstance(parsed, dict):
        raise BadRequest(f"{what} is not a JSON object")
    return parsed


def _length(fields: dict[str, Any], name: str, limit: int) -> int:
    length = fields.get(name)
    if length is None:
        return 0
    if not isinstance(length, int) or isinstance(length, bool) or length < 0:
        raise BadRequest(f"{name} is not a whole number of bytes")
    if length > limit:
        raise BadRequest(f"{name} is over {limit} bytes")
    return length


def encode_event(event: Event) -> bytes:
    """Return the frame of an event: all of JSON in ASCII, so that any text survives."""
    fields: dict[str, Any] = {"type": event.type, "version": protocol_version}
    data = json.dumps(event.data).encode("ascii") if event.data else b""
    if data:
        fields["data_length"] = len(data)
    payload = event.payload or b""
    if payload:
        fields["payload_length"] = len(payload)
    return json.dumps(fields).encode("ascii") + b"\n" + data + payload


async def write_event(writer: asyncio.StreamWriter, event: Event) -> None:
    """Write an event in one piece, so that tasks may write to one connection by turns.

    Waits while the connection's buffer is full. Raises what the connection raises.
    """
    writer.write(encode_event(event))
    await writer.drain()


async def hang_up(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter, error: Exception | None
) -> None:
    """Close a connection, with an `error` event if there is one to tell. Raises nothing of its own.

    A client that is still sending is read for a moment more: closing with input unread would make
    the system reset the connection and could take the `error` event with it.
    """
    try:
        async with asyncio.timeout(HANG_UP_SECONDS):
            if error:
                await write_event(writer, Error(text=str(error), code=type(error).__name__).event())
                if writer.can_write_eof():
                    writer.write_eof()
                while await reader.read(_DROP_BYTES):
                    pass
            writer.close()
            await writer.wait_closed()
    except OSError:
        pass  # the client has cut the connection, or does not end it in time
    finally:
        with contextlib.suppress(AttributeError):  # a closed pipe has forgotten its event loop
            writer.transport.abort()
