"""What lies in a bundle of this engine: names of files, and the model's sizes as JSON."""

from __future__ import annotations

import dataclasses
import json
import typing
from enum import StrEnum
from pathlib import Path
from typing import Any

from cosyvoice_wyoming.engine.cosyvoice.config import Config
from cosyvoice_wyoming.engine.cosyvoice.presets import PRESETS
from cosyvoice_wyoming.errors import ModelCorrupt

MODEL_FILE = "model.json"

TEXT_ENCODER = "text_encoder.onnx"
SPEECH_LM = "speech_lm.onnx"
FLOW_ENCODER = "flow_encoder.onnx"
ESTIMATOR = "estimator.onnx"
PITCH = "pitch.onnx"
VOCODER = "vocoder.onnx"

TEXT_EMBEDDING = "text_embedding.npy"
SPEECH_EMBEDDING = "speech_embedding.npy"
POSITIONS = "positions.npy"
"""Projected positions of the language model, [distances, layers * heads * head_dim]."""
PROMPT_ROWS = "prompt_rows.npy"
"""The rows before the speaker's and after the text, [2, lm_dim]."""
SPEAKER_ROWS = "speaker_rows.npy"
"""Each speaker as the language model reads it, [speakers, lm_dim], in the order of SPEAKERS."""
SPEAKER_MELS = "speaker_mels.npy"
"""Each speaker as the flow reads it, [speakers, mel]."""
SOURCE = "source.npy"
"""Weights of the source's harmonics and, last, its bias."""


def write_description(folder: Path, preset: str, config: Config) -> None:
    description = {"preset": preset, "config": dataclasses.asdict(config)}
    (folder / MODEL_FILE).write_text(json.dumps(description, indent=1) + "\n", "utf-8")


def read_description(folder: Path) -> tuple[str, Config]:
    """Return the preset's name and the model's sizes. Raises ModelCorrupt."""
    try:
        description = json.loads((folder / MODEL_FILE).read_text("utf-8"))
        config: Config = _build(Config, description["config"])
        preset: str = description["preset"]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ModelCorrupt(
            f"{folder / MODEL_FILE} cannot be read; fetch the model again."
        ) from error
    if preset not in PRESETS:
        raise ModelCorrupt(f"{folder / MODEL_FILE} names an unknown preset: {preset}.")
    return preset, config


def _build(kind: type, table: dict[str, Any]) -> Any:  # noqa: ANN401  a dataclass of `kind`
    """Return a dataclass from what `asdict` and JSON made of it."""
    hints = typing.get_type_hints(kind)
    values: dict[str, Any] = {}
    for field in dataclasses.fields(kind):
        value, hint = table[field.name], hints[field.name]
        if dataclasses.is_dataclass(hint):
            value = _build(typing.cast("type", hint), value)
        elif isinstance(value, list):
            value = tuple(value)
        elif isinstance(hint, type) and issubclass(hint, StrEnum):
            value = hint(value)
        values[field.name] = value
    return kind(**values)
