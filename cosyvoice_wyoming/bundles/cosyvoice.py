"""Put a CosyVoice together: the official checkpoint and Whisper's vocabulary, turned into ONNX."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from cosyvoice_wyoming.bundles.download import SourceFailed, require_space
from cosyvoice_wyoming.bundles.fetch import Fetcher
from cosyvoice_wyoming.bundles.manifest import MANIFEST, STAMP
from cosyvoice_wyoming.bundles.progress import Progress, Step
from cosyvoice_wyoming.bundles.sources import Recipe
from cosyvoice_wyoming.errors import DownloadFailed, ModelCorrupt

PROGRAM = (sys.executable, "-m", "cosyvoice_wyoming.engine.cosyvoice.build")
"""The build runs in a process of its own: a server would never give its 0.3 GB back."""

_PRECISION = {"exact": "fp32", "balanced": "int8", "fast": "int8"}
_DESCRIPTION = "model.json"
_BUNDLE_BYTES = {"exact": 1_810_000_000, "balanced": 700_000_000, "fast": 700_000_000}
"""What a built bundle takes on the disk, measured and rounded up."""


def builder(preset: str) -> Callable[[Recipe, Fetcher, Path, Progress], None]:
    """Return what puts a bundle of `preset` together."""

    def build(recipe: Recipe, fetcher: Fetcher, folder: Path, progress: Progress) -> None:
        """Fetch the official files and write the bundle's below `folder`.

        Raises DownloadFailed, or ModelCorrupt naming what is wrong with a file. A download that is
        corrupt is deleted: nothing but the build can tell, and it would only fail again.
        """
        if twin := fetcher.made(_marker(preset)):
            progress(Step(text=f"Taking the graphs of {twin.parent.name}"))
            _take_over(twin.parent, folder, preset)
            return
        fetched = [fetcher.fetch(file) for file in recipe.files]
        try:
            require_space(folder, _BUNDLE_BYTES[preset])
        except SourceFailed as error:
            raise DownloadFailed(f"The model cannot be built: {error}.") from error
        # The official files may lie in two folders, ours and the user's.
        source = folder.parent / "official"
        source.mkdir()
        for path in fetched:
            (source / path.name).symlink_to(path.resolve())
        try:
            _run([*PROGRAM, str(source), str(folder), preset], progress)
        except ModelCorrupt as error:
            for file in recipe.files:
                if not file.sha256 and file.name in str(error):
                    fetcher.discard(file)
            raise
        (folder / _marker(preset)).write_text(f"Matrix products: {_PRECISION[preset]}\n", "ascii")

    return build


def _marker(preset: str) -> str:
    """Return the name of a file that lies in bundles with the same graphs only."""
    return f"weights-{_PRECISION[preset]}.txt"


def _take_over(twin: Path, folder: Path, preset: str) -> None:
    """Make a bundle of another's files, linked where that can be; only its preset differs."""
    for path in twin.iterdir():
        if path.name not in {MANIFEST, STAMP, _DESCRIPTION}:
            try:
                os.link(path, folder / path.name)
            except OSError:
                shutil.copyfile(path, folder / path.name)
    description = json.loads((twin / _DESCRIPTION).read_text("utf-8"))
    text = json.dumps({**description, "preset": preset}, indent=1)
    (folder / _DESCRIPTION).write_text(f"{text}\n", "utf-8")


def _run(command: list[str], progress: Progress) -> None:
    """Run the build, passing on what it says. Raises ModelCorrupt."""
    with subprocess.Popen(  # noqa: S603  our own module and our own paths
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        try:
            for line in process.stdout or ():
                progress(Step(text=line.strip()))
            complaint = process.stderr.read() if process.stderr else ""
        except BaseException:
            process.kill()
            raise
    if process.returncode == -signal.SIGKILL:
        raise ModelCorrupt("The model could not be built: this device ran out of memory.")
    if process.returncode:
        reason = (complaint.strip().splitlines() or ["no reason given"])[-1]
        raise ModelCorrupt(f"The model could not be built: {reason}")
