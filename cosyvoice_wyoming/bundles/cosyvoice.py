"""Put a CosyVoice together: the official checkpoint and Whisper's vocabulary, turned into ONNX."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from cosyvoice_wyoming.bundles.download import SourceFailed, require_space
from cosyvoice_wyoming.bundles.fetch import Fetcher
from cosyvoice_wyoming.bundles.progress import Progress, Step
from cosyvoice_wyoming.bundles.sources import Recipe
from cosyvoice_wyoming.errors import DownloadFailed

_BUNDLE_BYTES = {"exact": 1_810_000_000, "balanced": 700_000_000, "fast": 700_000_000}
"""What a built bundle takes on the disk, measured and rounded up."""


def builder(preset: str) -> Callable[[Recipe, Fetcher, Path, Progress], None]:
    """Return what puts a bundle of `preset` together."""

    def build(recipe: Recipe, fetcher: Fetcher, folder: Path, progress: Progress) -> None:
        """Fetch the official files and write the bundle's below `folder`.

        Raises DownloadFailed, or ModelCorrupt naming what is wrong with a file.
        """
        from cosyvoice_wyoming.engine.cosyvoice import build as official

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
        official.build(source, folder, preset, report=lambda text: progress(Step(text=text)))

    return build
