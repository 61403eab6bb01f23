"""The engines by the name that a bundle gives: the one place to add one."""

from __future__ import annotations

from pathlib import Path

from cosyvoice_wyoming.engine import Engine, Loader


def _tone(bundle: Path, *, threads: int = 0) -> Engine:
    from cosyvoice_wyoming.engine import tone

    return tone.load(bundle, threads=threads)


def _kokoro(bundle: Path, *, threads: int = 0) -> Engine:
    from cosyvoice_wyoming.engine import kokoro

    return kokoro.load(bundle, threads=threads)


def _cosyvoice(bundle: Path, *, threads: int = 0) -> Engine:
    from cosyvoice_wyoming.engine import cosyvoice

    return cosyvoice.load(bundle, threads=threads)


ENGINES: dict[str, Loader] = {"kokoro": _kokoro, "cosyvoice": _cosyvoice, "tone": _tone}
"""Engine name: its loader. Each imports its libraries when it is called, not before."""
