from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cosyvoice_wyoming.phonemes import from_notation, phonemize, symbol_ids
from cosyvoice_wyoming.text.language import Language
from cosyvoice_wyoming.text.spoken import Span, Spoken


@pytest.mark.parametrize(
    ("notation", "symbols"),
    [
        ("pinyin:chong2 qing4", "ꭧʰʊ↗ŋʨʰi↘ŋ"),
        ("pinyin:chong2qing4", "ꭧʰʊ↗ŋʨʰi↘ŋ"),
        ("pinyin:Chóng qìng", "ꭧʰʊ↗ŋʨʰi↘ŋ"),
        ("pinyin:lü4", "ly↘"),
        ("pinyin:nǚ", "ny↓"),
        ("pinyin:lu:4", "ly↘"),
        ("pinyin:ma", "ma"),
        ("pinyin:xyz9", ""),
        ("jyutping:gaau3 zung1", "kauʦʊ→ŋ"),
        ("jyutping:hou", ""),  # without a tone it is no syllable
        ("ipa:təˈmeɪtoʊ", "təmˈAtO".replace("mˈ", "ˈm")),
        ("ipa:ˈt͡ʃiːz", "ˈʧiz"),
        ("ipa:wa.ta", "wata"),
        ("hˈOm", "hˈOm"),
    ],
)
def test_notations_become_the_voices_symbols(notation, symbols):
    assert from_notation(notation).symbols == symbols


def test_jyutping_keeps_its_tones():
    said = from_notation("jyutping:nei5 hou2")
    assert [(said.symbols[t.start : t.end], t.tone) for t in said.tones] == [
        ("nei↗", 5),
        ("hou↗", 2),
    ]


def test_a_notation_that_cannot_be_read_leaves_the_word_to_its_reader():
    span = Span(text="你好", language=Language.ZH, phonemes="pinyin:???")
    spoken = Spoken(text="你好", language=Language.ZH, spans=(span,))
    assert phonemize(spoken).symbols == "ni↗xau↓"


@given(st.sampled_from(["pinyin:", "jyutping:", "ipa:", ""]), st.text(max_size=30))
def test_any_notation_gives_symbols_of_the_vocabulary(alphabet, text):
    said = from_notation(alphabet + text)
    assert set(said.symbols) <= set(symbol_ids())
    assert all(0 <= tone.start < tone.end <= len(said.symbols) for tone in said.tones)
