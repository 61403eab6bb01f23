"""Download a file over HTTP: resumed where it broke off, retried, checked for room and length."""

from __future__ import annotations

import http.client
import logging
import shutil
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from cosyvoice_wyoming.bundles.checksum import BLOCK_BYTES

_LOGGER = logging.getLogger(__name__)

SPARE_BYTES = 64 << 20
"""Room that is left on the disk beside the file, for everything else that writes there."""

Arrived: TypeAlias = Callable[[int], None]
"""Told the bytes that a file has after each block."""

_WORTH_RETRYING = frozenset({408, 425, 429, 500, 502, 503, 504})


class SourceFailed(Exception):
    """A source did not deliver a file; the message says why in a few words."""


class _Interrupted(Exception):
    """The connection broke; another attempt may go on from there."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Downloader:
    """How patient a download is. Times are in seconds; each pause is twice the one before."""

    attempts: int = 5
    pause: float = 1.0
    timeout: float = 30.0

    def download(self, url: str, target: Path, size: int, arrived: Arrived) -> None:
        """Bring `target` to `size` bytes from `url`, going on from what it already holds.

        The content is not checked here. What arrived before a failure stays in `target`, unless
        it cannot be a beginning of the file.

        Raises SourceFailed.
        """
        if not url.startswith(("https://", "http://")):
            raise SourceFailed(f"{url} is not an address that can be downloaded")
        for attempt in range(1, self.attempts + 1):
            try:
                self._attempt(url, target, size, arrived)
            except _Interrupted as broken:
                if attempt == self.attempts:
                    raise SourceFailed(f"{broken} ({attempt} attempts)") from broken
                _LOGGER.debug("%s: %s, attempt %d", url, broken, attempt)
                time.sleep(self.pause * 2 ** (attempt - 1))
            else:
                return

    def length(self, url: str) -> int:
        """Return how many bytes the file at `url` has. Raises SourceFailed."""
        if not url.startswith(("https://", "http://")):
            raise SourceFailed(f"{url} is not an address that can be downloaded")
        request = urllib.request.Request(url, method="HEAD")  # noqa: S310  the scheme is checked above
        try:
            with self._open(request) as response:
                length = response.headers.get("Content-Length", "")
        except _Interrupted as broken:
            raise SourceFailed(str(broken)) from broken
        if not length.isdecimal() or int(length) == 0:
            raise SourceFailed("the server does not say how long the file is")
        return int(length)

    def _attempt(self, url: str, target: Path, size: int, arrived: Arrived) -> None:
        held = target.stat().st_size if target.exists() else 0
        if held > size:
            target.unlink()
            held = 0
        if held == size:
            return
        require_space(target.parent, size - held)
        request = urllib.request.Request(url)  # noqa: S310  the scheme is checked above
        if held:
            request.add_header("Range", f"bytes={held}-")
        with self._open(request) as response:
            if held and not _continues(response, held):
                held = 0
            _receive(response, target, held, size, arrived)

    @contextmanager
    def _open(self, request: urllib.request.Request) -> Iterator[http.client.HTTPResponse]:
        try:
            with urllib.request.urlopen(request, timeout=self.timeout) as response:  # noqa: S310
                if response.headers.get_content_type() == "text/html":
                    raise SourceFailed("the server sent a web page instead of the file")
                yield response
        except urllib.error.HTTPError as error:
            if error.code in _WORTH_RETRYING:
                raise _Interrupted(f"the server answered {error.code}") from error
            raise SourceFailed(f"the server answered {error.code} {error.reason}") from error
        except urllib.error.URLError as error:
            raise _Interrupted(f"no connection: {error.reason}") from error
        except (TimeoutError, ConnectionError, http.client.HTTPException) as error:
            raise _Interrupted(f"the connection broke: {error or type(error).__name__}") from error


def _receive(
    response: http.client.HTTPResponse, target: Path, held: int, size: int, arrived: Arrived
) -> None:
    """Append what comes to the `held` bytes of `target` until it has `size`."""
    with target.open("ab" if held else "wb") as file:
        while block := response.read(BLOCK_BYTES):
            held += len(block)
            if held > size:
                raise SourceFailed(f"the server sent more than {size} bytes")
            file.write(block)
            arrived(held)
    if held < size:
        raise _Interrupted(f"the server sent {held} of {size} bytes")


def require_space(folder: Path, size: int) -> None:
    """Raise SourceFailed if `size` more bytes would fill the disk of `folder`."""
    free = shutil.disk_usage(folder).free
    if size + SPARE_BYTES > free:
        needed, have = (size + SPARE_BYTES) >> 20, free >> 20
        raise SourceFailed(f"the disk of {folder} has {have} MiB free, {needed} MiB are needed")


def _continues(response: http.client.HTTPResponse, held: int) -> bool:
    """Whether a response goes on where we stopped; servers may ignore Range and start over."""
    content_range = response.headers.get("Content-Range", "")
    return response.status == http.client.PARTIAL_CONTENT and content_range.startswith(
        f"bytes {held}-"
    )
