from __future__ import annotations

import re

import pytest

from cosyvoice_wyoming.bundles.builders import BUILDERS
from cosyvoice_wyoming.bundles.cards import models_dir
from cosyvoice_wyoming.bundles.checksum import mismatch
from cosyvoice_wyoming.bundles.sources import (
    NpmSource,
    OwnSource,
    PypiSource,
    UrlSource,
    recipe,
    recipes,
)
from cosyvoice_wyoming.errors import BadOption, ModelCorrupt
from cosyvoice_wyoming.voices import STANDARD_VOICES


def test_every_model_can_be_built_and_spoken():
    from cosyvoice_wyoming.engine.registry import ENGINES

    assert set(recipes()) == set(BUILDERS)
    assert {model.engine for model in recipes().values()} <= set(ENGINES)


OFFICIAL = {"llm.pt", "flow.pt", "hift.pt", "spk2info.pt"}
"""Files without a stated hash, whose structure is checked instead."""


@pytest.mark.parametrize("file", [file for model in recipes().values() for file in model.files])
def test_every_file_says_what_it_is_and_where(file):
    assert file.size > 0
    assert file.licence
    assert file.sources
    if all(isinstance(source, UrlSource) for source in file.sources) and not file.sha256:
        return  # its publisher states no hash; the build checks its structure
    assert re.fullmatch(r"[0-9a-f]{64}", file.sha256) or file.name in OFFICIAL


@pytest.mark.parametrize("file", [file for model in recipes().values() for file in model.files])
def test_packages_are_pinned_to_a_version(file):
    for source in file.sources:
        if isinstance(source, PypiSource):
            assert all(re.search(r"==\d", part.package) for part in source.parts)
        if isinstance(source, NpmSource):
            assert all(re.search(r"@\d", part.package) for part in source.parts)


def test_lite_hq_has_the_twelve_standard_voices_and_a_file_for_each_pack():
    lite = recipe("lite-hq")
    assert [voice.name for voice in lite.voices] == [voice.name for voice in STANDARD_VOICES]
    packs = {f"voices/{pack}.bin" for voice in lite.voices for pack in voice.packs}
    assert packs == {file.name for file in lite.files if file.name.startswith("voices/")}


def test_weights_of_our_own_are_what_their_card_says():
    own = [file for file in recipe("lite").files if file.is_own]
    assert [file.name for file in own] == ["context.onnx", "student.onnx"]
    for file in own:
        (source,) = file.sources
        assert isinstance(source, OwnSource)
        assert mismatch(models_dir() / source.path, file.size, file.sha256) is None


def test_an_unknown_model_is_named_with_those_that_exist():
    with pytest.raises(BadOption, match="no model 'lyte'; the models are lite"):
        recipe("lyte")


def test_a_model_takes_what_it_does_not_say_from_the_one_it_is_like(tmp_path):
    (tmp_path / "sources.toml").write_text("""
        [small]
        like = "big"
        description = "small"
        files = [{ name = "b", size = 2, sha256 = "", licence = "MIT", sources = [] }]

        [big]
        engine = "tone"
        sample_rate = 24000
        licence = "MIT"
        description = "big"
        voices = []
        files = [{ name = "a", size = 1, sha256 = "", licence = "MIT", sources = [] }]
    """)
    small, big = recipes(tmp_path / "sources.toml").values()
    assert (small.engine, small.description) == ("tone", "small")
    assert [file.name for file in small.files] == ["a", "b"]
    assert [file.name for file in big.files] == ["a"]


def test_the_digest_changes_with_any_value(tmp_path):
    text = """
        [m]
        engine = "tone"
        sample_rate = 24000
        licence = "MIT"
        description = ""
        voices = []
        files = []
    """
    (tmp_path / "a.toml").write_text(text)
    (tmp_path / "b.toml").write_text(text.replace("24000", "22050"))
    one, other = recipe("m", tmp_path / "a.toml"), recipe("m", tmp_path / "b.toml")
    assert one.digest != other.digest
    assert one.digest == recipe("m", tmp_path / "a.toml").digest


OWN = """
[big]
engine = "tone"
sample_rate = 24000
licence = "MIT"
description = "big"
voices = [{ name = "en_male_01" }, { name = "en_female_01" }]
files = [{ name = "a", size = 1, sha256 = "", licence = "MIT", sources = [] }]

[small]
like = "big"
files = [{ name = "weights.onnx", own = "ours/card.toml" }]
"""


def card(models, voices='["en_male_01"]', sha256="s"):
    (models / "ours").mkdir(exist_ok=True)
    (models / "sources.toml").write_text(OWN)
    (models / "ours/card.toml").write_text(f"""
        file = "weights7.onnx"
        size = 7
        sha256 = "{sha256}"
        licence = "Apache-2.0"
        voices = {voices}
    """)
    return recipes(models / "sources.toml")


def test_a_file_of_our_own_is_what_its_card_says(tmp_path):
    file = card(tmp_path)["small"].files[-1]
    assert (file.name, file.size, file.sha256) == ("weights.onnx", 7, "s")
    assert file.sources == (OwnSource(path="ours/weights7.onnx"),)
    assert card(tmp_path)["small"].download_size == 1


def test_a_voice_that_our_weights_were_not_made_for_is_not_one_of_the_model(tmp_path):
    models = card(tmp_path)
    assert [voice.name for voice in models["small"].voices] == ["en_male_01"]
    assert [voice.name for voice in models["big"].voices] == ["en_male_01", "en_female_01"]
    assert len(card(tmp_path, voices="[]")["small"].voices) == 2


def test_other_weights_of_our_own_change_the_digest_but_not_the_origin(tmp_path):
    one, other = card(tmp_path), card(tmp_path, sha256="t")
    assert one["small"].digest != other["small"].digest
    assert one["small"].origin == other["small"].origin == one["big"].origin
    assert one["big"].digest == other["big"].digest


def test_other_files_to_fetch_or_another_edition_change_the_origin(tmp_path):
    old = card(tmp_path)["small"].origin
    for before, after in (("size = 1", "size = 2"), ("[big]", "[big]\nedition = 2")):
        (tmp_path / "sources.toml").write_text(OWN.replace(before, after))
        assert recipe("small", tmp_path / "sources.toml").origin != old


def test_a_card_that_is_missing_is_one_sentence(tmp_path):
    (tmp_path / "sources.toml").write_text(OWN)
    with pytest.raises(ModelCorrupt, match=r"card\.toml cannot be read .*install this program"):
        recipes(tmp_path / "sources.toml")
