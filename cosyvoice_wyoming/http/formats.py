"""Audio as files: WAV and PCM by ourselves, the others by ffmpeg if it is installed."""

from __future__ import annotations

import asyncio
import contextlib
import shutil
import struct
from collections.abc import AsyncGenerator, AsyncIterator
from dataclasses import dataclass

from cosyvoice_wyoming.audio import SAMPLE_WIDTH, Pcm
from cosyvoice_wyoming.errors import BadOption, EngineFailed

UNKNOWN_SIZE = 0xFFFFFFFF
"""What stands for the length of a WAV file that is still being made; players read to its end."""

READ_BYTES = 16 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class Format:
    """A format of audio files; `encoder` is how ffmpeg is told to make it, empty if we do."""

    name: str
    media_type: str
    encoder: tuple[str, ...] = ()

    @property
    def available(self) -> bool:
        return not self.encoder or shutil.which("ffmpeg") is not None


FORMATS = {
    form.name: form
    for form in (
        Format(name="wav", media_type="audio/wav"),
        Format(name="pcm", media_type="audio/pcm"),
        Format(name="flac", media_type="audio/flac", encoder=("-f", "flac")),
        Format(name="mp3", media_type="audio/mpeg", encoder=("-f", "mp3", "-b:a", "64k")),
        Format(name="opus", media_type="audio/ogg", encoder=("-c:a", "libopus", "-f", "ogg")),
    )
}


def format_named(name: str) -> Format:
    """Return a format that can be made here. Raises BadOption."""
    form = FORMATS.get(name)
    if form is None:
        raise BadOption(f"there is no format '{name[:40]}': take {', '.join(FORMATS)}")
    if not form.available:
        raise BadOption(f"{name} needs ffmpeg, which is not installed here: take wav or pcm")
    return form


def wav_header(rate: int, size: int | None = None) -> bytes:
    """Return the header of a WAV file with `size` bytes of s16le mono samples, None if unknown."""
    data = UNKNOWN_SIZE if size is None else size
    riff = UNKNOWN_SIZE if size is None else size + 36
    return struct.pack(
        "<4sI4s4sIHHIIHH4sI",
        *(b"RIFF", riff, b"WAVE", b"fmt ", 16, 1, 1),
        *(rate, rate * SAMPLE_WIDTH, SAMPLE_WIDTH, 8 * SAMPLE_WIDTH, b"data", data),
    )


async def encoded(pieces: AsyncIterator[Pcm], rate: int, form: Format) -> AsyncGenerator[bytes]:
    """Yield a file piece by piece while its audio is made. Raises SpeechError if that breaks off.

    Opus is made at 48 kHz by ffmpeg itself; the others keep `rate`.
    """
    if form.encoder:
        async with contextlib.aclosing(_by_ffmpeg(pieces, rate, form)) as file:
            async for piece in file:
                yield piece
        return
    if form.name == "wav":
        yield wav_header(rate)
    async for pcm in pieces:
        yield pcm.data


async def _by_ffmpeg(pieces: AsyncIterator[Pcm], rate: int, form: Format) -> AsyncGenerator[bytes]:
    process = await asyncio.create_subprocess_exec(
        *("ffmpeg", "-hide_banner", "-loglevel", "error", "-nostdin"),
        *("-f", "s16le", "-ar", str(rate), "-ac", "1", "-i", "pipe:0"),
        *("-flush_packets", "1", *form.encoder, "pipe:1"),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
    )
    feeding = asyncio.create_task(_feed(pieces, process.stdin))
    try:
        while process.stdout and (piece := await process.stdout.read(READ_BYTES)):
            yield piece
        await feeding
        if await process.wait():
            raise EngineFailed(f"ffmpeg could not make {form.name}: take wav or pcm")
    finally:
        feeding.cancel()
        with contextlib.suppress(ProcessLookupError):
            process.kill()
        await process.wait()


async def _feed(pieces: AsyncIterator[Pcm], stdin: asyncio.StreamWriter | None) -> None:
    if stdin is None:
        return
    try:
        with contextlib.suppress(ConnectionError):
            async for pcm in pieces:
                stdin.write(pcm.data)
                await stdin.drain()
    finally:
        stdin.close()
