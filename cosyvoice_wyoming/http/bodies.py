"""What HTTP clients send, checked before anything is done with it."""

from __future__ import annotations

from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from cosyvoice_wyoming.options import MAX_SPEED, MIN_SPEED

EXAMPLE = "客厅的灯已经打开了。"


def _has_something(text: str) -> str:
    if not text.strip():
        raise ValueError("there is nothing to say")
    return text


Text = Annotated[str, AfterValidator(_has_something), Field(examples=[EXAMPLE])]
Speed = Annotated[float, Field(ge=MIN_SPEED, le=MAX_SPEED, allow_inf_nan=False)]
Name = Annotated[str, Field(max_length=100)]


class TtsBody(BaseModel):
    """A text to be spoken; without a speaker, the language or the text itself decides who."""

    model_config = ConfigDict(extra="forbid")

    text: Text
    speaker: Name = ""
    speed: Speed | None = None
    language: Name = ""


class SpeechBody(BaseModel):
    """What OpenAI's clients send; fields that mean nothing here are passed over."""

    model: Name = ""
    input: Text
    voice: Name = ""
    response_format: Name = ""
    speed: Speed | None = None


class ExplainBody(BaseModel):
    """A text to be explained; `language` as a voice's, empty to go by the text."""

    model_config = ConfigDict(extra="forbid")

    text: Text
    language: Name = ""
