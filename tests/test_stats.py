from __future__ import annotations

import dataclasses
import json
import logging

from cosyvoice_wyoming.cli import run
from cosyvoice_wyoming.logs import JsonFormatter
from cosyvoice_wyoming.stats import EVENT, Stats
from tests.support.clients import connected, plain
from tests.support.serving import serving, until


async def test_our_own_event_is_answered_with_every_figure():
    async with serving() as running:
        await plain(running.port, "今天天气很好。")
        await until(lambda: running.server.clients == 0)
        async with connected(running.port) as client:
            await client.send(EVENT)
            answer = await client.expect(EVENT)
    assert set(answer.data) == {field.name for field in dataclasses.fields(Stats)}
    assert answer.data["answers"] == 1
    assert answer.data["characters"] == 7
    assert answer.data["clients"] == 1
    assert answer.data["ready"] is True
    assert answer.data["rung"] == "full"
    assert answer.data["server_memory"] > 0


async def test_the_command_prints_them(capsys):
    import asyncio

    async with serving() as running:
        uri = f"tcp://127.0.0.1:{running.port}"
        assert await asyncio.to_thread(run, ["stats", "--uri", uri, "--json"]) == 0
        assert json.loads(capsys.readouterr().out)["ready"] is True
        assert await asyncio.to_thread(run, ["stats", "--uri", uri]) == 0
        assert "server memory" in capsys.readouterr().out


def test_without_a_server_it_says_so_and_ends_with_1(capsys):
    assert run(["stats", "--uri", "tcp://127.0.0.1:1"]) == 1
    assert "no server answers" in capsys.readouterr().err


def test_a_json_line_has_the_fields_and_the_time_in_utc():
    record = logging.LogRecord("a", logging.INFO, "b", 1, "spoke %d", (3,), None)
    record.fields = {"voice": "zh_female_01", "rtf": 0.5}
    line = json.loads(JsonFormatter().format(record))
    assert line["message"] == "spoke 3"
    assert line["level"] == "info"
    assert line["voice"] == "zh_female_01"
    assert line["time"].endswith("+00:00")
