"""The server as a process: every transport, signals, ports."""

from __future__ import annotations

import asyncio
import contextlib
import signal
import socket
import sys
from pathlib import Path

import pytest

from cosyvoice_wyoming.address import TcpAddress, UnixAddress
from cosyvoice_wyoming.errors import BadOption, DownloadFailed
from cosyvoice_wyoming.listen import listen
from cosyvoice_wyoming.server import Server
from cosyvoice_wyoming.settings import Settings
from tests.support.clients import Client, connected, describe, frame, plain
from tests.support.serving import free_port, server_process, serving, until, until_open

PLAIN = ["audio-start", "audio-chunk", "audio-stop"]
PIPE = asyncio.subprocess.PIPE
LONG = "这是一句很长的话，说了很多事情。" * 500


def has_ipv6() -> bool:
    try:
        with socket.socket(socket.AF_INET6) as probe:
            probe.bind(("::1", 0))
    except OSError:
        return False
    return True


async def test_a_process_serves_tcp_and_ends_with_0_on_sigterm(tmp_path):
    port = free_port()
    async with server_process(f"tcp://127.0.0.1:{port}", tmp_path) as server:
        await until_open(port)
        assert (await describe(port))["tts"][0]["name"] == "cosyvoice-wyoming"
        assert (await plain(port, "你好。")).events == PLAIN
        assert await server.stop(signal.SIGTERM) == 0
    log = server.log.read_text()
    assert "Traceback" not in log
    assert "你好" not in log


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
async def test_a_signal_in_mid_speech_is_an_error_to_the_client_and_exit_0(tmp_path, number):
    port = free_port()
    async with server_process(f"tcp://127.0.0.1:{port}", tmp_path) as server:
        await until_open(port)
        async with connected(port) as speaking, connected(port) as idle:
            await idle.send("ping")
            await idle.expect("pong")
            await speaking.send("synthesize", text=LONG)
            await speaking.expect("audio-start")
            stopping = asyncio.create_task(server.stop(number))
            heard = await speaking.hear_all()
            assert heard.events[-2:] == ["error", "EOF"]
            assert heard.error["code"] == "ShuttingDown"
            assert (await idle.hear_all()).events == ["EOF"]
            assert await stopping == 0
    assert "Traceback" not in server.log.read_text()


async def test_a_second_signal_ends_the_process_at_once(tmp_path):
    port = free_port()
    async with server_process(f"tcp://127.0.0.1:{port}", tmp_path) as server:
        await until_open(port)
        async with connected(port) as client:
            await client.send("synthesize", text=LONG)
            await client.expect("audio-start")
            server.process.send_signal(signal.SIGTERM)
            await until(lambda: "stopping" in server.log.read_text())
            assert await server.stop(signal.SIGTERM) == 1


async def test_a_process_serves_a_unix_socket_and_removes_it(tmp_path):
    path = tmp_path / "socket"
    async with server_process(f"unix://{path}", tmp_path) as server:
        await until(path.exists)
        client = Client(*await asyncio.open_unix_connection(path))
        await client.send("synthesize", text="你好。")
        assert (await client.hear(["audio-stop"])).events == PLAIN
        client.writer.close()
        assert await server.stop(signal.SIGTERM) == 0
    assert not path.exists()


async def test_a_process_serves_standard_input_and_ends_with_it(tmp_path):
    async with server_process("stdio://", tmp_path, stdin=PIPE, stdout=PIPE) as server:
        output, _ = await asyncio.wait_for(
            server.process.communicate(
                frame("describe") + frame("synthesize", data={"text": "你好。"})
            ),
            20,
        )
    assert server.process.returncode == 0
    reader = asyncio.StreamReader()
    reader.feed_data(output)
    reader.feed_eof()
    replay = Client(reader, None)  # type: ignore[arg-type]  # nothing is written to it
    assert (await replay.hear_all()).events == ["info", *PLAIN, "EOF"]


async def test_standard_input_ends_with_0_on_sigterm(tmp_path):
    async with server_process("stdio://", tmp_path, stdin=PIPE, stdout=PIPE) as server:
        client = Client(server.process.stdout, server.process.stdin)  # type: ignore[arg-type]
        await client.send("ping")
        await client.expect("pong")
        assert await server.stop(signal.SIGTERM) == 0
    assert "Traceback" not in server.log.read_text()


