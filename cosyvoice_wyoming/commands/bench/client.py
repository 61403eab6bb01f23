"""One request over the wire, in the order of events that Home Assistant sends, timed."""

from __future__ import annotations

import time
from dataclasses import dataclass

from cosyvoice_wyoming import wire
from cosyvoice_wyoming.address import Address
from cosyvoice_wyoming.errors import EngineFailed
from cosyvoice_wyoming.health import client_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Heard:
    """What came back; times in seconds from connecting, `audio` seconds of sound."""

    first_audio: float
    total: float
    audio: float

    @property
    def rtf(self) -> float:
        """Real-time factor: seconds of work for a second of audio."""
        return self.total / self.audio


async def request(address: Address, text: str, *, voice: str = "", listen: bool = True) -> Heard:
    """Have a text spoken; with `listen` false, leave after the first audio.

    Raises EngineFailed if the server answers with an error or an incomplete stream.
    """
    started = time.perf_counter()
    first_audio = 0.0
    audio = 0.0
    async with client_of(address) as client:
        wish = {"voice": {"name": voice}} if voice else {}
        for event in (
            wire.Event(type="synthesize-start", data=wish),
            wire.Event(type="synthesize-chunk", data={"text": text}),
            wire.Event(type="synthesize", data=wish | {"text": text}),
            wire.Event(type="synthesize-stop"),
        ):
            await client.write_event(event)
        while event := await client.read_event():
            if wire.AudioChunk.is_type(event.type):
                first_audio = first_audio or time.perf_counter() - started
                audio += wire.AudioChunk.from_event(event).seconds
                if not listen:
                    break
            elif wire.Error.is_type(event.type):
                raise EngineFailed(wire.Error.from_event(event).text)
            elif event.type == "synthesize-stopped":
                break
        else:
            raise EngineFailed("the connection ended before the speech did")
    return Heard(first_audio=first_audio, total=time.perf_counter() - started, audio=audio)
