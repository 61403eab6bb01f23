"""The bundles of a data folder: which are there, and how one that is not comes there."""

from __future__ import annotations

import fcntl
import logging
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from cosyvoice_wyoming.bundles.builders import BUILDERS
from cosyvoice_wyoming.bundles.checksum import sync, sync_tree
from cosyvoice_wyoming.bundles.fetch import Fetcher
from cosyvoice_wyoming.bundles.manifest import (
    open_bundle,
    problems,
    read_manifest,
    write_manifest,
)
from cosyvoice_wyoming.bundles.progress import Progress, Step, silent
from cosyvoice_wyoming.bundles.sources import Recipe, recipe, recipes
from cosyvoice_wyoming.errors import DownloadFailed, ModelCorrupt, ModelMissing

_LOGGER = logging.getLogger(__name__)


class State(StrEnum):
    """How a model stands on this device."""

    ABSENT = "absent"
    WHOLE = "whole"
    OUTDATED = "outdated"
    """Whole, but made by another edition of this program; `ensure` makes it anew."""
    BROKEN = "broken"


@dataclass(frozen=True, slots=True, kw_only=True)
class CatalogEntry:
    """A model that this program knows; `size` is its bytes on disk, or to fetch if it is absent."""

    name: str
    state: State
    licence: str
    description: str
    size: int


def catalog(data_dir: Path) -> tuple[CatalogEntry, ...]:
    """Return every model and how it stands in `data_dir`. Sizes are checked, hashes are not."""
    return tuple(_entry(known, bundle_dir(data_dir, known.name)) for known in recipes().values())


def bundle_dir(data_dir: Path, name: str) -> Path:
    return data_dir / "models" / name


def ensure(name: str, data_dir: Path, progress: Progress = silent) -> Path:
    """Return the folder of a model's bundle, whole; fetch and build it first if need be.

    Nothing is fetched while the bundle is whole and made by the recipe of this edition.

    Raises BadOption for an unknown name, DownloadFailed, ModelCorrupt.
    """
    return ensure_recipe(recipe(name), data_dir, progress)


def ensure_recipe(wanted: Recipe, data_dir: Path, progress: Progress = silent) -> Path:
    """As `ensure`, for a recipe at hand."""
    folder = bundle_dir(data_dir, wanted.name)
    if _is_current(folder, wanted):
        return folder
    with _locked(data_dir, progress):
        if not _is_current(folder, wanted):  # another process may have been faster
            _put_together(wanted, data_dir, progress)
    return folder


def fetch(
    name: str, data_dir: Path, progress: Progress = silent, local: Path | None = None
) -> Path:
    """As `ensure`, but read every byte of a bundle that is there, and make it anew if one is wrong.

    Files of the recipe that lie in the folder `local` are not downloaded.

    Raises BadOption for an unknown name, DownloadFailed, ModelCorrupt.
    """
    wanted = recipe(name)
    folder = bundle_dir(data_dir, name)
    with _locked(data_dir, progress):
        progress(Step(text=f"Checking {name}"))
        if problems(folder) or not _is_current(folder, wanted):
            _put_together(wanted, data_dir, progress, local)
    return folder


def verify(name: str, data_dir: Path) -> list[str]:
    """Read every byte of a bundle; return one line for each thing that is wrong with it.

    Raises BadOption for an unknown name.
    """
    return problems(bundle_dir(data_dir, recipe(name).name))


def _entry(known: Recipe, folder: Path) -> CatalogEntry:
    size = known.download_size
    try:
        manifest = read_manifest(folder)
    except ModelMissing:
        state = State.ABSENT
    except ModelCorrupt:
        state = State.BROKEN
    else:
        size = manifest.size
        state = State.WHOLE if manifest.recipe == known.digest else State.OUTDATED
        if not all(file.has_size(folder) for file in manifest.files):
            state = State.BROKEN
    return CatalogEntry(
        name=known.name,
        state=state,
        licence=known.licence,
        description=known.description,
        size=size,
    )


def _is_current(folder: Path, wanted: Recipe) -> bool:
    """Whether the bundle is whole and of this edition; what is wrong is logged in one line."""
    try:
        manifest = open_bundle(folder)
    except ModelMissing:
        return False
    except ModelCorrupt as error:
        _LOGGER.warning("%s", error)
        return False
    return manifest.recipe == wanted.digest


def _put_together(
    wanted: Recipe, data_dir: Path, progress: Progress, local: Path | None = None
) -> None:
    """Build in a folder beside the target and move it there at the end.

    An interrupted build leaves the old bundle, if any, and hidden folders that the next removes.
    Fetched files are kept in `downloads` until the bundle stands.
    """
    target = bundle_dir(data_dir, wanted.name)
    downloads = data_dir / "downloads" / wanted.origin[:16]
    for leftover in target.parent.glob(f".{wanted.name}.*"):
        shutil.rmtree(leftover)
    downloads.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=f".{wanted.name}.", dir=target.parent) as scratch:
        fresh = Path(scratch) / "new"
        fresh.mkdir()
        fetcher = Fetcher(downloads, progress, local=local, kin=_kin(wanted, data_dir))
        BUILDERS[wanted.name](wanted, fetcher, fresh, progress)
        progress(Step(text=f"Writing down what {wanted.name} is made of"))
        write_manifest(fresh, wanted)
        sync_tree(fresh)
        if target.exists():
            target.rename(Path(scratch) / "old")
        fresh.rename(target)
        sync(target.parent)
    open_bundle(target)
    shutil.rmtree(downloads)


def _kin(wanted: Recipe, data_dir: Path) -> list[Path]:
    """Return the bundles that were made of the same fetched files, after reading all of them."""
    found = []
    for folder in sorted(bundle_dir(data_dir, "").glob("[!.]*/")):
        try:
            origin = read_manifest(folder).origin
        except (ModelMissing, ModelCorrupt):
            continue
        if origin == wanted.origin and not problems(folder):
            found.append(folder)
    return found


@contextmanager
def _locked(data_dir: Path, progress: Progress) -> Iterator[None]:
    """Keep other processes from building in `data_dir` at the same time; wait for one that does."""
    folder = data_dir / "models"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        lock = (folder / ".lock").open("w")
    except OSError as error:
        raise DownloadFailed(f"{folder} cannot be written: {error.strerror}.") from error
    with lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            progress(Step(text="Waiting for another process that fetches models"))
            fcntl.flock(lock, fcntl.LOCK_EX)
        yield
