from __future__ import annotations

import re
from pathlib import Path

import pytest

from cosyvoice_wyoming.phonemes.japanese import JapaneseReader
from cosyvoice_wyoming.text import prepare
from cosyvoice_wyoming.text.language import Language
from cosyvoice_wyoming.text.languages.japanese import Japanese, cardinal
from cosyvoice_wyoming.text.spoken import Segment

CORPUS = Path(__file__).parent.parent / "corpus" / "ja.tsv"
LINES = [
    line.split("\t")
    for line in CORPUS.read_text(encoding="utf-8").splitlines()
    if not line.startswith("#")
]


@pytest.fixture(scope="module")
def reader():
    return JapaneseReader()


def spoken(text: str) -> str:
    said = prepare(Segment(text=text), Language.JA)
    assert said is not None
    return said.words


@pytest.mark.parametrize(("text", "accepted", "_source"), LINES)
def test_text_is_read_as_a_japanese_speaker_would(reader, text, accepted, _source):
    kana = "".join(word.kana for word in reader.words(spoken(text)))
    assert re.sub("[^ァ-ヶー]", "", kana) in accepted.split("|")


@pytest.mark.parametrize("text", [line[0] for line in LINES])
def test_no_digit_is_left(text):
    assert not any(map(str.isdigit, spoken(text)))


@pytest.mark.parametrize(
    ("digits", "words"),
    [
        ("0", "零"),
        ("05", "五"),
        ("10", "十"),
        ("1000", "千"),
        ("10000", "一万"),
        ("10000000", "一千万"),
        ("1200000000000", "一兆二千億"),
        ("10000000000000000", "一京"),
        ("100000000000000000000", "イチ" + "ゼロ" * 20),  # too long to have a name
    ],
)
def test_whole_numbers_are_written_in_kanji(digits, words):
    assert cardinal(digits) == words


@pytest.mark.parametrize(
    ("word", "kana"),
    [
        ("YouTube", "ユーチューブ"),
        ("Wi-Fi", "ワイファイ"),
        ("TV", "テレビ"),
        ("HDMI", "エイチディーエムアイ"),
        ("umbrella", None),  # spoken as English
    ],
)
def test_latin_words_that_japanese_knows_are_in_kana(word, kana):
    assert Japanese().latin(word) == kana
