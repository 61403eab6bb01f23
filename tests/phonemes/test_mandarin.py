from __future__ import annotations

import pytest

from cosyvoice_wyoming.phonemes import symbol_ids
from cosyvoice_wyoming.phonemes.mandarin import MandarinReader
from cosyvoice_wyoming.phonemes.pinyin import sound_of
from cosyvoice_wyoming.phonemes.tables import table
from tests.phonemes.corpus import pronunciations


@pytest.fixture(scope="module")
def reader():
    return MandarinReader()


def pinyin(reader: MandarinReader, text: str) -> str:
    return "".join(syllable.pinyin for word in reader.words(text) for syllable in word)


@pytest.mark.parametrize(("written", "accepted"), pronunciations("zh"))
def test_characters_are_read_as_the_sentence_asks(reader, written, accepted):
    assert pinyin(reader, written).replace("，", "") in accepted


def test_every_reading_of_the_table_is_made_of_known_syllables():
    for word, pinyin in table("mandarin_words.tsv").items():
        readings = pinyin.split()
        assert len(readings) == len(word), word
        assert all(sound_of(reading) for reading in readings), word


@pytest.mark.parametrize(
    ("pinyin", "symbols"),
    [
        ("lv4", "ly↘"),
        ("nv3", "ny↓"),
        ("bang2", "pa↗ŋ"),  # no word has it, so it is built from another tone of the syllable
        ("bang5", "paŋ"),
        ("zhong1", "ꭧʊ→ŋ"),
        ("er5", "ɚ"),
        ("xyz1", ""),
    ],
)
def test_syllables_become_the_voices_sounds(pinyin, symbols):
    assert sound_of(pinyin) == symbols
    assert set(symbols) <= set(symbol_ids())


def test_words_are_apart_and_marks_close_up(reader):
    assert reader.read("你好,世界").symbols == "ni↗xau↓, ʂɨ↘ʨje↘"


def test_the_n_before_erhua_is_lost(reader):
    assert reader.read("一点儿").symbols == "i↘tjɛ↓ɚ"


def test_traditional_characters_are_read_like_simplified_ones(reader):
    assert reader.read("臥室的燈還亮著").symbols == reader.read("卧室的灯还亮着").symbols
