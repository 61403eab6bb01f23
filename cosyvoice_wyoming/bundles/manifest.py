"""A bundle on disk: a folder with `bundle.toml`, and the proof that its files are right."""

from __future__ import annotations

import json
import logging
import os
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cosyvoice_wyoming.bundles.checksum import mismatch, sha256_of
from cosyvoice_wyoming.bundles.sources import Recipe, VoiceSource
from cosyvoice_wyoming.errors import ModelCorrupt, ModelMissing

_LOGGER = logging.getLogger(__name__)

MANIFEST = "bundle.toml"
STAMP = ".verified"


@dataclass(frozen=True, slots=True, kw_only=True)
class BundleFile:
    """A file of a bundle; `path` is relative to its folder, with slashes."""

    path: str
    size: int
    sha256: str

    def has_size(self, folder: Path) -> bool:
        """Whether the file is in `folder` and as long as it should be."""
        path = folder / self.path
        return path.is_file() and path.stat().st_size == self.size


@dataclass(frozen=True, slots=True, kw_only=True)
class Manifest:
    """What `bundle.toml` says.

    `recipe` and `origin` are the digests of the recipe it was made by; see `sources.Recipe`.
    """

    name: str
    engine: str
    sample_rate: int
    licence: str
    recipe: str
    origin: str
    voices: tuple[VoiceSource, ...]
    files: tuple[BundleFile, ...]

    @property
    def size(self) -> int:
        return sum(file.size for file in self.files)


def open_bundle(folder: Path) -> Manifest:
    """Return the manifest of a bundle after checking every file that it names.

    Sizes are checked each time. Hashes are computed when a file is new or was touched since:
    the stamp remembers size, time of change and inode of each file that matched, so that a start
    reads no 300 MB twice. A fault of the disk below an untouched file shows in `verify` only.

    Raises ModelMissing or ModelCorrupt.
    """
    manifest = read_manifest(folder)
    trusted = _read_stamp(folder)
    for file in manifest.files:
        path = folder / file.path
        if _mark(path, file) in trusted:
            continue
        if wrong := mismatch(path, file.size, file.sha256):
            raise ModelCorrupt(
                f"{path} {wrong}; run `cosyvoice-wyoming models fetch {manifest.name}`."
            )
    _write_stamp(folder, manifest, trusted)
    return manifest


def problems(folder: Path) -> list[str]:
    """Read every byte of a bundle and return one line for each file that is not right."""
    try:
        manifest = read_manifest(folder)
    except (ModelMissing, ModelCorrupt) as error:
        return [str(error)]
    paths = {folder / file.path: file for file in manifest.files}
    found = {path: mismatch(path, file.size, file.sha256) for path, file in paths.items()}
    return [f"{path} {wrong}" for path, wrong in found.items() if wrong]


def read_manifest(folder: Path) -> Manifest:
    """Return what `bundle.toml` says; the files are not looked at.

    Raises ModelMissing or ModelCorrupt.
    """
    path = folder / MANIFEST
    try:
        table = tomllib.loads(path.read_text("utf-8"))
        return _manifest(table)
    except (FileNotFoundError, NotADirectoryError) as error:
        raise ModelMissing(
            f"There is no model in {folder}; run `cosyvoice-wyoming models fetch`."
        ) from error
    except (ValueError, KeyError, TypeError) as error:
        raise ModelCorrupt(f"{path} cannot be read as a manifest: {error}.") from error


def write_manifest(folder: Path, recipe: Recipe) -> Manifest:
    """List every file of `folder` in a new `bundle.toml` and return what it says."""
    paths = sorted(path for path in folder.rglob("*") if path.is_file())
    manifest = Manifest(
        name=recipe.name,
        engine=recipe.engine,
        sample_rate=recipe.sample_rate,
        licence=recipe.licence,
        recipe=recipe.digest,
        origin=recipe.origin,
        voices=recipe.voices,
        files=tuple(
            BundleFile(
                path=path.relative_to(folder).as_posix(),
                size=path.stat().st_size,
                sha256=sha256_of(path),
            )
            for path in paths
        ),
    )
    (folder / MANIFEST).write_text("\n".join(_toml(manifest)) + "\n", "utf-8")
    return manifest


def _manifest(table: Mapping[str, Any]) -> Manifest:
    return Manifest(
        name=table["name"],
        engine=table["engine"],
        sample_rate=table["sample_rate"],
        licence=table["licence"],
        recipe=table["recipe"],
        origin=table.get("origin", ""),
        voices=tuple(
            VoiceSource(name=voice["name"], packs=tuple(voice["packs"]))
            for voice in table.get("voices", ())
        ),
        files=tuple(BundleFile(**file) for file in table.get("files", ())),
    )


def _toml(manifest: Manifest) -> Iterator[str]:
    """Yield the lines of a manifest. JSON's strings, numbers and arrays are TOML's as well."""
    for key in ("name", "engine", "sample_rate", "licence", "recipe", "origin"):
        yield f"{key} = {json.dumps(getattr(manifest, key), ensure_ascii=False)}"
    for voice in manifest.voices:
        yield from ("", "[[voices]]", f"name = {json.dumps(voice.name)}")
        yield f"packs = {json.dumps(voice.packs)}"
    for file in manifest.files:
        yield from ("", "[[files]]", f"path = {json.dumps(file.path, ensure_ascii=False)}")
        yield from (f"size = {file.size}", f"sha256 = {json.dumps(file.sha256)}")


def _mark(path: Path, file: BundleFile) -> str:
    """Return a line that changes when a file on disk or its entry does; "" if there is no file."""
    try:
        found = path.stat()
    except FileNotFoundError:
        return ""
    if found.st_size != file.size:
        return ""
    return f"{file.sha256} {found.st_size} {found.st_mtime_ns} {found.st_ino} {file.path}"


def _read_stamp(folder: Path) -> frozenset[str]:
    try:
        return frozenset((folder / STAMP).read_text("utf-8").splitlines()) - {""}
    except (OSError, UnicodeDecodeError):
        return frozenset()


def _write_stamp(folder: Path, manifest: Manifest, old: Iterable[str]) -> None:
    marks = {_mark(folder / file.path, file) for file in manifest.files}
    if marks == set(old):
        return
    fresh = folder / f"{STAMP}.{os.getpid()}"
    try:
        fresh.write_text("\n".join(sorted(marks)) + "\n", "utf-8")
        fresh.replace(folder / STAMP)
    except OSError as error:  # a read-only data folder: each start then reads everything
        _LOGGER.debug("the stamp of %s cannot be written: %s", folder, error)
