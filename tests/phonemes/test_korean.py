from __future__ import annotations

import pytest

from cosyvoice_wyoming.phonemes.hangul import compose, decompose
from cosyvoice_wyoming.phonemes.korean import KoreanReader
from tests.phonemes.corpus import pronunciations


@pytest.fixture(scope="module")
def reader():
    return KoreanReader()


@pytest.mark.parametrize(("written", "accepted"), pronunciations("ko"))
def test_hangul_is_said_as_the_standard_rules_ask(reader, written, accepted):
    assert reader.spoken_hangul(written) in accepted


@pytest.mark.parametrize(
    ("written", "symbols"),
    [
        ("가구", "kaɡu"),  # lax stops are voiced between vowels
        ("까치", "kaʨʰi"),  # a tense stop at the start of a word is written plain
        ("아빠", "aʔpa"),
        ("시간", "ɕiɡan"),
        ("쉬다", "ɕwida"),
        ("샤워", "ɕawʌ"),
        ("달라", "talla"),
        ("주야", "ʨuja"),
        ("의사", "ɨisa"),
        ("부엌, 밥", "puʌk, pap"),  # a mark starts a new phrase
        ("큰 방", "kʰɨn baŋ"),
    ],
)
def test_surface_hangul_becomes_the_voices_sounds(reader, written, symbols):
    assert reader.read(written).symbols == symbols


def test_every_syllable_comes_apart_and_together():
    for code in range(ord("가"), ord("힣") + 1):
        assert compose(*decompose(chr(code))) == chr(code)


def test_taking_apart_what_is_no_syllable_is_an_error():
    with pytest.raises(ValueError, match="no Hangul"):
        decompose("a")
