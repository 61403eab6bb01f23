"""Stand-in weights for CosyVoice: each tensor a function of its name and shape alone.

The rules are those under which the reference vectors were made (reference/cosyvoice,
`synthetic_weights.py`), so the full-size model built from them must reproduce the vectors.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from cosyvoice_wyoming.engine.cosyvoice.config import SPEAKERS, Config
from cosyvoice_wyoming.engine.cosyvoice.layout import SPEAKERS_FILE, TensorSpec, checkpoint_layout
from tests.support.torch_files import write_speakers, write_state_dict

Array = NDArray[np.float32]

_GAINS = (
    (r"ups\.", 2.0),
    (r"conv_post\.", 0.35),
    (r"conv_pre\.", 1.0),
    (r"f0_predictor\.", 1.5),
    (r"(source_)?resblocks\.", 0.5),
)
_SCALES = (
    (r".*\.(linear_out|w_2)\.weight", 8.0),
    (r".*\.linear_(q|k|pos)\.weight", 1.5),
    (r"llm_decoder\.weight", 3.0),
    (r"f0_predictor\.classifier\.weight", 30.0),
)
_UNSCALED = re.compile(
    r"((text|speech|llm|input)_embedding|spk_embed_affine_layer)\.weight|.*\.weight_v"
)


def _normal(key: str, shape: tuple[int, ...]) -> Array:
    generator = np.random.default_rng(zlib.crc32(key.encode("utf-8")))
    return generator.standard_normal(size=shape, dtype=np.float32)


def synthetic_tensor(name: str, shape: tuple[int, ...]) -> Array:  # noqa: PLR0911  one rule each
    n, f = _normal(name, shape), np.float32
    if name.endswith(".weight_g"):
        gain = next(gain for pattern, gain in _GAINS if re.match(pattern, name))
        magnitude: Array = np.abs(f(1) + f(0.1) * n) * f(gain)
        return magnitude
    if name.endswith(".alpha"):
        alpha: Array = np.maximum(f(1) + f(0.2) * n, f(0.3))
        return alpha
    if name == "f0_predictor.classifier.bias":
        return f(10) + n
    if _UNSCALED.fullmatch(name):
        return n
    if name.endswith(("pos_bias_u", "pos_bias_v")):
        return f(0.3) * n
    if name.endswith(".bias"):
        return f(0.1) * n
    if len(shape) == 1:
        return f(1) + f(0.1) * n
    fan_in = float(np.prod(shape[1:]))
    if re.search(r"up_blocks\.\d+\.2\.conv\.weight$", name):
        fan_in = shape[0] * shape[2] / 2
    scale = next((scale for pattern, scale in _SCALES if re.fullmatch(pattern, name)), 1.0)
    return n * f(scale / np.sqrt(fan_in))


def halves(specs: tuple[TensorSpec, ...]) -> Iterator[tuple[str, tuple[int, ...]]]:
    """Yield names and shapes as the official file has them, weight norm in two."""
    for spec in specs:
        if spec.normed:
            yield f"{spec.name}_g", (spec.shape[0], *(1 for _ in spec.shape[1:]))
            yield f"{spec.name}_v", spec.shape
        else:
            yield spec.name, spec.shape


def speaker_vector(speaker: str, dim: int) -> Array:
    return _normal(f"spk:{speaker}", (1, dim))


def write_checkpoint(folder: Path, config: Config) -> None:
    """Write the four files of an official checkpoint, with synthetic weights, into `folder`."""
    folder.mkdir(parents=True, exist_ok=True)
    for file, specs in checkpoint_layout(config).items():
        tensors = ((name, synthetic_tensor(name, shape)) for name, shape in halves(specs))
        write_state_dict(folder / file, tensors)
    vectors = {name: speaker_vector(name, config.speaker_dim) for name in SPEAKERS}
    write_speakers(folder / SPEAKERS_FILE, vectors)
