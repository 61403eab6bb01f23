"""The official files arrive whole, from the net or a folder, and become a bundle or nothing."""

from __future__ import annotations

import dataclasses
import sys

import pytest

from cosyvoice_wyoming.bundles import builders, cosyvoice, store
from cosyvoice_wyoming.bundles.download import Downloader
from cosyvoice_wyoming.bundles.fetch import Fetcher
from cosyvoice_wyoming.bundles.progress import silent
from cosyvoice_wyoming.bundles.sources import SourceFile, UrlSource, recipe
from cosyvoice_wyoming.engine.cosyvoice import load
from cosyvoice_wyoming.engine.cosyvoice.bundle import SPEECH_LM, read_description
from cosyvoice_wyoming.errors import DownloadFailed, ModelCorrupt
from tests.bundles.web import Site, serving
from tests.support.tiny_cosyvoice import write_source

CONTENT = b"tensors" * 5000
QUICK = Downloader(attempts=2, pause=0.01, timeout=5)
TINY_PROGRAM = (sys.executable, "-m", "tests.support.build_tiny")
NAME = "cosyvoice-300m-sft"


@pytest.fixture
def site():
    with serving(Site(content=CONTENT)) as site:
        yield site


def unpinned(*urls):
    return SourceFile(
        name="llm.pt",
        size=1,
        sha256="",
        licence="Apache-2.0",
        sources=tuple(UrlSource(url=url) for url in urls),
    )


def test_a_file_without_a_hash_is_as_long_as_its_server_says(site, tmp_path):
    fetched = Fetcher(tmp_path, silent, QUICK).fetch(unpinned(site.url))
    assert fetched.read_bytes() == CONTENT


def test_a_broken_connection_is_resumed(site, tmp_path):
    site.faults = ["cut"]
    fetched = Fetcher(tmp_path, silent, QUICK).fetch(unpinned(site.url))
    assert fetched.read_bytes() == CONTENT
    assert site.ranges[-1].startswith("bytes=")


def test_the_next_mirror_is_tried_when_one_fails(site, tmp_path):
    dead = "http://127.0.0.1:9/llm.pt"
    assert Fetcher(tmp_path, silent, QUICK).fetch(unpinned(dead, site.url)).is_file()


def test_without_a_mirror_the_file_is_named(tmp_path):
    with pytest.raises(DownloadFailed, match=r"llm\.pt"):
        Fetcher(tmp_path, silent, QUICK).fetch(unpinned("http://127.0.0.1:9/llm.pt"))


def test_a_file_of_the_user_s_is_taken_as_it_lies(tmp_path):
    own = tmp_path / "own"
    own.mkdir()
    (own / "llm.pt").write_bytes(b"mine")
    fetcher = Fetcher(tmp_path / "downloads", silent, QUICK, local=own)
    assert fetcher.fetch(unpinned("http://127.0.0.1:9/llm.pt")) == own / "llm.pt"


@pytest.fixture(scope="module")
def own_files(tmp_path_factory):
    return write_source(tmp_path_factory.mktemp("own"))


@pytest.fixture
def tiny(monkeypatch):
    """Build with the sizes of the tiny model: the official ones would refuse its files."""
    monkeypatch.setattr(cosyvoice, "PROGRAM", TINY_PROGRAM)


def test_a_bundle_is_made_from_a_folder_and_speaks(tiny, own_files, tmp_path):
    folder = store.fetch(NAME, tmp_path, local=own_files)
    assert store.verify(NAME, tmp_path) == []
    engine = load(folder)
    assert {voice.name for voice in engine.voices} == {v.name for v in recipe(NAME).voices}


def test_another_model_s_files_make_nothing(own_files, tmp_path):
    with pytest.raises(ModelCorrupt, match=r"spk2info\.pt"):
        store.fetch(NAME, tmp_path, local=own_files)
    assert not (tmp_path / "models" / NAME).exists()


def test_a_corrupt_download_is_fetched_anew_and_a_user_s_file_stays(tiny, own_files, tmp_path):
    own, downloads = tmp_path / "own", tmp_path / "downloads" / recipe(NAME).origin[:16]
    own.mkdir()
    downloads.mkdir(parents=True)
    for file in own_files.iterdir():
        if file.name != "flow.pt":
            (own / file.name).symlink_to(file)
    (downloads / "flow.pt").write_bytes(b"PK not a checkpoint")
    with pytest.raises(ModelCorrupt, match=r"flow\.pt"):
        store.fetch(NAME, tmp_path, local=own)
    assert not (downloads / "flow.pt").exists()

    (own / "flow.pt").write_bytes(b"PK not a checkpoint")
    with pytest.raises(ModelCorrupt, match=r"flow\.pt"):
        store.fetch(NAME, tmp_path, local=own)
    assert (own / "flow.pt").exists()


def test_a_build_that_is_killed_leaves_nothing_half_made(own_files, tmp_path, monkeypatch):
    monkeypatch.setattr(cosyvoice, "PROGRAM", (*TINY_PROGRAM, "STOP"))
    with pytest.raises(ModelCorrupt, match="out of memory"):
        store.fetch(NAME, tmp_path, local=own_files)
    assert [path.name for path in (tmp_path / "models").iterdir()] == [".lock"]


def test_a_build_that_is_interrupted_leaves_nothing_half_made(tiny, own_files, tmp_path):
    def stop(step):
        if "flow" in step.text:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        store.fetch(NAME, tmp_path, stop, local=own_files)
    assert [path.name for path in (tmp_path / "models").iterdir()] == [".lock"]


def test_a_full_disk_is_found_before_the_build(own_files, tmp_path, monkeypatch):
    monkeypatch.setitem(cosyvoice._BUNDLE_BYTES, "balanced", 1 << 60)
    wanted = recipe(NAME)
    fetcher = Fetcher(tmp_path / "downloads", silent, QUICK, local=own_files)
    with pytest.raises(DownloadFailed, match="MiB are needed"):
        builders.BUILDERS[NAME](wanted, fetcher, tmp_path, silent)


def test_another_preset_of_the_same_weights_needs_no_fetching(tiny, own_files, tmp_path):
    store.fetch(NAME, tmp_path, local=own_files)
    folder = store.fetch(f"{NAME}-fast", tmp_path)
    assert read_description(folder)[0] == "fast"
    assert store.verify(f"{NAME}-fast", tmp_path) == store.verify(NAME, tmp_path) == []
    assert load(folder).voices


def test_weights_of_another_precision_are_not_taken_over(tiny, own_files, tmp_path):
    store.fetch(NAME, tmp_path, local=own_files)
    folder = store.fetch(f"{NAME}-exact", tmp_path, local=own_files)
    assert read_description(folder)[0] == "exact"
    balanced = tmp_path / "models" / NAME
    assert (folder / SPEECH_LM).stat().st_size != (balanced / SPEECH_LM).stat().st_size


def test_the_three_presets_are_made_of_the_same_files():
    names = [NAME, f"{NAME}-fast", f"{NAME}-exact"]
    files = [[dataclasses.asdict(file) for file in recipe(name).files] for name in names]
    assert files[0] == files[1] == files[2]
