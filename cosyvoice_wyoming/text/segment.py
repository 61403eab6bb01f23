"""Cut streamed text into segments that are spoken in one go.

A segment ends at a sentence, a line, or, where the first sound must come soon, at a comma. The
segmenter looks at one character at a time and decides with at most the next visible character
known, so how the text was split into pieces never shows in the result.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from cosyvoice_wyoming.text.characters import (
    KANA_TENTHS,
    is_ascii_alnum,
    joins_previous,
    tenths,
)
from cosyvoice_wyoming.text.cuts import best_cut
from cosyvoice_wyoming.text.endings import (
    CLOSERS,
    LINE_ENDS,
    NEED_SPACE,
    PAUSES,
    QUOTE_CLOSERS,
    QUOTED_GOES_ON,
    STRENGTHS,
    UNAMBIGUOUS,
    Strength,
    needs_its_stop,
)
from cosyvoice_wyoming.text.spoken import Segment


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Lengths in tenths of a speech unit (see `tenths`) at which a segment may be cut.

    `soft`: from here on a comma ends it; `space`: from here on a space does; `hard`: cut anyway.
    """

    soft: int
    space: int
    hard: int


LIMITS = (
    Limits(soft=80, space=280, hard=400),
    Limits(soft=160, space=360, hard=480),
    Limits(soft=280, space=480, hard=480),
)
"""For the first segment, the second and all later ones: what is already playing gives the engine
time, so segments may grow. A first comma at 8 units is about 2 s of speech. The first segment's
other two limits stay this high because a cut in the middle of a clause is heard."""

FLUENT_LIMITS = LIMITS[-1:]
"""For those who would rather wait than hear a pause early: every segment is a long one."""

MIN_TENTHS = 50
"""Shorter sentences join the next one: an engine says 好的。 alone badly."""


_TAG_START = re.compile(r"[A-Za-z/!?|]")
_MAX_TAG_CHARS = 120


