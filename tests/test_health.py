from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from cosyvoice_wyoming.address import StdioAddress, TcpAddress, UnixAddress
from cosyvoice_wyoming.errors import BadOption
from cosyvoice_wyoming.health import Unhealthy, ask
from cosyvoice_wyoming.server import Server
from cosyvoice_wyoming.settings import Settings


@contextlib.asynccontextmanager
async def answering(answer: bytes, *, wait: bool = False) -> AsyncIterator[TcpAddress]:
    """Something at a port that is not our server."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readline()
        writer.write(answer)
        if wait:
            await reader.read()
        writer.close()

    async with await asyncio.start_server(serve, "127.0.0.1", 0) as server:
        yield TcpAddress(host="127.0.0.1", port=server.sockets[0].getsockname()[1])


async def test_a_running_server_is_well(tmp_path):
    settings = Settings(uri=TcpAddress(host="127.0.0.1", port=0), model="tone", data_dir=tmp_path)
    async with Server(settings) as server:
        health = await ask(TcpAddress(host="127.0.0.1", port=server.port))
    assert health.program == "cosyvoice-wyoming"
    assert health.voices > 0
    assert health.seconds > 0


async def test_a_server_on_a_unix_socket_is_asked_there(tmp_path):
    address = UnixAddress(path=tmp_path / "tts.sock")
    async with Server(Settings(uri=address, model="tone", data_dir=tmp_path)):
        assert (await ask(address)).voices > 0


NOT_OURS: list[tuple[str, bytes]] = [
    ("closes", b""),
    ("speaks something else", b"HTTP/1.1 400 Bad Request\r\n\r\n"),
    ("is another kind of server", b'{"type": "info", "data": {"asr": [], "tts": []}}\n'),
    ("answers without the fields", b'{"type": "info", "data": {"tts": [{}]}}\n'),
    ("answers with other types", b'{"type": "info", "data": {"tts": 7}}\n'),
    ("answers no object", b'"info"\n'),
    ("answers in pieces", b'{"type": "info", "data_length": 999}\n{}'),
]


@pytest.mark.parametrize("answer", [answer for _, answer in NOT_OURS], ids=[n for n, _ in NOT_OURS])
async def test_what_is_not_a_speech_server_is_unhealthy(answer):
    async with answering(answer) as address:
        with pytest.raises(Unhealthy):
            await ask(address)


async def test_a_server_that_hangs_is_unhealthy():
    async with answering(b"", wait=True) as address:
        with pytest.raises(Unhealthy, match=r"did not answer in 0\.2 s"):
            await ask(address, timeout_s=0.2)


@pytest.mark.parametrize(
    "address", [TcpAddress(host="127.0.0.1", port=1), UnixAddress(path=Path("/nonexistent/x"))]
)
async def test_no_server_is_unhealthy(address):
    with pytest.raises(Unhealthy, match="no server answers"):
        await ask(address)


async def test_stdio_cannot_be_asked():
    with pytest.raises(BadOption):
        await ask(StdioAddress())
