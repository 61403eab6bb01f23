"""`cosyvoice-wyoming say`: speak a text here, without a server."""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import shutil
import subprocess
import sys
import tempfile
from collections.abc import AsyncIterator
from pathlib import Path
from typing import TYPE_CHECKING

from cosyvoice_wyoming.commands.options import COMMON, add_options, log_quietly, settings_of
from cosyvoice_wyoming.commands.progress import ProgressLine
from cosyvoice_wyoming.errors import BadOption

if TYPE_CHECKING:
    from cosyvoice_wyoming.audio import Pcm
    from cosyvoice_wyoming.cli import Subparsers
    from cosyvoice_wyoming.settings import Settings


def register(subparsers: Subparsers) -> None:
    parser = subparsers.add_parser("say", help="speak a text, or write it to a WAV file")
    parser.add_argument("text", metavar="TEXT", help="what to say; - reads standard input")
    add_options(parser, "voice", "speed")
    parser.add_argument(
        "-o", dest="output", metavar="FILE.wav", help="write there instead; - is standard output"
    )
    add_options(parser, *COMMON)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    settings = settings_of(args)
    log_quietly(args)
    output = args.output
    if output is None:
        _player()
    elif output != "-" and not Path(output).absolute().parent.is_dir():
        raise BadOption(f"'{output}' cannot be written: there is no folder of that name")
    text = sys.stdin.read() if args.text == "-" else args.text
    voice = vars(args).get("voice", [""])[-1]
    return asyncio.run(_say(_speak(text, voice, settings), output))


async def _speak(text: str, voice: str, settings: Settings) -> AsyncIterator[Pcm]:
    from cosyvoice_wyoming.speech import Manner, Request, TextFeed, speak
    from cosyvoice_wyoming.studio import load_studio
    from cosyvoice_wyoming.voices import VoiceWish
    from cosyvoice_wyoming.worker import Worker

    with ProgressLine() as progress:
        studio = load_studio(settings, progress)
    feed = TextFeed(settings.max_text_chars)
    feed.put(text)
    feed.close()
    worker = Worker(lambda: studio)
    worker.start()
    request = Request(text=feed, wish=VoiceWish(name=voice))
    manner = Manner(speed=settings.speed, sample_rate=settings.sample_rate)
    try:
        async for pcm in speak(request, worker, manner):
            yield pcm
    finally:
        await worker.close()


async def _say(speech: AsyncIterator[Pcm], output: str | None) -> int:
    if output is None and Path(_player()[0]).name == "aplay":
        return await _stream_to_aplay(speech)
    pieces = [pcm async for pcm in speech]
    wav = _wav(b"".join(pcm.data for pcm in pieces), pieces[0].rate)
    if output == "-":
        sys.stdout.buffer.write(wav)
        sys.stdout.buffer.flush()
    elif output:
        _write(Path(output), wav)
    else:
        _play_file(wav)
    return 0


def _player() -> list[str]:
    """Return the command that plays. Raises BadOption if there is none."""
    for name in ("aplay", "afplay"):
        if path := shutil.which(name):
            return [path]
    raise BadOption("there is no aplay or afplay to play with: install alsa-utils or give -o FILE")


async def _stream_to_aplay(speech: AsyncIterator[Pcm]) -> int:
    """Play while the rest is still being spoken."""
    player: asyncio.subprocess.Process | None = None
    async for pcm in speech:
        if player is None:
            raw = ("-q", "-t", "raw", "-f", "S16_LE", "-c", "1", "-r", str(pcm.rate))
            player = await asyncio.create_subprocess_exec(
                *_player(), *raw, stdin=subprocess.PIPE, stderr=subprocess.PIPE
            )
        with contextlib.suppress(ConnectionError):  # a player that gave up says why below
            _stdin(player).write(pcm.data)
            await _stdin(player).drain()
    if player is None:
        return 0
    _stdin(player).close()
    _, complaint = await player.communicate()
    if player.returncode:
        reason = complaint.decode(errors="replace").strip().splitlines()[-1:]
        raise BadOption(f"aplay cannot play here, give -o FILE: {''.join(reason)}")
    return 0


def _stdin(player: asyncio.subprocess.Process) -> asyncio.StreamWriter:
    assert player.stdin is not None  # noqa: S101 - it was asked for
    return player.stdin


def _play_file(wav: bytes) -> None:
    with tempfile.NamedTemporaryFile(suffix=".wav") as file:
        file.write(wav)
        file.flush()
        subprocess.run([*_player(), file.name], check=True)  # noqa: S603 - a fixed program


def _wav(samples: bytes, rate: int) -> bytes:
    """Return a WAV file of s16le mono samples."""
    import io
    import wave

    file = io.BytesIO()
    with wave.open(file, "wb") as writer:
        writer.setnchannels(1)
        writer.setsampwidth(2)
        writer.setframerate(rate)
        writer.writeframes(samples)
    return file.getvalue()


def _write(path: Path, content: bytes) -> None:
    """Write a file so that it is whole or not there."""
    fresh = path.with_name(f".{path.name}.part")
    try:
        fresh.write_bytes(content)
        fresh.replace(path)
    except OSError as error:
        fresh.unlink(missing_ok=True)
        raise BadOption(f"'{path}' cannot be written: {error.strerror}") from None
