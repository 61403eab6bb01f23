"""How Mandarin tones change beside one another."""

from __future__ import annotations

from dataclasses import dataclass, replace

_DIGITS = frozenset("零〇一二三四五六七八九幺两")
_BEFORE_ONE = _DIGITS | frozenset("十百千万亿点第")
_ORDINAL_AFTER = frozenset("月号楼层班期级区栋室等")


@dataclass(frozen=True, slots=True, kw_only=True)
class Syllable:
    """A character and its pinyin with a tone digit, 5 being the neutral tone."""

    character: str
    pinyin: str

    @property
    def tone(self) -> str:
        return self.pinyin[-1:] if self.pinyin[-1:].isdigit() else ""

    @property
    def is_erhua(self) -> bool:
        """Whether this is the 儿 that colours the syllable before it."""
        return self.character == "儿" and self.tone == "5"

    def with_tone(self, tone: str) -> Syllable:
        return replace(self, pinyin=self.pinyin[:-1] + tone)


def with_sandhi(words: list[list[Syllable]]) -> list[list[Syllable]]:
    """Change the tones of 一, of 不 and of third tones before third tones."""
    flat = [_as_alone(syllable) for word in words for syllable in word]
    flat = [_one_and_not(flat, index) for index in range(len(flat))]
    changed = _third_tones(flat, words)
    result = []
    for word in words:
        result.append(changed[: len(word)])
        changed = changed[len(word) :]
    return result


def _as_alone(syllable: Syllable) -> Syllable:
    """Undo the sandhi that dictionaries have in some of their words: 一定 as yi2 ding4."""
    if syllable.character in ("一", "不") and syllable.tone in ("2", "4"):
        return syllable.with_tone("1" if syllable.character == "一" else "4")
    return syllable


def _one_and_not(flat: list[Syllable], index: int) -> Syllable:
    syllable = flat[index]
    before = flat[index - 1].character if index else ""
    following = flat[index + 1] if index + 1 < len(flat) else None
    if following is None or not following.tone or syllable.character not in ("一", "不"):
        return syllable
    if before and before == following.character and before not in _DIGITS:
        return syllable.with_tone("5")  # 看一看, 是不是
    if syllable.pinyin == "bu4":
        return syllable.with_tone("2") if following.tone == "4" else syllable
    if syllable.pinyin != "yi1" or _is_plain_one(before, flat, index):
        return syllable
    # 个 has lost its fourth tone, but 一个 is still said as before one
    falling = following.tone == "4" or following.character == "个"
    return syllable.with_tone("2" if falling else "4")


def _is_plain_one(before: str, flat: list[Syllable], index: int) -> bool:
    """Tell whether 一 is a digit or an ordinal, which keep the first tone."""
    after = flat[index + 1].character
    if before in _BEFORE_ONE or after in _DIGITS or after in _ORDINAL_AFTER:
        return True
    decimal_or_teen = after == "十" or (
        after == "点" and index + 2 < len(flat) and flat[index + 2].character in _DIGITS
    )
    return decimal_or_teen or (before == "月" and after == "日")


def _third_tones(flat: list[Syllable], words: list[list[Syllable]]) -> list[Syllable]:
    """Raise a third tone before another one, inside words and around words of one syllable."""
    changed = list(flat)
    position = 0
    for number, word in enumerate(words):
        for offset in range(len(word)):
            index = position + offset
            if index + 1 == len(flat) or flat[index].tone != "3" or flat[index + 1].tone != "3":
                continue
            inside = offset + 1 < len(word)
            if inside or len(word) == 1 or len(words[number + 1]) == 1:
                changed[index] = flat[index].with_tone("2")
        position += len(word)
    return changed
