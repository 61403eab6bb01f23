"""The models by name and the engines that speak them: the one place to add one."""

from __future__ import annotations

from pathlib import Path

from cosyvoice_wyoming.engine import Engine, Loader


def _tone(bundle: Path, *, threads: int = 0) -> Engine:
    from cosyvoice_wyoming.engine import tone

    return tone.load(bundle, threads=threads)


def _kokoro(bundle: Path, *, threads: int = 0) -> Engine:
    from cosyvoice_wyoming.engine import kokoro

    return kokoro.load(bundle, threads=threads)


ENGINES: dict[str, Loader] = {"lite": _kokoro, "tone": _tone}
"""Model name: its loader. Each imports its libraries when it is called, not before."""
