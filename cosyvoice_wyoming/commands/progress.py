"""Shows how far a model's fetch or build is, on standard error."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Self, TextIO

if TYPE_CHECKING:
    from cosyvoice_wyoming.bundles import Step

LOG_EVERY_PERCENT = 25
"""Where nobody watches, such as in a log, a line for each quarter is enough."""

_CLEAR_LINE = "\r\x1b[K"


class ProgressLine:
    """A line that is rewritten on a terminal; a few lines elsewhere. Used as a context manager."""

    def __init__(self, stream: TextIO | None = None) -> None:
        self._stream = stream or sys.stderr
        self._live = self._stream.isatty()
        self._shown = ""
        self._text = ""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        if self._live and self._shown:
            self._stream.write("\n")

    def __call__(self, step: Step) -> None:
        if self._live and step.text != self._text and self._shown:
            self._stream.write("\n")
            self._shown = ""
        self._text = step.text
        line = _line(step, 1 if self._live else LOG_EVERY_PERCENT)
        if line == self._shown:
            return
        self._shown = line
        self._stream.write(f"{_CLEAR_LINE}{line}" if self._live else f"{line}\n")
        self._stream.flush()


def _line(step: Step, every_percent: int) -> str:
    if not step.total:
        return step.text
    percent = 100 * step.done // step.total // every_percent * every_percent
    return f"{step.text}: {percent} % of {step.total / 1e6:.0f} MB"
