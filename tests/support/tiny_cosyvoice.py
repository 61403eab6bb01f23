"""A CosyVoice of a few thousand weights, from the same builders as the full one."""

from __future__ import annotations

import atexit
import lzma
import shutil
import tempfile
from functools import cache
from pathlib import Path

from cosyvoice_wyoming.bundles.manifest import write_manifest
from cosyvoice_wyoming.bundles.sources import recipe
from cosyvoice_wyoming.engine.cosyvoice.build import build
from cosyvoice_wyoming.engine.cosyvoice.config import (
    FULL,
    Activation,
    Config,
    EncoderConfig,
    EstimatorConfig,
    VocoderConfig,
)
from cosyvoice_wyoming.engine.cosyvoice.vocabulary import RANKS_FILE
from tests.support.synthetic import write_checkpoint

RANKS = Path(__file__).parents[1] / "engine" / "cosyvoice" / "data" / f"{RANKS_FILE}.xz"
"""Whisper's multilingual vocabulary (OpenAI, MIT), compressed."""


def _encoder(prefix: str, layers: int, *, causal: bool, activation: Activation) -> EncoderConfig:
    norms = ("norm1", "norm2") if prefix == "llm." else ("norm_mha", "norm_ff")
    return EncoderConfig(
        prefix=prefix,
        input_dim=32,
        dim=32,
        heads=2,
        head_dim=16,
        hidden=64,
        layers=layers,
        causal=causal,
        activation=activation,
        attention_norm=norms[0],
        feed_forward_norm=norms[1],
        input_relu=prefix == "llm.",
    )


TINY = Config(
    text_vocab=FULL.text_vocab,
    text_dim=32,
    speech_vocab=64,
    speaker_dim=12,
    mel=8,
    text_encoder=_encoder("text_encoder.", 2, causal=True, activation=Activation.SILU),
    speech_lm=_encoder("llm.", 3, causal=True, activation=Activation.RELU),
    flow_encoder=_encoder("encoder.", 2, causal=False, activation=Activation.SILU),
    estimator=EstimatorConfig(
        channels=32, heads=2, head_dim=16, hidden=64, time_dim=32, blocks=1, middle=2
    ),
    vocoder=VocoderConfig(
        channels=32,
        upsample_rates=(8, 8),
        upsample_kernels=(16, 16),
        source_kernels=(7, 11),
        kernels=(3, 7, 11),
        f0_channels=16,
    ),
)


def write_source(folder: Path, config: Config = TINY) -> Path:
    """Write everything that a bundle is built from; return the folder."""
    write_checkpoint(folder, config)
    (folder / RANKS_FILE).write_bytes(lzma.decompress(RANKS.read_bytes()))
    return folder


def build_bundle(source: Path, target: Path, preset: str, config: Config = TINY) -> Path:
    target.mkdir(parents=True)
    build(source, target, preset, config)
    return target


@cache
def tiny_cosyvoice() -> Path:
    """Return the folder of a whole tiny bundle, manifest included, built once per test run."""
    root = Path(tempfile.mkdtemp(prefix="tiny-cosyvoice-"))
    atexit.register(shutil.rmtree, root, ignore_errors=True)
    folder = build_bundle(write_source(root / "checkpoint"), root / "bundle", "balanced")
    write_manifest(folder, recipe("cosyvoice-300m-sft"))
    return folder
