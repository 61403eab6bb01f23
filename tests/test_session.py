"""One connection: what is answered while it speaks, in which order, and how it ends."""

from __future__ import annotations

import asyncio
import time

import pytest

from cosyvoice_wyoming.engine.tone import ToneEngine
from tests.support.clients import Client, connected, describe, frame, plain, stream
from tests.support.serving import serving, until

PLAIN = ["audio-start", "audio-chunk", "audio-stop"]
STREAMED = [*PLAIN, "synthesize-stopped"]
LONG = "这是一句很长的话，说了很多事情。" * 20


@pytest.fixture
async def running():
    async with serving() as running:
        yield running


@pytest.fixture
async def slow():
    """A server whose engine takes as long as a board does: 250 ms of audio in 50 ms."""
    async with serving(ToneEngine(step_delay=0.05)) as running:
        yield running


async def test_ping_is_answered_with_its_text(running):
    async with connected(running.port) as client:
        for text in ("hello", None, "\ud800"):
            await client.send_raw(frame("ping", data={"text": text}))
            assert (await client.expect("pong")).data == {"text": text}
        await client.send("ping")
        assert (await client.expect("pong")).data == {"text": None}


async def test_describe_and_ping_are_answered_at_once_while_speaking(slow):
    async with connected(slow.port) as client:
        await client.send("synthesize", text=LONG)
        await client.expect("audio-start")
        before = slow.engine.steps
        await client.send("describe")
        await client.send("ping", text="x")
        heard = await client.hear(["pong"])
        assert "info" in heard.events
        assert slow.engine.steps - before < 5


async def test_requests_sent_ahead_are_spoken_in_order(running):
    texts = ["一。", "一二三四五六。", "Short."]
    alone = [(await plain(running.port, text)).pcm for text in texts]
    async with connected(running.port) as client:
        for text in texts:
            await client.send("synthesize", text=text)
        together = [await client.hear(["audio-stop"]) for _ in texts]
    assert [heard.pcm for heard in together] == alone
    assert all(heard.events == PLAIN for heard in together)


async def test_a_stream_started_anew_without_stop_speaks_both(running):
    async with connected(running.port) as client:
        for text in ("第一句话。", "第二句话更长一些。"):
            await client.send("synthesize-start")
            await client.send("synthesize-chunk", text=text)
        await client.send("synthesize-stop")
        heard = [await client.hear(["synthesize-stopped"]) for _ in range(2)]
    assert [h.events for h in heard] == [STREAMED, STREAMED]
    assert running.engine.spoken == ["第一句话。", "第二句话更长一些。"]


async def test_events_that_mean_nothing_here_are_passed_over(running):
    async with connected(running.port) as client:
        await client.send("select-program", name="cosyvoice-wyoming")
        await client.send("select-program", name="another")
        await client.send("transcribe", language="zh")
        await client.send("synthesize-stop")
        await client.send("audio-chunk", rate=16000, width=2, channels=1)
        await client.send("synthesize", text="你好。", context={"any": ["thing"]})
        assert (await client.hear(["audio-stop"])).events == PLAIN


@pytest.mark.parametrize(
    "voice",
    [
        None,
        "zh_male_01",
        7,
        [],
        {},
        {"name": None},
        {"name": None, "language": "zh"},
        {"name": "x", "language": "zh"},
        {"name": 3, "speaker": 3},
        {"language": "zh", "speaker": "0"},
        {"language": 5},
        {"name": "nobody"},
    ],
)
async def test_a_voice_of_any_shape_is_read(running, voice):
    assert (await plain(running.port, "你好，世界。", voice=voice)).events == PLAIN
    assert (await stream(running.port, ["你好，世界。"], voice=voice)).events == STREAMED


async def test_the_named_voice_speaks_and_otherwise_that_of_the_texts_language(running):
    by_name = {
        name: (await plain(running.port, "你好，世界。", voice={"name": name})).pcm
        for name in ("zh_female_01", "zh_male_01", "yue_female_01")
    }
    assert len(set(by_name.values())) == 3
    assert (await plain(running.port, "你好，世界。")).pcm == by_name["zh_female_01"]
    cantonese = await plain(running.port, "你好，世界。", voice={"name": "x", "language": "yue"})
    assert cantonese.pcm == by_name["yue_female_01"]


