"""Who may ask, how much, how often and how many at once: decided before a request is read."""

from __future__ import annotations

import hmac
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from http import HTTPStatus

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from cosyvoice_wyoming.http.problems import problem

OPEN_PATHS = ("/", "/docs", "/openapi.json", "/health")
"""What needs no token: the pages, which ask for it, and what a health check asks."""

OPEN_PREFIX = "/static/"

SAFE_METHODS = ("GET", "HEAD", "OPTIONS")

REMEMBERED_CLIENTS = 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """The limits of the HTTP side; an empty rule does not apply."""

    token: str = ""
    only_from: str = ""
    max_body_bytes: int = 256 * 1024
    """20,000 characters, each as an escaped surrogate pair, fit in."""
    requests_per_minute: int = 600
    """By client. The page asks once a second and people do not; a loop gone wrong asks more."""
    max_at_once: int = 32


class Allowance:
    """A token bucket for each client: `per_minute` requests, all of them at once if need be."""

    def __init__(self, per_minute: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._capacity = float(per_minute)
        self._per_second = per_minute / 60
        self._clock = clock
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def take(self, client: str) -> bool:
        """Take one request from a client's allowance; False if there is none left."""
        now = self._clock()
        left, since = self._buckets.pop(client, (self._capacity, now))
        left = min(self._capacity, left + (now - since) * self._per_second)
        allowed = left >= 1
        self._buckets[client] = (left - 1 if allowed else left, now)
        if len(self._buckets) > REMEMBERED_CLIENTS:
            self._buckets.popitem(last=False)
        return allowed


class Guard:
    """ASGI middleware that lets a request through or answers it with a problem."""

    def __init__(self, app: ASGIApp, rules: Rules) -> None:
        self._app = app
        self._rules = rules
        self._allowance = Allowance(rules.requests_per_minute)
        self._running = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        if refusal := self._refusal(scope):
            status, detail = refusal
            await problem(status, detail, _headers(status))(scope, receive, send)
            return
        self._running += 1
        try:
            await self._run(scope, receive, send)
        finally:
            self._running -= 1

    def _refusal(self, scope: Scope) -> tuple[HTTPStatus, str] | None:
        client = scope["client"][0] if scope.get("client") else ""
        headers = Headers(scope=scope)
        return self._of_client(scope, client, headers) or self._of_amount(client, headers)

    def _of_client(
        self, scope: Scope, client: str, headers: Headers
    ) -> tuple[HTTPStatus, str] | None:
        rules = self._rules
        if rules.only_from and client.removeprefix("::ffff:") != rules.only_from:
            return HTTPStatus.FORBIDDEN, "this address may not use the HTTP side of the server"
        if rules.token and not _is_open(scope["path"]) and not self._has_token(headers):
            return HTTPStatus.UNAUTHORIZED, "send the token: Authorization: Bearer TOKEN"
        if scope["method"] not in SAFE_METHODS and not rules.only_from and _is_foreign(headers):
            return HTTPStatus.FORBIDDEN, "another site's page may not use this server"
        return None

    def _of_amount(self, client: str, headers: Headers) -> tuple[HTTPStatus, str] | None:
        rules = self._rules
        if not self._allowance.take(client):
            return HTTPStatus.TOO_MANY_REQUESTS, "too many requests: try again in a few seconds"
        if self._running >= rules.max_at_once:
            return HTTPStatus.TOO_MANY_REQUESTS, "too many requests at once: try again later"
        length = headers.get("content-length", "0")
        if not length.isdecimal() or int(length[:20]) > rules.max_body_bytes:
            return HTTPStatus.REQUEST_ENTITY_TOO_LARGE, self._too_large()
        return None

    def _has_token(self, headers: Headers) -> bool:
        kind, _, token = headers.get("authorization", "").partition(" ")
        wanted = self._rules.token.encode()
        return kind.lower() == "bearer" and hmac.compare_digest(token.strip().encode(), wanted)

    def _too_large(self) -> str:
        return f"the body is over {self._rules.max_body_bytes // 1024} kB: send the text in parts"

    async def _run(self, scope: Scope, receive: Receive, send: Send) -> None:
        body = await self._read(receive)
        if body is None:
            status = HTTPStatus.REQUEST_ENTITY_TOO_LARGE
            await problem(status, self._too_large())(scope, receive, send)
            return
        whole: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

        async def replay() -> Message:
            return whole.pop() if whole else await receive()

        await self._app(scope, replay, send)

    async def _read(self, receive: Receive) -> bytes | None:
        """Read a body, whose length may not have been announced; None if it is too large.

        It is read here, whole: the framework answers a reader that raises with a sentence of its
        own, and has begun its work by then.
        """
        body = bytearray()
        while True:
            message = await receive()
            body += message.get("body", b"")
            if len(body) > self._rules.max_body_bytes:
                return None
            if not message.get("more_body", False):
                return bytes(body)


def _is_open(path: str) -> bool:
    return path in OPEN_PATHS or path.startswith(OPEN_PREFIX)


def _is_foreign(headers: Headers) -> bool:
    """Whether a browser sends this for a page that did not come from here.

    Any page that somebody at home opens could otherwise have this server change its model. Behind
    a proxy that is the only client, its host is not ours, and the question is the proxy's.
    """
    origin = headers.get("origin", "")
    return bool(origin) and origin.partition("://")[2] != headers.get("host", "")


def _headers(status: HTTPStatus) -> dict[str, str] | None:
    if status == HTTPStatus.UNAUTHORIZED:
        return {"WWW-Authenticate": "Bearer"}
    if status == HTTPStatus.TOO_MANY_REQUESTS:
        return {"Retry-After": "2"}
    return None
