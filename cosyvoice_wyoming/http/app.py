"""The HTTP side as one application, and how it is served beside the Wyoming server."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import re
from collections.abc import AsyncIterator, Generator
from http import HTTPStatus
from pathlib import Path

import uvicorn
from fastapi import FastAPI, Request
from starlette.responses import HTMLResponse, Response
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Receive, Scope, Send

from cosyvoice_wyoming import __version__
from cosyvoice_wyoming.address import TcpAddress
from cosyvoice_wyoming.http import problems, speaking, status
from cosyvoice_wyoming.http.desk import Desk
from cosyvoice_wyoming.http.guard import Guard, Rules
from cosyvoice_wyoming.http.installing import Installer
from cosyvoice_wyoming.listen import bind

_LOGGER = logging.getLogger(__name__)

STATIC = Path(__file__).parent / "static"

STOP_SECONDS = 3
"""How long answers that are under way may take at a stop."""

_PREFIX = re.compile(r"(/[A-Za-z0-9._~-]+)*")
_BASE = '<base href="./">'

_PAGE_HEADERS = {
    "Cache-Control": "no-cache",
    "Content-Security-Policy": (
        "default-src 'self'; img-src 'self' data:; media-src 'self' blob:; object-src 'none'"
    ),
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}


def build_app(desk: Desk, rules: Rules) -> FastAPI:
    """Return the application: speech, status, the page and the description of it all."""
    app = FastAPI(
        title="cosyvoice-wyoming",
        version=__version__,
        summary="Text-to-speech in Mandarin, English, Japanese, Korean and Cantonese",
        docs_url=None,  # FastAPI's own pages load their scripts from another host
        redoc_url=None,
        responses={"4XX": {"description": "A problem, in one sentence"}},
    )
    problems.install(app)
    app.include_router(speaking.router(desk))
    app.include_router(status.router(desk))
    app.include_router(status.page_router(desk, Installer(desk.settings.data_dir)))
    app.mount("/static", StaticFiles(directory=STATIC), name="static")

    @app.get("/", include_in_schema=False)
    async def page(request: Request) -> Response:
        return _page(STATIC / "index.html", request)

    @app.get("/docs", include_in_schema=False)
    async def docs(request: Request) -> Response:
        return _page(STATIC / "docs.html", request)

    app.add_middleware(Guard, rules=rules)
    return app


def _page(file: Path, request: Request) -> Response:
    """Return a page whose links hold under the prefix that a proxy says it serves it at."""
    prefix = request.headers.get("x-ingress-path", "").rstrip("/")
    html = file.read_text("utf-8")
    if prefix and _PREFIX.fullmatch(prefix):
        html = html.replace(_BASE, f'<base href="{prefix}/">')
    return HTMLResponse(html, status_code=HTTPStatus.OK, headers=_PAGE_HEADERS)


@contextlib.asynccontextmanager
async def serving(desk: Desk, address: TcpAddress) -> AsyncIterator[int]:
    """Serve HTTP at an address while the block runs; yields the open port.

    Raises BadOption if the address cannot be had.
    """
    rules = Rules(token=desk.settings.http_token, only_from=desk.settings.http_only_from)
    config = uvicorn.Config(
        _Contained(build_app(desk, rules)),
        log_config=None,
        log_level="warning",
        access_log=False,
        server_header=False,
        proxy_headers=False,  # or else a client may say which address it comes from
        lifespan="off",
        timeout_graceful_shutdown=STOP_SECONDS,
    )
    sockets = await bind(address, option="--http")
    server = _EmbeddedServer(config)
    task = asyncio.create_task(server.serve(sockets=sockets), name="http")
    port: int = sockets[0].getsockname()[1]
    _LOGGER.info("the page is at http://%s:%d/", address.client_host, port)
    try:
        yield port
    finally:
        server.should_exit = True
        await task
        for opened in sockets:
            opened.close()


class _Contained:
    """Keeps tracebacks out of the log.

    An answer that has begun when its speech breaks off is cut by closing the connection, which
    a client of a chunked body or of ffmpeg's output takes for the error that it is.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await self._app(scope, receive, send)
        except Exception as error:
            _LOGGER.warning("an HTTP answer broke off: %s", type(error).__name__)
            _LOGGER.debug("an HTTP answer broke off", exc_info=error)


class _EmbeddedServer(uvicorn.Server):
    """Leaves signals to the server that it is part of."""

    @contextlib.contextmanager
    def capture_signals(self) -> Generator[None, None, None]:
        yield
