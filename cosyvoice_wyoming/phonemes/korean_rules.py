"""The Standard Korean pronunciation rules, from written to spoken Hangul.

The numbers in the comments are the articles (항) of 표준 발음법.
"""

from __future__ import annotations

from itertools import pairwise, zip_longest

from cosyvoice_wyoming.phonemes.hangul import Block

_TENSE = dict(zip("ㄱㄷㅂㅅㅈ", "ㄲㄸㅃㅆㅉ", strict=True))
_ASPIRATED = dict(zip("ㄱㄷㅂㅈ", "ㅋㅌㅍㅊ", strict=True))
_NASAL = dict(zip("ㄱㄷㅂ", "ㅇㄴㅁ", strict=True))
# what is left of a coda at the end of a word or before a consonant (8 to 11)
_BARE = {
    **dict.fromkeys(("ㄲ", "ㅋ", "ㄳ", "ㄺ"), "ㄱ"),
    **dict.fromkeys(("ㅅ", "ㅆ", "ㅈ", "ㅊ", "ㅌ"), "ㄷ"),
    **dict.fromkeys(("ㅍ", "ㅄ", "ㄿ"), "ㅂ"),
    **dict.fromkeys(("ㄼ", "ㄽ", "ㄾ", "ㅀ"), "ㄹ"),
    **dict.fromkeys(("ㄵ", "ㄶ"), "ㄴ"),
    "ㄻ": "ㅁ",
    "ㅎ": "ㄷ",
}
# a double coda before a vowel: what stays and what moves to the next syllable (14)
_SPLIT = {
    "ㄳ": ("ㄱ", "ㅆ"), "ㄵ": ("ㄴ", "ㅈ"), "ㄺ": ("ㄹ", "ㄱ"), "ㄻ": ("ㄹ", "ㅁ"),
    "ㄼ": ("ㄹ", "ㅂ"), "ㄽ": ("ㄹ", "ㅆ"), "ㄾ": ("ㄹ", "ㅌ"), "ㄿ": ("ㄹ", "ㅍ"),
    "ㅄ": ("ㅂ", "ㅆ"), "ㄶ": ("", "ㄴ"), "ㅀ": ("", "ㄹ"),
}  # fmt: skip
_WITH_H = {"ㅎ": "", "ㄶ": "ㄴ", "ㅀ": "ㄹ"}
_BEFORE_H = {
    "ㄱ": ("", "ㅋ"), "ㄲ": ("", "ㅋ"), "ㄺ": ("ㄹ", "ㅋ"), "ㄷ": ("", "ㅌ"), "ㅅ": ("", "ㅌ"),
    "ㅆ": ("", "ㅌ"), "ㅌ": ("", "ㅌ"), "ㅊ": ("", "ㅌ"), "ㅂ": ("", "ㅍ"), "ㅄ": ("", "ㅍ"),
    "ㄼ": ("ㄹ", "ㅍ"), "ㅍ": ("", "ㅍ"), "ㅈ": ("", "ㅊ"), "ㄵ": ("ㄴ", "ㅊ"),
}  # fmt: skip
_TENSING_STEM_CODAS = frozenset(("ㄵ", "ㄻ", "ㄼ", "ㄾ"))


def pronounce(blocks: list[Block]) -> None:
    """Turn the spelling in `blocks` into what is said, in place."""
    for current, following in pairwise(blocks):
        if not following.starts_phrase:
            _palatalize(current, following)
            _meet_h(current, following)
            _link(current, following)
            _tense(current, following)
    for block, after in zip_longest(blocks, blocks[1:]):
        _bare(block, after)
    for current, following in pairwise(blocks):
        if not following.starts_phrase:
            _assimilate(current, following)
    for block in blocks:
        _simplify_vowel(block)


