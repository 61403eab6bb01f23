from __future__ import annotations

import dataclasses
import hashlib
import signal
import subprocess
import sys
import threading
import time

import pytest

from cosyvoice_wyoming.bundles import State, builders, catalog, open_bundle, verify
from cosyvoice_wyoming.bundles.sources import Recipe, SourceFile, UrlSource
from cosyvoice_wyoming.bundles.store import bundle_dir, ensure_recipe
from cosyvoice_wyoming.errors import BadOption, DownloadFailed
from tests.bundles.web import Site, serving

CONTENT = b"weights" * 5000


def toy(url):
    return Recipe(
        name="toy",
        engine="tone",
        sample_rate=24000,
        licence="MIT",
        description="",
        voices=(),
        files=(
            SourceFile(
                name="weights.bin",
                size=len(CONTENT),
                sha256=hashlib.sha256(CONTENT).hexdigest(),
                licence="MIT",
                sources=(UrlSource(url=url),),
            ),
        ),
        digest="1",
        origin="sources 1",
    )


def build_toy(recipe, fetcher, folder, _progress):
    for file in recipe.files:
        (folder / "graph.onnx").write_bytes(fetcher.fetch(file).read_bytes()[::-1])


@pytest.fixture
def site():
    with serving(Site(content=CONTENT)) as site:
        yield site


@pytest.fixture
def model(site, monkeypatch):
    monkeypatch.setitem(builders.BUILDERS, "toy", build_toy)
    return toy(site.url)


def test_a_model_is_fetched_built_and_leaves_nothing_else(model, tmp_path):
    folder = ensure_recipe(model, tmp_path)
    assert folder == bundle_dir(tmp_path, "toy")
    assert (folder / "graph.onnx").read_bytes() == CONTENT[::-1]
    assert open_bundle(folder).recipe == "1"
    visible = [path.name for path in folder.parent.iterdir() if path.name != ".lock"]
    assert visible == ["toy"]
    assert list((tmp_path / "downloads").iterdir()) == []


def test_a_whole_bundle_asks_nobody_for_anything(model, site, tmp_path):
    ensure_recipe(model, tmp_path)
    site.ranges.clear()
    ensure_recipe(model, tmp_path)
    assert site.ranges == []


@pytest.mark.parametrize("spoilt", [b"", CONTENT, CONTENT[::-1] + b"!"])
def test_a_spoilt_file_gives_one_line_and_is_made_again(model, tmp_path, caplog, spoilt):
    folder = ensure_recipe(model, tmp_path)
    (folder / "graph.onnx").write_bytes(spoilt)
    ensure_recipe(model, tmp_path)
    assert (folder / "graph.onnx").read_bytes() == CONTENT[::-1]
    assert len({record.getMessage() for record in caplog.records}) == 1
    assert "graph.onnx has " in caplog.text


def test_a_bundle_of_another_edition_is_made_anew(model, tmp_path):
    ensure_recipe(model, tmp_path)
    ensure_recipe(dataclasses.replace(model, digest="2"), tmp_path)
    assert open_bundle(bundle_dir(tmp_path, "toy")).recipe == "2"


def build_again(recipe, fetcher, folder, _progress):
    """Take the graph that a bundle of the same sources has; make it only if there is none."""
    if made := fetcher.made("graph.onnx"):
        (folder / "graph.onnx").write_bytes(made.read_bytes())
    else:
        build_toy(recipe, fetcher, folder, _progress)


def test_a_bundle_of_another_edition_is_made_of_what_is_there(model, site, tmp_path, monkeypatch):
    ensure_recipe(model, tmp_path)
    monkeypatch.setitem(builders.BUILDERS, "toy", build_again)
    site.ranges.clear()
    folder = ensure_recipe(dataclasses.replace(model, digest="2"), tmp_path)
    assert (folder / "graph.onnx").read_bytes() == CONTENT[::-1]
    assert open_bundle(folder).recipe == "2"
    assert site.ranges == []


