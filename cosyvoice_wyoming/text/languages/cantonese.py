"""Cantonese numbers: the grammar of Chinese with other words and traditional characters."""

from __future__ import annotations

from typing import ClassVar

from cosyvoice_wyoming.text.language import Language
from cosyvoice_wyoming.text.languages import chinese_words
from cosyvoice_wyoming.text.languages.chinese import Chinese
from cosyvoice_wyoming.text.languages.verbaliser import Verbaliser


class Cantonese(Chinese):
    """Hong Kong Cantonese."""

    language: ClassVar[Language] = Language.YUE

    counters: ClassVar[tuple[str, ...]] = (
        *chinese_words.COUNTERS,
        *"嚿樖餐蚊毫碌轉",
        "蚊雞",
        "港紙",
        "個鐘",
        "粒鐘",
        "個字",
    )
    room_words: ClassVar[tuple[str, ...]] = (*chinese_words.ROOM_WORDS, "房", "台")
    score_words: ClassVar[tuple[str, ...]] = (*chinese_words.SCORE_WORDS, "贏", "輸", "打和")

    two = "兩"
    two_before_thousand = "二"
    minus = "負"
    plus_or_minus = "正負"
    point = "點"
    dot = "點"
    to = "到"
    myriad = "萬"
    hundred_million = "億"
    hour = "點"
    day = "號"
    number_word = "號"
    phone_one = "一"
    morning = "上晝"
    afternoon = "下晝"
    noon = "中午"
    dawn = "凌晨"
    evening = "夜晚"
    signs: ClassVar[dict[str, str]] = chinese_words.SIGNS | {
        "-": "減",
        "=": "等於",
        "≠": "唔等於",
        "<": "細過",
        ">": "大過",
        "≤": "細過或者等於",
        "≥": "大過或者等於",
        "≈": "大約",
        "±": "正負",
        "&": "同",
        "/": "斜線",
        "%": "百分號",
        "‰": "千分號",
        "√": "開方",
        "∞": "無限大",
        ".": "點",
        "№": "號",
        "#": "井號",
    }

    def for_text(self, text: str) -> Verbaliser:
        del text
        return self
