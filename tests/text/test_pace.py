from __future__ import annotations

import pytest

from cosyvoice_wyoming.narration import Manner

TEXTS = [
    "今天白天多云转晴，最高气温二十六度，傍晚可能有小雨，出门请带伞。",
    "It will be cloudy at first, then sunny, with a high of twenty six degrees in the afternoon.",
]


def segments(text: str, *, fluent: bool) -> list[str]:
    script = Manner(fluent=fluent).script()
    return [segment.text for segment in (*script.feed(text), *script.finish())]


@pytest.mark.parametrize("text", TEXTS)
def test_fluency_speaks_a_sentence_in_one_go_and_latency_begins_earlier(text):
    assert segments(text, fluent=True) == [text]
    assert len(segments(text, fluent=False)[0]) < len(text)
