"""Servers for tests: in this process, around an engine to look into, or as a process."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import sys
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cosyvoice_wyoming.address import TcpAddress
from cosyvoice_wyoming.engine.tone import ToneEngine
from cosyvoice_wyoming.server import Server
from cosyvoice_wyoming.session import Limits
from cosyvoice_wyoming.settings import Settings
from cosyvoice_wyoming.speech import Studio
from cosyvoice_wyoming.voices import VoiceCatalog


@dataclass(frozen=True, slots=True, kw_only=True)
class Serving:
    server: Server
    engine: ToneEngine

    @property
    def port(self) -> int:
        return self.server.port


@contextlib.asynccontextmanager
async def serving(
    engine: ToneEngine | None = None,
    limits: Limits | None = None,
    before_loading: Callable[[], object] = lambda: None,
    **options: Any,
) -> AsyncIterator[Serving]:
    """Run a server with a tone engine in this process; fail if it leaves a task behind."""
    engine = engine or ToneEngine()
    settings = Settings(
        uri=TcpAddress(host="127.0.0.1", port=0), model="tone", zeroconf=False, **options
    )
    studio = Studio(engine=engine, catalog=VoiceCatalog(engine.voices, settings.default_voices))
    before = asyncio.all_tasks()

    def load() -> Studio:
        before_loading()
        return studio

    async with Server(settings, load=load, limits=limits, warm=False) as server:
        yield Serving(server=server, engine=engine)
    assert not asyncio.all_tasks() - before - {asyncio.current_task()}


@dataclass(frozen=True, slots=True, kw_only=True)
class Process:
    process: asyncio.subprocess.Process
    log: Path

    async def stop(self, number: int) -> int:
        """Send a signal and return the exit status."""
        self.process.send_signal(number)
        async with asyncio.timeout(20):
            return await self.process.wait()


@contextlib.asynccontextmanager
async def server_process(
    uri: str, folder: Path, *options: str, **streams
) -> AsyncIterator[Process]:
    """Run `cosyvoice-wyoming serve` with the tone engine; its log goes to a file."""
    log = folder / "log"
    arguments = ["--uri", uri, "--model", "tone", "--no-zeroconf", "--data-dir", str(folder)]
    with log.open("wb") as errors:
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            *("-m", "cosyvoice_wyoming", "serve", *arguments, *options),
            stderr=errors,
            **streams,
        )
    try:
        yield Process(process=process, log=log)
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


async def until_open(port: int, host: str = "127.0.0.1") -> None:
    """Wait until a port takes connections."""
    async with asyncio.timeout(20):
        while True:
            with contextlib.suppress(ConnectionRefusedError):
                _, writer = await asyncio.open_connection(host, port)
                writer.close()
                await writer.wait_closed()
                return
            await asyncio.sleep(0.05)


async def until(condition) -> None:
    """Wait until a condition holds."""
    async with asyncio.timeout(20):
        while not condition():
            await asyncio.sleep(0.01)
