"""A server with its HTTP side on loopback, for tests of both."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx

from cosyvoice_wyoming.address import TcpAddress
from cosyvoice_wyoming.http.app import serving
from cosyvoice_wyoming.http.desk import Desk
from cosyvoice_wyoming.server import Server
from cosyvoice_wyoming.settings import Settings
from cosyvoice_wyoming.speech import Manner, Studio

LOOPBACK = TcpAddress(host="127.0.0.1", port=0)


@dataclass
class Running:
    """What a test may look at: a client of the HTTP side, and the server behind it."""

    http: httpx.AsyncClient
    server: Server
    base: str
    switched: list[str] = field(default_factory=list)

    async def tts(self, accept: str = "application/json", **body: object) -> httpx.Response:
        return await self.http.post("/tts", json=body, headers={"Accept": accept})


@contextlib.asynccontextmanager
async def running(
    data_dir: Path, load: Callable[[], Studio] | None = None, **options: Any
) -> AsyncIterator[Running]:
    settings = Settings(uri=LOOPBACK, model="tone", data_dir=data_dir, **options)
    switched: list[str] = []
    async with Server(settings, load=load, warm=False) as server:
        desk = Desk(
            settings=settings,
            worker=server.worker,
            manner=Manner(),
            journal=server.house.journal,
            studio=lambda: server.studio,
            clients=lambda: server.clients,
            switch=switched.append,
            stats=server.stats,
        )
        async with serving(desk, LOOPBACK) as port:
            base = f"http://127.0.0.1:{port}"
            async with httpx.AsyncClient(base_url=base, timeout=30) as http:
                yield Running(http=http, server=server, base=base, switched=switched)
