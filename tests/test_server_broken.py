"""The whole server when its engine's process is killed, hangs or breaks for good."""

from __future__ import annotations

import asyncio
import json
import os
import signal
from pathlib import Path

import numpy as np

from tests.support.clients import connected, describe, plain
from tests.support.serving import free_port, server_process, until_open

SENTENCE = "今天天气很好，我们出去走走吧，带上一把伞。" * 4


async def stats(port: int) -> dict[str, int]:
    async with connected(port) as client:
        await client.send("cosyvoice-stats")
        return (await client.expect("cosyvoice-stats")).data


def engine_of(server: int) -> int:
    """Return the engine's process below a server's."""
    children = Path(f"/proc/{server}/task").glob("*/children")
    [pid] = [pid for found in children for pid in found.read_text().split()]
    return int(pid)


async def test_an_engine_killed_in_mid_speech_is_not_heard(tmp_path):
    (tmp_path / "tone.toml").write_text("step_delay = 0.01")
    port = free_port()
    async with server_process(f"tcp://127.0.0.1:{port}", tmp_path, "--cache-mb", "0") as server:
        await until_open(port)
        whole = await plain(port, SENTENCE)
        async with connected(port) as client:
            await client.send("synthesize", text=SENTENCE)
            await client.expect("audio-start")
            os.kill(engine_of(server.process.pid), signal.SIGKILL)
            assert await describe(port)
            heard = await client.hear(["audio-stop"])
        assert heard.events == ["audio-chunk", "audio-stop"]
        np.testing.assert_array_equal(
            np.frombuffer(heard.pcm, "<i2"), np.frombuffer(whole.pcm, "<i2")
        )
        assert (await stats(port))["engine_restarts"] == 1
        assert await server.stop(signal.SIGTERM) == 0
    assert "Traceback" not in server.log.read_text()


async def test_a_model_that_breaks_again_and_again_ends_the_server_with_an_error(tmp_path):
    (tmp_path / "tone.toml").write_text('aborts_at = "坏"')
    port = free_port()
    options = ("--cache-mb", "0", "--log-format", "json")
    async with server_process(f"tcp://127.0.0.1:{port}", tmp_path, *options) as server:
        await until_open(port)
        for _ in range(2):
            heard = await plain(port, "坏，今天天气很好今天天气很好。")
            assert heard.events[-1] == "error"
        async with asyncio.timeout(20):
            assert await server.process.wait() == 2
    *lines, last = server.log.read_text().splitlines()
    assert "broke again and again" in last
    assert all(json.loads(line)["level"] for line in lines)
