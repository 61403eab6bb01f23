"""Japanese words that OpenJTalk reads otherwise than a listener expects, respelled in kana."""

from __future__ import annotations

import re

_NUMERAL = "〇零一二三四五六七八九十百"

_RESPELLED: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(pattern), spelling)
    for pattern, spelling in (
        # minutes, which are also read as parts (ぶ, ぶん); 四分の三 stays a fraction
        (rf"(?<=[{_NUMERAL}])八分(?!の[{_NUMERAL}])", "ハップン"),
        (rf"(?<![{_NUMERAL}])八分(?!の[{_NUMERAL}]|目|咲)", "ハップン"),
        (rf"([二五九])分(?!の[{_NUMERAL}]|咲)", r"\1ふん"),
        ("零時", "れい時"),
        ("明後日", "あさって"),
        ("何(?=です|でし|だ[ろっ。？]|だと)", "なん"),
        # empty, not the sky
        ("空(?=です|でし|だ|に(?:な|し)|の(?:まま|状態)|っぽ)", "から"),
        # doors open by themselves; someone opens a meeting: 開かれる, を開く
        ("(?<=[がはも])開(?=[いき])", "あ"),
        ("(?<=[をの])止(?=めま|めて|めた)", "と"),
        ("毎(?=立方|平方|リットル)", "まい"),
        ("シーオー二", "シーオーツー"),
        ("(?<=日)[,，、] ?([月火水木金土日])(?=[,，、]|$)", r"、\1曜日"),  # 3日(木)
        ("身体", "からだ"),
        ("何処", "どこ"),
        ("温(?=かい|めて|めま)", "あたた"),
    )
)


def respell(text: str) -> str:
    """Write the words of the list in kana."""
    for pattern, spelling in _RESPELLED:
        text = pattern.sub(spelling, text)
    return text
