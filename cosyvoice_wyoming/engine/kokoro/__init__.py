"""The embedded model: Kokoro-82M's encoder and a decoder, for five languages."""

from __future__ import annotations

import logging
from pathlib import Path

import numpy as np

from cosyvoice_wyoming.bundles import open_bundle
from cosyvoice_wyoming.bundles.lite_files import (
    CONTEXT,
    ENCODER,
    PLBERT,
    STUDENT,
    TEACHER_FP32,
    TEACHER_INT8,
)
from cosyvoice_wyoming.engine.kokoro.decoder import Decoder, Running
from cosyvoice_wyoming.engine.kokoro.encoder import Encoder
from cosyvoice_wyoming.engine.kokoro.student import StudentDecoder
from cosyvoice_wyoming.engine.kokoro.styles import read_style
from cosyvoice_wyoming.engine.kokoro.synthesis import KokoroEngine
from cosyvoice_wyoming.engine.kokoro.teacher import TeacherDecoder
from cosyvoice_wyoming.machine import free_memory
from cosyvoice_wyoming.phonemes import Phonemes

_LOGGER = logging.getLogger(__name__)

FP32_BYTES = 1 << 30
"""Free memory that the teacher's float decoder is given: a process with it and every language's
front end peaked at 1081 MB, with the 8-bit one, a third slower, at 783 MB (11 s utterances)."""

_WARM_UP = Phonemes(symbols="a.")


def load(bundle: Path, *, threads: int = 0) -> KokoroEngine:
    """Load the model from its bundle and let it speak once, so that the first request is quick.

    Raises ModelMissing, ModelCorrupt.
    """
    manifest = open_bundle(bundle)
    styles = {voice.name: read_style(bundle / "voices", voice.packs) for voice in manifest.voices}
    context = next(bundle / name for name in (CONTEXT, PLBERT) if (bundle / name).exists())
    encoder = Encoder(context, bundle / ENCODER, threads)
    engine = KokoroEngine(encoder, _decoder(bundle, threads), styles)
    style = next(iter(styles.values()))
    running = Running(noise=np.random.default_rng(0))
    for _ in engine.utter(_WARM_UP, style, speed=1.0, running=running):
        pass
    return engine


def _decoder(bundle: Path, threads: int) -> Decoder:
    """Return the decoder that the bundle brings: the student, or the teacher as memory allows."""
    if (bundle / STUDENT).exists():
        return StudentDecoder(bundle / STUDENT, threads)
    free = free_memory()
    name = TEACHER_FP32 if free >= FP32_BYTES else TEACHER_INT8
    _LOGGER.info("%d MiB of memory are free: the decoder is %s", free >> 20, name)
    return TeacherDecoder(bundle / name, threads)
