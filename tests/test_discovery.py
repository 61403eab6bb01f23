from __future__ import annotations

import asyncio
import contextlib
import dataclasses
import ipaddress
import stat
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest
from zeroconf.asyncio import AsyncServiceBrowser, AsyncServiceInfo, AsyncZeroconf

from cosyvoice_wyoming.address import TcpAddress, UnixAddress
from cosyvoice_wyoming.discovery import (
    SERVICE_TYPE,
    Announcer,
    advertised_addresses,
    announced,
    instance_name,
    is_reachable,
    machine_addresses,
)
from cosyvoice_wyoming.settings import Settings

LOOPBACK = ("127.0.0.1",)
PATIENCE_S = 20.0


class Browser:
    """What Home Assistant sees: the services of the type, by instance name."""

    def __init__(self, zeroconf: AsyncZeroconf) -> None:
        self._zeroconf = zeroconf
        self.names: set[str] = set()
        self._browser = AsyncServiceBrowser(
            zeroconf.zeroconf, SERVICE_TYPE, handlers=[self._changed]
        )

    def _changed(self, *, zeroconf, service_type, name, state_change) -> None:
        if state_change.name == "Removed":
            self.names.discard(name)
        else:
            self.names.add(name)

    async def service(self, instance: str) -> AsyncServiceInfo:
        info = AsyncServiceInfo(SERVICE_TYPE, f"{instance}.{SERVICE_TYPE}")
        assert await info.async_request(self._zeroconf.zeroconf, 3000)
        return info


@contextlib.asynccontextmanager
async def browsing() -> AsyncIterator[Browser]:
    async with AsyncZeroconf(interfaces=["127.0.0.1"]) as zeroconf:
        yield Browser(zeroconf)


@contextlib.asynccontextmanager
async def running(announcer: Announcer) -> AsyncIterator[None]:
    task = asyncio.create_task(announcer.run())
    try:
        yield
    finally:
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task


