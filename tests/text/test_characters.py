from __future__ import annotations

import pytest

from cosyvoice_wyoming.text.characters import is_han, is_hangul, is_kana, tenths


@pytest.mark.parametrize(
    ("chars", "han", "kana", "hangul"),
    [
        ("㐀一好鿿\uf900\ufaff𠀀", True, False, False),
        ("ぁんァヺーㇰｱ", False, True, False),
        ("가힣ㅋㆎᄀ", False, False, True),
        ("aé1。\ue000\U000f0000😀々", False, False, False),
    ],
)
def test_script_of_a_character(chars, han, kana, hangul):
    for char in chars:
        assert (is_han(char), is_kana(char), is_hangul(char)) == (han, kana, hangul)


@pytest.mark.parametrize(
    ("char", "length"),
    [("好", 10), ("가", 10), ("か", 7), ("a", 3), ("。", 3), (" ", 0), ("\U000f0061", 0)],
)
def test_speech_units_of_a_character(char, length):
    assert tenths(char) == length
