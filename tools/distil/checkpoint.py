"""Weights and training state on disk."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import torch
from decoder import ACOUSTIC_CHANNELS, Decoder, Shape
from onnx import numpy_helper

_PILOT_NAMES = {
    "stp.": "read_style.",
    "ina.": "read_acoustic.",
    "inp.": "read_prosody.",
    "bl.": "blocks.",
    ".dw.": ".mix_time.",
    ".ad.": ".film.",
    ".a.": ".expand.",
    ".b.": ".reduce.",
    "out.": "write.",
}


def save(path: Path, state: dict[str, Any]) -> None:
    """Write `state` so that a kill at any moment leaves the old or the new file, never a torn one.

    The checkpoint it replaces stays beside it as `.previous`.
    """
    fresh = path.with_suffix(".partial")
    with fresh.open("wb") as file:
        torch.save(state, file)
        file.flush()
        os.fsync(file.fileno())
    if path.exists():
        path.replace(path.with_suffix(".previous"))
    fresh.replace(path)


def load_decoder(path: Path) -> Decoder:
    """Return the averaged weights of a checkpoint, those of an exported graph, or the pilot's."""
    if path.suffix == ".onnx":
        weights = _exported(path)
        shape = Shape(
            width=len(weights["read_acoustic.weight"]),
            blocks=sum(name.endswith(".scale") for name in weights),
            style=len(weights["read_style.0.weight"]),
        )
    else:
        state = torch.load(path, map_location="cpu", weights_only=True)
        shape = Shape(**state["shape"]) if "shape" in state else Shape()
        weights = state["average"] if "average" in state else _rename(state)
    decoder = Decoder(shape)
    decoder.load_state_dict(weights)
    return decoder.eval()


def _exported(path: Path) -> dict[str, torch.Tensor]:
    """Read the weights back from the 8 and 16 bits of an exported graph.

    The exporter keeps the names of all but the products' weights, which it transposes; those carry
    the name of the node that multiplies by them, such as /blocks.0/expand/MatMul.
    """
    graph = onnx.load(path).graph
    stored = {
        tensor.name.removesuffix("_half"): numpy_helper.to_array(tensor).astype(np.float32)
        for tensor in graph.initializer
    }
    weights = {
        name.removeprefix("decoder."): torch.from_numpy(values)
        for name, values in stored.items()
        if name.startswith("decoder.")
    }
    for node in graph.node:
        if node.op_type == "MatMulIntegerToFloat":
            name = node.name.strip("/").removesuffix("/MatMul").replace("/", ".")
            weight = stored[node.input[1]] * stored[node.input[3]]
            weights[f"{name}.weight"] = torch.from_numpy(weight.T.copy())
            weights[f"{name}.bias"] = torch.from_numpy(stored[node.input[6]])
    width = len(weights["read_acoustic.linear.bias"])
    product = weights.pop("read_acoustic.linear.weight").view(width, -1, ACOUSTIC_CHANNELS)
    weights["read_acoustic.weight"] = product.transpose(1, 2).contiguous()
    weights["read_acoustic.bias"] = weights.pop("read_acoustic.linear.bias")
    return weights


def _rename(pilot: dict[str, torch.Tensor]) -> dict[str, torch.Tensor]:
    """Give the pilot's weights this package's names."""
    renamed = {}
    for name, value in pilot.items():
        if name.startswith("n."):
            new = "normalise." + name[2:]
        else:
            new = name.removesuffix(".g") + ".scale" if name.endswith(".g") else name
            for old, now in _PILOT_NAMES.items():
                new = new.replace(old, now)
        renamed[new] = value
    return renamed
