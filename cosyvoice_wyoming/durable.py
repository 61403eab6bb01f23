"""Files that are there whole or not at all, whatever happens while they are written."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

PART = ".part"
"""End of the name of a file that is being written; one that is found at a start is a leftover."""


def write_whole(path: Path, *blocks: bytes) -> None:
    """Write a file under another name, to the disk, and give it its own name last.

    Raises OSError; the old file, if any, is then still there.
    """
    part = path.with_name(path.name + PART)
    handle = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o644)
    try:
        try:
            for block in blocks:
                _write_all(handle, block)
            os.fsync(handle)
        finally:
            os.close(handle)
        part.rename(path)
    except OSError:
        with contextlib.suppress(OSError):
            part.unlink(missing_ok=True)
        raise
    sync_folder(path.parent)


def sync_folder(folder: Path) -> None:
    """Wait until a folder's list of names is on the disk. Raises OSError."""
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _write_all(handle: int, block: bytes) -> None:
    rest = memoryview(block)
    while rest:
        rest = rest[os.write(handle, rest) :]
