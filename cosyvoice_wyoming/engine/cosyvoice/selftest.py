"""Measures how fast this device runs the model's parts, on short versions of the same graphs.

The graphs come from the builders that make the real ones, with fewer layers of the full width and
random weights; so no download is needed to know what one would be worth. Takes about five seconds
on two x86 cores.
"""

from __future__ import annotations

import statistics
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from cosyvoice_wyoming.engine.cosyvoice import costs
from cosyvoice_wyoming.engine.cosyvoice.config import FULL, Config
from cosyvoice_wyoming.engine.cosyvoice.flow import open_estimator
from cosyvoice_wyoming.engine.cosyvoice.graphs.flow import build_estimator
from cosyvoice_wyoming.engine.cosyvoice.graphs.language import build_speech_lm
from cosyvoice_wyoming.engine.cosyvoice.graphs.vocoder import build_pitch, build_vocoder
from cosyvoice_wyoming.engine.cosyvoice.layout import checkpoint_layout
from cosyvoice_wyoming.engine.cosyvoice.presets import OFFICIAL_GUIDANCE
from cosyvoice_wyoming.engine.cosyvoice.quantise import Precision
from cosyvoice_wyoming.engine.cosyvoice.sessions import Session
from cosyvoice_wyoming.engine.cosyvoice.speech_lm import SpeechLm, lm_threads

if TYPE_CHECKING:
    from numpy.typing import NDArray

SHORT = replace(
    FULL,
    speech_lm=replace(FULL.speech_lm, layers=3),
    estimator=replace(FULL.estimator, middle=1),
)
"""Three layers of the language model have 43 MB in 8 bits, more than most boards' caches."""

_PAST_ROWS = 150
_PROMPT_ROWS = 24
_FLOW_FRAMES = 137
"""Frames of a chunk of 80 tokens."""
_VOCODER_FRAMES = 43
_SECONDS_EACH = 0.4


@dataclass(frozen=True, slots=True, kw_only=True)
class Speeds:
    """What the full model's parts take here; operations are those that `costs` counts."""

    step_seconds: float
    prompt_row_seconds: float
    flow_operations_per_second: float
    vocoder_frame_seconds: float


class _RandomWeights:
    """Weights for any name of a layout: small numbers, the same block over and over."""

    def __init__(self, config: Config) -> None:
        layout = checkpoint_layout(config)
        self._shapes = {spec.name: spec.shape for specs in layout.values() for spec in specs}
        self._block = np.random.default_rng(0).standard_normal(1 << 16, dtype=np.float32) * 0.03

    def read(self, name: str) -> NDArray[np.float32]:
        return np.resize(self._block, self._shapes[name]).astype(np.float32)


def measure(precision: Precision, threads: int = 0, config: Config = SHORT) -> Speeds:
    """Return this device's speeds, scaled from the short model to the full one."""
    weights = _RandomWeights(config)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        step, row = _language(folder, weights, config, precision, threads)
        flow = _flow(folder, weights, config, precision, threads)
        frame = _vocoder(folder, weights, config, precision, threads)
    longer = costs.lm_weights(FULL) / costs.lm_weights(config)
    return Speeds(
        step_seconds=step * longer,
        prompt_row_seconds=row * longer,
        flow_operations_per_second=flow,
        vocoder_frame_seconds=frame,
    )


def _language(
    folder: Path, weights: _RandomWeights, config: Config, precision: Precision, threads: int
) -> tuple[float, float]:
    """Return the seconds of one step, and of one row of a prompt."""
    lm = config.speech_lm
    path = folder / "lm.onnx"
    build_speech_lm(path, weights, config, precision)
    table = np.zeros((512, lm.layers * lm.heads * lm.head_dim), np.float32)
    embedding = weights.read("speech_embedding.weight")
    model = SpeechLm(Session(path, threads=lm_threads(threads)), config, table, embedding)
    prompt = np.zeros((_PROMPT_ROWS, lm.dim), np.float32)
    row = _median(lambda: model.start(prompt)) / _PROMPT_ROWS
    past, _ = model.start(np.zeros((_PAST_ROWS, lm.dim), np.float32))
    steps = _median(lambda: model.step(past, 1), most=300)
    return steps, row


def _flow(
    folder: Path, weights: _RandomWeights, config: Config, precision: Precision, threads: int
) -> float:
    """Return the operations per second, with guidance."""
    path = folder / "estimator.onnx"
    build_estimator(path, weights, config, precision)
    estimator = open_estimator(path, threads)
    frames = np.ones((1, config.mel, _FLOW_FRAMES), np.float32)
    speaker, time_of_flow = np.ones((1, config.mel), np.float32), np.float32(0.5)

    def run() -> None:
        estimator.velocity(frames, frames, speaker, time_of_flow, OFFICIAL_GUIDANCE)

    return 2 * costs.flow_operations(config, _FLOW_FRAMES) / _median(run)


def _vocoder(
    folder: Path, weights: _RandomWeights, config: Config, precision: Precision, threads: int
) -> float:
    """Return the seconds per frame, pitch included."""
    build_pitch(folder / "pitch.onnx", weights, config)
    build_vocoder(folder / "vocoder.onnx", weights, config, precision)
    pitch = Session(folder / "pitch.onnx", threads=threads)
    wave = Session(folder / "vocoder.onnx", threads=threads)
    mel = np.zeros((1, config.mel, _VOCODER_FRAMES), np.float32)
    source = np.zeros((1, 1, _VOCODER_FRAMES * config.vocoder.hop), np.float32)

    def run() -> None:
        pitch.run({"mel": mel})
        wave.run({"mel": mel, "source": source})

    return _median(run) / _VOCODER_FRAMES


def _median(run: Callable[[], object], most: int = 50) -> float:
    """Return the median seconds of a run, after one to warm up."""
    run()
    times: list[float] = []
    end = time.perf_counter() + _SECONDS_EACH
    while len(times) < most and (len(times) < 3 or time.perf_counter() < end):  # noqa: PLR2004
        began = time.perf_counter()
        run()
        times.append(time.perf_counter() - began)
    return statistics.median(times)
