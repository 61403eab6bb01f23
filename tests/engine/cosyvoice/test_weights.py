"""Names and shapes are checked strictly, in every form in which the official files occur."""

from __future__ import annotations

import numpy as np
import pytest

from cosyvoice_wyoming.engine.cosyvoice.layout import TensorSpec
from cosyvoice_wyoming.engine.cosyvoice.weights import CheckpointWeights, fold_weight_norm
from cosyvoice_wyoming.errors import ModelCorrupt
from tests.support.torch_files import write_state_dict

LAYOUT = (
    TensorSpec(name="conv.bias", shape=(4,)),
    TensorSpec(name="conv.weight", shape=(4, 2, 3), normed=True),
)
RNG = np.random.default_rng(0)
BIAS = RNG.standard_normal(4, dtype=np.float32)
G = RNG.standard_normal((4, 1, 1), dtype=np.float32)
V = RNG.standard_normal((4, 2, 3), dtype=np.float32)
OLD = {"conv.bias": BIAS, "conv.weight_g": G, "conv.weight_v": V}
NEW = {
    "conv.bias": BIAS,
    "conv.parametrizations.weight.original0": G,
    "conv.parametrizations.weight.original1": V,
}


def read(tmp_path, tensors, name="conv.weight"):
    write_state_dict(tmp_path / "hift.pt", tensors.items())
    with CheckpointWeights(tmp_path / "hift.pt", LAYOUT) as weights:
        return weights.read(name)


def test_folding_scales_each_row_to_its_magnitude():
    folded = fold_weight_norm(G, V)
    norms = np.sqrt((folded.reshape(4, -1) ** 2).sum(axis=1))
    np.testing.assert_allclose(norms, np.abs(G.ravel()), rtol=1e-6)
    cosines = (folded * V).reshape(4, -1).sum(axis=1) / np.sqrt((V.reshape(4, -1) ** 2).sum(axis=1))
    np.testing.assert_allclose(cosines, G.ravel(), rtol=1e-5)


def test_old_and_new_names_give_the_same(tmp_path):
    np.testing.assert_array_equal(read(tmp_path, OLD), read(tmp_path, NEW))


def test_a_folded_weight_is_taken_as_it_is(tmp_path):
    np.testing.assert_array_equal(read(tmp_path, {"conv.bias": BIAS, "conv.weight": V}), V)


def test_the_prefix_of_adversarial_training_is_dropped_and_so_are_discriminators(tmp_path):
    tensors = {f"generator.{name}": value for name, value in OLD.items()}
    tensors["discriminator.conv.weight"] = V
    np.testing.assert_array_equal(read(tmp_path, tensors, "conv.bias"), BIAS)


def test_half_precision_is_widened(tmp_path):
    halves = {name: value.astype(np.float16) for name, value in OLD.items()}
    assert read(tmp_path, halves, "conv.bias").dtype == np.float32


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"conv.bias": None}, "lacks conv.bias"),
        ({"conv.weight_g": None}, "lacks conv.weight_g"),
        ({"other.weight": V}, "no place for other.weight"),
        ({"discriminator.weight": V}, "no place for discriminator.weight"),
        ({"conv.bias": np.ones(5, np.float32)}, "conv.bias is 5 instead of 4"),
        ({"conv.weight_v": V[:, :1]}, "conv.weight_v is 4x1x3 instead of 4x2x3"),
        ({"conv.parametrizations.weight.original0": G}, "conv.weight_g twice"),
        ({"conv.weight": V}, "no place for conv.weight_g, conv.weight_v"),
    ],
)
def test_what_does_not_fit_is_named(tmp_path, change, complaint):
    tensors = {name: value for name, value in {**OLD, **change}.items() if value is not None}
    with pytest.raises(ModelCorrupt, match=f"hift.pt: .*{complaint}"):
        read(tmp_path, tensors)


def test_a_long_list_of_names_is_shortened(tmp_path):
    extra = {f"extra.{number}": BIAS for number in range(30)}
    with pytest.raises(ModelCorrupt, match=r"extra\.4 and 25 more"):
        read(tmp_path, {**OLD, **extra})
