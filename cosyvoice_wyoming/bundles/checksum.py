"""Files that are written whole or not at all, and the proof of what they are."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

BLOCK_BYTES = 1 << 20


def sha256_of(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def mismatch(path: Path, size: int, sha256: str) -> str | None:
    """Say what is wrong with a file in a few words; None if it is what it should be."""
    try:
        found = path.stat().st_size
    except FileNotFoundError:
        return "is missing"
    if found != size:
        return f"has {found} bytes, not {size}"
    return None if sha256_of(path) == sha256 else "has the wrong SHA-256"


def sync(path: Path) -> None:
    """Wait until a file or a folder's list of names is on the disk."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def sync_tree(folder: Path) -> None:
    """Wait until everything below `folder` is on the disk."""
    for path in [*folder.rglob("*"), folder]:
        sync(path)
