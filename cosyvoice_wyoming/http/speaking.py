"""`POST /tts` and `POST /v1/audio/speech`: a text in, audio out while it is made."""

from __future__ import annotations

import base64
import contextlib
from typing import Any

from fastapi import APIRouter, Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.types import Receive, Scope, Send

from cosyvoice_wyoming.http.bodies import SpeechBody, TtsBody
from cosyvoice_wyoming.http.desk import Desk, Order, Speech, begin
from cosyvoice_wyoming.http.formats import FORMATS, Format, encoded, format_named, wav_header

OPENAI_RATE = 24_000
"""The sample rate of OpenAI's `pcm`, which has no header that could say another."""

OPENAI_VOICES = {
    *("auto", "alloy", "ash", "ballad", "cedar", "coral", "echo", "fable", "marin", "nova"),
    *("onyx", "sage", "shimmer", "verse"),
}
"""Names that clients send because they must send one: here the language of the text decides."""

_AUDIO: dict[str, Any] = {
    "description": "The audio, sent while it is made",
    "content": {form.media_type: {} for form in FORMATS.values()},
}
_JSON_OR_WAV: dict[str, Any] = {
    "description": "The audio as base64, or the WAV file itself for `Accept: audio/wav`",
    "content": {
        "application/json": {
            "schema": {
                "type": "object",
                "required": ["audio", "duration"],
                "properties": {"audio": {"type": "string"}, "duration": {"type": "number"}},
            }
        },
        "audio/wav": {},
    },
}


class AudioStream(StreamingResponse):
    """A file that is sent while it is made; given up when nobody takes it any more."""

    def __init__(self, speech: Speech, form: Format) -> None:
        self._speech = speech
        self._file = encoded(speech.pieces(), speech.rate, form)
        headers = {"X-Sample-Rate": str(speech.rate), "Cache-Control": "no-store"}
        super().__init__(self._file, media_type=form.media_type, headers=headers)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await super().__call__(scope, receive, send)
        finally:
            await self._file.aclose()
            await self._speech.close()


def router(desk: Desk) -> APIRouter:
    """Return the two routes that speak."""
    routes = APIRouter(tags=["speech"])

    @routes.post("/tts", response_class=Response, responses={200: _JSON_OR_WAV})
    async def tts(body: TtsBody, request: Request) -> Response:
        """Speak a text; JSON with base64, or the file for `Accept: audio/wav`."""
        order = Order(
            text=body.text, speaker=body.speaker, language=body.language, speed=body.speed or 0.0
        )
        speech = await begin(desk, order)
        if "audio/wav" in request.headers.get("accept", ""):
            return AudioStream(speech, FORMATS["wav"])
        return await _as_json(speech, request)

    @routes.post("/v1/audio/speech", response_class=Response, responses={200: _AUDIO})
    async def speech(body: SpeechBody) -> Response:
        """Speak a text as OpenAI's interface does."""
        form = format_named(body.response_format or _default_format())
        order = Order(
            text=body.input,
            speaker="" if body.voice.lower() in OPENAI_VOICES else body.voice,
            speed=body.speed or 0.0,
            sample_rate=OPENAI_RATE if form.name == "pcm" else 0,
        )
        return AudioStream(await begin(desk, order), form)

    return routes


def _default_format() -> str:
    """OpenAI's default is mp3; where nothing can make that, a client gets WAV."""
    return "mp3" if FORMATS["mp3"].available else "wav"


async def _as_json(speech: Speech, request: Request) -> Response:
    samples = bytearray()
    async with contextlib.aclosing(speech.pieces()) as pieces:
        async for pcm in pieces:
            samples += pcm.data
            if await request.is_disconnected():
                break
    await speech.close()
    wav = wav_header(speech.rate, len(samples)) + samples
    duration = len(samples) / 2 / speech.rate
    return JSONResponse({"audio": base64.b64encode(wav).decode(), "duration": round(duration, 3)})