def _palatalize(current: Block, following: Block) -> None:
    """ㄷ and ㅌ before the suffixes 이 and 히 (17): 같이 가치, 굳이 구지, 닫혀 다처."""
    if following.starts_word or following.vowel not in "ㅣㅕ":
        return
    if following.onset == "ㅇ" and current.coda in ("ㄷ", "ㅌ", "ㄾ"):
        following.onset = "ㅈ" if current.coda == "ㄷ" else "ㅊ"
        current.coda = "ㄹ" if current.coda == "ㄾ" else ""
    elif following.onset == "ㅎ" and current.coda == "ㄷ":
        following.onset, current.coda = "ㅊ", ""


def _meet_h(current: Block, following: Block) -> None:
    """ㅎ before and after other letters (12)."""
    if current.coda in _WITH_H:
        rest = _WITH_H[current.coda]
        if following.onset in _ASPIRATED:
            current.coda, following.onset = rest, _ASPIRATED[following.onset]
        elif following.onset == "ㅅ":
            current.coda, following.onset = rest, "ㅆ"
        elif following.onset == "ㄴ":
            current.coda = rest or "ㄴ"
        elif following.onset == "ㅇ" and not following.starts_word:
            current.coda = rest
    elif following.onset == "ㅎ" and current.coda in _BEFORE_H:
        coda = current.coda
        if following.starts_word:  # 낮 한때 is 나 탄때, but 앉히다 is 안치다
            coda = _BARE.get(coda, coda)
        current.coda, following.onset = _BEFORE_H.get(coda, (coda, "ㅎ"))


def _link(current: Block, following: Block) -> None:
    """Move a coda over to a syllable that starts with a vowel (13, 14)."""
    if following.starts_word or following.onset != "ㅇ" or current.coda in ("", "ㅇ"):
        return
    current.coda, following.onset = _SPLIT.get(current.coda, ("", current.coda))


def _tense(current: Block, following: Block) -> None:
    """Plain consonants after a stop, and after some stems in ㄹ, ㄴ and ㅁ (23 to 25)."""
    if following.onset not in _TENSE:
        return
    if current.coda == "ㄺ" and following.onset == "ㄱ" and str(current)[0] in _LG_STEMS:
        current.coda, following.onset = "ㄹ", "ㄲ"
    elif (current.coda in _TENSING_STEM_CODAS and not following.starts_word) or _BARE.get(
        current.coda, current.coda
    ) in _NASAL:
        following.onset = _TENSE[following.onset]


_LG_STEMS = frozenset("읽맑밝늙긁굵묽붉갉")


def _bare(block: Block, following: Block | None) -> None:
    """One of seven codas is left (8 to 11); 밟 keeps its ㅂ."""
    if block.coda == "ㄼ" and block.onset == "ㅂ" and block.vowel == "ㅏ":
        block.coda = "ㅂ" if following is not None and following.onset != "ㅇ" else "ㄹ"
    block.coda = _BARE.get(block.coda, block.coda)


def _assimilate(current: Block, following: Block) -> None:
    """Make stops nasal before nasals, ㄴ and ㄹ into ㄹㄹ, ㄹ after others into ㄴ (18 to 20)."""
    if not following.starts_word:  # words that follow keep their ㄹ and ㄴ: 리빙 룸, 불을 높이다
        if following.onset == "ㄹ" and current.coda in ("ㅁ", "ㅇ", "ㄱ", "ㄷ", "ㅂ"):
            following.onset = "ㄴ"
        elif current.coda == "ㄴ" and following.onset == "ㄹ":
            current.coda = "ㄹ"
        elif current.coda == "ㄹ" and following.onset == "ㄴ":
            following.onset = "ㄹ"
    if following.onset in ("ㄴ", "ㅁ") and current.coda in _NASAL:
        current.coda = _NASAL[current.coda]


def _simplify_vowel(block: Block) -> None:
    """ㅢ after a consonant, ㅖ outside 예, 례 and 녜, ㅕ after ㅈㅉㅊ (5)."""
    if block.vowel == "ㅢ" and (block.onset != "ㅇ" or not block.starts_word):
        block.vowel = "ㅣ"
    elif block.vowel == "ㅖ" and block.onset not in "ㅇㄹㄴ":
        block.vowel = "ㅔ"
    elif block.vowel == "ㅕ" and block.onset in "ㅈㅉㅊ":
        block.vowel = "ㅓ"
