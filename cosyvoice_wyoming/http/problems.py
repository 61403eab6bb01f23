"""Errors as JSON problems (RFC 9457): a status, and one sentence that says what to do."""

from __future__ import annotations

import json
from collections.abc import Sequence
from http import HTTPStatus
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import Response

from cosyvoice_wyoming.errors import (
    BadOption,
    BadRequest,
    DownloadFailed,
    ModelMissing,
    ServerBusy,
    ShuttingDown,
    SpeechError,
    TextTooLong,
)

PROBLEM_TYPE = "application/problem+json"

# The first match counts, so a narrower class stands before a wider one.
_STATUS: tuple[tuple[type[SpeechError], HTTPStatus], ...] = (
    (TextTooLong, HTTPStatus.REQUEST_ENTITY_TOO_LARGE),
    (BadRequest, HTTPStatus.UNPROCESSABLE_ENTITY),
    (BadOption, HTTPStatus.UNPROCESSABLE_ENTITY),
    (ServerBusy, HTTPStatus.TOO_MANY_REQUESTS),
    (ShuttingDown, HTTPStatus.SERVICE_UNAVAILABLE),
    (ModelMissing, HTTPStatus.SERVICE_UNAVAILABLE),
    (DownloadFailed, HTTPStatus.SERVICE_UNAVAILABLE),
    (SpeechError, HTTPStatus.INTERNAL_SERVER_ERROR),
)


def problem(status: HTTPStatus, detail: str, headers: dict[str, str] | None = None) -> Response:
    """Return a problem; `detail` is the sentence for the user."""
    fields = {"type": "about:blank", "title": status.phrase, "status": status, "detail": detail}
    body = json.dumps(fields).encode("ascii")
    return Response(body, status_code=status, media_type=PROBLEM_TYPE, headers=headers)


def of_error(error: SpeechError) -> Response:
    """Return the problem that an error is."""
    status = next(status for kind, status in _STATUS if isinstance(error, kind))
    retry = {"Retry-After": "2"} if status == HTTPStatus.TOO_MANY_REQUESTS else None
    return problem(status, str(error), retry)


def install(app: FastAPI) -> None:
    """Have every error of the application answered as a problem."""

    @app.exception_handler(SpeechError)
    async def speech_error(_: Request, error: SpeechError) -> Response:
        return of_error(error)

    @app.exception_handler(RequestValidationError)
    async def invalid(_: Request, error: RequestValidationError) -> Response:
        return _of_validation(error.errors())

    @app.exception_handler(HTTPException)
    async def http_error(_: Request, error: HTTPException) -> Response:
        headers = dict(error.headers or {})
        return problem(HTTPStatus(error.status_code), str(error.detail), headers)

    @app.exception_handler(Exception)
    async def unexpected(_: Request, error: Exception) -> Response:
        kind = type(error).__name__
        return problem(HTTPStatus.INTERNAL_SERVER_ERROR, f"the server failed ({kind})")


def _of_validation(errors: Sequence[Any]) -> Response:
    """Say the first thing that is wrong with a request."""
    first = errors[0]
    if first["type"] == "json_invalid":
        return problem(HTTPStatus.BAD_REQUEST, "the body is not valid JSON")
    where = ".".join(str(part) for part in first["loc"] if part != "body")
    reason = str(first["msg"]).removeprefix("Value error, ")
    detail = f"{where}: {reason}" if where else reason
    return problem(HTTPStatus.UNPROCESSABLE_ENTITY, detail)
