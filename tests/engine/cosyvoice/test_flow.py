"""The flow's schedule, its steps, and the length regulator's weights."""

from __future__ import annotations

import numpy as np
import pytest

from cosyvoice_wyoming.engine.cosyvoice.config import FULL
from cosyvoice_wyoming.engine.cosyvoice.flow import (
    Estimator,
    Flow,
    Schedule,
    interpolation,
    regulator_weights,
)
from cosyvoice_wyoming.engine.cosyvoice.pair import Pair
from tests.support.tiny_cosyvoice import TINY


class Velocity:
    """A graph with the velocity `of`(x, mu); it counts its runs."""

    def __init__(self, of):
        self.of = of
        self.runs = 0

    def run(self, feeds):
        self.runs += 1
        return [self.of(feeds["x"], feeds["mu"]).astype(np.float32)]


def solve(velocity, guidance, mu=None, cores=1):
    flow = Flow(velocity, Estimator(velocity, Pair(cores)), TINY)
    mu = np.ones((1, 8, 5), np.float32) if mu is None else mu
    steps = flow.solve(
        mu, np.zeros((1, 8), np.float32), np.zeros_like(mu), Schedule(guidance=guidance)
    )
    count = 0
    while True:
        try:
            next(steps)
        except StopIteration as end:
            return end.value, count
        count += 1


def test_times_are_the_official_ones():
    times = Schedule(guidance=(0.7,) * 10).times
    assert times[0] == 0
    np.testing.assert_allclose(np.diff(times)[[0, 1, -1]], [0.0123, 0.0366, 0.1564], atol=5e-5)
    assert times[-1] == pytest.approx(1, abs=1e-6)


@pytest.mark.parametrize("steps", [1, 3, 10])
def test_a_constant_velocity_is_integrated_exactly(steps):
    mel, count = solve(Velocity(lambda x, mu: np.full_like(x, 2.5)), (0.7,) * steps)
    np.testing.assert_allclose(mel, 2.5, rtol=1e-5)
    assert count == steps


@pytest.mark.parametrize("cores", [1, 2])
def test_guidance_pushes_away_from_the_second_row_which_sees_nothing(cores):
    mel, _ = solve(Velocity(lambda x, mu: mu + 1), (0.7,) * 4, cores=cores)
    np.testing.assert_allclose(mel, 1.7 * 2 - 0.7 * 1, rtol=1e-5)


def test_a_step_without_guidance_runs_once():
    velocity = Velocity(lambda x, mu: mu)
    solve(velocity, (0.7, 0.0, 0.0))
    assert velocity.runs == 4
    assert Schedule(guidance=(0.7, 0.0, 0.0)).rows == 4


@pytest.mark.parametrize(("source", "target"), [(20, 34), (30, 51), (7, 3), (1, 1)])
def test_interpolation_weighs_two_neighbours(source, target):
    weights = interpolation(source, target)
    np.testing.assert_allclose(weights.sum(axis=1), 1, rtol=1e-6)
    assert ((weights > 0).sum(axis=1) <= 2).all()
    line = weights @ np.arange(source)
    expected = np.clip((np.arange(target) + 0.5) * source / target - 0.5, 0, source - 1)
    np.testing.assert_allclose(line, expected, atol=1e-4)


@pytest.mark.parametrize("tokens", [1, 20, 40, 41, 120])
def test_the_regulator_weighs_every_frame(tokens):
    weights = regulator_weights(tokens, FULL)
    assert weights.shape == (FULL.frames(tokens), tokens)
    np.testing.assert_allclose(weights.sum(axis=1), 1, rtol=1e-6)


def test_a_chunk_s_ends_are_stretched_alike_whatever_lies_between():
    short, long = regulator_weights(60, FULL), regulator_weights(120, FULL)
    np.testing.assert_array_equal(short[:34, :20], long[:34, :20])
    np.testing.assert_array_equal(short[-34:, -20:], long[-34:, -20:])
