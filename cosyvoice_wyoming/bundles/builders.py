"""Who puts which model together: the one place to add one."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

from cosyvoice_wyoming.bundles import cosyvoice, lite
from cosyvoice_wyoming.bundles.fetch import Fetcher
from cosyvoice_wyoming.bundles.progress import Progress
from cosyvoice_wyoming.bundles.sources import Recipe

Builder: TypeAlias = Callable[[Recipe, Fetcher, Path, Progress], None]
"""Fetches what the recipe names and writes the bundle's files below a folder."""

BUILDERS: dict[str, Builder] = {
    "lite": lite.build,
    "lite-hq": lite.build_hq,
    "cosyvoice-300m-sft": cosyvoice.builder("balanced"),
    "cosyvoice-300m-sft-fast": cosyvoice.builder("fast"),
    "cosyvoice-300m-sft-exact": cosyvoice.builder("exact"),
}