async def test_one_voice_speaks_the_whole_request(running):
    """HA sends no language: the first segment decides, so that the timbre does not change."""
    heard = await plain(running.port, "今天的歌是下面这一首。Let it be, let it be, let it be.")
    chinese = await plain(running.port, "今天的歌是下面这一首。", voice={"name": "zh_female_01"})
    assert heard.pcm.startswith(chinese.pcm[: len(chinese.pcm) // 2])
    assert not heard.error


@pytest.mark.parametrize(
    "request_frames",
    [
        frame("synthesize", data={"text": 5}),
        frame("synthesize", data={"text": None}),
        frame("synthesize"),
        frame("synthesize-chunk", data={"text": "no start"}),
        frame("synthesize-start") + frame("synthesize-chunk"),
        frame("synthesize-start") + frame("synthesize-chunk", data={"text": ["a"]}),
        b"\n",
        b"GET / HTTP/1.1\r\nHost: x\r\n\r\n",
        b'{"type":"synthesize","data_length":900000000}\n',
        b"x" * 1_000_000,
    ],
)
async def test_a_bad_request_ends_in_an_error_and_a_closed_connection(running, request_frames):
    async with connected(running.port) as client:
        await client.send_raw(request_frames)
        heard = await client.hear_all()
    assert heard.events == ["error", "EOF"]
    assert heard.error["code"] == "BadRequest"
    assert (await plain(running.port, "Still here.")).events == PLAIN


async def test_a_bad_request_while_speaking_cuts_the_audio_with_an_error(slow):
    async with connected(slow.port) as client:
        await client.send("synthesize", text=LONG)
        await client.expect("audio-start")
        await client.send_raw(b"garbage\n")
        heard = await client.hear_all()
    assert heard.events[-2:] == ["error", "EOF"]
    assert "audio-stop" not in heard.events


async def test_a_client_that_only_ends_its_sending_still_hears_all(slow):
    """As `nc` does, which is how people try a server."""
    async with connected(slow.port) as client:
        await client.send("synthesize", text="客厅的灯已经打开了。")
        client.writer.write_eof()
        assert (await client.hear_all()).events == [*PLAIN, "EOF"]


async def test_a_stream_that_ends_without_stop_is_an_error(running):
    async with connected(running.port) as client:
        await client.send("synthesize-start")
        await client.send("synthesize-chunk", text="客厅的灯")
        client.writer.write_eof()
        heard = await client.hear_all()
    assert heard.error["code"] == "BadRequest"


async def steps_after(running, leave) -> int:
    """Start a long request, let a client leave it in its way, return the steps made after that."""
    reader, writer = await asyncio.open_connection("127.0.0.1", running.port)
    client = Client(reader, writer)
    await client.send("synthesize", text=LONG)
    await client.expect("audio-start")
    before: int = running.engine.steps
    leave(writer)
    await asyncio.sleep(0.5)
    after: int = running.engine.steps
    await asyncio.sleep(0.2)
    assert running.engine.steps == after, "the engine goes on for nobody"
    return after - before


async def test_the_engine_stops_when_the_client_closes(slow, caplog):
    assert await steps_after(slow, lambda writer: writer.close()) <= 3
    assert not caplog.records


async def test_the_engine_stops_when_the_connection_is_reset(slow, caplog):
    assert await steps_after(slow, lambda writer: writer.transport.abort()) <= 3
    assert not caplog.records


async def test_clients_that_come_and_go_leave_nothing_behind(slow):
    async def visit(number: int) -> None:
        async with connected(slow.port) as client:
            await client.send("synthesize", text=LONG)
            if number % 2:
                await client.expect("audio-start")

    tasks = len(asyncio.all_tasks())
    await asyncio.gather(*(visit(number) for number in range(20)))
    await until(lambda: len(asyncio.all_tasks()) == tasks)
    began = time.monotonic()
    heard = await plain(slow.port, "好。")
    assert heard.events == PLAIN
    assert heard.first_at - began < 1
    assert await describe(slow.port)
