"""The derived list of tensors is the official one."""

from __future__ import annotations

import hashlib
import math

import pytest

from cosyvoice_wyoming.engine.cosyvoice.config import FULL
from cosyvoice_wyoming.engine.cosyvoice.layout import checkpoint_layout
from tests.support.synthetic import halves

# Facts of the official files: tensors, parameters, and the SHA-256 over their sorted lines
# "name [shape]", weight norm in its old form.
FACTS = {
    "llm.pt": (
        401,
        310_718_465,
        "12a851c8cdf2c315bab41fdb83828032073f9418069c4de835536b23da242b21",
    ),
    "flow.pt": (
        1185,
        104_874_752,
        "a08abe647e25916f6ef297fc1c5c261709630048b78d31d8d8e0676bf09fd00b",
    ),
    "hift.pt": (
        227,
        20_460_591,
        "b8b7c18d043d5a7e0cb9a93663183e00d73729c934849dbdc5e05d9e13c764be",
    ),
}


@pytest.mark.parametrize("file", FACTS)
def test_names_and_shapes_are_those_of_the_official_file(file):
    tensors = list(halves(checkpoint_layout(FULL)[file]))
    lines = "\n".join(sorted(f"{name} {list(shape)}" for name, shape in tensors))
    parameters = sum(math.prod(shape) for _, shape in tensors)
    digest = hashlib.sha256(lines.encode()).hexdigest()
    assert (len(tensors), parameters, digest) == FACTS[file]


@pytest.mark.parametrize(("tokens", "frames"), [(20, 34), (50, 86), (100, 172), (120, 206)])
def test_tokens_become_the_official_number_of_frames(tokens, frames):
    assert FULL.frames(tokens) == frames
