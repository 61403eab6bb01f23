"""How Mandarin tones change beside one another."""

from __future__ import annotations

from dataclasses import dataclass, replace

_DIGITS = frozenset("零〇一二三四五六七八九十百千万亿兆幺两点")


@dataclass(frozen=True, slots=True, kw_only=True)
class Syllable:
    """A character and its pinyin with a tone digit, 5 being the neutral tone."""

    character: str
    pinyin: str

    @property
    def tone(self) -> str:
        return self.pinyin[-1:] if self.pinyin[-1:].isdigit() else ""

    def with_tone(self, tone: str) -> Syllable:
        return replace(self, pinyin=self.pinyin[:-1] + tone)


def with_sandhi(words: list[list[Syllable]]) -> list[list[Syllable]]:
    """Change the tones of 一, of 不 and of third tones before third tones."""
    flat = [syllable for word in words for syllable in word]
    changed = _third_tones(_yi_and_bu(flat), words)
    result = []
    for word in words:
        result.append(changed[: len(word)])
        changed = changed[len(word) :]
    return result


def _yi_and_bu(flat: list[Syllable]) -> list[Syllable]:
    changed = list(flat)
    for index, syllable in enumerate(flat[:-1]):
        following = flat[index + 1]
        if syllable.pinyin == "bu4" and following.tone == "4":
            changed[index] = syllable.with_tone("2")
        if syllable.character == "一" and syllable.pinyin == "yi1":
            before = flat[index - 1].character if index else ""
            if (
                before in _DIGITS
                or before == "第"
                or following.character in _DIGITS - set("百千万亿")
            ):
                continue
            changed[index] = syllable.with_tone("2" if following.tone == "4" else "4")
    return changed


def _third_tones(flat: list[Syllable], words: list[list[Syllable]]) -> list[Syllable]:
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
