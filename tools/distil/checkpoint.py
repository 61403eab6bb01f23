"""Weights and training state on disk."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import torch
from decoder import Decoder, Shape

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
    """Return the decoder of a checkpoint: the averaged weights, or the pilot's bare state dict."""
    state = torch.load(path, map_location="cpu", weights_only=True)
    if "average" not in state:
        state = {"shape": {"width": 256, "blocks": 8, "style": 64}, "average": _rename(state)}
    decoder = Decoder(Shape(**state["shape"]))
    decoder.load_state_dict(state["average"])
    return decoder.eval()


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
