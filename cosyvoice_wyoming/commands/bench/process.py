"""The server under test: a process of its own, as people run it."""

from __future__ import annotations

import asyncio
import contextlib
import os
import socket
import sys
import time
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass

from cosyvoice_wyoming.address import TcpAddress
from cosyvoice_wyoming.errors import EngineFailed
from cosyvoice_wyoming.machine import family_bytes

OPEN_SECONDS = 30.0
STOP_SECONDS = 10.0


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerProcess:
    """A running server; `port_open` is the time from its start to an open port, in seconds."""

    address: TcpAddress
    pid: int
    started: float
    port_open: float

    def rss_mb(self) -> float:
        """Return the memory that is resident now, in MB, of the server and its engine."""
        return family_bytes(self.pid) / (1 << 20)


@contextlib.asynccontextmanager
async def server_process(options: Sequence[str]) -> AsyncIterator[ServerProcess]:
    """Run a server on a free port of this machine while the block runs.

    Raises EngineFailed with the end of its log if it does not come up.
    """
    address = TcpAddress(host="127.0.0.1", port=_free_port())
    command = ("-m", "cosyvoice_wyoming", "serve", "--uri", str(address), "--no-zeroconf")
    started = time.perf_counter()
    process = await asyncio.create_subprocess_exec(
        sys.executable, *command, *options, stderr=asyncio.subprocess.PIPE, env=dict(os.environ)
    )
    log = asyncio.create_task(_last_lines(process))
    try:
        await _wait_for_port(address, process, log)
        yield ServerProcess(
            address=address,
            pid=process.pid,
            started=started,
            port_open=time.perf_counter() - started,
        )
    finally:
        await _stop(process)
        await log


async def _wait_for_port(
    address: TcpAddress, process: asyncio.subprocess.Process, log: asyncio.Task[str]
) -> None:
    deadline = time.perf_counter() + OPEN_SECONDS
    while process.returncode is None and time.perf_counter() < deadline:
        with contextlib.suppress(OSError):
            _, writer = await asyncio.open_connection(address.host, address.port)
            writer.close()
            return
        await asyncio.sleep(0.01)
    await _stop(process)
    raise EngineFailed(f"the server did not start: {await log}")


async def _last_lines(process: asyncio.subprocess.Process) -> str:
    """Read the log until its end, so that the server never waits for a reader."""
    last = ""
    if process.stderr:
        async for line in process.stderr:
            last = line.decode(errors="replace").strip() or last
    return last


async def _stop(process: asyncio.subprocess.Process) -> None:
    with contextlib.suppress(ProcessLookupError):
        process.terminate()
    try:
        async with asyncio.timeout(STOP_SECONDS):
            await process.wait()
    except TimeoutError:
        process.kill()
        await process.wait()


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
