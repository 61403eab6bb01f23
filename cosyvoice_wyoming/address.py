"""Where the server listens and where its clients find it, as one URI."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias
from urllib.parse import urlsplit

from cosyvoice_wyoming.errors import BadOption

DEFAULT_PORT = 10200
"""The port on which Home Assistant's own Piper app listens, so people know it."""

_FORMS = "tcp://HOST:PORT, unix:///PATH or stdio://"


@dataclass(frozen=True, slots=True, kw_only=True)
class TcpAddress:
    """A TCP port; `host` is None for every IPv4 and IPv6 address of the machine."""

    host: str | None = None
    port: int = DEFAULT_PORT

    @property
    def client_host(self) -> str:
        """The host a client on this machine connects to."""
        if self.host in {None, "0.0.0.0", "::"}:  # noqa: S104
            return "localhost"
        return str(self.host)

    def __str__(self) -> str:
        host = self.host or "*"
        return f"tcp://[{host}]:{self.port}" if ":" in host else f"tcp://{host}:{self.port}"


@dataclass(frozen=True, slots=True, kw_only=True)
class UnixAddress:
    """A Unix socket in the file system."""

    path: Path

    def __str__(self) -> str:
        return f"unix://{self.path}"


@dataclass(frozen=True, slots=True, kw_only=True)
class StdioAddress:
    """One client on standard input and output."""

    def __str__(self) -> str:
        return "stdio://"


Address: TypeAlias = TcpAddress | UnixAddress | StdioAddress


def parse_address(uri: str) -> Address:
    """Read a URI: `tcp://HOST:PORT` (HOST empty or `*`: every address), `unix:///PATH`, `stdio://`.

    A bare `HOST:PORT` counts as tcp; a missing port is 10200, port 0 lets the system choose.
    Raises BadOption.
    """
    if uri.startswith("unix://"):
        path = uri.removeprefix("unix://")
        if not path.startswith("/"):
            raise BadOption(f"'{uri}' needs an absolute path: unix:///PATH")
        return UnixAddress(path=Path(path))
    if uri.startswith("stdio:"):
        return StdioAddress()
    return _parse_tcp(uri)


def _parse_tcp(uri: str) -> TcpAddress:
    try:
        parts = urlsplit(uri if "://" in uri else f"tcp://{uri}")
        port = parts.port
    except ValueError:
        raise BadOption(f"'{uri}' is not an address: write {_FORMS}") from None
    extras = parts.path.strip("/") or parts.query or parts.fragment or parts.username
    if parts.scheme != "tcp" or extras or not parts.netloc or " " in uri:
        raise BadOption(f"'{uri}' is not an address: write {_FORMS}")
    host = parts.hostname if parts.hostname != "*" else None
    return TcpAddress(host=host or None, port=DEFAULT_PORT if port is None else port)
