"""The tools are scripts beside the package; what they compute without PyTorch is tested here."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from types import ModuleType

DISTIL = Path(__file__).parents[2] / "tools" / "distil"


def distil(name: str) -> ModuleType:
    """Import a module of tools/distil, whose modules find one another by being in one folder."""
    if str(DISTIL) not in sys.path:
        # first: onnxruntime.quantization puts a folder with a `metrics` of its own on the path
        sys.path.insert(0, str(DISTIL))
    return importlib.import_module(name)
