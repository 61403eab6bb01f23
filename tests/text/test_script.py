from __future__ import annotations

import pytest

from cosyvoice_wyoming.text import Script, prepare
from cosyvoice_wyoming.text.language import Language
from cosyvoice_wyoming.text.spoken import Segment, Span


def script(text: str, text_format: str = "text", hint: Language | None = None) -> list[Segment]:
    by_character = Script(text_format, hint)
    slow = [segment for char in text for segment in by_character.feed(char)] + by_character.finish()
    whole = Script(text_format, hint)
    assert whole.feed(text) + whole.finish() == slow
    return slow


def said(text: str, text_format: str = "text", hint: Language = Language.ZH) -> str:
    prepared = (prepare(segment, hint) for segment in script(text, text_format, hint))
    return "|".join(spoken.words for spoken in prepared if spoken)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("下面就是代码：\n```python\nprint(1)\n```\n就是这样。", "下面就是代码：|就是这样。"),
        ("~~~\ncode\n```\ncode\n~~~\n后面的话", "后面的话"),
        ("> ```\n> code\n> ```\n后面的话", "后面的话"),
        ("```\n没有结束", ""),
        ("`a` 和 ```b``` 还有", "a和b还有"),
        ("```a``` 在行首", "a在行首"),
    ],
)
def test_fenced_code_is_not_said(text, words):
    assert said(text) == words


def test_break_is_a_pause():
    first, second = script('<speak>你好<break time="700ms"/>世界</speak>')
    assert (first.text, first.pause, second.text) == ("你好", 0.7, "世界")


def test_break_before_the_first_word_is_a_pause_of_its_own():
    first, _ = script('<speak><break strength="strong"/>世界</speak>')
    assert (first.text, first.pause) == ("", 0.7)


def test_break_has_an_upper_limit():
    first, _ = script('<speak>你好<break time="9999s"/>世界</speak>')
    assert first.pause == 10.0


@pytest.mark.parametrize(
    ("rate", "factor"),
    [
        *(("fast", 1.3), ("50%", 0.5), ("+20%", 1.2), ("-10%", 0.9), ("1.5", 1.5), ("odd", 1.0)),
        *(("900%", 4.0), ("0%", 0.25)),
    ],
)
def test_prosody_rate_is_a_factor(rate, factor):
    (segment,) = script(f'<speak><prosody rate="{rate}">快一点</prosody></speak>')
    assert segment.rate == pytest.approx(factor)


def test_lang_overrides_detection():
    first, second = script('<speak>你好<lang xml:lang="ja-JP">東京</lang></speak>')
    assert (first.language, second.language) == (None, Language.JA)


@pytest.mark.parametrize(
    ("element", "words"),
    [
        ('<sub alias="世界贸易组织">WTO</sub>', "世界贸易组织"),
        ('<say-as interpret-as="characters">NAS2</say-as>', "N-A-S二"),
        ('<say-as interpret-as="digits">2045</say-as>', "二零四五"),
        ('<say-as interpret-as="telephone">138-0013</say-as>', "一三八，零零一三"),
        ('<say-as interpret-as="ordinal">3</say-as>', "第三"),
        ('<say-as interpret-as="cardinal">1 234</say-as>', "一千二百三十四"),
        ('<say-as interpret-as="date" format="dmy">30/11/2026</say-as>', "二零二六年十一月三十日"),
        ('<say-as interpret-as="date" format="ymd">20261130</say-as>', "二零二六年十一月三十日"),
        ('<say-as interpret-as="date" format="md">11/30</say-as>', "十一月三十日"),
        ('<say-as interpret-as="time">12:30</say-as>', "十二点三十分"),
        ('<say-as interpret-as="unknown">12</say-as>', "十二"),
        ("<emphasis>好</emphasis>", "好"),
        ("<desc>不要说</desc>好", "好"),
        ("&lt;好&gt; &amp; 坏", "好和坏"),
    ],
)
def test_element_is_said(element, words):
    assert said(f"<speak>{element}</speak>") == words


@pytest.mark.parametrize(("language", "words"), [("en", "third"), ("ko", "세 번째")])
def test_ordinal_of_say_as_follows_the_language(language, words):
    element = '<say-as interpret-as="ordinal">3</say-as>'
    assert said(f"<speak>{element}</speak>", "text", Language(language)) == words


def test_phoneme_becomes_a_span_inside_its_sentence():
    element = '<phoneme alphabet="pinyin" ph="chong2 qing4">重庆</phoneme>'
    (segment,) = script(f"<speak>我在{element}，很好。</speak>")
    spoken = prepare(segment, Language.ZH)
    assert spoken is not None
    assert spoken.text == "我在重庆，很好。"
    assert spoken.spans == (
        Span(text="我在", language=Language.ZH),
        Span(text="重庆", language=Language.ZH, phonemes="pinyin:chong2 qing4"),
        Span(text="，很好。", language=Language.ZH),
    )


def test_phoneme_of_an_unknown_alphabet_is_its_text():
    assert said('<speak><phoneme alphabet="x-sampa" ph="a">好</phoneme></speak>') == "好"


@pytest.mark.parametrize(
    "text",
    [
        "<speak>你好 <b>世界",
        "<speak>你好 & 世界</speak>",
        '<!DOCTYPE a [<!ENTITY b "c">]><speak>你好&b;世界</speak>',
        "<speak><x:y>你好</x:y>世界</speak>",
    ],
)
@pytest.mark.parametrize("text_format", ["text", "ssml"])
def test_broken_ssml_is_read_as_text(text, text_format):
    words = said(text, text_format)
    assert "你好" in words
    assert "世界" in words
    assert "speak" not in words


def test_fragment_is_ssml_if_the_request_says_so():
    assert said('你好<sub alias="世界">W</sub>', "ssml") == "你好世界"


@pytest.mark.parametrize("text", ["<sp", "<speaker> 好", "", " ", "<"])
def test_what_only_starts_like_a_document_is_text(text):
    script(text)


def test_private_characters_of_a_user_are_dropped():
    (segment,) = script("好\ue000的\U000f0041吗\ue100")
    assert segment.text == "好的吗"
