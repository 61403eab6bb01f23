from __future__ import annotations

import asyncio

import httpx
import pytest
from starlette.types import Receive, Scope, Send

from cosyvoice_wyoming.http.guard import Allowance, Guard, Rules
from tests.http.serving import running

TOKEN = "correct horse battery staple"  # noqa: S105 - of this test


async def test_without_the_token_nothing_is_told(tmp_path):
    async with running(tmp_path, http_token=TOKEN) as server:
        for headers in ({}, {"Authorization": "Bearer wrong"}, {"Authorization": f"Basic {TOKEN}"}):
            answer = await server.http.get("/v1/models", headers=headers)
            assert answer.status_code == 401
            assert answer.headers["www-authenticate"] == "Bearer"
            assert "Authorization: Bearer TOKEN" in answer.json()["detail"]
        headers = {"Authorization": f"Bearer {TOKEN}"}
        assert (await server.http.get("/v1/models", headers=headers)).status_code == 200


@pytest.mark.parametrize("path", ["/", "/docs", "/openapi.json", "/static/app.js"])
async def test_the_page_needs_no_token_to_ask_for_it(tmp_path, path):
    async with running(tmp_path, http_token=TOKEN) as server:
        assert (await server.http.get(path)).status_code == 200


async def test_only_the_one_address_may_connect(tmp_path):
    async with running(tmp_path, http_only_from="172.30.32.2") as server:
        answer = await server.http.get("/")
        assert answer.status_code == 403
        assert "this address may not" in answer.json()["detail"]
    async with running(tmp_path, http_only_from="127.0.0.1") as server:
        assert (await server.http.get("/")).status_code == 200


async def test_a_header_does_not_change_who_asks(tmp_path):
    async with running(tmp_path, http_only_from="172.30.32.2") as server:
        headers = {"X-Forwarded-For": "172.30.32.2", "X-Real-IP": "172.30.32.2"}
        assert (await server.http.get("/", headers=headers)).status_code == 403


async def test_a_page_of_another_site_cannot_use_the_server(tmp_path):
    async with running(tmp_path) as server:
        own = {"Origin": server.base}
        for origin in ("http://evil.example", "null"):
            foreign = {"Origin": origin}
            answer = await server.http.delete("/api/phrases", headers=foreign)
            assert answer.status_code == 403
            assert (await server.http.get("/health", headers=foreign)).status_code in {200, 503}
        assert (await server.http.delete("/api/phrases", headers=own)).status_code == 204


async def test_behind_the_one_proxy_its_own_host_is_not_foreign(tmp_path):
    async with running(tmp_path, http_only_from="127.0.0.1") as server:
        headers = {"Origin": "https://home.example:8123"}
        assert (await server.http.delete("/api/phrases", headers=headers)).status_code == 204


async def slow(scope: Scope, receive: Receive, send: Send) -> None:
    await asyncio.sleep(0.2)
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": b""})


def client_of(rules: Rules) -> httpx.AsyncClient:
    transport = httpx.ASGITransport(Guard(slow, rules))
    return httpx.AsyncClient(transport=transport, base_url="http://test")


async def test_only_so_many_at_once():
    async with client_of(Rules(max_at_once=3)) as client:
        answers = await asyncio.gather(*(client.get("/") for _ in range(5)))
        assert sorted(answer.status_code for answer in answers) == [200, 200, 200, 429, 429]
        assert (await client.get("/")).status_code == 200


async def test_only_so_many_a_minute():
    async with client_of(Rules(requests_per_minute=2)) as client:
        assert [(await client.get("/")).status_code for _ in range(3)] == [200, 200, 429]


@pytest.mark.parametrize("length", ["-1", "abc", "9" * 400, "1e3"])
async def test_a_strange_length_is_refused(length):
    async with client_of(Rules()) as client:
        answer = await client.post("/", content=b"x", headers={"Content-Length": length})
        assert answer.status_code == 413


def test_an_allowance_fills_up_again():
    now = 0.0
    allowance = Allowance(60, clock=lambda: now)
    assert all(allowance.take("a") for _ in range(60))
    assert not allowance.take("a")
    assert allowance.take("b")
    now = 1.0
    assert allowance.take("a")
    assert not allowance.take("a")


def test_clients_are_not_remembered_for_ever():
    allowance = Allowance(60, clock=lambda: 0.0)
    for number in range(5000):
        allowance.take(str(number))
    assert len(allowance._buckets) <= 1024
