from __future__ import annotations

import pytest

from cosyvoice_wyoming.phonemes.cantonese import CantoneseReader, sound_of
from cosyvoice_wyoming.phonemes.tables import table
from tests.phonemes.corpus import pronunciations


@pytest.fixture(scope="module")
def reader():
    return CantoneseReader()


@pytest.mark.parametrize(("written", "accepted"), pronunciations("yue"))
def test_characters_are_read_as_in_hong_kong(reader, written, accepted):
    assert " ".join(reader.jyutping(written)) in accepted


def test_every_reading_of_the_table_is_made_of_known_syllables():
    for word, jyutping in table("cantonese_words.tsv").items():
        assert len(jyutping.split()) == len(word)
        assert all(sound_of(syllable)[1] for syllable in jyutping.split()), word


@pytest.mark.parametrize(
    ("jyutping", "symbols", "tone"),
    [
        ("gwong1", "kwɔ→ŋ", 1),
        ("kwaa1", "kʰwa→", 1),
        ("ngo5", "ŋɔ↗", 5),
        ("sik6", "sɪk", 6),
        ("luk6", "lʊk", 6),
        ("keoi5", "kʰøy↗", 5),
        ("hou2", "hou↗", 2),
        ("sei3", "sei", 3),
        ("jyun4", "jy↓n", 4),
        ("hoeng1", "hœ→ŋ", 1),
        ("m4", "m↓", 4),
        ("ng5", "ŋ↗", 5),
        ("aa3", "a", 3),
        ("caat3", "ʦʰat", 3),
        ("zoi3", "ʦɔi", 3),
        ("hello", "", 0),
        ("hou7", "", 0),
    ],
)
def test_jyutping_becomes_the_voices_sounds(jyutping, symbols, tone):
    assert sound_of(jyutping) == (symbols, tone)


def test_each_syllable_knows_where_its_symbols_are(reader):
    said = reader.read("你好, 香港")
    assert [said.symbols[tone.start : tone.end] for tone in said.tones] == [
        "nei↗",
        "hou↗",
        "hœ→ŋ",
        "kɔ↗ŋ",
    ]
    assert [tone.tone for tone in said.tones] == [5, 2, 1, 2]


def test_simplified_characters_are_read_like_traditional_ones(reader):
    assert reader.read("电视开咗") == reader.read("電視開咗")
