"""Leave fenced code out of streamed text: nobody wants to hear it."""

from __future__ import annotations

import re

_FENCE = re.compile(r"[ \t]{0,3}(?:>[ \t]?)*(?P<mark>`{3,}|~{3,})(?P<info>[^`\n]{0,80}\n?)")
_MAY_BECOME_FENCE = re.compile(r"[ \t]{0,3}(?:>[ \t]?)*(?:`*|~*)")
_LONGEST_LINE_HELD = 120


class FenceFilter:
    """Drops the lines from ``` to ```, however the text is cut into pieces.

    A fence that is never closed reaches to the end, as Markdown has it.
    """

    def __init__(self) -> None:
        self._held = ""
        self._mid_line = False
        self._fence = ""

    def feed(self, piece: str) -> str:
        """Return the text that is certain not to be code."""
        text, self._held = self._held + piece, ""
        *complete, rest = text.split("\n")
        kept = [self._line(line + "\n") for line in complete]
        return "".join([*kept, self._line(rest) if rest else ""])

    def finish(self) -> str:
        """Return what was held back in case it would become a fence."""
        held, self._held = self._held, ""
        is_code = self._fence or _FENCE.fullmatch(held)
        self._mid_line, self._fence = False, ""
        return "" if is_code else held

    def _line(self, line: str) -> str:
        """Take a line, or its beginning if it has no end yet; return what of it is text."""
        complete = line.endswith("\n")
        if self._mid_line:
            self._mid_line = not complete
            return "" if self._fence else line
        if not complete and self._undecided(line):
            self._held = line
            return ""
        self._mid_line = not complete
        if not complete:
            return "" if self._fence else line
        fence = _FENCE.fullmatch(line)
        if self._fence:
            if fence and fence["mark"].startswith(self._fence) and not fence["info"].strip():
                self._fence = ""
            return ""
        if fence is None:
            return line
        self._fence = fence["mark"]
        return ""

    @staticmethod
    def _undecided(line: str) -> bool:
        if len(line) > _LONGEST_LINE_HELD:
            return False
        return bool(_MAY_BECOME_FENCE.fullmatch(line) or _FENCE.fullmatch(line))
