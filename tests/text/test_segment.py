from __future__ import annotations

import pytest

from cosyvoice_wyoming.text.segment import Segmenter


def cut(text: str) -> list[str]:
    segmenter = Segmenter()
    return [segment.text for segment in segmenter.feed(text) + segmenter.finish()]


SPLITS = {
    "a short sentence joins the next, the first segment ends at a comma": (
        "好的。客厅的灯已经打开了，空调也调到了24度，还需要别的吗？",
        ["好的。客厅的灯已经打开了，", "空调也调到了24度，还需要别的吗？"],
    ),
    "later segments do not end at every comma": (
        "今天的天气预报说有雨。下午的时候，记得带上雨伞，早点回家休息吧。",
        ["今天的天气预报说有雨。", "下午的时候，记得带上雨伞，早点回家休息吧。"],
    ),
    "abbreviations, prices and addresses hold together": (
        "Dr. Smith paid $3.50 at 5 p.m. yesterday. See https://example.com/a.b?c=1. Then go home.",
        [
            "Dr. Smith paid $3.50 at 5 p.m. yesterday.",
            "See https://example.com/a.b?c=1.",
            "Then go home.",
        ],
    ),
    "a full stop ends before Hangul, unless a number goes on": (
        "네.알겠습니다.온도는 3.5도입니다.",
        ["네.알겠습니다.", "온도는 3.5도입니다."],
    ),
    "list numbers stay with their item": (
        "购物清单如下：\n1. 两盒鲜牛奶\n2. 一打鸡蛋吧",
        ["购物清单如下：", "1. 两盒鲜牛奶", "2. 一打鸡蛋吧"],
    ),
    "short lines join": ("购物清单：\n- 牛奶\n- 鸡蛋", ["购物清单：\n- 牛奶", "- 鸡蛋"]),
    "closers and runs of marks stay attached": (
        "他说：“你怎么还不来？！”我没有回答他！……（笑。）然后走了呀。",
        ["他说：“你怎么还不来？！”", "我没有回答他！……", "（笑。）然后走了呀。"],
    ),
    "a quotation may go on": (
        "「わかりました。」と彼は言った。そして出かけました。",
        ["「わかりました。」と彼は言った。", "そして出かけました。"],
    ),
    "times and full-width numbers are safe": (
        "现在时间是１２：３０。温度是２１．５度左右吧。",
        ["现在时间是１２：３０。", "温度是２１．５度左右吧。"],
    ),
    "a date with a comma is safe": (
        "話畀你知今日係二零二六年，11月 30號, 2026。天氣幾好呀。",
        ["話畀你知今日係二零二六年，", "11月 30號, 2026。", "天氣幾好呀。"],
    ),
    "No. before a number is no end": (
        "It is on page No. 5 of the book. No. That is not it at all.",
        ["It is on page No. 5 of the book.", "No. That is not it at all."],
    ),
    "a tag is never cut": (
        'Please look at <a title="One. Two. Three. Four.">this page</a> now.',
        ['Please look at <a title="One. Two. Three. Four.">this page</a> now.'],
    ),
    "nothing to say gives nothing": ("😀！—— … \n\n", []),
}


@pytest.mark.parametrize(("text", "expected"), SPLITS.values(), ids=SPLITS)
def test_text_is_cut(text, expected):
    assert cut(text) == expected


def test_text_without_an_end_is_cut_at_a_conjunction():
    text = "the lights in the kitchen and in the hall are on " * 2 + "and the door of the garage "
    assert cut(text + "is open and nobody seems to be at home at the moment")[0].endswith(" on")


def test_text_without_any_mark_is_cut_in_the_end():
    assert [len(piece) for piece in cut("好" * 140)] == [40, 48, 48, 4]


@pytest.mark.parametrize(
    ("text", "pause"),
    [
        ("客厅的灯已经打开了，厨房", 0.15),
        ("我要说的是下面这件事：厨房", 0.25),
        ("客厅的灯打开了。厨房", 0.45),
        ("客厅的灯打开了\n厨房", 0.5),
        ("客厅的灯打开了\n\n厨房", 0.7),
        ("好" * 60, 0.0),
    ],
)
def test_pause_follows_the_mark(text, pause):
    segmenter = Segmenter()
    first, *_ = segmenter.feed(text) + segmenter.finish()
    assert first.pause == pause


def test_flush_gives_a_sentence_that_has_ended():
    segmenter = Segmenter()
    assert segmenter.feed("好的。") == []
    assert [segment.text for segment in segmenter.flush()] == ["好的。"]
    assert segmenter.finish() == []


@pytest.mark.parametrize("text", ["好的", "It is 3.", "好的，", "And so on..."])
def test_flush_keeps_what_may_go_on(text):
    segmenter = Segmenter()
    segmenter.feed(text)
    assert segmenter.flush() == []
    assert [segment.text for segment in segmenter.finish()] == [text]


def test_segmenter_is_as_new_after_finish():
    segmenter = Segmenter()
    text = "客厅的灯已经打开了，空调也开了"
    first = segmenter.feed(text) + segmenter.finish()
    assert segmenter.feed(text) + segmenter.finish() == first
