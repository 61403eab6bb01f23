from __future__ import annotations

import os

import pytest

from cosyvoice_wyoming.bundles.manifest import (
    MANIFEST,
    STAMP,
    open_bundle,
    problems,
    read_manifest,
    write_manifest,
)
from cosyvoice_wyoming.bundles.sources import Recipe, VoiceSource
from cosyvoice_wyoming.errors import ModelCorrupt, ModelMissing

RECIPE = Recipe(
    name="toy",
    engine="tone",
    sample_rate=24000,
    licence='MIT "or" 粵',
    description="",
    voices=(VoiceSource(name="zh_female_01", packs=("a", "b")), VoiceSource(name="en_male_01")),
    files=(),
    digest="d" * 64,
    origin="o" * 64,
)


@pytest.fixture
def bundle(tmp_path):
    folder = tmp_path / "toy"
    (folder / "voices").mkdir(parents=True)
    (folder / "model.onnx").write_bytes(b"model" * 100)
    (folder / "voices" / "a.bin").write_bytes(b"voice")
    write_manifest(folder, RECIPE)
    return folder


def overwrite_unnoticed(path, content):
    """Change a file as a failing disk would: same length, same times, same inode."""
    before = path.stat()
    with path.open("r+b") as file:
        file.write(content)
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


def test_a_manifest_says_what_the_recipe_said_and_lists_every_file(bundle):
    manifest = open_bundle(bundle)
    assert (manifest.name, manifest.engine, manifest.sample_rate) == ("toy", "tone", 24000)
    assert (manifest.licence, manifest.recipe) == (RECIPE.licence, RECIPE.digest)
    assert manifest.origin == RECIPE.origin
    assert manifest.voices == RECIPE.voices
    assert [file.path for file in manifest.files] == ["model.onnx", "voices/a.bin"]
    assert manifest.size == 505
    assert problems(bundle) == []


@pytest.mark.parametrize("stamped", [False, True])
@pytest.mark.parametrize(
    ("spoil", "reason"),
    [
        (lambda path: path.unlink(), "is missing"),
        (lambda path: path.write_bytes(b"model" * 99), "has 495 bytes, not 500"),
        (lambda path: path.write_bytes(b"MODEL" * 100), "has the wrong SHA-256"),
    ],
)
def test_a_file_that_does_not_match_is_not_opened(bundle, spoil, reason, stamped):
    if stamped:
        open_bundle(bundle)
    spoil(bundle / "model.onnx")
    with pytest.raises(ModelCorrupt, match=rf"model\.onnx {reason}; run .*models fetch toy"):
        open_bundle(bundle)
    assert problems(bundle) == [f"{bundle / 'model.onnx'} {reason}"]


def test_an_untouched_file_is_read_once_and_again_by_verify(bundle):
    open_bundle(bundle)
    overwrite_unnoticed(bundle / "model.onnx", b"MODEL")
    open_bundle(bundle)
    assert problems(bundle) == [f"{bundle / 'model.onnx'} has the wrong SHA-256"]


def test_a_manifest_that_asks_for_another_hash_voids_the_stamp(bundle):
    open_bundle(bundle)
    wanted = next(file.sha256 for file in read_manifest(bundle).files)
    text = (bundle / MANIFEST).read_text()
    (bundle / MANIFEST).write_text(text.replace(wanted, "0" * 64))
    with pytest.raises(ModelCorrupt, match="wrong SHA-256"):
        open_bundle(bundle)


def test_a_spoilt_stamp_only_costs_time(bundle):
    open_bundle(bundle)
    (bundle / STAMP).write_bytes(b"\xff\x00")
    open_bundle(bundle)


def test_a_stamp_is_not_part_of_the_bundle(bundle):
    open_bundle(bundle)
    assert (bundle / STAMP).exists()
    assert STAMP not in [file.path for file in read_manifest(bundle).files]


def test_a_folder_without_a_manifest_is_a_missing_model(tmp_path):
    with pytest.raises(ModelMissing, match="run `cosyvoice-wyoming models fetch`"):
        open_bundle(tmp_path)
    with pytest.raises(ModelMissing):
        open_bundle(tmp_path / "nowhere")


@pytest.mark.parametrize("text", ["", "name = ", 'name = "toy"', "\x00", 'files = "all"'])
def test_a_manifest_that_cannot_be_read_is_a_broken_model(bundle, text):
    (bundle / MANIFEST).write_text(text)
    with pytest.raises(ModelCorrupt, match="cannot be read as a manifest"):
        open_bundle(bundle)
    assert len(problems(bundle)) == 1


def test_a_manifest_of_an_older_edition_has_no_origin(bundle):
    text = (bundle / MANIFEST).read_text()
    (bundle / MANIFEST).write_text(text.replace(f'origin = "{RECIPE.origin}"\n', ""))
    assert open_bundle(bundle).origin == ""
