"""Counted work and what is estimated from it."""

from __future__ import annotations

import numpy as np
import pytest

from cosyvoice_wyoming.engine.cosyvoice import costs
from cosyvoice_wyoming.engine.cosyvoice.config import FULL
from cosyvoice_wyoming.engine.cosyvoice.estimate import estimate, estimate_all
from cosyvoice_wyoming.engine.cosyvoice.presets import PRESETS
from cosyvoice_wyoming.engine.cosyvoice.quantise import Precision
from cosyvoice_wyoming.engine.cosyvoice.selftest import Speeds, measure
from cosyvoice_wyoming.engine.cosyvoice.streaming import decode
from tests.support.tiny_cosyvoice import TINY

SPEEDS = Speeds(
    step_seconds=0.02,
    prompt_row_seconds=0.001,
    flow_operations_per_second=1e11,
    vocoder_frame_seconds=0.008,
)


def test_a_step_of_the_language_model_reads_the_counted_weights():
    assert costs.lm_weights(FULL) == pytest.approx(181.4e6, rel=0.001)


def test_the_flow_takes_the_counted_operations_per_frame():
    full, half = costs.estimator_weights(FULL)
    assert 2 * full + half == pytest.approx(86.2e6, rel=0.005)
    assert costs.flow_operations(FULL, 344) / 344 == pytest.approx(1.18 * 86.2e6, rel=0.01)


def test_the_vocoder_takes_the_counted_operations_per_second():
    assert costs.vocoder_operations(FULL) * 22050 / 256 == pytest.approx(51.8e9, rel=0.005)


@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize("tokens", [1, 50, 60, 121, 250, 800])
def test_chunks_are_counted_as_they_are_cut(preset, tokens):
    sizes = []

    class Stream:
        def chunk(self, chunk, *, final):
            sizes.append(len(chunk))
            yield np.zeros(1, np.float32)

    list(decode(Stream(), range(tokens), PRESETS[preset]))
    assert costs.chunk_sizes(PRESETS[preset], tokens) == sizes


def test_parts_add_up_to_the_factor_on_real_time():
    guess = estimate("balanced", SPEEDS, tokens=250)
    parts = guess.text_seconds + guess.lm_seconds + guess.flow_seconds + guess.vocoder_seconds
    assert guess.rtf == pytest.approx(parts / 5)
    assert guess.lm_seconds == pytest.approx(5)


def test_fast_is_faster_and_sounds_sooner():
    balanced, fast = (estimate(name, SPEEDS) for name in ("balanced", "fast"))
    assert fast.rtf < balanced.rtf
    assert fast.first_audio < balanced.first_audio


def test_only_what_was_measured_is_estimated():
    assert {e.preset for e in estimate_all({Precision.INT8: SPEEDS})} == {"balanced", "fast"}


def test_a_device_is_measured_with_the_builders_graphs():
    speeds = measure(Precision.INT8, threads=1, config=TINY)
    assert speeds.step_seconds > 0
    assert speeds.prompt_row_seconds > 0
    assert speeds.flow_operations_per_second > 0
    assert speeds.vocoder_frame_seconds > 0
