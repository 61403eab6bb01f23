from __future__ import annotations

import hashlib
import io
import json
import tarfile
import zipfile

import pytest

from cosyvoice_wyoming.bundles.cards import models_dir
from cosyvoice_wyoming.bundles.download import Downloader
from cosyvoice_wyoming.bundles.fetch import Fetcher
from cosyvoice_wyoming.bundles.progress import silent
from cosyvoice_wyoming.bundles.sources import (
    Member,
    NpmSource,
    OwnSource,
    PypiSource,
    SourceFile,
    UrlSource,
)
from cosyvoice_wyoming.errors import DownloadFailed
from tests.bundles.web import Site, serving

CONTENT = b"weights" * 5000
QUICK = Downloader(attempts=2, pause=0.01, timeout=5)


def file_from(*sources, content=CONTENT):
    return SourceFile(
        name="voices/a.bin",
        size=len(content),
        sha256=hashlib.sha256(content).hexdigest(),
        licence="MIT",
        sources=sources,
    )


def wheel(path, member, content):
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(member, content)
        name = path.name.split("-")[0]
        info = f"{name}-1.0.dist-info"
        archive.writestr(f"{info}/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0")
        archive.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nTag: py3-none-any\n")
        archive.writestr(f"{info}/RECORD", "")
    return str(path)


@pytest.fixture
def site():
    with serving(Site(content=CONTENT)) as site:
        yield site


@pytest.fixture
def fetcher(tmp_path):
    return Fetcher(tmp_path / "downloads", silent, QUICK)


def test_a_file_comes_from_its_address_and_is_not_fetched_twice(site, fetcher):
    wanted = file_from(UrlSource(url=site.url))
    assert fetcher.fetch(wanted).read_bytes() == CONTENT
    assert fetcher.fetch(wanted).read_bytes() == CONTENT
    assert len(site.ranges) == 1


def test_the_next_source_is_tried_with_one_line_for_the_one_that_failed(site, fetcher, caplog):
    with serving(Site(content=CONTENT, faults=["404"])) as missing:
        wanted = file_from(UrlSource(url=missing.url), UrlSource(url=site.url))
        assert fetcher.fetch(wanted).read_bytes() == CONTENT
    assert [record.getMessage() for record in caplog.records] == [
        f"voices/a.bin from {missing.url}: the server answered 404 Not Found"
    ]


@pytest.mark.parametrize(
    ("content", "reason"),
    [(b"WEIGHTS" * 5000, "what came has the wrong SHA-256"), (b"short", "of 35000 bytes")],
)
def test_a_wrong_file_never_gets_its_name(fetcher, caplog, content, reason):
    with serving(Site(content=content)) as site, pytest.raises(DownloadFailed, match="No source"):
        fetcher.fetch(file_from(UrlSource(url=site.url)))
    assert reason in caplog.text


def test_a_wrong_beginning_from_elsewhere_is_fetched_again(site, fetcher, tmp_path):
    part = tmp_path / "downloads/voices/a.bin.part"
    part.parent.mkdir(parents=True)
    part.write_bytes(b"X" * 1000)
    assert fetcher.fetch(file_from(UrlSource(url=site.url))).read_bytes() == CONTENT
    assert site.ranges == ["bytes=1000-", ""]


def test_a_file_that_was_spoilt_on_the_disk_is_fetched_again(site, fetcher):
    wanted = file_from(UrlSource(url=site.url))
    fetcher.fetch(wanted).write_bytes(b"spoilt")
    assert fetcher.fetch(wanted).read_bytes() == CONTENT


def test_the_parts_of_a_file_come_out_of_wheels_in_order(fetcher, tmp_path):
    one = wheel(tmp_path / "one-1.0-py3-none-any.whl", "one/part.bin", CONTENT[:7000])
    two = wheel(tmp_path / "two-1.0-py3-none-any.whl", "two/part.bin", CONTENT[7000:])
    parts = (Member(package=one, path="one/part.bin"), Member(package=two, path="two/part.bin"))
    assert fetcher.fetch(file_from(PypiSource(parts=parts))).read_bytes() == CONTENT


def test_a_file_comes_out_of_an_npm_package(fetcher, tmp_path):
    archive = tmp_path / "demo-1.0.0.tgz"
    with tarfile.open(archive, "w:gz") as package:
        manifest = json.dumps({"name": "demo", "version": "1.0.0"}).encode()
        for name, content in (("package.json", manifest), ("a.bin", CONTENT)):
            entry = tarfile.TarInfo(f"package/{name}")
            entry.size = len(content)
            package.addfile(entry, io.BytesIO(content))
    source = NpmSource(parts=(Member(package=str(archive), path="package/a.bin"),))
    assert fetcher.fetch(file_from(source)).read_bytes() == CONTENT


def test_a_package_without_the_file_is_a_failed_source(site, fetcher, tmp_path, caplog):
    demo = wheel(tmp_path / "demo-1.0-py3-none-any.whl", "demo/else.bin", CONTENT)
    packaged = PypiSource(parts=(Member(package=demo, path="demo/part.bin"),))
    wanted = file_from(packaged, UrlSource(url=site.url))
    assert fetcher.fetch(wanted).read_bytes() == CONTENT
    assert "has no demo/part.bin" in caplog.text


def test_a_package_that_does_not_exist_is_a_failed_source(site, fetcher, tmp_path, caplog):
    packaged = PypiSource(parts=(Member(package=str(tmp_path / "no.whl"), path="part.bin"),))
    wanted = file_from(packaged, UrlSource(url=site.url))
    assert fetcher.fetch(wanted).read_bytes() == CONTENT
    assert "from PyPI: " in caplog.text


def test_a_file_of_this_package_is_copied(fetcher):
    content = (models_dir() / "sources.toml").read_bytes()
    wanted = file_from(OwnSource(path="sources.toml"), content=content)
    assert fetcher.fetch(wanted).read_bytes() == content


def test_a_file_that_the_package_lacks_is_a_failed_source(fetcher, caplog):
    with pytest.raises(DownloadFailed):
        fetcher.fetch(file_from(OwnSource(path="no/such.onnx")))
    assert "from this package: " in caplog.text


@pytest.mark.parametrize("held", [CONTENT, CONTENT[::-1]])
def test_a_file_of_another_bundle_is_taken_if_it_is_the_same(site, tmp_path, held):
    (tmp_path / "kin/voices").mkdir(parents=True)
    (tmp_path / "kin/voices/a.bin").write_bytes(held)
    fetcher = Fetcher(tmp_path / "downloads", silent, QUICK, kin=[tmp_path / "kin"])
    assert fetcher.fetch(file_from(UrlSource(url=site.url))).read_bytes() == CONTENT
    assert len(site.ranges) == (held != CONTENT)
