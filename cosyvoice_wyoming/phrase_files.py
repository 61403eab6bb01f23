"""Phrases on the disk: one checksummed file each, written by a thread of their own.

A file is `CWP1`, the sample rate (4 bytes, little-endian), the SHA-256 of name, rate and samples,
then the samples (s16le). What is not whole is deleted and counts as absent. A disk that is full or
read-only costs one warning; the server goes on without it and tries again after a while.
"""

from __future__ import annotations

import contextlib
import hashlib
import logging
import os
import queue
import re
import struct
import threading
import time
from collections import OrderedDict
from pathlib import Path

from cosyvoice_wyoming.audio import Pcm
from cosyvoice_wyoming.durable import PART, write_whole

_LOGGER = logging.getLogger(__name__)

DISK_BYTES = 64 << 20
"""Kept on the disk: some 20 minutes of speech."""

RETRY_SECONDS = 600.0
"""How long a disk that could not be written is left alone."""

MOST_WAITING = 32
"""Phrases that wait to be written; more are not kept. A slow card takes a second for each."""

_MAGIC = b"CWP1"
_HEADER = struct.Struct("<4sI32s")
_NAME = re.compile(r"[0-9a-f]{64}")


class PhraseFiles:
    """A folder of phrases, at most `most_bytes` of them."""

    def __init__(self, folder: Path, most_bytes: int = DISK_BYTES) -> None:
        self._folder = folder
        self._most_bytes = most_bytes
        self._lock = threading.Lock()
        self._sizes: OrderedDict[str, int] = OrderedDict()
        """The least recently used first."""
        self._waiting: queue.Queue[tuple[str, Pcm] | None] = queue.Queue(MOST_WAITING)
        self._coming: set[str] = set()
        self._resting_until = 0.0
        self._warned = False
        self._list_folder()
        self._writer = threading.Thread(target=self._write_all, name="phrases", daemon=True)
        self._writer.start()

    @property
    def bytes(self) -> int:
        with self._lock:
            return sum(self._sizes.values())

    def has(self, name: str) -> bool:
        with self._lock:
            return name in self._sizes or name in self._coming

    def read(self, name: str) -> Pcm | None:
        """Return the phrase of that name if it is there and whole."""
        with self._lock:
            if name not in self._sizes:
                return None
            self._sizes.move_to_end(name)
        path = self._folder / name
        try:
            pcm = _decode(name, path.read_bytes())
        except OSError as error:
            _LOGGER.debug("a phrase cannot be read: %s", error)
            pcm = None
        if pcm is None:
            self._delete(name)
            return None
        with contextlib.suppress(OSError):  # a read-only disk keeps the order of the last start
            os.utime(path)
        return pcm

    def keep(self, name: str, pcm: Pcm) -> None:
        """Have a phrase written soon, unless it is there already. Never waits."""
        if self.has(name) or time.monotonic() < self._resting_until:
            return
        with self._lock:
            self._coming.add(name)
        try:
            self._waiting.put_nowait((name, pcm))
        except queue.Full:
            with self._lock:
                self._coming.discard(name)

    def clear(self) -> None:
        """Delete every phrase."""
        with self._lock:
            names = list(self._sizes)
        for name in names:
            self._delete(name)

    def close(self) -> None:
        """Write what waits and end the thread."""
        self._waiting.put(None)
        self._writer.join(timeout=2.0)

    def _list_folder(self) -> None:
        """Take stock of what the last run left; remove what it did not finish."""
        found: list[tuple[float, str, int]] = []
        try:
            for path in self._folder.iterdir():
                if _NAME.fullmatch(path.name):
                    status = path.stat()
                    found.append((status.st_mtime, path.name, status.st_size))
                elif path.name.endswith(PART):
                    path.unlink(missing_ok=True)
        except FileNotFoundError:
            return
        except OSError as error:
            self._rest(error)
        for _, name, size in sorted(found):
            self._sizes[name] = size

    def _write_all(self) -> None:
        while item := self._waiting.get():
            name, pcm = item
            try:
                if time.monotonic() >= self._resting_until:
                    self._write(name, pcm)
            except OSError as error:
                self._rest(error)
            finally:
                with self._lock:
                    self._coming.discard(name)

    def _write(self, name: str, pcm: Pcm) -> None:
        size = _HEADER.size + len(pcm.data)
        self._make_room(size)
        self._folder.mkdir(parents=True, exist_ok=True)
        header = _HEADER.pack(_MAGIC, pcm.rate, _checksum(name, pcm))
        write_whole(self._folder / name, header, pcm.data)
        with self._lock:
            self._sizes[name] = size

    def _make_room(self, size: int) -> None:
        while True:
            with self._lock:
                if not self._sizes or sum(self._sizes.values()) + size <= self._most_bytes:
                    return
                oldest = next(iter(self._sizes))
            self._delete(oldest)

    def _delete(self, name: str) -> None:
        with self._lock:
            self._sizes.pop(name, None)
        with contextlib.suppress(OSError):
            (self._folder / name).unlink(missing_ok=True)

    def _rest(self, error: OSError) -> None:
        self._resting_until = time.monotonic() + RETRY_SECONDS
        if not self._warned:
            self._warned = True
            reason = error.strerror or str(error)
            _LOGGER.warning("phrases are not kept in %s: %s", self._folder, reason)


def _checksum(name: str, pcm: Pcm) -> bytes:
    digest = hashlib.sha256(f"{name} {pcm.rate} ".encode("ascii"))
    digest.update(pcm.data)
    return digest.digest()


def _decode(name: str, content: bytes) -> Pcm | None:
    if len(content) <= _HEADER.size:
        return None
    magic, rate, checksum = _HEADER.unpack_from(content)
    if magic != _MAGIC or rate == 0 or len(content) % 2:
        return None
    pcm = Pcm(data=content[_HEADER.size :], rate=rate)
    return pcm if _checksum(name, pcm) == checksum else None
