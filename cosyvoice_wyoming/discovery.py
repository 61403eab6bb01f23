"""Tells Home Assistant where the server is, over zeroconf, and the person in the log.

Home Assistant takes host and port from the service's records and makes its entry's identity from
the instance name, so the name must stay the same over restarts and the addresses must be ones that
another machine can reach: an announced 0.0.0.0, loopback or link-local address is of no use to it.
"""

from __future__ import annotations

import asyncio
import contextlib
import importlib
import ipaddress
import logging
import os
import secrets
import socket
import uuid
from collections.abc import AsyncIterator, Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from cosyvoice_wyoming.address import TcpAddress
from cosyvoice_wyoming.settings import Settings

if TYPE_CHECKING:
    from zeroconf.asyncio import AsyncServiceInfo, AsyncZeroconf

_LOGGER = logging.getLogger(__name__)

SERVICE_TYPE = "_wyoming._tcp.local."
POLL_S = 15.0
"""How often the machine's addresses are looked at: a new lease is announced within this."""
GOODBYE_S = 3.0
"""How long a stop waits for the goodbye to be sent."""

_INSTANCE_FILE = "instance-id"
_VIRTUAL = ("docker", "br-", "veth", "virbr", "cni", "flannel", "podman", "lxc", "lxd", "hassio")
"""Names of interfaces whose addresses only containers of this machine can reach."""

_IPAddress: TypeAlias = ipaddress.IPv4Address | ipaddress.IPv6Address


def machine_addresses() -> tuple[str, ...]:
    """Return the addresses at which other machines reach this one.

    IPv4 stands before IPv6, and the address that the default route uses before the others of its
    family, since Home Assistant takes the first. Loopback, link-local and container addresses are
    left out.
    """
    import ifaddr

    found: list[_IPAddress] = []
    for adapter in ifaddr.get_adapters():
        if adapter.name.startswith(_VIRTUAL):
            continue
        for entry in adapter.ips:
            text = entry.ip if isinstance(entry.ip, str) else entry.ip[0]
            address = ipaddress.ip_address(text)
            if is_reachable(address) and address not in found:
                found.append(address)
    preferred = {_route_address(socket.AF_INET), _route_address(socket.AF_INET6)}
    found.sort(key=lambda address: (address.version, str(address) not in preferred))
    return tuple(str(address) for address in found)


def is_reachable(address: _IPAddress) -> bool:
    """Say whether another machine could reach this one at `address`."""
    return not (
        address.is_loopback
        or address.is_link_local
        or address.is_unspecified
        or address.is_multicast
    )


def _route_address(family: socket.AddressFamily) -> str:
    """Return the address that the default route uses; a UDP connect sends nothing."""
    documentation = "192.0.2.1" if family == socket.AF_INET else "2001:db8::1"
    try:
        with socket.socket(family, socket.SOCK_DGRAM) as probe:
            probe.connect((documentation, 9))
            return str(probe.getsockname()[0])
    except OSError:
        return ""


def advertised_addresses(settings: Settings) -> tuple[str, ...]:
    """Return the addresses to announce, best first; may ask the resolver, so may block.

    `advertise_host` wins, loopback included, then the host that the server is bound to, then all
    addresses of the machine.
    """
    if settings.advertise_host:
        try:
            found = socket.getaddrinfo(settings.advertise_host, None, type=socket.SOCK_STREAM)
        except OSError as error:
            _LOGGER.warning(
                "--advertise-host %s cannot be resolved (%s): announcing the machine's addresses",
                settings.advertise_host,
                error,
            )
        else:
            return tuple(dict.fromkeys(str(entry[4][0]) for entry in found))
    host = settings.uri.host if isinstance(settings.uri, TcpAddress) else None
    return _of_bound_host(host, machine_addresses())


def _of_bound_host(host: str | None, addresses: tuple[str, ...]) -> tuple[str, ...]:
    if host is None:
        return addresses
    try:
        bound = ipaddress.ip_address(host)
    except ValueError:
        return addresses
    if bound.is_unspecified:
        return tuple(a for a in addresses if ipaddress.ip_address(a).version == bound.version)
    return (str(bound),) if is_reachable(bound) else ()


def instance_name(data_dir: Path) -> str:
    """Return the name of this installation, the same at every start.

    It is kept in the data folder; where that cannot be written, it comes from the host's name.
    """
    path = data_dir / _INSTANCE_FILE
    try:
        data_dir.mkdir(parents=True, exist_ok=True)
        # "x" rather than a rename: of two servers that start at once, one writes and both read.
        with contextlib.suppress(FileExistsError), path.open("x", encoding="ascii") as file:
            file.write(secrets.token_hex(4) + "\n")
            file.flush()
            os.fsync(file.fileno())
        identity = path.read_text(encoding="ascii").strip()
    except (OSError, ValueError) as error:
        _LOGGER.warning("%s cannot be used (%s): naming the server after the host", path, error)
        identity = ""
    if not identity.isalnum() or len(identity) > 32:  # noqa: PLR2004
        identity = "".join(c for c in socket.gethostname().lower() if c.isalnum())[:32]
    return f"cosyvoice-wyoming-{identity}"