@pytest.mark.parametrize("reason", ["other sources", "a spoilt file"])
def test_what_is_there_is_not_taken_if_it_may_be_wrong(model, site, tmp_path, monkeypatch, reason):
    folder = ensure_recipe(model, tmp_path)
    monkeypatch.setitem(builders.BUILDERS, "toy", build_again)
    if reason == "a spoilt file":
        (folder / "graph.onnx").write_bytes(CONTENT)
    else:
        model = dataclasses.replace(model, origin="sources 2")
    site.ranges.clear()
    ensure_recipe(dataclasses.replace(model, digest="2"), tmp_path)
    assert (folder / "graph.onnx").read_bytes() == CONTENT[::-1]
    assert len(site.ranges) == 1


def test_models_of_one_origin_share_what_arrived(model, site, tmp_path, monkeypatch):
    monkeypatch.setitem(builders.BUILDERS, "twin", build_toy)
    twin = dataclasses.replace(model, name="twin")

    def build_badly(recipe, fetcher, *_rest):
        fetcher.fetch(recipe.files[0])
        raise DownloadFailed("the power went")

    monkeypatch.setitem(builders.BUILDERS, "toy", build_badly)
    with pytest.raises(DownloadFailed):
        ensure_recipe(model, tmp_path)
    ensure_recipe(twin, tmp_path)
    assert len(site.ranges) == 1


def test_a_build_that_fails_leaves_the_old_bundle_as_it_was(model, site, tmp_path):
    folder = ensure_recipe(model, tmp_path)
    site.faults = ["404"]
    with pytest.raises(DownloadFailed):
        ensure_recipe(dataclasses.replace(model, digest="2"), tmp_path)
    assert open_bundle(folder).recipe == "1"
    assert [path.name for path in folder.parent.glob("*toy*")] == ["toy"]


def test_a_process_killed_while_building_leaves_nothing_half_made(model, tmp_path):
    script = """
import sys, time
from pathlib import Path
from cosyvoice_wyoming.bundles import builders, store
from tests.bundles.test_store import toy

def build(recipe, fetcher, folder, progress):
    (folder / "graph.onnx").write_bytes(fetcher.fetch(recipe.files[0]).read_bytes()[:100])
    print("half", flush=True)
    time.sleep(60)

builders.BUILDERS["toy"] = build
store.ensure_recipe(toy(sys.argv[1]), Path(sys.argv[2]))
"""
    url = model.files[0].sources[0].url
    with subprocess.Popen(
        [sys.executable, "-c", script, url, str(tmp_path)], stdout=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"half\n"
        process.send_signal(signal.SIGKILL)
    folder = bundle_dir(tmp_path, "toy")
    assert not folder.exists()
    assert list(folder.parent.glob(".toy.*"))
    ensure_recipe(model, tmp_path)
    assert (folder / "graph.onnx").read_bytes() == CONTENT[::-1]
    assert list(folder.parent.glob(".toy.*")) == []


def test_two_that_want_the_same_model_fetch_it_once(model, site, tmp_path, monkeypatch):
    def build_slowly(*arguments):
        time.sleep(0.2)
        build_toy(*arguments)

    monkeypatch.setitem(builders.BUILDERS, "toy", build_slowly)
    both = [threading.Thread(target=ensure_recipe, args=(model, tmp_path)) for _ in range(2)]
    for thread in both:
        thread.start()
    for thread in both:
        thread.join()
    assert site.ranges == [""]


def test_a_folder_that_cannot_be_written_is_one_sentence(model, tmp_path):
    (tmp_path / "models").write_text("a file is in the way")
    with pytest.raises(DownloadFailed, match="models cannot be written"):
        ensure_recipe(model, tmp_path)


def test_the_catalog_shows_models_that_are_not_here_and_those_that_broke(tmp_path):
    (entry,) = [entry for entry in catalog(tmp_path) if entry.name == "lite"]
    assert entry.state is State.ABSENT
    assert entry.size > 90_000_000
    folder = bundle_dir(tmp_path, "lite")
    folder.mkdir(parents=True)
    (folder / "bundle.toml").write_text("?")
    (entry,) = [entry for entry in catalog(tmp_path) if entry.name == "lite"]
    assert entry.state is State.BROKEN


def test_verify_says_that_a_model_is_not_there_or_not_known(tmp_path):
    assert "There is no model in" in verify("lite", tmp_path)[0]
    with pytest.raises(BadOption):
        verify("toy", tmp_path)
