"""What one client may cost the others."""

from __future__ import annotations

import asyncio
import socket

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cosyvoice_wyoming.engine.tone import ToneEngine
from cosyvoice_wyoming.schedule import BACKLOG_SECONDS
from cosyvoice_wyoming.session import Limits
from tests.support.clients import Client, connected, describe, frame, plain, stream
from tests.support.serving import serving, until

PLAIN = ["audio-start", "audio-chunk", "audio-stop"]


async def test_text_over_the_limit_is_an_error():
    async with serving(max_text_chars=10) as running:
        assert (await plain(running.port, "0123456789")).events == PLAIN
        heard = await plain(running.port, "01234567890")
        assert heard.error["code"] == "TextTooLong"
        assert "10 characters" in heard.error["text"]
        heard = await stream(running.port, ["01234", "567890"])
        assert heard.events[-1] == "error"
        assert heard.error["code"] == "TextTooLong"


@pytest.mark.parametrize("text", ["x" * 100_000, "字" * 100_000, "1" * 100_000, "\ud800" * 9_999])
async def test_a_huge_text_is_answered(text):
    async with serving() as running:
        async with connected(running.port) as client:
            await client.send_raw(frame("describe"))
            await client.expect("info")
            data = frame("x", text=text)
            header = frame("synthesize", data_length=len(data))
            await client.send_raw(header + data)
            heard = await client.hear(["audio-stop"])
        assert heard.events[-1] in {"audio-stop", "error"}
        assert await describe(running.port)


@pytest.mark.parametrize(
    "text",
    [
        "\x00你好\x00",
        "\u202eabc\u202c",
        "e\u0301\u0301\u0301" * 50,
        "ｱｲｳｴｵ",
        "\u1112\u1161\u11ab",
        "a\ufffd\ufffe b",
        "\U000e0041x",
    ],
)
async def test_strange_text_is_spoken_or_silent(text):
    async with serving() as running:
        assert (await plain(running.port, text)).events == PLAIN


async def test_too_many_clients_are_told_so():
    async with serving(max_connections=2) as running:
        async with connected(running.port), connected(running.port) as second:
            await second.send("ping")
            await second.expect("pong")
            async with connected(running.port) as third:
                heard = await third.hear_all()
            assert heard.error["code"] == "ServerBusy"
        await until(lambda: running.server.clients == 0)
        assert (await plain(running.port, "Room again.")).events == PLAIN


async def test_too_many_requests_ahead_on_one_connection_are_an_error():
    async with serving(ToneEngine(step_delay=0.05), Limits(max_pending=3)) as running:
        async with connected(running.port) as client:
            for _ in range(4):
                await client.send("synthesize", text="很长的一句话。" * 9)
            heard = await client.hear_all()
        assert heard.error["code"] == "ServerBusy"


async def test_an_idle_connection_is_closed_without_an_error():
    async with (
        serving(limits=Limits(idle_seconds=0.1)) as running,
        connected(running.port) as client,
    ):
        assert (await client.hear_all()).events == ["EOF"]


async def test_an_idle_connection_that_listens_is_not_closed():
    engine = ToneEngine(step_delay=0.05)
    async with serving(engine, Limits(idle_seconds=0.1)) as running:
        assert (await plain(running.port, "今天天气很好，我们出去走走。")).events == PLAIN


async def test_a_stream_that_gets_no_text_for_too_long_is_an_error():
    async with (
        serving(limits=Limits(idle_seconds=0.1)) as running,
        connected(running.port) as client,
    ):
        await client.send("synthesize-start")
        assert (await client.hear_all()).error["code"] == "BadRequest"


async def reluctant(port: int, text: str) -> Client:
    """Ask for a text and read nothing of the answer."""
    taker = socket.socket()
    taker.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    taker.settimeout(0)
    await asyncio.get_running_loop().sock_connect(taker, ("127.0.0.1", port))
    client = Client(*await asyncio.open_connection(sock=taker, limit=4096))
    await client.send("synthesize", text=text)
    return client


async def test_a_client_that_does_not_read_holds_up_neither_engine_nor_others():
    text = "这是一句很长的话，说了很多事情。" * 100
    async with serving(max_text_chars=10_000) as running:
        client = await reluctant(running.port, text)
        steps = -1
        while steps != running.engine.steps:
            steps = running.engine.steps
            await asyncio.sleep(0.3)
        made = steps * 0.25
        in_buffers = 2 * 128 * 1024 / (2 * 24_000) + 10
        assert made < BACKLOG_SECONDS + in_buffers < len(text) * 0.2
        assert (await plain(running.port, "别人。")).events == PLAIN
        assert (await client.hear(["audio-stop"])).events == PLAIN
        client.writer.close()


async def test_a_client_that_never_reads_is_given_up():
    text = "这是一句很长的话，说了很多事情。" * 100
    async with serving(limits=Limits(write_seconds=0.2)) as running:
        client = await reluctant(running.port, text)
        await asyncio.sleep(0.2)
        await until_engine_rests(running.engine)
        heard = await client.hear(["audio-stop"])
        assert heard.events[-1] in {"EOF", "error"}
        client.writer.close()


async def test_a_client_that_left_while_it_waited_is_not_spoken_to():
    engine = ToneEngine(step_delay=0.1)
    async with serving(engine) as running:
        async with connected(running.port) as playing:
            await playing.send("synthesize", text="这是一句很长的话，说了很多事情。" * 20)
            await playing.expect("audio-start")
            for _ in range(10):
                async with connected(running.port) as leaving:
                    await leaving.send("synthesize", text="走了的人说的话说得很长很长很长。" * 3)
            await until(lambda: running.server.clients == 1)
        begun = [words for words in engine.spoken if "走了" in words]
        await until(lambda: running.server.clients == 0)
        assert len(begun) < 20, "ten requests of three segments each"


async def until_engine_rests(engine: ToneEngine) -> None:
    steps = -1
    while steps != engine.steps:
        steps = engine.steps
        await asyncio.sleep(0.5)


EVENT = st.sampled_from(
    ["describe", "ping", "synthesize", "synthesize-start", "synthesize-chunk", "synthesize-stop"]
)
ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=20),
    lambda inner: (
        st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=5), inner, max_size=2)
    ),
    max_leaves=4,
)
DATA = st.fixed_dictionaries(
    {},
    optional={"text": st.text(max_size=30) | ANYTHING, "voice": ANYTHING, "text_format": ANYTHING},
)
FRAME = st.one_of(
    st.binary(max_size=100),
    st.builds(lambda kind, data: frame(kind, data=data), EVENT, DATA),
    st.builds(lambda kind, data: frame(kind, data=data), EVENT, ANYTHING),
    st.builds(frame, EVENT, data_length=ANYTHING),
    st.builds(
        lambda kind, cut: frame(kind, data={"text": "你好"})[:cut], EVENT, st.integers(1, 40)
    ),
)


@settings(max_examples=15, deadline=None)
@given(conversations=st.lists(st.lists(FRAME, max_size=6), max_size=8))
def test_the_server_answers_after_any_frames(conversations):
    async def talk() -> None:
        async with serving() as running:
            for frames in conversations:
                async with connected(running.port) as client:
                    await client.send_raw(b"".join(frames))
                    client.writer.write_eof()
                    heard = await client.hear_all()
                    assert heard.events[-1] == "EOF"
                assert (await plain(running.port, "Alive.")).events == PLAIN
            assert await describe(running.port)

    asyncio.run(talk())
