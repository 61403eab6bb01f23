"""The tensors of one official checkpoint by their canonical names, weight norm folded."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Protocol, Self

import numpy as np

from cosyvoice_wyoming.checkpoint import Checkpoint, TensorRecord
from cosyvoice_wyoming.engine.cosyvoice.layout import TensorSpec
from cosyvoice_wyoming.errors import ModelCorrupt

if TYPE_CHECKING:
    from numpy.typing import NDArray

_GENERATOR = "generator."
_DISCRIMINATOR = "discriminator."
_HALVES = {
    ".parametrizations.weight.original0": ".weight_g",
    ".parametrizations.weight.original1": ".weight_v",
}
_NAMED_AT_MOST = 5
"""How many names an error lists: a wrong file lacks hundreds."""


class Weights(Protocol):
    """Gives a tensor by its canonical name, as float32 in the shape of the layout."""

    def read(self, name: str) -> NDArray[np.float32]: ...


class CheckpointWeights:
    """The weights in one checkpoint file, read one at a time. Use it as a context manager.

    Accepts both ways of writing weight norm, weights that are already folded, and the
    `generator.` that adversarial training puts before every name (its discriminators are left
    out). Raises ModelCorrupt naming whatever is missing, left over or of another shape.
    """

    def __init__(self, path: Path, layout: Iterable[TensorSpec]) -> None:
        self._checkpoint = Checkpoint(path)
        try:
            self._records = canonical_names(self._checkpoint.tree)
            _check(self._records, layout)
        except ModelCorrupt as error:
            self._checkpoint.__exit__(None, None, None)
            raise ModelCorrupt(f"{path.name}: {error}") from error

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._checkpoint.__exit__(kind, error, traceback)

    def read(self, name: str) -> NDArray[np.float32]:
        if name in self._records:
            return self._checkpoint.read(self._records[name]).astype(np.float32, copy=False)
        return fold_weight_norm(self.read(f"{name}_g"), self.read(f"{name}_v"))


def canonical_names(tree: object) -> dict[str, TensorRecord]:
    """Return a state dict's tensors under the names that the layout uses.

    Raises ModelCorrupt where `tree` is no dict of tensors, or has a name in both of its forms.
    """
    if not isinstance(tree, dict) or not all(isinstance(v, TensorRecord) for v in tree.values()):
        raise ModelCorrupt("it holds something other than a table of tensors.")
    adversarial = any(str(name).startswith(_GENERATOR) for name in tree)
    records: dict[str, TensorRecord] = {}
    for key, record in tree.items():
        name = str(key)
        if adversarial and name.startswith(_DISCRIMINATOR):
            continue
        name = name.removeprefix(_GENERATOR)
        for new, old in _HALVES.items():
            if name.endswith(new):
                name = name.removesuffix(new) + old
        if name in records:
            raise ModelCorrupt(f"it holds {name} twice, under an old and a new name.")
        records[name] = record
    return records


def fold_weight_norm(
    magnitude: NDArray[np.float32], direction: NDArray[np.float32]
) -> NDArray[np.float32]:
    """Return w[i] = g[i] * v[i] / ||v[i]||, the norm taken over all axes but the first.

    The first axis holds the output channels of a convolution and the *input* channels of a
    transposed one: PyTorch's weight norm does not tell them apart.
    """
    axes = tuple(range(1, direction.ndim))
    norm = np.sqrt(np.sum(np.square(direction, dtype=np.float64), axis=axes, keepdims=True))
    folded: NDArray[np.float32] = (direction * (magnitude / norm)).astype(np.float32)
    return folded


def _check(records: Mapping[str, TensorRecord], layout: Iterable[TensorSpec]) -> None:
    expected: dict[str, tuple[int, ...]] = {}
    for spec in layout:
        if spec.normed and spec.name not in records:
            expected[f"{spec.name}_g"] = (spec.shape[0], *(1 for _ in spec.shape[1:]))
            expected[f"{spec.name}_v"] = spec.shape
        else:
            expected[spec.name] = spec.shape
    wrong = [
        f"{name} is {_shape(records[name].shape)} instead of {_shape(shape)}"
        for name, shape in expected.items()
        if name in records and records[name].shape != shape
    ]
    problems = [
        ("it lacks", [name for name in expected if name not in records]),
        ("it has no place for", [name for name in records if name not in expected]),
        ("of another model:", wrong),
    ]
    found = [f"{what} {_listed(names)}" for what, names in problems if names]
    if found:
        raise ModelCorrupt("; ".join(found) + ".")


def _shape(shape: tuple[int, ...]) -> str:
    return "x".join(map(str, shape)) or "a scalar"


def _listed(names: list[str]) -> str:
    rest = len(names) - _NAMED_AT_MOST
    return ", ".join(names[:_NAMED_AT_MOST]) + (f" and {rest} more" if rest > 0 else "")
