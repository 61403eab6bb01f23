"""Put a CosyVoice together: the official checkpoint and Whisper's vocabulary, turned into ONNX."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from cosyvoice_wyoming.bundles.download import SourceFailed, require_space
from cosyvoice_wyoming.bundles.fetch import Fetcher
from cosyvoice_wyoming.bundles.progress import Progress, Step
from cosyvoice_wyoming.bundles.sources import Recipe
from cosyvoice_wyoming.errors import DownloadFailed, ModelCorrupt

PROGRAM = (sys.executable, "-m", "cosyvoice_wyoming.engine.cosyvoice.build")
"""The build runs in a process of its own: a server would never give its 0.3 GB back."""

_BUNDLE_BYTES = {"exact": 1_810_000_000, "balanced": 700_000_000, "fast": 700_000_000}
"""What a built bundle takes on the disk, measured and rounded up."""


def builder(preset: str) -> Callable[[Recipe, Fetcher, Path, Progress], None]:
    """Return what puts a bundle of `preset` together."""

    def build(recipe: Recipe, fetcher: Fetcher, folder: Path, progress: Progress) -> None:
        """Fetch the official files and write the bundle's below `folder`.

        Raises DownloadFailed, or ModelCorrupt naming what is wrong with a file. A download that is
        corrupt is deleted: nothing but the build can tell, and it would only fail again.
        """
        files = [fetcher.fetch(file) for file in recipe.files]
        try:
            require_space(folder, _BUNDLE_BYTES[preset])
        except SourceFailed as error:
            raise DownloadFailed(f"The model cannot be built: {error}.") from error
        # The official files may lie in two folders, ours and the user's.
        source = folder.parent / "official"
        source.mkdir()
        for file in files:
            (source / file.name).symlink_to(file.resolve())
        try:
            _run([*PROGRAM, str(source), str(folder), preset], progress)
        except ModelCorrupt as error:
            for file in recipe.files:
                if not file.sha256 and file.name in str(error):
                    fetcher.discard(file)
            raise

    return build


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
