"""Chunks and their fades."""

from __future__ import annotations

import numpy as np
import pytest

from cosyvoice_wyoming.engine.cosyvoice.flow import EDGE_TOKENS
from cosyvoice_wyoming.engine.cosyvoice.presets import PRESETS
from cosyvoice_wyoming.engine.cosyvoice.streaming import decode, even_fade, hamming_fade


class Records:
    """A stream that remembers its chunks and yields one sample for each."""

    def __init__(self):
        self.chunks = []

    def chunk(self, tokens, *, final):
        self.chunks.append((tokens.tolist(), final))
        yield np.ones(1, np.float32)


def chunks_of(count, preset="balanced"):
    stream = Records()
    list(decode(stream, range(count), PRESETS[preset]))
    return stream.chunks


@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize("count", [1, 19, 50, 120, 121, 333])
def test_every_token_is_heard_once_and_the_last_chunk_is_final(preset, count):
    chunks = chunks_of(count, preset)
    new = [token for tokens, final in chunks for token in tokens[: None if final else -EDGE_TOKENS]]
    assert new == list(range(count))
    assert [final for _, final in chunks] == [False] * (len(chunks) - 1) + [True]


def test_chunks_grow():
    sizes = [len(tokens) for tokens, _ in chunks_of(600)]
    assert sizes[:4] == [50, 80, 100, 100]


@pytest.mark.parametrize("count", range(81, 700, 7))
def test_the_last_of_several_chunks_is_no_mere_rest(count):
    *_, last = chunks_of(count)
    assert len(last[0]) >= EDGE_TOKENS + PRESETS["balanced"].remainder


def test_the_official_chunks_read_120_tokens():
    assert [len(tokens) for tokens, _ in chunks_of(230, "exact")] == [120, 120, 30]


def test_no_tokens_make_no_sound():
    assert chunks_of(0) == []


def test_a_wait_for_a_token_is_a_step_without_sound():
    steps = list(decode(Records(), iter([1, None, None, 2]), PRESETS["balanced"]))
    assert [len(step) for step in steps] == [0, 0, 1]


def test_an_even_fade_keeps_the_level():
    ones = np.ones((1, 2, 50), np.float32)
    np.testing.assert_allclose(even_fade(ones, ones[:, :, :34], 34), 1, rtol=1e-6)


def test_an_even_fade_goes_from_the_old_to_the_new():
    faded = even_fade(np.ones((1, 1, 50), np.float32), np.zeros((1, 1, 34), np.float32), 34)[0, 0]
    assert (np.diff(faded) >= 0).all()
    assert faded[0] < 0.01
    assert faded[33] > 0.99


def test_the_official_fade_raises_the_level():
    ones = np.ones(100, np.float32)
    assert hamming_fade(ones, ones, 34)[:34].mean() == pytest.approx(1.07, abs=0.01)
