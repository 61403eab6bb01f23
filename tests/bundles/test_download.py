from __future__ import annotations

import resource
import socket

import pytest

from cosyvoice_wyoming.bundles.download import Downloader, SourceFailed
from tests.bundles.web import Site, serving

CONTENT = bytes(range(256)) * 4096
QUICK = Downloader(attempts=3, pause=0.01, timeout=5)


def ignore(_: int) -> None:
    pass


@pytest.fixture
def site():
    with serving(Site(content=CONTENT)) as site:
        yield site


@pytest.fixture
def target(tmp_path):
    return tmp_path / "file.part"


def test_a_file_arrives_and_the_progress_ends_at_its_size(site, target):
    seen: list[int] = []
    QUICK.download(site.url, target, len(CONTENT), seen.append)
    assert target.read_bytes() == CONTENT
    assert seen[-1] == len(CONTENT)
    assert seen == sorted(seen)


def test_a_broken_connection_goes_on_where_it_broke(site, target):
    site.faults = ["cut", "cut"]
    QUICK.download(site.url, target, len(CONTENT), ignore)
    assert target.read_bytes() == CONTENT
    half, more = len(CONTENT) // 2, len(CONTENT) * 3 // 4
    assert site.ranges == ["", f"bytes={half}-", f"bytes={more}-"]


def test_what_an_earlier_process_left_is_not_sent_again(site, target):
    target.write_bytes(CONTENT[:1000])
    QUICK.download(site.url, target, len(CONTENT), ignore)
    assert target.read_bytes() == CONTENT
    assert site.ranges == ["bytes=1000-"]


def test_a_server_that_cannot_resume_sends_everything_again(site, target):
    target.write_bytes(CONTENT[:1000])
    site.faults = ["no-range"]
    QUICK.download(site.url, target, len(CONTENT), ignore)
    assert target.read_bytes() == CONTENT


def test_a_file_that_is_longer_than_it_should_be_starts_over(site, target):
    target.write_bytes(CONTENT + b"?")
    QUICK.download(site.url, target, len(CONTENT), ignore)
    assert target.read_bytes() == CONTENT


def test_nothing_is_asked_for_when_everything_is_there(site, target):
    target.write_bytes(CONTENT)
    QUICK.download(site.url, target, len(CONTENT), ignore)
    assert site.ranges == []


def test_a_busy_server_is_asked_again(site, target):
    site.faults = ["503", "429"]
    QUICK.download(site.url, target, len(CONTENT), ignore)
    assert target.read_bytes() == CONTENT


@pytest.mark.parametrize(
    ("faults", "reason"),
    [
        (["404"], "answered 404"),
        (["html"], "a web page instead of the file"),
        (["503", "503", "503"], r"answered 503 \(3 attempts\)"),
        (["cut", "cut", "cut"], r"of 1048576 bytes \(3 attempts\)"),
    ],
)
def test_a_source_fails_with_its_reason(site, target, faults, reason):
    site.faults = faults
    with pytest.raises(SourceFailed, match=reason):
        QUICK.download(site.url, target, len(CONTENT), ignore)


def test_a_server_that_sends_more_than_promised_is_stopped(site, target):
    with pytest.raises(SourceFailed, match="more than 1000 bytes"):
        QUICK.download(site.url, target, 1000, ignore)


def test_a_server_that_is_not_there_is_a_reason(target):
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    with pytest.raises(SourceFailed, match="no connection"):
        QUICK.download(f"http://127.0.0.1:{port}/", target, 1000, ignore)


def test_only_web_addresses_are_opened(target):
    with pytest.raises(SourceFailed, match="not an address"):
        QUICK.download("file:///etc/passwd", target, 1000, ignore)


def test_a_file_that_the_disk_cannot_hold_is_not_begun(site, target):
    with pytest.raises(SourceFailed, match="MiB are needed"):
        QUICK.download(site.url, target, 1 << 60, ignore)
    assert site.ranges == []


def test_a_disk_that_fills_up_is_an_error_and_keeps_what_arrived(site, target):
    limit = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, limit[1]))
    try:
        with pytest.raises(OSError, match="too large"):
            QUICK.download(site.url, target, len(CONTENT), ignore)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limit)
    assert target.read_bytes() == CONTENT[: target.stat().st_size]
    QUICK.download(site.url, target, len(CONTENT), ignore)
    assert target.read_bytes() == CONTENT
