"""Opens the door that clients come through: a TCP port, a Unix socket or standard input."""

from __future__ import annotations

import asyncio
import errno
import os
import socket
import stat
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

from cosyvoice_wyoming.address import TcpAddress, UnixAddress
from cosyvoice_wyoming.errors import BadOption
from cosyvoice_wyoming.wire import LINE_LIMIT

OnClient: TypeAlias = Callable[[asyncio.StreamReader, asyncio.StreamWriter], None]

BACKLOG = 128
SEND_BUFFER = 128 * 1024
"""Bytes that the system keeps for a client. Left alone it keeps megabytes, which would be a minute
of audio made ahead for a client that may be gone."""

_NO_SUCH_FAMILY = {errno.EAFNOSUPPORT, errno.EADDRNOTAVAIL, errno.EPROTONOSUPPORT}


class Listener:
    """An open door. `port` is 0 for a Unix socket."""

    def __init__(
        self, servers: list[asyncio.Server], *, port: int = 0, path: Path | None = None
    ) -> None:
        self.port = port
        self._servers = servers
        self._path = path

    def close(self) -> None:
        """Take no more clients."""
        for server in self._servers:
            server.close()
        if self._path:
            self._path.unlink(missing_ok=True)


async def listen(address: TcpAddress | UnixAddress, on_client: OnClient) -> Listener:
    """Take clients at an address. Raises BadOption if it is taken or cannot be had."""
    try:
        if isinstance(address, UnixAddress):
            _remove_stale_socket(address.path)
            unix = await asyncio.start_unix_server(on_client, address.path, limit=LINE_LIMIT)
            return Listener([unix], path=address.path)
        sockets = await bind(address)
    except OSError as error:
        raise BadOption(_refusal(address, error, "--uri")) from None
    servers = [
        await asyncio.start_server(on_client, sock=sock, limit=LINE_LIMIT, backlog=BACKLOG)
        for sock in sockets
    ]
    return Listener(servers, port=sockets[0].getsockname()[1])


async def bind(address: TcpAddress, *, option: str = "--uri") -> list[socket.socket]:
    """Bind all addresses of a host; without a host, IPv4 and IPv6 to the same port.

    The system's own dual stack is not used: it may be switched off, and it hides that only one of
    the two is free. Raises BadOption, naming `option`, if the address is taken or cannot be had.
    """
    try:
        return await _bind_all(address)
    except OSError as error:
        raise BadOption(_refusal(address, error, option)) from None


async def _bind_all(address: TcpAddress) -> list[socket.socket]:
    if address.host is None:
        families = [(socket.AF_INET, "0.0.0.0"), (socket.AF_INET6, "::")]  # noqa: S104
    else:
        found = await asyncio.get_running_loop().getaddrinfo(
            address.host, None, type=socket.SOCK_STREAM
        )
        families = list(dict.fromkeys((family, str(where[0])) for family, *_, where in found))
    sockets: list[socket.socket] = []
    missing: OSError | None = None
    try:
        for family, host in families:
            port = sockets[0].getsockname()[1] if sockets else address.port
            try:
                sockets.append(_bind_one(family, host, port))
            except OSError as error:
                if error.errno not in _NO_SUCH_FAMILY:
                    raise
                missing = error
        if not sockets and missing:
            raise missing
    except OSError:
        for opened in sockets:
            opened.close()
        raise
    return sockets


def _bind_one(family: int, host: str, port: int) -> socket.socket:
    opened = socket.socket(family, socket.SOCK_STREAM)
    try:
        opened.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        opened.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        opened.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, SEND_BUFFER)
        if family == socket.AF_INET6:
            opened.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
        opened.bind((host, port))
    except OSError:
        opened.close()
        raise
    return opened


def _remove_stale_socket(path: Path) -> None:
    """Remove the socket that a killed server left. Raises BadOption for anything else there."""
    try:
        if not stat.S_ISSOCK(path.stat().st_mode):
            raise BadOption(f"{path} is a file and not a socket: remove it or name another path")
    except FileNotFoundError:
        return
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
        try:
            probe.connect(str(path))
        except ConnectionRefusedError:
            path.unlink(missing_ok=True)
        else:
            raise BadOption(f"{path} is in use by another server: stop it or name another path")


def _refusal(address: TcpAddress | UnixAddress, error: OSError, option: str) -> str:
    if error.errno == errno.EADDRINUSE and isinstance(address, TcpAddress):
        port = address.port
        return f"port {port} is in use already: stop what uses it or choose another ({option})"
    reason = error.strerror or str(error)
    return f"cannot listen at {address} ({reason}): choose another address with {option}"


async def open_stdio() -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    """Return a client on standard input and output; what else is printed goes to standard error.

    Raises BadOption if they are files, which cannot be waited for.
    """
    output = os.fdopen(os.dup(1), "wb", buffering=0)
    os.dup2(2, 1)
    loop = asyncio.get_running_loop()
    reader = asyncio.StreamReader(limit=LINE_LIMIT)
    protocol = asyncio.StreamReaderProtocol(reader)
    try:
        await loop.connect_read_pipe(lambda: protocol, sys.stdin.buffer)
        transport, flow = await loop.connect_write_pipe(
            lambda: asyncio.StreamReaderProtocol(asyncio.StreamReader()), output
        )
    except ValueError:
        raise BadOption("stdio:// needs pipes: write `cat FILE | cosyvoice-wyoming ...`") from None
    return reader, asyncio.StreamWriter(transport, flow, reader, loop)
