"""What needs PyTorch; run with the environment of tools/distil/requirements.txt."""

from __future__ import annotations

import numpy as np
import pytest

from tests.tools import distil

torch = pytest.importorskip("torch", reason="PyTorch is only in the environment of tools/distil")
context, train = distil("context"), distil("train_context")

SHAPE = context.Shape(width=64, blocks=2)


def reading(count, seed=0):
    draw = np.random.default_rng(seed)
    return train.Reading(
        tokens=draw.integers(1, 170, count).astype(np.uint8),
        context=draw.normal(size=(count, 512)).astype(np.float16),
    )


@pytest.fixture
def network():
    torch.manual_seed(0)
    network = context.Context(SHAPE).eval()
    for block in network.blocks:  # as if something had been learnt
        for weight in (block.near.weight, block.gather.weight, block.reduce.weight):
            torch.nn.init.normal_(weight, 0, 0.1)
    return network


def test_what_fills_a_batch_up_changes_nothing(network):
    batch = train.stack([reading(9), reading(30, 1)])
    with torch.no_grad():
        together = network(batch.tokens, batch.real)
        alone = network(batch.tokens[:1, :9])
    assert torch.allclose(together[0, :9], alone[0], atol=1e-5)


def test_a_token_hears_of_the_whole_sentence(network):
    tokens = torch.from_numpy(reading(60).tokens.astype(np.int64))[None]
    other = tokens.clone()
    other[0, -1] += 1
    with torch.no_grad():
        assert (network(tokens) - network(other))[0, 0].abs().max() > 1e-4


def test_batches_are_filled_but_not_beyond_their_tokens():
    readings = [reading(count) for count in (5, 5, 100, 100, 300, 500, 512)]
    batches = train.filled(readings)
    assert [entry for batch in batches for entry in batch] == readings
    for batch in batches:
        longest = max(len(entry.tokens) for entry in batch)
        assert len(batch) == 1 or longest * len(batch) <= train.BATCH_TOKENS
