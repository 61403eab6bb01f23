from __future__ import annotations

import asyncio
import contextlib
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from wyoming.event import Event, async_read_event

from cosyvoice_wyoming.errors import BadRequest
from cosyvoice_wyoming.wire import (
    DATA_LIMIT,
    LINE_LIMIT,
    PAYLOAD_LIMIT,
    encode_event,
    read_event,
)

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


def reader_of(data: bytes) -> asyncio.StreamReader:
    reader = asyncio.StreamReader(limit=LINE_LIMIT)
    reader.feed_data(data)
    reader.feed_eof()
    return reader


async def read_all(data: bytes) -> list[Event]:
    reader = reader_of(data)
    events = []
    while event := await read_event(reader):
        events.append(event)
    return events


@pytest.mark.parametrize(
    ("frame", "data"),
    [
        (b'{"type":"synthesize-start"}\n', {}),
        (b'{"type":"x","data":null}\n', {}),
        (b'{"type":"x","data":{"a":1},"color":"red","version":"9"}\n', {"a": 1}),
        (b'{"type":"x","data_length":7}\n{"b":2}', {"b": 2}),
        (b'{"type":"x","data":{"a":1,"b":1},"data_length":7}\n{"b":2}', {"a": 1, "b": 2}),
        (b'{"type":"x","data_length":null,"payload_length":0}\n', {}),
        (b'{"type":"x","payload_length":3}\n\x00\n\xff', {}),
        (b'  {"type": "x"}\r\n', {}),
    ],
)
async def test_frames_of_every_shape_are_read(frame, data):
    first, second = await read_all(frame + b'{"type":"ping"}\n')
    assert first.data == data
    assert second.type == "ping"


@pytest.mark.parametrize(
    "frame",
    [
        b"\n",
        b"garbage\n",
        b"GET / HTTP/1.1\r\n",
        b'"text"\n',
        b"[]\n",
        b"null\n",
        b"{}\n",
        b'{"type":7}\n',
        b'{"type":"x","data":[]}\n',
        b'{"type":"x","data":"text"}\n',
        b'{"type":"x","data_length":"5"}\n{"a":1',
        b'{"type":"x","data_length":-1}\n',
        b'{"type":"x","data_length":true}\n',
        b'{"type":"x","data_length":2.0}\n{}',
        b'{"type":"x","data_length":2}\n[]',
        b'{"type":"x","data_length":4}\nnope',
        b'{"type":"x","data_length":9}\n{}',
        b'{"type":"x","payload_length":9}\n123',
        b'{"type":"x"',
        b"\xff\xfe\x00\n",
        b"[" * 50_000 + b"\n",
        b'{"type":"x","data_length":%d}\n' % (DATA_LIMIT + 1),
        b'{"type":"x","payload_length":%d}\n' % (PAYLOAD_LIMIT + 1),
        b'{"type":"x","data":{"a":"' + b"a" * 3 * LINE_LIMIT + b'"}}\n',
        b'{"type":"x","data_length":' + b"9" * 5000 + b"}\n",
    ],
)
async def test_a_malformed_frame_is_a_bad_request(frame):
    with pytest.raises(BadRequest):
        await read_all(frame)


async def test_the_largest_blocks_allowed_are_read():
    block = json.dumps({"text": "x" * (DATA_LIMIT - 12)}).encode()
    assert len(block) == DATA_LIMIT
    header = {"type": "x", "data_length": DATA_LIMIT, "payload_length": PAYLOAD_LIMIT}
    frame = json.dumps(header).encode() + b"\n" + block + bytes(PAYLOAD_LIMIT)
    [event] = await read_all(frame)
    assert len(event.data["text"]) == DATA_LIMIT - 12
    assert event.payload is None


async def test_the_end_between_events_is_no_error():
    assert await read_all(b"") == []


@given(st.binary(max_size=200))
def test_any_bytes_are_events_or_a_bad_request(data):
    async def read() -> None:
        with contextlib.suppress(BadRequest):
            assert all(event.type for event in await read_all(data))

    asyncio.run(read())


@given(
    kind=st.text(),
    data=st.dictionaries(st.text(), JSON, max_size=4),
    payload=st.binary(max_size=64),
)
def test_the_library_reads_what_is_written(kind, data, payload):
    async def read() -> Event | None:
        return await async_read_event(reader_of(encode_event(Event(kind, data, payload))))

    event = asyncio.run(read())
    assert event == Event(kind, data, payload or None)


async def test_text_that_is_not_unicode_is_written_all_the_same():
    assert encode_event(Event("pong", {"text": "\ud800"})).endswith(b'{"text": "\\ud800"}')
