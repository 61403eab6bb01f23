"""What the server and the engine's process say to each other.

A message is its JSON's length and its payload's (4 bytes each, little-endian), the JSON, and the
payload: samples, float32. Nothing is pickled. The server asks; each `Load` and `Step` has one
answer, the others none.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from cosyvoice_wyoming.text.language import Language
from cosyvoice_wyoming.text.spoken import Span, Spoken
from cosyvoice_wyoming.voices import Gender, Voice

if TYPE_CHECKING:
    import socket

    from cosyvoice_wyoming.engine import Waveform

_LENGTHS = struct.Struct("<II")


@dataclass(frozen=True, slots=True, kw_only=True)
class Load:
    """Load an engine by its name, from its bundle. Answer: Loaded or Failed."""

    engine: str
    bundle: str
    threads: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Speak:
    """Begin to speak a segment with the voice of that name; it may take its first step already."""

    utterance: int
    voice: str
    speed: float
    seed: int
    spoken: Spoken


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """Do the next step. Answer: Stepped or Failed."""

    utterance: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Drop:
    """Forget an utterance; it may be one that is over."""

    utterance: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Loaded:
    """What the engine is."""

    sample_rate: int
    voices: tuple[Voice, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Stepped:
    """What a step made; None after the last."""

    samples: Waveform | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Failed:
    """A step or loading failed: the class of the error, and its sentence for the user."""

    kind: str
    sentence: str


Message: TypeAlias = Load | Speak | Step | Drop | Loaded | Stepped | Failed


def send(channel: socket.socket, message: Message) -> None:
    """Send a message. Raises OSError."""
    payload: bytes | memoryview = b""
    match message:
        case Stepped(samples=None):
            fields: dict[str, Any] = {"over": True}
        case Stepped(samples=samples):
            fields = {"over": False}
            payload = np.ascontiguousarray(samples, np.float32).data.cast("B")
        case _:
            fields = asdict(message)
    text = json.dumps({"type": type(message).__name__, **fields}).encode("ascii")
    channel.sendall(_LENGTHS.pack(len(text), len(payload)) + text)
    if payload:
        channel.sendall(payload)


def receive(channel: socket.socket) -> Message | None:
    """Return the next message; None at the end. Raises OSError."""
    lengths = _read(channel, _LENGTHS.size)
    if lengths is None:
        return None
    text_length, payload_length = _LENGTHS.unpack(lengths)
    text, payload = _read(channel, text_length), _read(channel, payload_length)
    if text is None or payload is None:
        return None
    fields = json.loads(text)
    return _READERS[fields.pop("type")](fields, payload)


def _read(channel: socket.socket, length: int) -> bytearray | None:
    content = bytearray(length)
    rest = memoryview(content)
    while rest:
        count = channel.recv_into(rest)
        if not count:
            return None
        rest = rest[count:]
    return content


def _spoken(fields: dict[str, Any]) -> Spoken:
    spans = tuple(
        Span(**span | {"language": Language(span["language"])}) for span in fields["spans"]
    )
    return Spoken(**fields | {"language": Language(fields["language"]), "spans": spans})


def _voice(fields: dict[str, Any]) -> Voice:
    language, gender = Language(fields["language"]), Gender(fields["gender"])
    return Voice(**fields | {"language": language, "gender": gender})


def _stepped(fields: dict[str, Any], payload: bytearray) -> Stepped:
    return Stepped(samples=None if fields["over"] else np.frombuffer(payload, np.float32))


_READERS: dict[str, Callable[[dict[str, Any], bytearray], Message]] = {
    "Load": lambda fields, _: Load(**fields),
    "Speak": lambda fields, _: Speak(**fields | {"spoken": _spoken(fields["spoken"])}),
    "Step": lambda fields, _: Step(**fields),
    "Drop": lambda fields, _: Drop(**fields),
    "Loaded": lambda fields, _: Loaded(**fields | {"voices": tuple(map(_voice, fields["voices"]))}),
    "Stepped": _stepped,
    "Failed": lambda fields, _: Failed(**fields),
}
