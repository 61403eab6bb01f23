"""Reads PyTorch checkpoints without PyTorch: tensors and plain containers, and nothing else.

A checkpoint comes from the network, and a pickle can run any program. Here the pickle is executed
by an interpreter of our own that knows a dozen harmless operations (`pickle_machine`), from a zip
whose every claim is checked against the file (`archive`), and tensors are read one at a time.
"""

from __future__ import annotations

from cosyvoice_wyoming.checkpoint.checkpoint import Checkpoint
from cosyvoice_wyoming.checkpoint.pickle_machine import TensorRecord

__all__ = ["Checkpoint", "TensorRecord"]
