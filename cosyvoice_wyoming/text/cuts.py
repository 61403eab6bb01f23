"""Where to cut text that runs on without an end."""

from __future__ import annotations

import re

from cosyvoice_wyoming.text.characters import tenths

_CUTS = tuple(
    re.compile(pattern)
    for pattern in (
        # after a comma or a short sentence
        r"[，、；：､…。！？｡][”’」』）*_`]*(?=[^0-9”’」』）*_`])|[,;:.!?]\s(?=[^\s0-9])",
        # before a conjunction
        r"\s(?=(?:and|but|or|because|which|that|when|while|where|if|so|then|with|until|after)\s)",
        # at a space, but not one that binds a number and its unit
        r"(?<![0-9])\s(?=[^\s0-9°%℃℉])",
        # after a Japanese or Chinese particle
        r"(?<=[はがをにでともへ])(?=[一-鿿゠-ヿ])|(?<=[的了着过過吗呢吧嘅咗喇])(?=[一-鿿])",
    )
)
"""Best first."""


def best_cut(chunk: str) -> int:
    """Return the index in a chunk before which to cut it.

    The chunk's last character only shows what follows: the cut is at the latest before it. The
    part before the cut has at least half of the chunk's speech, and a letter or digit.
    """
    last = len(chunk) - 1
    half = sum(map(tenths, chunk)) // 2
    for pattern in _CUTS:
        for match in reversed(list(pattern.finditer(chunk))):
            at = min(match.end(), last)
            if sum(map(tenths, chunk[:at])) < half:
                break
            if any(map(str.isalnum, chunk[:at])):
                return at
    return last
