"""Counts what each part of the model computes and reads, from its sizes alone.

A multiplication with its addition counts as two operations. Bytes are those of weights, read once
a run: that is what bounds a language model's single steps.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from cosyvoice_wyoming.engine.cosyvoice.config import Config, EncoderConfig
from cosyvoice_wyoming.engine.cosyvoice.flow import EDGE_TOKENS
from cosyvoice_wyoming.engine.cosyvoice.layout import VOCODER_FILE, checkpoint_layout
from cosyvoice_wyoming.engine.cosyvoice.presets import Preset


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """What an utterance asks of each part: steps of the language model, rows of prompt, frames.

    `flow_frames` counts every frame in every row of every step; `encoder_tokens` every token in
    every chunk; `vocoder_frames` every frame that is vocoded, overlaps included.
    """

    prompt_rows: int
    lm_steps: int
    encoder_tokens: int
    flow_frames: int
    vocoder_frames: int


def block_weights(encoder: EncoderConfig) -> int:
    """Return the weights of a block's products, positions left out."""
    inner = encoder.heads * encoder.head_dim
    return encoder.dim * (4 * inner + 2 * encoder.hidden)


def lm_weights(config: Config) -> int:
    """Return the weights that one step of the language model reads."""
    lm = config.speech_lm
    ends = lm.input_dim * lm.dim + lm.dim * (config.speech_vocab + 1)
    return lm.layers * block_weights(lm) + ends


def estimator_weights(config: Config) -> tuple[int, int]:
    """Return the U-Net's weights per frame at full length, and at half length.

    A weight of a product or of a convolution works once on each frame of its stage.
    """
    estimator, mel = config.estimator, config.mel
    channels, inner = estimator.channels, estimator.heads * estimator.head_dim
    transformer = channels * (4 * inner + 2 * estimator.hidden)

    def stage(inputs: int) -> int:
        residual = inputs * channels * 3 + channels * channels * 3 + inputs * channels
        return residual + estimator.blocks * transformer

    down = channels * channels * 3
    full = stage(3 * mel) + stage(2 * channels) + 3 * down + channels * mel
    half = stage(channels) * (1 + estimator.middle) + stage(2 * channels) + 2 * down
    return full, half


def flow_operations(config: Config, frames: int) -> float:
    """Return the operations of one row of the U-Net over `frames`, attention included."""
    full, half = estimator_weights(config)
    estimator = config.estimator
    inner, shorter = estimator.heads * estimator.head_dim, math.ceil(frames / 2)
    stages_half = estimator.middle + 2
    attention = estimator.blocks * inner * (2 * frames**2 + stages_half * shorter**2) * 2
    return 2.0 * (full * frames + half * shorter + attention)


def vocoder_operations(config: Config) -> float:
    """Return the operations of HiFT per mel frame."""
    vocoder = config.vocoder
    first, second = vocoder.upsample_rates
    total = 0.0
    for spec in checkpoint_layout(config)[VOCODER_FILE]:
        if len(spec.shape) != 3 or spec.name.startswith("m_source"):  # noqa: PLR2004
            continue
        total += 2.0 * math.prod(spec.shape) * _runs_per_frame(spec.name, first, second)
    return total


def _runs_per_frame(name: str, first: int, second: int) -> int:
    """Return how often a convolution's kernel is applied within one mel frame."""
    part, _, rest = name.partition(".")
    number = int(rest.split(".")[0]) if rest.split(".")[0].isdecimal() else 0
    if part in ("conv_pre", "f0_predictor"):
        return 1
    if part == "ups":
        return 1 if number == 0 else first
    if part == "conv_post":
        return first * second
    late = number >= 3 if part == "resblocks" else number == 1  # noqa: PLR2004  three a stage
    return first * second if late else first


def work_of(preset: Preset, config: Config, *, text_ids: int, tokens: int, reach: int) -> Work:
    """Return the work of an utterance of `tokens` speech tokens, cut as `streaming` cuts it.

    `reach` is how many frames the vocoder decodes again before each piece.
    """
    chunks = chunk_sizes(preset, tokens)
    frames = [config.frames(size) for size in chunks]
    total = sum(frames) - (len(chunks) - 1) * config.frames(EDGE_TOKENS)
    return Work(
        prompt_rows=text_ids + 3,
        lm_steps=tokens,
        encoder_tokens=sum(chunks),
        flow_frames=sum(frames) * preset.schedule.rows,
        vocoder_frames=total + (len(chunks) - 1) * 2 * reach,
    )


def chunk_sizes(preset: Preset, tokens: int) -> list[int]:
    """Return how many tokens each chunk reads, the overlaps included."""
    sizes: list[int] = []
    left = tokens
    while left >= preset.enough(len(sizes)):
        hop = preset.hop(len(sizes))
        sizes.append(hop + EDGE_TOKENS)
        left -= hop
    return [*sizes, left] if left else sizes
