from __future__ import annotations

import pytest

from cosyvoice_wyoming.phonemes.japanese import JapaneseReader
from tests.phonemes.corpus import pronunciations


@pytest.fixture(scope="module")
def reader():
    return JapaneseReader()


@pytest.mark.parametrize(("written", "accepted"), pronunciations("ja"))
def test_kanji_are_read_as_the_sentence_asks(reader, written, accepted):
    assert "".join(word.kana for word in reader.words(written)) in accepted


@pytest.mark.parametrize(
    ("kana", "symbols"),
    [
        ("キャット", "kʲaʔto"),
        ("頑張る", "ɡambaɾɯ"),  # ん is m before lips, n before teeth, ŋ before the soft palate
        ("本当", "hontoː"),
        ("ゲンキ", "ɡeŋkʲi"),
        ("ホン", "hoɴ"),
        ("ファイル", "ɸaiɾɯ"),
        ("ラーメン", "ɾaːmeɴ"),
    ],
)
def test_kana_become_the_voices_sounds(reader, kana, symbols):
    assert reader.read(kana).symbols == symbols


def test_particles_are_said_as_they_sound(reader):
    assert reader.read("私は東京へ本を").symbols == "βataɕi βa toːkʲoː e hoɴ o"


def test_kanji_outside_the_dictionary_are_read_without_another_dictionary(reader):
    assert [word.kana for word in reader.words("囧です")] == ["ケー", "デス"]


def test_the_accent_of_a_word_is_at_hand(reader):
    assert [word.accent for word in reader.words("雨")] == [1]
    assert [word.accent for word in reader.words("鼻")] == [0]


def test_kanji_without_any_japanese_reading_are_read_in_mandarin(reader):
    assert reader.read("们です").symbols == "mən desɨ"
