from __future__ import annotations

import logging

import pytest

from cosyvoice_wyoming.text.language import Language
from cosyvoice_wyoming.voices import STANDARD_VOICES, VoiceCatalog, VoiceWish

SFT_NAMES = {
    *("zh_female_01", "zh_male_01", "ja_male_01", "yue_female_01"),
    *("en_female_01", "en_male_01", "ko_female_01"),
}
SFT_VOICES = [voice for voice in STANDARD_VOICES if voice.name in SFT_NAMES]


def resolve(catalog: VoiceCatalog, **wish: str) -> str | None:
    voice = catalog.resolve(VoiceWish(**wish))
    return voice.name if voice else None


@pytest.mark.parametrize(
    ("wish", "name"),
    [
        ({"name": "zh_male_02"}, "zh_male_02"),
        ({"name": " ZH_Male_02 "}, "zh_male_02"),
        ({"name": "zh_male_02", "language": "ja"}, "zh_male_02"),
        ({"name": "x", "language": "ja"}, "ja_female_01"),
        ({"name": "cosyvoice", "speaker": "ko_male_01"}, "ko_male_01"),
        ({"language": "yue"}, "yue_female_01"),
        ({"language": "zh-HK"}, "yue_female_01"),
        ({"language": "zh-TW"}, "zh_female_01"),
        ({"language": "EN_gb"}, "en_female_01"),
        ({"language": "xx"}, None),
        ({"name": "x"}, None),
        ({"name": "fr_female_01"}, None),
        ({"name": "zh_female_²"}, None),
        ({"speaker": "3"}, None),
        ({}, None),
    ],
)
def test_a_wish_is_met_as_nearly_as_it_can_be(wish, name):
    assert resolve(VoiceCatalog(STANDARD_VOICES), **wish) == name


@pytest.mark.parametrize(
    ("name", "nearest"),
    [
        ("zh_female_02", "zh_female_01"),
        ("zh_male_07", "zh_male_01"),
        ("ja_female_01", "ja_male_01"),
        ("ko_male_01", "ko_female_01"),
    ],
)
def test_a_voice_that_the_model_lacks_falls_back_to_the_nearest(name, nearest, caplog):
    assert resolve(VoiceCatalog(SFT_VOICES), name=name) == nearest
    assert nearest in caplog.text


def test_an_unknown_voice_is_warned_about_once(caplog):
    catalog = VoiceCatalog(STANDARD_VOICES)
    for name in ("nobody", "nobody", "somebody"):
        resolve(catalog, name=name)
    assert [record.getMessage() for record in caplog.records] == [
        "unknown voice 'nobody': the default voice speaks",
        "unknown voice 'somebody': the default voice speaks",
    ]


def test_warnings_about_made_up_names_are_short_and_come_to_an_end(caplog):
    caplog.set_level(logging.WARNING)
    catalog = VoiceCatalog(STANDARD_VOICES)
    for number in range(1000):
        resolve(catalog, name=f"{number}\n" * 1000)
    assert len(caplog.records) < 300
    assert all(len(r.getMessage()) < 200 and "\n" not in r.getMessage() for r in caplog.records)


@pytest.mark.parametrize("language", Language)
def test_every_language_has_a_default_voice_of_its_own(language):
    assert VoiceCatalog(STANDARD_VOICES).default(language).name == f"{language}_female_01"


def test_the_settings_choose_default_voices():
    catalog = VoiceCatalog(STANDARD_VOICES, ("zh_male_02", "ja_male_01"))
    assert catalog.default(Language.ZH).name == "zh_male_02"
    assert catalog.default(Language.JA).name == "ja_male_01"
    assert catalog.default(Language.EN).name == "en_female_01"
    assert resolve(catalog, language="zh-CN") == "zh_male_02"


def test_a_model_without_a_language_speaks_it_with_its_first_voice():
    english = [voice for voice in STANDARD_VOICES if voice.language is Language.EN]
    assert VoiceCatalog(english).default(Language.KO).name == "en_female_01"
