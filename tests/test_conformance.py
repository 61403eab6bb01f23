"""Replays what Home Assistant sends, in its order, and asserts what it needs to get back."""

from __future__ import annotations

import asyncio
import threading

import pytest

from cosyvoice_wyoming.engine.tone import ToneEngine
from tests.support.clients import connected, describe, plain, stream
from tests.support.serving import serving

PLAIN = ["audio-start", "audio-chunk", "audio-stop"]
STREAMED = [*PLAIN, "synthesize-stopped"]
NOTHING_TO_SAY = ["", "   ", "   \n", "👍", "……", "👍🏽👨‍👩‍👧", "\u200f\u200e", "**", "\x00"]


@pytest.fixture
async def port():
    async with serving() as running:
        yield running.port


async def test_plain_request_is_one_start_chunks_and_one_stop(port):
    heard = await plain(port, "Hello world.")
    assert heard.events == PLAIN
    assert heard.seconds > 0.3


async def test_streamed_request_ends_in_synthesize_stopped(port):
    heard = await stream(port, ["Hello world."])
    assert heard.events == STREAMED
    assert heard.seconds > 0.3


async def test_the_whole_text_after_the_pieces_is_not_spoken_again(port):
    pieces = ["Lights are on. ", "Have a nice day."]
    with_whole = await stream(port, pieces)
    without = await stream(port, pieces, whole=False)
    assert with_whole.pcm == without.pcm


async def test_streamed_text_sounds_as_the_same_text_in_one(port):
    text = "客厅的灯已经打开了，空调也调到了二十四度。还需要别的吗？"
    assert (await stream(port, list(text))).pcm == (await plain(port, text)).pcm


@pytest.mark.parametrize("text", NOTHING_TO_SAY)
async def test_text_without_words_is_a_moment_of_silence(port, text):
    for heard, events in ((await plain(port, text), PLAIN), (await stream(port, [text]), STREAMED)):
        assert heard.events == events
        assert heard.pcm == bytes(2 * heard.start["rate"] // 10)


async def test_several_sentences_share_one_audio_start_and_stop(port):
    heard = await stream(port, ["First sentence here. ", "Second one. ", "Third."], gap=0.1)
    assert heard.events == STREAMED


async def test_audio_comes_before_the_text_is_complete(port):
    async with connected(port) as client:
        await client.send("synthesize-start")
        await client.send("synthesize-chunk", text="客厅的灯已经打开了。空调也")
        await client.expect("audio-start")
        await client.expect("audio-chunk")
        await client.send("synthesize-chunk", text="关了。")
        await client.send("synthesize-stop")
        assert (await client.hear(["synthesize-stopped"])).events[-1] == "synthesize-stopped"


async def test_a_finished_sentence_is_spoken_while_the_language_model_pauses(port):
    async with connected(port) as client:
        await client.send("synthesize-start")
        await client.send("synthesize-chunk", text="客厅的灯已经打开了。")
        await client.expect("audio-start")
        await client.send("synthesize-stop")
        assert (await client.hear(["synthesize-stopped"])).events[-1] == "synthesize-stopped"


async def test_the_stream_goes_on_when_tokens_are_slow(port):
    heard = await stream(port, ["今天", "天气", "很好。"], gap=0.7)
    assert heard.events == STREAMED
    assert heard.seconds > 1


async def test_plain_request_after_a_stream_on_one_connection_is_spoken(port):
    async with connected(port) as client:
        await client.send("synthesize-start")
        await client.send("synthesize-chunk", text="Hi.")
        await client.send("synthesize-stop")
        assert (await client.hear(["synthesize-stopped"])).events == STREAMED
        await client.send("synthesize", text="Again.")
        assert (await client.hear(["audio-stop"])).events == PLAIN


async def test_an_engine_failure_ends_in_an_error_and_a_closed_connection():
    async with serving(ToneEngine(fails_at="BOOM")) as running:
        async with connected(running.port) as client:
            await client.send("synthesize", text="BOOM")
            heard = await client.hear_all()
        assert heard.events == ["error", "EOF"]
        assert "asked to fail" in heard.error["text"]
        assert heard.error["code"] == "EngineFailed"


async def test_a_failure_in_mid_stream_is_an_error_after_the_audio_so_far():
    async with serving(ToneEngine(crashes_at="BOOM")) as running:
        heard = await stream(running.port, ["Hi there, all of you. ", "BOOM now. ", "Bye."])
        assert heard.events == ["audio-start", "audio-chunk", "error"]
        assert "ZeroDivisionError" in heard.error["text"]
        assert "BOOM" not in heard.error["text"]
        assert (await plain(running.port, "Still here.")).events == PLAIN


async def test_describe_is_answered_while_a_long_text_is_spoken():
    async with serving(ToneEngine(step_delay=0.1)) as running:
        speaking = asyncio.create_task(plain(running.port, "x " * 40))
        await asyncio.sleep(0.2)
        infos = await asyncio.gather(*(describe(running.port) for _ in range(20)))
        assert not speaking.done()
        assert all(info == infos[0] for info in infos)
        assert (await speaking).events == PLAIN


async def test_every_chunk_has_whole_samples_and_the_format_of_the_start(port):
    heard = await stream(port, ["1. 打开灯\n2. 关闭窗帘。", "温度 21.5 度，", "湿度 60%。"])
    formats = {(c.data["rate"], c.data["width"], c.data["channels"]) for c in heard.chunks}
    assert formats == {(heard.start["rate"], 2, 1)}
    assert all(chunk.payload and len(chunk.payload) % 2 == 0 for chunk in heard.chunks)


async def test_timestamps_are_where_the_chunks_are(port):
    heard = await plain(port, "今天天气很好。")
    position = 0
    for chunk in heard.chunks:
        assert chunk.data["timestamp"] == round(1000 * position / heard.start["rate"])
        position += len(chunk.payload or b"") // 2


async def test_a_second_client_is_heard_before_the_first_has_all():
    async with serving(ToneEngine(step_delay=0.02)) as running:
        first = asyncio.create_task(plain(running.port, "很长的回答。" * 20))
        await asyncio.sleep(0.1)
        second = await plain(running.port, "好的。")
        assert second.done_at < (await first).done_at
        assert not (await first).error


async def test_a_long_text_starts_as_soon_as_a_short_one():
    async with serving(ToneEngine(step_delay=0.05)) as running, connected(running.port) as client:
        await client.send("synthesize", text="这是一个很长的段落，说了很多话。" * 125)
        assert (await client.hear(["audio-chunk"])).events == ["audio-start", "audio-chunk"]
        assert running.engine.steps <= 3


async def test_requests_before_the_model_is_loaded_wait_for_it():
    may_load = threading.Event()
    async with serving(before_loading=may_load.wait) as running, connected(running.port) as client:
        await client.send("synthesize", text="早上好。")
        await client.send("ping")
        await client.expect("pong")
        assert await describe(running.port)
        assert not running.engine.spoken
        may_load.set()
        assert (await client.hear(["audio-stop"])).events == PLAIN
