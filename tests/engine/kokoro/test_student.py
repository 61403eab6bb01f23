"""Windowed decoding, with a tiny graph of the distilled decoder's inputs and reach."""

from __future__ import annotations

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from cosyvoice_wyoming.engine.kokoro.decoder import Running
from cosyvoice_wyoming.engine.kokoro.excitation import pulses
from cosyvoice_wyoming.engine.kokoro.features import FRAME_SAMPLES, Features
from cosyvoice_wyoming.engine.kokoro.filters import BINS
from cosyvoice_wyoming.engine.kokoro.student import (
    CONTEXT_FRAMES,
    FIRST_WINDOW_FRAMES,
    LONGEST_WINDOW_FRAMES,
    REST_FRAMES,
    StudentDecoder,
)


def tiny_graph(path):
    """Four times each frame, in all bins: means of channels 0 to 2 over all frames in reach.

    A window with a frame less of context would differ: one is for the STFT, which overlaps.
    """
    reach = CONTEXT_FRAMES - 1
    taps = 2 * reach + 1
    kernel = np.zeros((3, 512, taps), np.float32)
    for channel in range(3):
        kernel[channel, channel] = 1 / taps
    nodes = [
        helper.make_node("Conv", ["acoustic", "kernel"], ["near"], pads=[reach] * 2),
        helper.make_node("Transpose", ["near"], ["rows"], perm=[0, 2, 1]),
        helper.make_node("Unsqueeze", ["rows", "axes"], ["apart"]),
        helper.make_node("Expand", ["apart", "wide"], ["four"]),
        helper.make_node("Reshape", ["four", "flat"], ["filters"]),
    ]
    constants: dict[str, np.ndarray] = {
        "kernel": kernel,
        "axes": np.array([2, 4], np.int64),
        "wide": np.array([1, 1, 4, 1, BINS], np.int64),
        "flat": np.array([1, -1, 3, BINS], np.int64),
    }
    graph = helper.make_graph(
        nodes,
        "tiny",
        [
            helper.make_tensor_value_info("acoustic", TensorProto.FLOAT, (1, 512, "f")),
            helper.make_tensor_value_info("prosody", TensorProto.FLOAT, (1, 4, "p")),
            helper.make_tensor_value_info("style", TensorProto.FLOAT, (1, 128)),
        ],
        [helper.make_tensor_value_info("filters", TensorProto.FLOAT, (1, "q", 3, BINS))],
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
    return StudentDecoder(tiny_graph(tmp_path / "tiny.onnx"), threads=1)


def decode(decoder, frames, seed=0):
    return list(decoder.decode(features(frames), running(seed)))


def running(seed=0, phase=0.0):
    return Running(noise=np.random.default_rng(seed), phase=phase)


def test_windows_grow_and_cover_every_frame_once(decoder):
    frames = 10 * LONGEST_WINDOW_FRAMES
    sizes = [len(piece) // FRAME_SAMPLES for piece in decode(decoder, frames)]
    assert sizes[0] == FIRST_WINDOW_FRAMES
    assert sizes[:-1] == sorted(sizes[:-1])
    assert LONGEST_WINDOW_FRAMES <= max(sizes) <= LONGEST_WINDOW_FRAMES + REST_FRAMES
    assert sum(sizes) == frames


def test_a_short_rest_goes_into_the_window_before(decoder):
    sizes = [len(piece) // FRAME_SAMPLES for piece in decode(decoder, 12 + REST_FRAMES)]
    assert sizes == [12 + REST_FRAMES]
    sizes = [len(piece) // FRAME_SAMPLES for piece in decode(decoder, 13 + REST_FRAMES)]
    assert sizes == [12, 1 + REST_FRAMES]


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