async def until(condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(PATIENCE_S):
        while not condition():
            await asyncio.sleep(0.05)


def loopback_announcer(name: str, port: int = 10200) -> Announcer:
    return Announcer(name, port, addresses=lambda: LOOPBACK)


async def test_a_browser_finds_the_server_and_sees_it_leave(tmp_path):
    settings = Settings(data_dir=tmp_path, advertise_host="127.0.0.1")
    instance = instance_name(tmp_path)
    name = f"{instance}.{SERVICE_TYPE}"
    async with browsing() as browser:
        async with announced(settings, 10299):
            await until(lambda: name in browser.names)
            info = await browser.service(instance)
            assert info.port == 10299
            assert info.parsed_addresses() == ["127.0.0.1"]
        await until(lambda: name not in browser.names)


async def test_a_second_server_of_the_same_name_takes_another():
    first, second = loopback_announcer("twin", 1), loopback_announcer("twin", 2)
    async with browsing() as browser, running(first):
        await until(lambda: f"twin.{SERVICE_TYPE}" in browser.names)
        async with running(second):
            await until(lambda: f"twin-2.{SERVICE_TYPE}" in browser.names)
            assert (await browser.service("twin")).port == 1
            assert (await browser.service("twin-2")).port == 2
            assert second.name == "twin-2"
            hosts = {(await browser.service(name)).server for name in ("twin", "twin-2")}
            assert len(hosts) == 1  # of one machine, so never two machines under one name


async def test_a_changed_address_is_announced_anew():
    current = ["127.0.0.1"]
    announcer = Announcer("mover", 10200, addresses=lambda: tuple(current), poll_s=0.05)
    async with browsing() as browser, running(announcer):
        await until(lambda: f"mover.{SERVICE_TYPE}" in browser.names)
        current[:] = ["127.0.0.2", "127.0.0.3"]
        # The old one may linger: caches keep what is younger than a second (RFC 6762 §10.2).
        async with asyncio.timeout(PATIENCE_S):
            while not set(current) <= set((await browser.service("mover")).parsed_addresses()):
                await asyncio.sleep(0.1)


async def test_a_network_that_comes_late_is_used(caplog):
    attempts = 0

    def addresses() -> tuple[str, ...]:
        nonlocal attempts
        attempts += 1
        if attempts < 3:
            raise OSError("no network yet")
        return LOOPBACK

    announcer = Announcer("late", 10200, addresses=addresses, poll_s=0.05)
    async with browsing() as browser, running(announcer):
        await until(lambda: f"late.{SERVICE_TYPE}" in browser.names)
    assert caplog.text.count("zeroconf does not work here") == 1


async def test_no_address_is_no_failure():
    announcer = Announcer("nowhere", 10200, addresses=lambda: (), poll_s=0.01)
    async with running(announcer):
        await asyncio.sleep(0.1)


@pytest.mark.parametrize(
    "settings",
    [Settings(uri=UnixAddress(path=Path("/run/x"))), Settings(uri=TcpAddress(), zeroconf=False)],
)
async def test_nothing_is_announced_unasked(tmp_path, settings):
    async with announced(dataclasses.replace(settings, data_dir=tmp_path), 10200):
        assert not [task for task in asyncio.all_tasks() if task.get_name() == "zeroconf"]
    assert not list(tmp_path.iterdir())


async def test_the_log_says_what_people_type_into_home_assistant(tmp_path, caplog):
    caplog.set_level("INFO")
    settings = Settings(data_dir=tmp_path, zeroconf=False, advertise_host="192.168.7.7")
    async with announced(settings, 10201):
        pass
    assert "host 192.168.7.7, port 10201" in caplog.text


def test_the_machines_addresses_can_be_reached_from_outside():
    for address in machine_addresses():
        assert is_reachable(ipaddress.ip_address(address))


@pytest.mark.parametrize(
    ("address", "reachable"),
    [
        ("192.168.1.2", True),
        ("fd00::2", True),
        ("2a00:1450::1", True),
        ("127.0.0.1", False),
        ("::1", False),
        ("0.0.0.0", False),
        ("::", False),
        ("169.254.3.4", False),
        ("fe80::1", False),
        ("224.0.0.251", False),
    ],
)
def test_which_addresses_are_worth_announcing(address, reachable):
    assert is_reachable(ipaddress.ip_address(address)) is reachable


@pytest.mark.parametrize("host", ["127.0.0.1", "::1", "fe80::1"])
def test_a_server_bound_to_loopback_announces_nothing(host):
    assert advertised_addresses(Settings(uri=TcpAddress(host=host))) == ()


def test_a_server_bound_to_one_address_announces_that_one():
    assert advertised_addresses(Settings(uri=TcpAddress(host="10.9.8.7"))) == ("10.9.8.7",)


@pytest.mark.parametrize(("host", "version"), [("0.0.0.0", 4), ("::", 6)])
def test_a_server_of_one_family_announces_that_family(host, version):
    found = advertised_addresses(Settings(uri=TcpAddress(host=host)))
    of_machine = [a for a in machine_addresses() if ipaddress.ip_address(a).version == version]
    assert list(found) == of_machine


def test_the_advertised_host_may_be_a_name():
    assert "127.0.0.1" in advertised_addresses(Settings(advertise_host="localhost"))


def test_a_name_that_does_not_resolve_leaves_the_machines_addresses(caplog):
    settings = Settings(advertise_host="does-not-exist.invalid")
    assert advertised_addresses(settings) == machine_addresses()
    assert "does-not-exist.invalid cannot be resolved" in caplog.text


def test_the_instance_keeps_its_name(tmp_path):
    name = instance_name(tmp_path)
    assert instance_name(tmp_path) == name
    assert instance_name(tmp_path / "other") != name


@pytest.mark.parametrize("content", [b"", b"\xff\xfe", b"../..\n", b"x" * 100])
def test_a_damaged_identity_gives_a_stable_name_still(tmp_path, content):
    (tmp_path / "instance-id").write_bytes(content)
    name = instance_name(tmp_path)
    assert name.removeprefix("cosyvoice-wyoming-").isalnum()
    assert instance_name(tmp_path) == name


def test_a_data_folder_that_cannot_be_made_is_a_warning(tmp_path, caplog):
    file = tmp_path / "file"
    file.write_text("")
    file.chmod(stat.S_IRUSR)
    assert instance_name(file / "below").startswith("cosyvoice-wyoming-")
    assert "cannot be used" in caplog.text
