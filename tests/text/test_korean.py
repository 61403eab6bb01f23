from __future__ import annotations

import re
from pathlib import Path

import pytest

from cosyvoice_wyoming.text import prepare
from cosyvoice_wyoming.text.language import Language
from cosyvoice_wyoming.text.languages.korean import Korean, native, sino
from cosyvoice_wyoming.text.spoken import Segment

CORPUS = Path(__file__).parent.parent / "corpus" / "ko.tsv"
LINES = [
    line.split("\t")
    for line in CORPUS.read_text(encoding="utf-8").splitlines()
    if not line.startswith("#")
]


def spoken(text: str) -> str:
    said = prepare(Segment(text=text), Language.KO)
    assert said is not None
    return said.words


def bare(text: str) -> str:
    return re.sub(r"[\s.,!?]", "", text)


@pytest.mark.parametrize(("text", "accepted", "_source"), LINES)
def test_text_is_read_as_a_korean_speaker_would(text, accepted, _source):
    assert bare(spoken(text)) in map(bare, accepted.split("|"))


@pytest.mark.parametrize("text", [line[0] for line in LINES])
def test_no_digit_is_left(text):
    assert not any(map(str.isdigit, spoken(text)))


@pytest.mark.parametrize(
    ("digits", "words"),
    [
        ("0", "영"),
        ("05", "오"),
        ("10", "십"),
        ("10000", "만"),
        ("11111", "만 천백십일"),
        ("100000000", "일억"),
        ("100010000", "일억 일만"),
        ("10000000000000000", "일경"),
        ("1" + "0" * 20, "일" + "영" * 20),  # too long to have a name
    ],
)
def test_whole_numbers_are_sino_korean(digits, words):
    assert sino(digits) == words


@pytest.mark.parametrize(
    ("value", "words"), [(1, "한"), (4, "네"), (20, "스무"), (21, "스물한"), (99, "아흔아홉")]
)
def test_native_numerals_have_their_form_before_a_counter(value, words):
    assert native(value) == words


@pytest.mark.parametrize(
    ("word", "hangul"),
    [("YouTube", "유튜브"), ("Wi-Fi", "와이파이"), ("HDMI", "에이치디엠아이"), ("umbrella", None)],
)
def test_latin_words_that_korean_knows_are_in_hangul(word, hangul):
    assert Korean().latin(word) == hangul
