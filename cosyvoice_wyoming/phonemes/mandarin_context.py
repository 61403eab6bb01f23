"""Characters whose reading depends on the words beside them, where no dictionary word decides."""

from __future__ import annotations

from dataclasses import replace

from cosyvoice_wyoming.phonemes.mandarin_tones import Syllable

_PEOPLE = frozenset("您你我他她它咱谁家孩人客主宝")
_NUMERALS = frozenset("一二三四五六七八九十两几百千万半多这那每哪")
_ROW_AFTER = _NUMERALS - {"这", "那", "半"}
_MUST_AFTER = frozenset("我你您他她它们咱须还就总也都可定先再又才必")
_GROUND_BEFORE = frozenset("上下里面很是的有太不")
_READ_IN_FRONT_OF = {
    "为": ({*_PEOPLE, "此", "什", "何", "了"}, "wei4"),
    "还": (set("书钱款债清贷"), "huan2"),
    "长": (set("高出满得成胖毛草牙肉个"), "zhang3"),
    "教": (set("我你您他她它孩"), "jiao1"),
    "干": (set("什嘛完得吗活"), "gan4"),
    "弹": (set("药壳头"), "dan4"),
    "数": (set("数到清"), "shu3"),
}


def in_context(words: list[list[Syllable]]) -> list[list[Syllable]]:
    """Correct the readings of words of one character by what stands before and after them."""
    result = []
    for index, word in enumerate(words):
        if len(word) == 1:
            before = words[index - 1][-1].character if index else ""
            after = words[index + 1][0].character if index + 1 < len(words) else ""
            length = len(words[index - 1]) if index else 0
            pinyin = _reading(word[0].character, before, after, length)
            word = [replace(word[0], pinyin=pinyin)] if pinyin else word  # noqa: PLW2901
        elif word[-1].character == "地" and word[0].character == word[1].character:
            word = [*word[:-1], replace(word[-1], pinyin="de5")]  # noqa: PLW2901 - 轻轻地
        elif word[-1].character == "行" and word[-2].character in _ROW_AFTER:
            word = [*word[:-1], replace(word[-1], pinyin="hang2")]  # noqa: PLW2901 - 第三行
        result.append(word)
    return result


def _reading(character: str, before: str, after: str, length_before: int) -> str:
    """Return the pinyin that the neighbours ask for, "" if they ask for none."""
    if character == "得":
        return "dei3" if not before or before in _MUST_AFTER else "de5"
    if character == "地" and length_before > 1 and after and after not in _GROUND_BEFORE:
        return "de5"
    if character == "只" and before in _NUMERALS | {"有"}:
        return "zhi1"
    if character == "里" and before:
        return "li5"
    if character == "行" and before in _ROW_AFTER:
        return "hang2"
    following, pinyin = _READ_IN_FRONT_OF.get(character, (frozenset(), ""))
    return pinyin if after in following else ""
