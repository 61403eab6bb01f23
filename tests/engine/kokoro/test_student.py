"""Windowed decoding, with a tiny graph of the distilled decoder's inputs and reach."""

from __future__ import annotations

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from cosyvoice_wyoming.engine.kokoro.decoder import Running
from cosyvoice_wyoming.engine.kokoro.excitation import pulses
from cosyvoice_wyoming.engine.kokoro.features import FRAME_SAMPLES, Features
from cosyvoice_wyoming.engine.kokoro.student import (
    CONTEXT_FRAMES,
    FIRST_WINDOW_FRAMES,
    LONGEST_WINDOW_FRAMES,
    StudentDecoder,
)

REACH_SAMPLES = CONTEXT_FRAMES * FRAME_SAMPLES


def tiny_graph(path, reach):
    """samples = pulses + noise / 100 + their echo `reach` samples before and after."""
    kernel = np.zeros((1, 1, 3), np.float32)
    kernel[0, 0] = (0.25, 1.0, 0.25)
    nodes = [
        helper.make_node("Mul", ["noise", "hundredth"], ["softer"]),
        helper.make_node("Add", ["pulses", "softer"], ["driven"]),
        helper.make_node("Unsqueeze", ["driven", "channel"], ["wide"]),
        helper.make_node(
            "Conv", ["wide", "kernel"], ["echoed"], dilations=[reach], pads=[reach, reach]
        ),
        helper.make_node("Squeeze", ["echoed", "channel"], ["samples"]),
    ]
    shapes = {
        "acoustic": (1, 512, "f"),
        "prosody": (1, 4, "p"),
        "style": (1, 128),
        "pulses": (1, "s"),
        "noise": (1, "s"),
    }
    constants: dict[str, np.ndarray] = {
        "kernel": kernel,
        "channel": np.array([1], np.int64),
        "hundredth": np.array(0.01, np.float32),
    }
    graph = helper.make_graph(
        nodes,
        "tiny",
        [helper.make_tensor_value_info(n, TensorProto.FLOAT, s) for n, s in shapes.items()],
        [helper.make_tensor_value_info("samples", TensorProto.FLOAT, (1, "s"))],
        [numpy_helper.from_array(value, name) for name, value in constants.items()],
    )
    opset = [helper.make_opsetid("", 17)]
    onnx.save(helper.make_model(graph, ir_version=8, opset_imports=opset), path)
    return path


def features(frames, pad=0):
    draw = np.random.default_rng(1)
    return Features(
        asr=draw.normal(size=(1, 512, frames)).astype(np.float32),
        f0=np.full((1, 2 * frames), 180, np.float32),
        energy=np.zeros((1, 2 * frames), np.float32),
        style=np.zeros((1, 256), np.float32),
        durations=np.array([pad, frames - pad]),
    )


@pytest.fixture
def decoder(tmp_path):
    return StudentDecoder(tiny_graph(tmp_path / "tiny.onnx", REACH_SAMPLES), threads=1)


def decode(decoder, frames, seed=0):
    return list(decoder.decode(features(frames), running(seed)))


def running(seed=0, phase=0.0):
    return Running(noise=np.random.default_rng(seed), phase=phase)


def test_windows_grow_and_cover_every_frame_once(decoder):
    frames = 10 * LONGEST_WINDOW_FRAMES
    sizes = [len(piece) // FRAME_SAMPLES for piece in decode(decoder, frames)]
    assert sizes[0] == FIRST_WINDOW_FRAMES
    assert sizes[:-1] == sorted(sizes[:-1])
    assert max(sizes) == LONGEST_WINDOW_FRAMES
    assert sum(sizes) == frames


@pytest.mark.parametrize("frames", [1, FIRST_WINDOW_FRAMES, FIRST_WINDOW_FRAMES + 1, 200])
def test_windows_with_their_context_equal_the_whole(decoder, frames, monkeypatch):
    windowed = np.concatenate(decode(decoder, frames))
    monkeypatch.setattr("cosyvoice_wyoming.engine.kokoro.student.FIRST_WINDOW_FRAMES", frames)
    (whole,) = decode(decoder, frames)
    assert np.abs(whole).max() > 1
    np.testing.assert_allclose(windowed, whole, atol=1e-5)


def test_a_seed_gives_the_same_noise_again_and_another_other_noise(decoder):
    one, same, other = (np.concatenate(decode(decoder, 50, seed)) for seed in (1, 1, 2))
    np.testing.assert_array_equal(one, same)
    assert np.abs(one - other).max() > 0


def test_the_phase_of_the_voice_runs_on_to_the_next_utterance(decoder):
    state = running()
    first = features(41)  # 184.5 periods
    for _ in decoder.decode(first, state):
        pass
    assert state.phase == pytest.approx(pulses(first.f0[0]).phase)
    going_on = np.concatenate(list(decoder.decode(first, state)))
    begun_anew = np.concatenate(list(decoder.decode(first, running())))
    assert np.abs(going_on - begun_anew).max() > 1


def test_the_silence_of_the_first_pad_costs_no_window(decoder):
    (window, *_) = decoder.decode(features(60, pad=18), running())
    whole = np.concatenate(list(decoder.decode(features(60), running())))
    assert len(window) == FIRST_WINDOW_FRAMES * FRAME_SAMPLES
    start = 12 * FRAME_SAMPLES
    np.testing.assert_allclose(window, whole[start : start + len(window)], atol=1e-5)
