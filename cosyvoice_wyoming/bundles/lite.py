"""Put `lite` together: Kokoro-82M split into encoder and decoder, and the voices' style packs."""

from __future__ import annotations

import shutil
import signal
import subprocess
import sys
from pathlib import Path

from cosyvoice_wyoming.bundles.fetch import Fetcher
from cosyvoice_wyoming.bundles.progress import Progress, Step
from cosyvoice_wyoming.bundles.sources import Recipe
from cosyvoice_wyoming.errors import ModelCorrupt

KOKORO = "kokoro-82m-int8.onnx"


def build(recipe: Recipe, fetcher: Fetcher, folder: Path, progress: Progress) -> None:
    """Fetch what `lite` is made of and write its files below `folder`.

    Raises DownloadFailed, or ModelCorrupt if the graph is not the one that the surgery knows.
    """
    fetched = {file.name: fetcher.fetch(file) for file in recipe.files}
    for name, source in fetched.items():
        if name != KOKORO:
            target = folder / name
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source, target)
    progress(Step(text="Splitting the model and rewriting its decoder"))
    _cut(fetched[KOKORO], folder)


def _cut(kokoro: Path, folder: Path) -> None:
    module = "cosyvoice_wyoming.bundles.kokoro_graphs"
    done = subprocess.run(  # noqa: S603  our own module and our own paths
        [sys.executable, "-m", module, str(kokoro), str(folder)],
        check=False,
        capture_output=True,
        text=True,
    )
    if done.returncode == -signal.SIGKILL:
        raise ModelCorrupt("The model could not be put together: this device ran out of memory.")
    if done.returncode:
        reason = (done.stderr.strip().splitlines() or ["no reason given"])[-1]
        raise ModelCorrupt(f"The model could not be put together: {reason}.")
