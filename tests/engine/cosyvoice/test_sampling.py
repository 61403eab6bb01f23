"""Repetition-aware sampling."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cosyvoice_wyoming.engine.cosyvoice.sampling import Sampling, log_softmax, nucleus, pick, sample

SAMPLING = Sampling()


def scores(*probabilities):
    return np.log(np.array(probabilities, np.float32))


def fractions(*values):
    return iter(values).__next__


def test_the_nucleus_includes_the_entry_that_crosses_the_limit():
    assert nucleus(np.array([0.5, 0.1, 0.35, 0.05], np.float32), SAMPLING).tolist() == [0, 2]


def test_the_nucleus_holds_one_entry_at_least():
    assert nucleus(np.array([0.05, 0.95], np.float32), SAMPLING).tolist() == [1]


def test_the_nucleus_holds_no_more_than_its_size():
    assert len(nucleus(np.full(1000, 0.001, np.float32), SAMPLING)) == 25


def test_equal_probabilities_keep_the_order_of_their_ids():
    assert nucleus(np.full(4, 0.25, np.float32), SAMPLING).tolist() == [0, 1, 2, 3]


@pytest.mark.parametrize(("fraction", "index"), [(0.0, 0), (0.24, 0), (0.26, 1), (0.999999, 1)])
def test_picking_follows_the_shares(fraction, index):
    assert pick(np.array([1, 3], np.float32), fraction) == index


def test_a_struck_out_id_is_never_picked():
    assert pick(np.array([0, 1], np.float32), 0.0) == 1


def test_a_token_that_is_new_is_taken_at_the_first_draw():
    assert sample(scores(0.9, 0.1), [1] * 10, fractions(0.5), SAMPLING) == 0


def test_a_token_that_repeats_is_struck_out_and_another_drawn_from_all():
    token = sample(scores(0.9, 0.06, 0.04), [0], fractions(0.5, 0.9), SAMPLING)
    assert token == 2


def test_a_token_beyond_the_window_does_not_count():
    assert sample(scores(0.9, 0.1), [0] + [1] * 10, fractions(0.5), SAMPLING) == 0


def test_an_end_that_is_masked_stays_masked_in_the_second_draw():
    masked = scores(0.9, 0.1)
    masked = np.append(masked, np.float32(-np.inf))
    assert sample(masked, [0], fractions(0.5, 0.999999), SAMPLING) == 1


@given(st.lists(st.floats(-30, 30), min_size=2, max_size=60), st.floats(0, 0.999999))
def test_a_sample_is_an_id_with_a_probability(logits, fraction):
    values = log_softmax(np.array(logits, np.float32))
    token = sample(values, [], lambda: fraction, SAMPLING)
    assert 0 <= token < len(logits)
    assert np.exp(values[token]) > 0


def test_the_most_probable_ids_are_those_of_a_stable_sort_of_all():
    rng = np.random.default_rng(11)
    for _ in range(50):
        # few different values, so that many are equal to the last one taken
        probabilities = rng.integers(1, 9, 300).astype(np.float32)
        probabilities /= probabilities.sum()
        ids = nucleus(probabilities, Sampling(top_p=1.0))
        np.testing.assert_array_equal(ids, np.argsort(-probabilities, kind="stable")[:25])
