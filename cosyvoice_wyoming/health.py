"""Asks a running server who it is, as Home Assistant does every 30 seconds."""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass

from wyoming.client import AsyncClient, AsyncTcpClient, AsyncUnixClient
from wyoming.info import Describe, Info

from cosyvoice_wyoming.address import Address, StdioAddress, UnixAddress
from cosyvoice_wyoming.errors import BadOption, SpeechError

TIMEOUT_S = 5.0
"""How long Home Assistant waits for the answer."""


_NONSENSE = (EOFError, ValueError, LookupError, TypeError, AttributeError)
"""What the library raises when it reads events that are none."""


class Unhealthy(SpeechError):
    """No server answers at the address, or one that is not a text-to-speech server."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Health:
    """What a server answered; `seconds` from connecting to the whole answer."""

    program: str
    version: str
    voices: int
    seconds: float


def client_of(address: Address) -> AsyncClient:
    """Return a client, not yet connected, of the server that listens at `address`.

    Raises BadOption for stdio, which has no second client.
    """
    if isinstance(address, StdioAddress):
        raise BadOption("a server on stdio:// cannot be asked from outside: use tcp:// or unix://")
    if isinstance(address, UnixAddress):
        return AsyncUnixClient(str(address.path))
    return AsyncTcpClient(address.client_host, address.port)


async def ask(address: Address, *, timeout_s: float = TIMEOUT_S) -> Health:
    """Describe the server at `address`. Raises Unhealthy, BadOption."""
    client = client_of(address)
    started = time.monotonic()
    try:
        async with asyncio.timeout(timeout_s), client:
            info = await _describe(client)
    except TimeoutError:
        raise Unhealthy(f"the server at {address} did not answer in {timeout_s:g} s") from None
    except OSError as error:
        raise Unhealthy(f"no server answers at {address}: {error}") from None
    except _NONSENSE:
        info = None
    if info is None or not info.tts:
        raise Unhealthy(f"what answers at {address} is not a text-to-speech server")
    program = info.tts[0]
    return Health(
        program=program.name,
        version=program.version or "unknown",
        voices=len(program.voices),
        seconds=time.monotonic() - started,
    )


async def _describe(client: AsyncClient) -> Info | None:
    await client.write_event(Describe().event())
    while event := await client.read_event():
        if Info.is_type(event.type):
            return Info.from_event(event)
    return None
