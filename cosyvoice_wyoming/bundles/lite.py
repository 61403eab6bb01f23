"""Put `lite` and `lite-hq` together: Kokoro-82M's encoder, a decoder, the voices' style packs."""

from __future__ import annotations

import shutil
import signal
import subprocess
import sys
from pathlib import Path

from cosyvoice_wyoming.bundles.fetch import Fetcher
from cosyvoice_wyoming.bundles.lite_files import ENCODER, PLBERT, TEACHER_FP32, TEACHER_INT8
from cosyvoice_wyoming.bundles.progress import Progress, Step
from cosyvoice_wyoming.bundles.sources import Recipe
from cosyvoice_wyoming.errors import ModelCorrupt

KOKORO = "kokoro-82m-int8.onnx"


def build(recipe: Recipe, fetcher: Fetcher, folder: Path, progress: Progress) -> None:
    """Write the files of `lite`: the recipe names the distilled context network and decoder.

    Raises DownloadFailed, or ModelCorrupt if the graph is not the one that the surgery knows.
    """
    _copy_packs(recipe, fetcher, folder)
    if not _copy_made(fetcher, folder, (ENCODER,)):
        kokoro = _fetch_kokoro(recipe, fetcher)
        progress(Step(text="Cutting the encoder out of the model"))
        _cut(kokoro, folder)


def build_hq(recipe: Recipe, fetcher: Fetcher, folder: Path, progress: Progress) -> None:
    """Write the files of `lite-hq`: all of it is what the model came with.

    Raises DownloadFailed, or ModelCorrupt if the graph is not the one that the surgery knows.
    """
    _copy_packs(recipe, fetcher, folder)
    if not _copy_made(fetcher, folder, (PLBERT, ENCODER, TEACHER_INT8, TEACHER_FP32)):
        kokoro = _fetch_kokoro(recipe, fetcher)
        progress(Step(text="Splitting the model and rewriting its decoder"))
        _cut(kokoro, folder, "all")


def _copy_packs(recipe: Recipe, fetcher: Fetcher, folder: Path) -> None:
    """Put what the bundle uses as it was fetched in `folder`."""
    for file in recipe.files:
        if file.name != KOKORO:
            _copy(fetcher.fetch(file), folder / file.name)


def _copy_made(fetcher: Fetcher, folder: Path, names: tuple[str, ...]) -> bool:
    """Take the pieces `names` from another bundle; False if one of them is in none."""
    made = {name: fetcher.made(name) for name in names}
    for name, source in made.items():
        if source is None:
            return False
        _copy(source, folder / name)
    return True


def _copy(source: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(source, target)


def _fetch_kokoro(recipe: Recipe, fetcher: Fetcher) -> Path:
    return fetcher.fetch(next(file for file in recipe.files if file.name == KOKORO))


def _cut(kokoro: Path, folder: Path, *options: str) -> None:
    module = "cosyvoice_wyoming.bundles.kokoro_graphs"
    done = subprocess.run(  # noqa: S603  our own module and our own paths
        [sys.executable, "-m", module, str(kokoro), str(folder), *options],
        check=False,
        capture_output=True,
        text=True,
    )
    if done.returncode == -signal.SIGKILL:
        raise ModelCorrupt("The model could not be put together: this device ran out of memory.")
    if done.returncode:
        reason = (done.stderr.strip().splitlines() or ["no reason given"])[-1]
        raise ModelCorrupt(f"The model could not be put together: {reason}.")
