"""What the server is and how it is: health, metrics, models, voices, and what the page shows."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from http import HTTPStatus
from typing import Literal

from fastapi import APIRouter
from pydantic import BaseModel
from starlette.responses import PlainTextResponse, Response

from cosyvoice_wyoming import __version__
from cosyvoice_wyoming.audio import Pcm
from cosyvoice_wyoming.bundles import State, catalog
from cosyvoice_wyoming.errors import BadOption, BadRequest
from cosyvoice_wyoming.http.bodies import ExplainBody
from cosyvoice_wyoming.http.desk import Desk
from cosyvoice_wyoming.http.explaining import Explained, explain
from cosyvoice_wyoming.http.installing import Installer, Progress
from cosyvoice_wyoming.http.metrics import (
    MEDIA_TYPE,
    exposition,
    median_first_audio,
)
from cosyvoice_wyoming.machine import family_bytes
from cosyvoice_wyoming.narration import Studio

DEGRADED_RTF = 1.0
"""Slower than this, the machine cannot make speech as fast as it is heard."""


class Health(BaseModel):
    """Whether the server can speak, and what keeps it from speaking well."""

    status: Literal["ready", "degraded", "loading"]
    reason: str


class VoiceItem(BaseModel):
    """A voice, by the name that requests give."""

    id: str
    name: str
    language: str
    gender: str
    description: str
    experimental: bool


class Voices(BaseModel):
    """The voices of the model in use."""

    voices: list[VoiceItem]


class ModelItem(BaseModel):
    """A model, in the fields that OpenAI's clients read and those of the page."""

    id: str
    object: Literal["model"] = "model"
    created: int = 0
    owned_by: str = "cosyvoice-wyoming"
    state: str
    in_use: bool
    licence: str
    description: str
    size: int


class Models(BaseModel):
    """Every model that this program knows."""

    object: Literal["list"] = "list"
    data: list[ModelItem]


class Status(BaseModel):
    """What the page shows live; times in seconds."""

    version: str
    model: str
    health: Health
    requests: int
    clients: int
    memory_bytes: int
    first_audio: float
    last_first_audio: float
    last_rtf: float
    answers: int
    failures: int
    max_text_chars: int
    phrase_bytes: int
    installation: Progress | None


def router(desk: Desk) -> APIRouter:
    """Return the routes that tell how the server is."""
    routes = APIRouter(tags=["server"])

    @routes.get("/health", responses={503: {"model": Health, "description": "Not ready"}})
    async def health(response: Response) -> Health:
        """Say whether the server can speak."""
        found = _health(desk)
        if found.status == "loading":
            response.status_code = HTTPStatus.SERVICE_UNAVAILABLE
        return found

    @routes.get("/metrics", response_class=PlainTextResponse)
    async def metrics() -> Response:
        """Return the figures in Prometheus' format."""
        return Response(exposition(desk), media_type=MEDIA_TYPE)

    @routes.get("/v1/audio/voices")
    async def voices() -> Voices:
        """Return the voices of the model in use."""
        return Voices(
            voices=[
                VoiceItem(
                    id=voice.name,
                    name=voice.name,
                    language=voice.language,
                    gender=voice.gender,
                    description=voice.description,
                    experimental=voice.experimental,
                )
                for voice in desk.voices
            ]
        )

    @routes.get("/v1/models")
    async def models() -> Models:
        """Return every model and how it stands here."""
        return Models(data=_models(desk))

    return routes


def page_router(desk: Desk, installer: Installer) -> APIRouter:
    """Return the routes that only the page uses."""
    routes = APIRouter(prefix="/api", tags=["page"])

    @routes.get("/status")
    async def status() -> Status:
        """Return what the page shows live."""
        return _status(desk, installer)

    @routes.post("/explain")
    async def explain_text(body: ExplainBody) -> list[Explained]:
        """Return how a text is read, segment by segment."""
        return await explain(desk, body.text, body.language)

    @routes.delete("/phrases", status_code=HTTPStatus.NO_CONTENT)
    async def clear_phrases() -> None:
        """Forget what was spoken before, so that everything is made anew."""
        await _clear_phrases(desk)

    @routes.post("/models/{name}/install", status_code=HTTPStatus.ACCEPTED)
    async def install(name: str) -> Progress:
        """Begin to fetch a model; the status tells how far it is."""
        _entry(desk, name)
        return installer.start(name)

    @routes.post("/models/{name}/use", status_code=HTTPStatus.ACCEPTED)
    async def use(name: str) -> ModelItem:
        """Go on with another model; the server is away for some seconds."""
        entry = _entry(desk, name)
        if entry.state != State.WHOLE:
            raise BadRequest(f"the model {name} is not installed here: install it first")
        desk.switch(name)
        return entry

    return routes


def _health(desk: Desk) -> Health:
    failure = desk.worker.failure
    if desk.studio() is None:
        return Health(status="loading", reason=str(failure or "the model is being loaded"))
    latest = list(desk.journal.latest)[-10:]
    if latest and min(answer.rtf for answer in latest) > DEGRADED_RTF:
        reason = "speech is made slower than it is heard: this machine is too slow or too busy"
        return Health(status="degraded", reason=reason)
    return Health(status="ready", reason="")


def _status(desk: Desk, installer: Installer) -> Status:
    journal = desk.journal
    last = journal.latest[-1] if journal.latest else None
    return Status(
        version=__version__,
        model=desk.settings.model,
        health=_health(desk),
        requests=desk.worker.lanes,
        clients=desk.clients(),
        memory_bytes=family_bytes(),
        first_audio=median_first_audio(journal.latest),
        last_first_audio=last.first_audio if last else 0.0,
        last_rtf=last.rtf if last else 0.0,
        answers=journal.answers.total(),
        failures=journal.failures.total(),
        max_text_chars=desk.settings.max_text_chars,
        phrase_bytes=_phrase_bytes(desk),
        installation=installer.progress,
    )


def _phrase_bytes(desk: Desk) -> int:
    """Return the room that phrases take which were spoken before."""
    studio = desk.studio()
    if studio is None or studio.phrases is None:
        return 0
    return studio.phrases.bytes_in_memory + studio.phrases.bytes_on_disk


async def _clear_phrases(desk: Desk) -> None:
    """Forget the phrases, on the worker's thread, which alone uses them."""

    def work(studio: Studio) -> Iterator[Pcm]:
        if studio.phrases:
            studio.phrases.clear()
        yield from ()

    lane = desk.worker.open()
    with contextlib.closing(lane):
        lane.put(work)
        lane.finish()
        async for _ in lane:
            pass


def _models(desk: Desk) -> list[ModelItem]:
    return [
        ModelItem(
            id=entry.name,
            state=entry.state,
            in_use=entry.name == desk.settings.model,
            licence=entry.licence,
            description=entry.description,
            size=entry.size,
        )
        for entry in catalog(desk.settings.data_dir)
    ]


def _entry(desk: Desk, name: str) -> ModelItem:
    """Return a model by its name. Raises BadOption if there is none."""
    for entry in _models(desk):
        if entry.id == name:
            return entry
    raise BadOption(f"there is no model '{name[:40]}'")