async def test_a_port_that_is_taken_is_one_sentence_and_exit_2(tmp_path):
    async with serving() as running:
        uri = f"tcp://127.0.0.1:{running.port}"
        async with server_process(uri, tmp_path) as server:
            assert await asyncio.wait_for(server.process.wait(), 20) == 2
    [line] = server.log.read_text().splitlines()
    assert f"port {running.port} is in use" in line


async def test_an_unknown_model_is_one_sentence_and_exit_2(tmp_path):
    port = free_port()
    async with server_process(f"tcp://127.0.0.1:{port}", tmp_path, "--model", "no-such") as server:
        assert await asyncio.wait_for(server.process.wait(), 20) == 2
    [line] = server.log.read_text().splitlines()
    assert "no-such" in line


async def test_no_host_is_ipv4_and_ipv6_on_one_port():
    async with contextlib.AsyncExitStack() as stack:
        settings = Settings(uri=TcpAddress(port=0), model="tone", zeroconf=False)
        server = await stack.enter_async_context(Server(settings))
        for host in ["127.0.0.1", *(["::1"] if has_ipv6() else [])]:
            assert await describe(server.port, host)


async def test_a_machine_without_ipv6_is_served_over_ipv4(monkeypatch):
    real = socket.socket

    def without_ipv6(family=socket.AF_INET, *args, **kwargs):
        if family == socket.AF_INET6:
            raise OSError(97, "Address family not supported by protocol")
        return real(family, *args, **kwargs)

    monkeypatch.setattr("cosyvoice_wyoming.listen.socket.socket", without_ipv6)
    listener = await listen(TcpAddress(port=0), lambda _, writer: writer.close())
    assert listener.port
    listener.close()


async def test_a_stale_socket_is_replaced(tmp_path):
    path = tmp_path / "socket"
    with socket.socket(socket.AF_UNIX) as old:
        old.bind(str(path))
    listener = await listen(UnixAddress(path=path), lambda _, writer: writer.close())
    reader, writer = await asyncio.open_unix_connection(path)
    assert await reader.read() == b""
    writer.close()
    listener.close()


async def test_a_socket_in_use_is_left_alone(tmp_path):
    path = tmp_path / "socket"
    listener = await listen(UnixAddress(path=path), lambda _, writer: writer.close())
    with pytest.raises(BadOption, match="in use"):
        await listen(UnixAddress(path=path), lambda _, writer: writer.close())
    assert path.exists()
    listener.close()


async def test_a_file_that_is_no_socket_is_left_alone(tmp_path):
    path = tmp_path / "letter"
    path.write_text("dear")
    with pytest.raises(BadOption, match="not a socket"):
        await listen(UnixAddress(path=path), lambda _, writer: writer.close())
    assert path.read_text() == "dear"


@pytest.mark.parametrize(
    "address",
    [
        UnixAddress(path=Path("/no/such/folder/socket")),
        TcpAddress(host="203.0.113.7", port=0),
        TcpAddress(host="no-such-host.invalid", port=0),
    ],
)
async def test_an_address_that_cannot_be_had_is_one_sentence(address):
    with pytest.raises(BadOption, match="cannot listen at") as caught:
        await listen(address, lambda _, writer: writer.close())
    assert "\n" not in str(caught.value)


async def test_without_a_model_requests_are_told_why_and_describe_is_answered(caplog):
    def load():
        raise DownloadFailed("no source delivered the model: check the network")

    settings = Settings(uri=TcpAddress(host="127.0.0.1", port=0), model="lite", zeroconf=False)
    async with Server(settings, load=load) as server:
        for _ in range(3):
            heard = await plain(server.port, "你好。")
            assert heard.events == ["error"]
            assert heard.error["text"] == "no source delivered the model: check the network"
        assert await describe(server.port)
    assert (
        sum("no source" in r.getMessage() and r.levelname == "ERROR" for r in caplog.records) == 1
    )


async def test_importing_the_server_loads_no_model_library():
    code = "import sys, cosyvoice_wyoming.server; print(*sys.modules)"
    process = await asyncio.create_subprocess_exec(sys.executable, "-c", code, stdout=PIPE)
    output, _ = await process.communicate()
    heavy = {"onnxruntime", "onnx", "zeroconf", "pyopenjtalk", "pypinyin", "soxr", "hypothesis"}
    assert not heavy & set(output.decode().split())
