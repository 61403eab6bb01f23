"""Laws of the text front end that hold for every text."""

from __future__ import annotations

import re

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from cosyvoice_wyoming.text import Script, prepare
from cosyvoice_wyoming.text.characters import is_ascii_alnum, tenths
from cosyvoice_wyoming.text.language import Language, detect, parse_tag
from cosyvoice_wyoming.text.segment import LIMITS, MIN_TENTHS, Segmenter
from cosyvoice_wyoming.text.spoken import Segment

LAW = settings(deadline=None, max_examples=150)

FRAGMENTS = st.sampled_from(
    [
        *(
            "好的。",
            "客厅的灯已经打开了，",
            "温度是21.5°C",
            "还需要别的吗？！",
            "「はい。」と",
            "言った。",
        ),
        *(
            "네. 알겠습니다.",
            "온도는 3.5도",
            "Dr. Smith paid $3.50 at 5 p.m.",
            " Then ",
            "12:30",
            "10–15",
        ),
        *(
            "\n- ",
            "\n1. ",
            "\n\n",
            "```\n",
            "**",
            "_",
            "~~",
            "`",
            "<b>",
            "</b>",
            "<|x|>",
            "[a](http://b.c)",
        ),
        *(
            "…",
            "……",
            "——",
            "。",
            "，",
            ".",
            ",",
            ":",
            "?",
            "!",
            "”",
            "」",
            " ",
            "\u3000",
            "%",
            "-",
            "/",
            "&",
        ),
        *(
            "😀",
            "👨‍👩‍👧",
            "\u0301",
            "\u200d",
            "\ud800",
            "\x00",
            "٣",
            "½",
            "²",
            "Ⅳ",
            "①",
            "ｶﾞ",
            "ﬁ",
            "〇",
            "々",
        ),
        *(
            "abc",
            "NAS",
            "CO2",
            "a@b.co",
            "light.living_room",
            "2026-11-30",
            "192.168.1.1",
            "第3章",
            "3本",
        ),
    ]
)
TEXTS = st.one_of(st.text(max_size=200), st.lists(FRAGMENTS, max_size=40).map("".join))
HINTS = st.sampled_from([None, *Language])
SIZE = 30_000
LONGEST = 2 * max(limits.hard for limits in LIMITS)


def segments_of(text: str, cuts: list[int] | None = None) -> list[Segment]:
    """Feed a text to a script in pieces that end at the cuts."""
    script = Script()
    ends = sorted({cut % (len(text) + 1) for cut in cuts or []} | {len(text)})
    starts = [0, *ends]
    done = [
        segment
        for start, end in zip(starts, ends, strict=False)
        for segment in script.feed(text[start:end])
    ]
    return done + script.finish()


def letters(text: str) -> str:
    return "".join(filter(str.isalnum, text))


@LAW
@given(TEXTS, st.lists(st.integers(0, 5000), max_size=30))
@example("```\ncode\n```\n好的。", [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12])
@example("<speak>好<break/>的</speak>", [3, 9])
def test_pieces_do_not_change_the_segments(text: str, cuts: list[int]) -> None:
    assert segments_of(text, cuts) == segments_of(text)


@LAW
@given(TEXTS)
def test_segmenter_loses_no_letter_or_digit(text: str) -> None:
    segmenter = Segmenter()
    segments = segmenter.feed(text) + segmenter.finish()
    assert letters("".join(segment.text for segment in segments)) == letters(text)


@LAW
@given(TEXTS)
def test_segments_have_words_and_a_bounded_length(text: str) -> None:
    segmenter = Segmenter()
    segments = segmenter.feed(text) + segmenter.finish()
    lengths = [sum(map(tenths, segment.text)) for segment in segments]
    assert all(letters(segment.text) for segment in segments)
    assert min(lengths[:-1], default=MIN_TENTHS) >= MIN_TENTHS
    assert all(length <= LONGEST for length in lengths)


@LAW
@given(TEXTS)
def test_no_cut_inside_an_ascii_word_or_number(text: str) -> None:
    segmenter = Segmenter()
    segments = segmenter.feed(text) + segmenter.finish()
    at = 0
    for segment in segments[:-1]:
        at = text.index(segment.text, at) + len(segment.text)
        longest_run = max(map(len, re.findall("[0-9A-Za-z]+", segment.text)), default=0)
        if longest_run < LONGEST // 6:
            assert not (is_ascii_alnum(text[at - 1]) and is_ascii_alnum(text[at : at + 1] or " "))


@LAW
@given(TEXTS, HINTS)
@example("9" * 5000, Language.EN)
@example("9" * 5000 + "%", Language.KO)
@example("." * 3000, None)
@example("1/" * 500, Language.JA)
def test_nothing_unspeakable_is_left(text: str, hint: Language | None) -> None:
    spoken = prepare(Segment(text=text), hint)
    if spoken is None:
        return
    assert all(span.text for span in spoken.spans)
    for char in spoken.words:
        assert char.isalpha() or char in " '-.,:;!?…、，：；。！？", repr(char)
        assert not char.isdigit()


@LAW
@given(TEXTS, HINTS)
@example("0.AA", None)
@example("0.CO", None)
@example("0B.A$𠀀", None)
@example("一°C-A", None)
def test_preparing_words_again_changes_nothing(text: str, hint: Language | None) -> None:
    spoken = prepare(Segment(text=text), hint)
    if spoken is None:
        return
    again = prepare(Segment(text=spoken.words, language=spoken.language), hint)
    assert again is not None
    assert again.words == spoken.words


@LAW
@given(
    st.text(st.sampled_from("0123456789abcxyz好了ひと사람 ，。.,"), min_size=1, max_size=80), HINTS
)
def test_every_letter_is_said(text: str, hint: Language | None) -> None:
    spoken = prepare(Segment(text=text), hint)
    written = [char for char in text if char.isalpha() and not char.isascii()]
    said = "" if spoken is None else spoken.words
    assert [char for char in written if char not in said] == []
    assert (spoken is None) == (not letters(text))


@LAW
@given(st.text(max_size=60))
def test_tags_and_detection_never_raise(text: str) -> None:
    parse_tag(text)
    assert detect(text) in Language


@pytest.mark.parametrize(
    "unit",
    [
        *(
            "a",
            "好",
            "。",
            ". ",
            "！",
            " ",
            "\n",
            "好，",
            "Hello, world. ",
            "<a ",
            "1.",
            "1:",
            "1,",
            "-",
        ),
        *("*", "[", "1 - ", "1/", "$1", "1 2", "[a](", "\ud800", "```\n", "https://a.", "a@"),
    ],
)
def test_much_of_anything_is_prepared(unit: str) -> None:
    """Quadratic scanning in any step would make this test take minutes."""
    text = (unit * SIZE)[:SIZE]
    segments = segments_of(text)
    spoken = [prepare(segment, Language.ZH) for segment in [*segments, Segment(text=text)]]
    assert any(spoken) == bool(letters(text)) or unit == "```\n"
