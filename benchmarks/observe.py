"""What the scenarios of `strain.py` share: the server under test, clients, and what it shows."""

from __future__ import annotations

import asyncio
import contextlib
import os
import statistics
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cosyvoice_wyoming import wire
from cosyvoice_wyoming.address import TcpAddress
from cosyvoice_wyoming.commands.bench.client import Heard, request
from cosyvoice_wyoming.commands.bench.process import ServerProcess, server_process
from cosyvoice_wyoming.commands.bench.texts import ANSWERS, PARAGRAPHS
from cosyvoice_wyoming.health import client_of
from cosyvoice_wyoming.stats import EVENT
from cosyvoice_wyoming.text.language import Language

TEXTS = [text for texts in ANSWERS.values() for text in texts]
PARAGRAPH = PARAGRAPHS[Language.ZH]
LONG = (PARAGRAPH * 40)[:2_000]
OBSERVE = __file__
EMPTY_PORT = 10_997
RUN = int(time.time()) % 10_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What is strained, and whether only to see that the scenarios run."""

    data_dir: str
    model: str
    quick: bool = False

    def options(self, *more: str) -> Sequence[str]:
        """Return the server's options; phrases are off unless `more` gives them room."""
        cache = () if "--cache-mb" in more else ("--cache-mb", "0")
        return ("--data-dir", self.data_dir, "--model", self.model, *cache, *more)

    def count(self, whole: int) -> int:
        return max(2, whole // 10) if self.quick else whole


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """One measured value; `limit` is what it must not exceed, None where nothing is demanded."""

    name: str
    value: float
    unit: str
    limit: float | None = None

    @property
    def holds(self) -> bool:
        return self.limit is None or self.value <= self.limit

    def __str__(self) -> str:
        demanded = "" if self.limit is None else f" (at most {self.limit:g})"
        verdict = "" if self.holds else "  FAILS"
        return f"{self.name}: {self.value:.3g} {self.unit}{demanded}{verdict}"


@contextlib.asynccontextmanager
async def ready(plan: Plan, *more: str) -> AsyncIterator[ServerProcess]:
    """Run a server until the block ends; it has spoken once in each language."""
    async with server_process(plan.options(*more)) as server:
        for text in TEXTS[::3]:
            await request(server.address, text)
        yield server


async def drained(server: ServerProcess, text: str) -> Heard:
    return await request(server.address, text)


async def read_slowly(server: ServerProcess, text: str) -> None:
    """Ask for a text and read 1 kB of it a second, for ever."""
    reader, writer = await asyncio.open_connection(
        server.address.host, server.address.port, limit=2_048
    )
    try:
        frame = wire.Event(type="synthesize", data={"text": text})
        await wire.write_event(writer, frame)
        while await reader.read(1_000):  # noqa: ASYNC110  # it paces itself
            await asyncio.sleep(1)
    finally:
        writer.close()


async def listen(port: int) -> None:
    """Have a paragraph spoken again and again, in a process of its own."""
    while True:
        await request(TcpAddress(host="127.0.0.1", port=port), PARAGRAPH)


async def serve_nothing(port: int) -> None:
    """Answer every line with as much as `describe` is answered with."""

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readline()
        writer.write(b"x" * 4_000 + b"\n")
        await writer.drain()
        writer.close()

    server = await asyncio.start_server(answer, "127.0.0.1", port)
    await server.serve_forever()


async def ask_nothing() -> float:
    """Return the seconds that the empty server takes."""
    began = time.perf_counter()
    reader, writer = await asyncio.open_connection("127.0.0.1", EMPTY_PORT)
    writer.write(b"?\n")
    await reader.readline()
    writer.close()
    return time.perf_counter() - began


def run_python(*arguments: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen([sys.executable, *arguments])  # noqa: S603  # our own


def end(*processes: subprocess.Popen[bytes]) -> None:
    for process in processes:
        process.kill()
        process.wait()


def percentiles(name: str, seconds: Sequence[float], limit: float | None = None) -> list[Figure]:
    """Return median, 99th percentile and worst in milliseconds; `limit` is for the second."""
    times = sorted(1e3 * one for one in seconds)
    p99 = times[int(len(times) * 0.99)]
    return [
        Figure(name=f"{name}: p50", value=times[len(times) // 2], unit="ms"),
        Figure(name=f"{name}: p99", value=p99, unit="ms", limit=limit),
        Figure(name=f"{name}: worst", value=times[-1], unit="ms"),
    ]


async def stats(server: ServerProcess) -> dict[str, Any]:
    async with client_of(server.address) as client:
        await client.write_event(wire.Event(type=EVENT))
        event = await client.read_event()
    return dict(event.data) if event else {}


def unique(number: int) -> str:
    """Return a text that no earlier run has left among the phrases."""
    return f"第{number}个房间{RUN}号的灯已经打开了。"


def first(heard: Sequence[Heard]) -> float:
    return statistics.median(one.first_audio for one in heard)


def p95(heard: Sequence[Heard]) -> float:
    times = sorted(one.first_audio for one in heard)
    return times[min(len(times) - 1, int(len(times) * 0.95))]


def child(pid: int) -> int:
    """Return the engine's process of a server."""
    for task in Path(f"/proc/{pid}/task").glob("*/children"):
        for child in task.read_text("ascii").split():
            return int(child)
    raise RuntimeError("the server has no engine process")


def handles(pid: int) -> tuple[int, int]:
    """Return the open descriptors and the threads of a process."""
    return len(os.listdir(f"/proc/{pid}/fd")), len(os.listdir(f"/proc/{pid}/task"))  # noqa: PTH208


def cpu_seconds(pid: int) -> float:
    """Return what a server and its engine have used of the CPU."""
    used = 0
    for process in (pid, child(pid)):
        fields = Path(f"/proc/{process}/stat").read_text("ascii").rpartition(")")[2].split()
        used += int(fields[11]) + int(fields[12])
    return used / os.sysconf("SC_CLK_TCK")


def wait_for_end(pid: int) -> None:
    """Wait until a child of ours is gone or a zombie, which others reap."""
    with contextlib.suppress(OSError):
        while Path(f"/proc/{pid}/stat").read_text("ascii").rpartition(")")[2].split()[0] != "Z":
            time.sleep(0.01)


if __name__ == "__main__":
    role = {"listen": listen, "empty": serve_nothing}[sys.argv[1]]
    asyncio.run(role(int(sys.argv[2])))
