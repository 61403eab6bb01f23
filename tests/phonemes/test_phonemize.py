from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cosyvoice_wyoming.phonemes import Phonemes, phonemize, preload, symbol_ids
from cosyvoice_wyoming.text.language import Language
from cosyvoice_wyoming.text.spoken import Span, Spoken

WORDS = {
    Language.ZH: "你好，客厅的灯",
    Language.YUE: "你好，客廳嘅燈",
    Language.JA: "こんにちは、電気をつけて",
    Language.KO: "안녕하세요, 거실 불",
    Language.EN: "Hello, the living room lights",
}


@pytest.fixture(scope="module", autouse=True)
def _loaded():
    preload(Language)


def say(text: str, language: Language, phonemes: str = "") -> Phonemes:
    span = Span(text=text, language=language, phonemes=phonemes)
    return phonemize(Spoken(text=text, language=language, spans=(span,)))


def test_the_vocabulary_is_the_models():
    ids = symbol_ids()
    assert len(ids) == len(set(ids.values())) == 114
    assert (ids[";"], ids[" "], ids["a"], ids["ᵻ"]) == (1, 16, 43, 177)
    assert all(len(symbol) == 1 for symbol in ids)


@pytest.mark.parametrize("language", Language)
def test_every_language_is_read_and_keeps_its_comma(language):
    symbols = say(WORDS[language], language).symbols
    before, after = symbols.split(", ")
    assert before
    assert after


@pytest.mark.parametrize("language", Language)
@pytest.mark.parametrize("words", WORDS.values())
def test_words_of_another_script_are_read_by_its_language(language, words):
    assert len(say(words, language).symbols) > 10


def test_an_english_span_inside_a_chinese_sentence_is_english_between_spaces():
    spans = (
        Span(text="打开", language=Language.ZH),
        Span(text="living room", language=Language.EN),
        Span(text="的灯。", language=Language.ZH),
    )
    spoken = Spoken(text="打开living room的灯。", language=Language.ZH, spans=spans)
    assert phonemize(spoken).symbols == "ta↓kʰai→ lˈɪvɪŋ ɹˈum tɤ tə→ŋ."


@pytest.mark.parametrize(
    ("text", "symbols"),
    [
        ("你好。。。", "ni↗xau↓…"),
        ("你好……", "ni↗xau↓…"),
        ("（你好）", "(ni↗xau↓)"),
        ("「你好」", "“ni↗xau↓”"),
        ("你好——世界", "ni↗xau↓— ʂɨ↘ʨje↘"),
        ("你好·世界", "ni↗xau↓ ʂɨ↘ʨje↘"),
        ("二，三；四：五！六？", "ɚ↘, sa→n; sɨ↘: u↓! ljou↘?"),
        ("5度", "u↓tu↘"),  # a digit that the front end missed
        ("ｶﾒﾗ", "kameɾa"),
        ("ＴＶ", "tˌivˈi"),
        ("μ", "mjˈu"),
        ("สวัสดี", ""),  # no language here reads Thai
        ("", ""),
    ],
)
def test_marks_and_stray_characters_become_what_can_be_said(text, symbols):
    assert say(text, Language.ZH).symbols == symbols


def test_a_wide_comma_between_english_words_keeps_its_pause():
    assert say("PPM，PM", Language.ZH).symbols == "pˌipˌiˈɛm, pˌiˈɛm"


def test_a_lone_a_is_the_letter():
    assert say("A栋", Language.ZH).symbols == "ˈA tʊ↘ŋ"


def test_cyrillic_is_read_through_latin_letters():
    assert say("Привет", Language.ZH) == say("privet", Language.EN)


def test_given_phonemes_replace_the_readers():
    assert say("重庆", Language.ZH, phonemes="ꭧʰʊ↗ŋ☃ʨʰi↘ŋ").symbols == "ꭧʰʊ↗ŋʨʰi↘ŋ"


def test_tones_stand_on_the_syllables_of_cantonese_only():
    spans = (
        Span(text="hello，", language=Language.EN),
        Span(text="你好", language=Language.YUE),
    )
    said = phonemize(Spoken(text="hello，你好", language=Language.YUE, spans=spans))
    assert [(said.symbols[t.start : t.end], t.tone) for t in said.tones] == [
        ("nei↗", 5),
        ("hou↗", 2),
    ]
    assert say("你好", Language.ZH).tones == ()


@given(
    st.lists(
        st.tuples(
            st.one_of(
                st.text(max_size=20),
                st.text("你好咗嘅重ウァンー안녕ㅋaZ9é。、(“…д\ud800", max_size=20),
            ),
            st.sampled_from(Language),
        ),
        max_size=3,
    )
)
@settings(deadline=None)
def test_any_text_gives_symbols_of_the_vocabulary_and_tones_in_order(pieces):
    spans = tuple(Span(text=text, language=language) for text, language in pieces)
    said = phonemize(Spoken(text="", language=Language.ZH, spans=spans))
    assert set(said.symbols) <= set(symbol_ids())
    assert said.symbols == said.symbols.strip()
    end = 0
    for tone in said.tones:
        assert end <= tone.start < tone.end <= len(said.symbols)
        assert 1 <= tone.tone <= 6
        end = tone.end
