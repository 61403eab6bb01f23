"""What needs PyTorch; run with the environment of tools/distil/requirements.txt."""

from __future__ import annotations

import numpy as np
import pytest

from cosyvoice_wyoming.engine.kokoro.excitation import prosody, pulses
from tests.tools import distil

torch = pytest.importorskip("torch", reason="PyTorch is only in the environment of tools/distil")
depth, lessons, metrics = distil("depth"), distil("lessons"), distil("metrics")

FRAMES = 2 * lessons.CROP


@pytest.fixture
def f0():
    return (150 + 3 * np.sin(np.arange(FRAMES) / 40)).astype(np.float32)


def batch(f0, heard=None):
    samples = np.zeros((1, 300 * len(f0)), np.float32)
    return lessons.Batch(
        acoustic=np.zeros((1, 512, len(f0) // 2), np.float32),
        prosody=prosody(f0, np.zeros_like(f0))[None],
        style=np.zeros((1, 128), np.float32),
        pulses=samples,
        breath=samples,
        audio=samples,
        heard=np.ones_like(samples) if heard is None else heard,
    )


def breathy(f0, noise):
    hiss = np.random.default_rng(0).normal(0, noise, 300 * len(f0))
    return torch.from_numpy((0.01 * pulses(f0).samples + hiss).astype(np.float32))[None]


def test_it_is_the_judges_depth(f0):
    samples = breathy(f0, 0.03)
    where = depth.comb(batch(f0))
    found = depth._depths(samples, where).numpy()
    expected = metrics.harmonic_depths(samples[0].numpy(), f0)
    assert len(where.starts) > FRAMES // 4
    assert found.mean(0) == pytest.approx(expected.mean(0), abs=0.3)


def test_breath_is_far_from_buzz_and_near_itself(f0):
    where = depth.comb(batch(f0))
    teacher = breathy(f0, 0.02)
    assert depth.depth_distance(teacher, teacher, where) == 0
    assert depth.depth_distance(teacher, breathy(f0, 0.2), where) > 3


def test_too_much_noise_is_pushed_down(f0):
    where = depth.comb(batch(f0))
    teacher, pulsed = breathy(f0, 0.02), 0.01 * torch.from_numpy(pulses(f0).samples)[None]
    hiss = torch.randn(pulsed.shape, generator=torch.Generator().manual_seed(0))
    level = torch.tensor(0.1, requires_grad=True)
    depth.depth_distance(teacher, pulsed + level * hiss, where).backward()
    assert level.grad > 0


def test_what_the_loss_does_not_hear_is_left_out(f0):
    heard = np.zeros((1, 300 * FRAMES), np.float32)
    where = depth.comb(batch(f0, heard))
    assert len(where.starts) == 0
    assert depth.depth_distance(breathy(f0, 0.1), breathy(f0, 0.2), where) == 0