class Announcer:
    """The server's entry in zeroconf: published, kept up to date, withdrawn.

    Nothing here ever fails the server: a network that is not there yet is tried again at the next
    look, with one warning.
    """

    def __init__(
        self,
        name: str,
        port: int,
        *,
        addresses: Callable[[], tuple[str, ...]],
        poll_s: float = POLL_S,
    ) -> None:
        self.name = name
        self._port = port
        self._addresses = addresses
        self._poll_s = poll_s
        self._zeroconf: AsyncZeroconf | None = None
        self._published: tuple[str, ...] = ()
        self._warned = False

    async def run(self) -> None:
        """Publish, then follow the machine's addresses until cancelled; say goodbye then."""
        # Importing it takes a fifth of a second, in which no client would be answered.
        await asyncio.to_thread(importlib.import_module, "zeroconf.asyncio")
        try:
            while True:
                await self._follow()
                await asyncio.sleep(self._poll_s)
        finally:
            await self._withdraw()

    async def _follow(self) -> None:
        from zeroconf import Error

        try:
            addresses = await asyncio.to_thread(self._addresses)
            if addresses and addresses != self._published:
                await self._publish(addresses)
            # A network that went away took its sockets along: back again, it counts as changed.
            self._published = addresses
        except (OSError, RuntimeError, ValueError, Error) as error:
            self._published = ()
            if not self._warned:
                _LOGGER.warning("zeroconf does not work here, trying again later: %s", error)
            self._warned = True

    async def _publish(self, addresses: tuple[str, ...]) -> None:
        from zeroconf.asyncio import AsyncZeroconf

        interfaces = _interfaces(addresses)
        if self._zeroconf is None:
            self._zeroconf = AsyncZeroconf(interfaces=interfaces)
            try:
                await self._register(self._zeroconf, addresses)
            except BaseException:
                await self._withdraw()
                raise
        else:
            await self._zeroconf.async_update_interfaces(interfaces)
            await (await self._zeroconf.async_update_service(self._service(addresses)))
        _LOGGER.info("announced as %s at %s", self.name, ", ".join(addresses))

    async def _register(self, zeroconf: AsyncZeroconf, addresses: tuple[str, ...]) -> None:
        service = self._service(addresses)
        broadcast = await zeroconf.async_register_service(service, allow_name_change=True)
        self.name = service.name.removesuffix("." + SERVICE_TYPE)
        await broadcast

    def _service(self, addresses: Sequence[str]) -> AsyncServiceInfo:
        from zeroconf.asyncio import AsyncServiceInfo

        return AsyncServiceInfo(
            SERVICE_TYPE,
            f"{self.name}.{SERVICE_TYPE}",
            port=self._port,
            parsed_addresses=list(addresses),
            # The host's own name in the records: two copies of one memory card share the
            # instance's identity, and must not answer for each other's addresses.
            server=f"cosyvoice-wyoming-{uuid.getnode():012x}.local.",
        )

    async def _withdraw(self) -> None:
        if self._zeroconf is None:
            return
        zeroconf, self._zeroconf = self._zeroconf, None
        with contextlib.suppress(TimeoutError, OSError):
            async with asyncio.timeout(GOODBYE_S):
                await zeroconf.async_close()


def _interfaces(addresses: Sequence[str]) -> list[str | int | tuple[tuple[str, int, int], int]]:
    """Return the addresses to multicast from: loopback only if nothing else is announced."""
    if all(ipaddress.ip_address(address).is_loopback for address in addresses):
        return ["127.0.0.1"]
    return list(machine_addresses())


@contextlib.asynccontextmanager
async def announced(settings: Settings, port: int) -> AsyncIterator[None]:
    """Keep the server announced while the block runs, and tell the log what people type.

    `port` is the one that is open. Does nothing for a server that no other machine can reach.
    """
    if not isinstance(settings.uri, TcpAddress):
        yield
        return
    addresses = await asyncio.to_thread(advertised_addresses, settings)
    _log_address(addresses, port)
    if not settings.zeroconf:
        yield
        return
    announcer = Announcer(
        instance_name(settings.data_dir), port, addresses=lambda: advertised_addresses(settings)
    )
    task = asyncio.create_task(announcer.run(), name="zeroconf")
    try:
        yield
    finally:
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task


def _log_address(addresses: Sequence[str], port: int) -> None:
    if addresses:
        _LOGGER.info(
            "in Home Assistant: Settings > Devices & services > Add integration > "
            "Wyoming Protocol, host %s, port %d",
            addresses[0],
            port,
        )
    else:
        _LOGGER.info("port %d is reachable from this machine only", port)