class Segmenter:
    """Takes text piece by piece and returns the segments that are complete.

    Every letter and digit of the text comes out once, in order; what lies between segments is
    white space, or signs with nothing to say beside them. Each method returns a list, never a
    generator: a caller who ignores a generator would silently drop its text.
    """

    def __init__(self, limits: Sequence[Limits] = LIMITS) -> None:
        self._all_limits = limits
        self._text = ""
        self._start = 0
        self._emitted = 0
        self._begin(0)

    def feed(self, piece: str) -> list[Segment]:
        """Add text and return the segments that it completed."""
        first = len(self._text)
        self._text += piece
        done: list[Segment] = []
        for index in range(first, len(self._text)):
            self._step(index, self._text[index], done)
        self._text = self._text[self._start :]
        self._mark_at -= self._start
        self._start = 0
        return done

    def flush(self) -> list[Segment]:
        """Return what is complete beyond doubt although nothing follows it yet.

        For a caller who has waited: the text may go on, but it ends with 。, ！, ？ or a line end.
        """
        return self.cut() if self._certain or self._strength >= Strength.LINE else []

    def finish(self) -> list[Segment]:
        """Return the rest; the segmenter is then as new."""
        done = self.cut()
        self._emitted = 0
        return done

    def cut(self) -> list[Segment]:
        """Return the rest, as something that is no text follows."""
        done: list[Segment] = []
        if self._speakable:
            self._emit(len(self._text), done)
        self._text = ""
        self._begin(0)
        return done

    def _begin(self, start: int) -> None:
        """Begin a segment at an index of the buffer."""
        self._start = start
        self._units = 0
        self._speakable = False
        self._tag_chars = 0
        self._clear_mark()

    def _clear_mark(self) -> None:
        self._strength = Strength.NONE
        self._mark = ""
        self._mark_at = 0
        self._certain = False
        self._closed = False
        self._spaced = False

    def _step(self, index: int, char: str, done: list[Segment]) -> None:
        if char.isspace():
            self._space(index, char)
            return
        if self._strength and not self._spaced and (char in STRENGTHS or char in CLOSERS):
            self._cut_if_full(index, char, done)
            self._punctuate(index, char)
        else:
            if self._strength:
                self._resolve(index, char, done)
            self._cut_if_full(index, char, done)
            self._follow_tag(char)
            if char in STRENGTHS and self._tag_chars <= 1:
                self._punctuate(index, char)
        self._units += tenths(char)
        self._speakable = self._speakable or char.isalnum()

    def _space(self, index: int, char: str) -> None:
        if not self._units:
            self._start = index + 1
        elif char in LINE_ENDS:
            again = self._strength >= Strength.LINE
            self._strength = Strength.PARAGRAPH if again else Strength.LINE
            self._tag_chars = 0
        self._spaced = True

    def _punctuate(self, index: int, char: str) -> None:
        """Note a mark that may end the segment, or one that belongs to it."""
        strength = STRENGTHS.get(char, Strength.NONE)
        self._closed = self._closed or char in QUOTE_CLOSERS
        if strength and strength >= self._strength:
            self._strength = strength
            self._mark = char
            self._mark_at = index
            self._certain = self._certain or char in UNAMBIGUOUS
            self._spaced = False

    def _resolve(self, index: int, char: str, done: list[Segment]) -> None:
        """Decide, now that the character after a run of marks is known, whether it was an end."""
        if self._strength >= Strength.LINE:
            ends = True
        elif self._strength <= Strength.CLAUSE:
            ends = self._units >= self._limits.soft and self._clause_ends(char)
        else:
            ends = self._sentence_ends(char)
        if ends and self._units >= MIN_TENTHS and self._speakable:
            self._emit(index, done)
        else:
            self._clear_mark()

    def _clause_ends(self, char: str) -> bool:
        if char.isdigit():  # 1,234 and 12：30, but also "November 30, 2026"
            return self._mark in "，、；：" and not self._text[self._mark_at - 1].isdigit()
        return self._spaced or self._mark not in ",;:" or _follows_unspaced(char)

    def _sentence_ends(self, char: str) -> bool:
        if self._closed and char in QUOTED_GOES_ON:
            return False
        if self._mark not in NEED_SPACE:
            return True
        if not self._spaced:
            after_digit = self._mark in ".．" and self._text[self._mark_at - 1].isdigit()
            return _follows_unspaced(char) and not after_digit
        if char.isascii() and char.islower() and (self._mark == "." or self._closed):
            return False
        return self._mark not in ".．" or not needs_its_stop(
            self._text[self._start : self._mark_at], char
        )

    def _cut_if_full(self, index: int, char: str, done: list[Segment]) -> None:
        limits = self._limits
        after_space = index > self._start and self._text[index - 1].isspace()
        full = self._units + tenths(char) > limits.hard
        if not full and not (after_space and self._units >= limits.space):
            return
        if not self._speakable:
            self._begin(index)
            return
        inside = self._tag_chars > 1 or char in CLOSERS or char in STRENGTHS
        inside = inside or joins_previous(char) or self._inside_word(index, char)
        if not inside or self._units >= 2 * limits.hard:
            self._cut(index, done)

    def _inside_word(self, index: int, char: str) -> bool:
        return (
            is_ascii_alnum(char) and index > self._start and is_ascii_alnum(self._text[index - 1])
        )

    def _cut(self, index: int, done: list[Segment]) -> None:
        """Emit the best part of what lies before the index, and begin again with the rest."""
        chunk = self._text[self._start : index + 1]
        self._emit(self._start + best_cut(chunk), done)
        rest = self._text[self._start : index]
        self._units = sum(map(tenths, rest))
        self._speakable = any(map(str.isalnum, rest))

    def _follow_tag(self, char: str) -> None:
        """Keep a `<tag with="a. b">` whole, so that it can still be recognised."""
        if self._tag_chars == 1:
            self._tag_chars = 2 if _TAG_START.match(char) else 0
        elif self._tag_chars:
            self._tag_chars = 0 if char == ">" else self._tag_chars + 1
            if self._tag_chars > _MAX_TAG_CHARS:
                self._tag_chars = 0
        if char == "<" and not self._tag_chars:
            self._tag_chars = 1

    def _emit(self, end: int, done: list[Segment]) -> None:
        text = self._text[self._start : end].strip()
        strength = self._strength or STRENGTHS.get(text[-1], Strength.NONE)
        done.append(Segment(text=text, pause=PAUSES[strength]))
        self._emitted += 1
        self._begin(end)

    @property
    def _limits(self) -> Limits:
        return self._all_limits[min(self._emitted, len(self._all_limits) - 1)]


def _follows_unspaced(char: str) -> bool:
    """Whether a character right after an ASCII mark shows that the mark ended something."""
    return not char.isascii() and (tenths(char) >= KANA_TENTHS or not char.isalpha())
