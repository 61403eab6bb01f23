from __future__ import annotations

from itertools import groupby

import pytest
from wyoming.info import Info

from cosyvoice_wyoming import info
from cosyvoice_wyoming.text.language import Language, parse_tag
from cosyvoice_wyoming.voices import STANDARD_VOICES
from cosyvoice_wyoming.wire import encode_event

DESCRIPTION = info.describe(STANDARD_VOICES)
[PROGRAM] = DESCRIPTION.tts


def test_there_is_one_program_and_it_streams():
    assert PROGRAM.name == "cosyvoice-wyoming"
    assert PROGRAM.installed
    assert PROGRAM.supports_synthesize_streaming
    assert DESCRIPTION.satellite is None


def test_the_same_voices_give_the_same_bytes():
    again = info.describe(list(STANDARD_VOICES))
    assert encode_event(again.event()) == encode_event(DESCRIPTION.event())


def test_home_assistant_reads_it_whole():
    assert Info.from_event(DESCRIPTION.event()) == DESCRIPTION


def test_voices_come_with_the_names_that_automations_use():
    assert [voice.name for voice in PROGRAM.voices] == [
        *("zh_female_01", "zh_female_02", "zh_male_01", "zh_male_02"),
        *("en_female_01", "en_male_01", "ja_female_01", "ja_male_01"),
        *("ko_female_01", "ko_male_01", "yue_female_01", "yue_male_01"),
    ]


@pytest.mark.parametrize(
    ("name", "tags"),
    [
        ("zh_male_02", ["zh", "zh-CN", "zh-TW"]),
        ("en_male_01", ["en", "en-US", "en-GB"]),
        ("ja_male_01", ["ja", "ja-JP"]),
        ("ko_male_01", ["ko", "ko-KR"]),
        ("yue_male_01", ["yue", "yue-HK", "zh-HK"]),
    ],
)
def test_a_voice_is_listed_under_every_tag_that_people_choose(name, tags):
    [voice] = [voice for voice in PROGRAM.voices if voice.name == name]
    assert voice.languages == tags


@pytest.mark.parametrize("language", Language)
def test_every_announced_tag_is_understood(language):
    assert {parse_tag(tag) for tag in info.LANGUAGE_TAGS[language]} == {language}


def test_the_first_label_of_a_language_is_its_first_female_voice():
    """Home Assistant sorts by label and preselects the first."""
    for _, group in groupby(PROGRAM.voices, lambda voice: voice.languages[0]):
        voices = list(group)
        assert sorted(voices, key=lambda voice: str(voice.description)) == voices
        assert voices[0].name.endswith("_female_01")


def test_voices_that_are_not_native_say_so():
    experimental = {v.name for v in PROGRAM.voices if "(experimental)" in str(v.description)}
    assert experimental == {"ko_female_01", "ko_male_01", "yue_female_01", "yue_male_01"}
