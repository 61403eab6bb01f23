"""Says before any download how fast the model would speak on this device."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from cosyvoice_wyoming.engine.cosyvoice.config import FULL, Config
from cosyvoice_wyoming.engine.cosyvoice.costs import (
    block_weights,
    chunk_sizes,
    flow_operations,
    lm_weights,
    work_of,
)
from cosyvoice_wyoming.engine.cosyvoice.flow import EDGE_TOKENS
from cosyvoice_wyoming.engine.cosyvoice.presets import PRESETS, Preset
from cosyvoice_wyoming.engine.cosyvoice.quantise import Precision
from cosyvoice_wyoming.engine.cosyvoice.selftest import Speeds
from cosyvoice_wyoming.engine.cosyvoice.vocoder import reach

TYPICAL_TOKENS = 250
TYPICAL_IDS = 25
"""Five seconds of speech, a sentence of some 25 characters."""


MODELS = {
    "exact": "cosyvoice-300m-sft-exact",
    "balanced": "cosyvoice-300m-sft",
    "fast": "cosyvoice-300m-sft-fast",
}
"""The models by the presets that they run."""

MEMORY_MB = {"exact": 1700, "balanced": 900, "fast": 900}
"""Peak resident memory, measured on x86-64 (benchmarks/cosyvoice_speed.py), rounded up."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """Seconds of computation for each part of a sentence, and what follows from them."""

    preset: str
    text_seconds: float
    lm_seconds: float
    flow_seconds: float
    vocoder_seconds: float
    first_audio: float
    rtf: float


def estimate_all(speeds: Mapping[Precision, Speeds], config: Config = FULL) -> list[Estimate]:
    """Return an estimate for each preset whose precision was measured."""
    return [
        estimate(name, speeds[preset.precision], config=config)
        for name, preset in PRESETS.items()
        if preset.precision in speeds
    ]


def estimate(
    name: str,
    speeds: Speeds,
    *,
    ids: int = TYPICAL_IDS,
    tokens: int = TYPICAL_TOKENS,
    config: Config = FULL,
) -> Estimate:
    """Return what a sentence of `ids` text ids and `tokens` speech tokens takes.

    The parts share the cores, so their times add up: those of flow and vocoder on all cores, and
    those of the language model on its half of them, since it runs alone until the first chunk.
    For two cores that came within 12 % of the measured factors.
    """
    preset = PRESETS[name]
    work = work_of(preset, config, text_ids=ids, tokens=tokens, reach=reach(config.vocoder))
    text = work.prompt_rows * speeds.prompt_row_seconds * (1 + _text_share(config))
    lm = work.lm_steps * speeds.step_seconds
    flow = _flow_seconds(preset, config, chunk_sizes(preset, tokens), speeds)
    vocoder = work.vocoder_frames * speeds.vocoder_frame_seconds
    seconds = tokens / config.token_rate
    return Estimate(
        preset=name,
        text_seconds=text,
        lm_seconds=lm,
        flow_seconds=flow,
        vocoder_seconds=vocoder,
        first_audio=text + _first_chunk(preset, config, tokens, speeds),
        rtf=(text + lm + flow + vocoder) / seconds,
    )


def _text_share(config: Config) -> float:
    """Return the text encoder's work per row in units of the language model's."""
    encoder = config.text_encoder
    projected = encoder.dim * encoder.heads * encoder.head_dim
    return encoder.layers * (block_weights(encoder) + projected) / lm_weights(config)


def _flow_seconds(preset: Preset, config: Config, sizes: list[int], speeds: Speeds) -> float:
    encoder = config.flow_encoder
    projected = 2 * encoder.dim * encoder.heads * encoder.head_dim
    per_token = 2 * encoder.layers * (block_weights(encoder) + projected)
    operations = sum(
        preset.schedule.rows * flow_operations(config, config.frames(size)) + per_token * size
        for size in sizes
    )
    return operations / speeds.flow_operations_per_second


_BESIDE_THE_LM = 1.5
"""How much longer flow and vocoder take for the first chunk than by themselves: the language model
goes on, on half as many threads as there are cores."""


def _first_chunk(preset: Preset, config: Config, tokens: int, speeds: Speeds) -> float:
    """Return the seconds from the prompt to the first sound."""
    size = chunk_sizes(preset, tokens)[0]
    frames = config.frames(size) - (config.frames(EDGE_TOKENS) if size < tokens else 0)
    sound = _flow_seconds(preset, config, [size], speeds) + frames * speeds.vocoder_frame_seconds
    return size * speeds.step_seconds + _BESIDE_THE_LM * sound
