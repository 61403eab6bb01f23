"""The server with the embedded model, as a process."""

from __future__ import annotations

import asyncio
import signal

import pytest

from tests.support.clients import connected, plain
from tests.support.models import DATA_DIR, lite
from tests.support.serving import free_port, server_process, until_open

pytestmark = pytest.mark.model

SENTENCES = {
    "zh_female_01": "你好，灯开了。",
    "en_female_01": "The light is on.",
    "ja_female_01": "電気をつけました。",
    "ko_female_01": "불을 켰습니다.",
    "yue_female_01": "開咗燈喇。",
}


async def test_every_language_is_heard_and_a_signal_in_mid_speech_exits_0(tmp_path):
    """ONNX Runtime aborts the process if Python ends under one of its steps."""
    lite()
    port = free_port()
    options = ("--model", "lite", "--data-dir", str(DATA_DIR), "--threads", "1")
    async with server_process(f"tcp://127.0.0.1:{port}", tmp_path, *options) as server:
        await until_open(port)
        for sentence in SENTENCES.values():
            heard = await plain(port, sentence)
            assert heard.events == ["audio-start", "audio-chunk", "audio-stop"]
            assert 0.5 < heard.seconds < 5
        async with connected(port) as client:
            await client.send("synthesize", text="今天的天气非常好，我们一起去公园里走走吧。" * 9)
            await client.expect("audio-start")
            stopping = asyncio.create_task(server.stop(signal.SIGTERM))
            assert (await client.hear_all()).error["code"] == "ShuttingDown"
            assert await stopping == 0
    log = server.log.read_text()
    assert "Traceback" not in log
    for voice in SENTENCES:
        assert f"with {voice}" in log
