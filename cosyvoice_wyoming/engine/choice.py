"""`--model auto`: which model this device can hold, and why."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from pathlib import Path

from cosyvoice_wyoming.machine import cores, cpu_flags

_LOGGER = logging.getLogger(__name__)

AUTO = "auto"
"""The name that leaves the choice to this module."""

LITE = "lite"
FAST = "cosyvoice-300m-sft-fast"
BALANCED = "cosyvoice-300m-sft"

_GIB = 1 << 30
_NEEDED_BYTES = int(2.5 * _GIB)
"""One gigabyte for the model at its peak, the rest for the system and Home Assistant."""
_FAST_CORES, _BALANCED_CORES = 4, 8
"""Small cores with 8-bit dot products: eight keep the default preset near the pace of speech."""
_BALANCED_LARGE_CORES = 4
"""Two idle Zen 4 cores keep it just below (RTF 0.95), and a home's machine has other work too."""
_LARGE = {"avx512_vnni", "amx_int8"}
_DOT_PRODUCTS = {"asimddp", "avx_vnni", *_LARGE}
"""CPU flags, as /proc/cpuinfo has them, of instructions that multiply 8-bit numbers by fours."""
_WIDE = {"avx2", *_DOT_PRODUCTS}


@dataclass(frozen=True, slots=True, kw_only=True)
class Device:
    """What a model's choice depends on; memory in bytes, flags as in /proc/cpuinfo."""

    cores: int
    memory: int
    flags: frozenset[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """A model and the reason for it, one sentence for the log."""

    model: str
    reason: str


def choose(device: Device) -> Choice:
    """Return the best model that speaks at a bearable pace on `device`."""
    has = f"{device.cores} cores and {device.memory / _GIB:.1f} GB of memory"
    if device.memory < _NEEDED_BYTES:
        return Choice(model=LITE, reason=f"{has}: CosyVoice needs {_NEEDED_BYTES / _GIB:.1f} GB")
    if not device.flags & _WIDE:
        return Choice(model=LITE, reason=f"{has}, but no instructions for 8-bit products")
    if device.cores < _FAST_CORES:
        return Choice(model=LITE, reason=f"{has}: CosyVoice needs {_FAST_CORES} cores")
    balanced = _BALANCED_LARGE_CORES if device.flags & _LARGE else _BALANCED_CORES
    if device.cores < balanced or not device.flags & _DOT_PRODUCTS:
        return Choice(model=FAST, reason=f"{has}: enough for CosyVoice's fast preset")
    return Choice(model=BALANCED, reason=f"{has}, with 8-bit dot products: CosyVoice")


def resolve(model: str) -> str:
    """Return the model that an option names: for `auto` the chosen one, its reason in the log."""
    if model != AUTO:
        return model
    choice = choose(read_device())
    _LOGGER.info("model %s: %s", choice.model, choice.reason)
    return choice.model


def read_device(root: Path = Path("/")) -> Device:
    """Return what the system says about itself; `root` is where /proc and /sys are.

    Where it says nothing (not Linux), memory is 0 and flags are none, which chooses `lite`.
    """
    return Device(cores=cores(), memory=_memory(root), flags=cpu_flags(root))


def _memory(root: Path) -> int:
    """Return the memory in all, or the container's limit where that is less."""
    total = 0
    for line in _lines(root / "proc/meminfo"):
        if line.startswith("MemTotal:"):
            total = int(line.split()[1]) << 10
    limit = "".join(_lines(root / "sys/fs/cgroup/memory.max")).strip()
    return min(total, int(limit)) if limit.isdecimal() else total


def _lines(path: Path) -> list[str]:
    try:
        return path.read_text("utf-8", "replace").splitlines()
    except OSError:
        return []
