"""The embedded model for tests marked `model`, put together once in the checkout's data folder."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from cosyvoice_wyoming import bundles
from cosyvoice_wyoming.bundles.fetch import Fetcher
from cosyvoice_wyoming.bundles.lite import KOKORO
from cosyvoice_wyoming.bundles.progress import silent
from cosyvoice_wyoming.bundles.sources import recipe

DATA_DIR = Path(__file__).resolve().parents[2] / "data"


@cache
def lite() -> Path:
    """Return the folder of the bundle `lite`; the first call on a machine fetches it."""
    return bundles.ensure("lite", DATA_DIR)


@cache
def lite_hq() -> Path:
    """Return the folder of the bundle `lite-hq`, which has the decoders of the teacher."""
    return bundles.ensure("lite-hq", DATA_DIR)


@cache
def kokoro() -> Path:
    """Return the model as it was published, before it is cut; kept beside the bundles."""
    file = next(file for file in recipe("lite").files if file.name == KOKORO)
    return Fetcher(DATA_DIR / "tests", silent).fetch(file)
