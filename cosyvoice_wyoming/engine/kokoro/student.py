"""The distilled decoder: a small network writes filters for pulses and noise, window by window.

Its receptive field is short and its overlapping frames add up to a constant, so windows with
CONTEXT_FRAMES of real context on both sides equal the whole utterance.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from cosyvoice_wyoming.engine.kokoro.excitation import prosody, pulses
from cosyvoice_wyoming.engine.kokoro.features import FRAME_SAMPLES
from cosyvoice_wyoming.engine.kokoro.filters import HOP, filtered
from cosyvoice_wyoming.engine.kokoro.session import Session, overlapping_threads

if TYPE_CHECKING:
    from pathlib import Path

    from cosyvoice_wyoming.engine import Waveform
    from cosyvoice_wyoming.engine.kokoro.decoder import Running
    from cosyvoice_wyoming.engine.kokoro.features import Features

CONTEXT_FRAMES = 14
STYLE_COLUMNS = 128

FIRST_WINDOW_FRAMES = 12
"""0.3 s, of which at most a half is silence: heard as soon as may be."""

LONGEST_WINDOW_FRAMES = 64
GROWTH = 4
"""Each window is so many times the one before, up to 1.6 s: its context, 0.7 s, costs less and
less, and a newer request has to wait for one of them at most: with 3.2 s a barge-in was heard a
third later. A board at a real-time factor of 0.16 for the student still makes one while it plays
another.
"""
REST_FRAMES = 32
"""What would be left for a last window of at most this goes into the one before."""

_FILTERS_A_FRAME = FRAME_SAMPLES // HOP


class StudentDecoder:
    """Continues the pulses of the utterance before, and draws its noise from the caller."""

    def __init__(self, path: Path, threads: int = 0) -> None:
        self._session = Session(path, threads or overlapping_threads())

    def decode(self, features: Features, running: Running) -> Iterator[Waveform]:
        """Yield the windows of an utterance; see `Decoder.decode`."""
        driven = _Excited(features, running)
        start, window = onset(features), FIRST_WINDOW_FRAMES
        while start < features.frames:
            stop = start + window
            if features.frames - stop <= REST_FRAMES:
                stop = features.frames
            first = max(0, start - CONTEXT_FRAMES)
            last = min(features.frames, stop + CONTEXT_FRAMES)
            (filters,) = self._session.run(("filters",), **driven.window(first, last))
            yield driven.sound(filters[0], first, start, stop)
            start, window = stop, min(GROWTH * window, LONGEST_WINDOW_FRAMES)


def onset(features: Features) -> int:
    """Return the frame to begin with, so that silence before the first word costs no window.

    The first pad takes 13 to 22 frames at speed 1. Over twelve voices the teacher was under
    -60 dBFS in the first three quarters of it; two thirds leave room for a soft onset.
    """
    return int(features.durations[0]) * 2 // 3


class _Excited:
    """What drives the network and its filters through an utterance, cut into windows.

    Pulses and noise are drawn once for all of it: the phase runs on through the windows, and two
    windows that overlap hear the same noise.
    """

    def __init__(self, features: Features, running: Running) -> None:
        self._features = features
        self._prosody = prosody(features.f0[0], features.energy[0])[np.newaxis]
        train = pulses(features.f0[0], running.phase)
        running.phase = train.phase
        self._pulses = train.samples
        self._noise = running.noise.standard_normal(self._pulses.shape, np.float32)
        self._noise *= train.breath

    def window(self, first: int, last: int) -> dict[str, np.ndarray]:
        """Return what the network reads of the frames `first` to `last` (half-open)."""
        return {
            "acoustic": self._features.asr[:, :, first:last],
            "prosody": self._prosody[:, :, 2 * first : 2 * last],
            "style": self._features.style[:, :STYLE_COLUMNS],
        }

    def sound(self, filters: np.ndarray, first: int, start: int, stop: int) -> Waveform:
        """Return the samples of the frames `start` to `stop`; `filters` are those from `first` on.

        Half-open; the filters must reach CONTEXT_FRAMES further or to the utterance's ends.
        """
        begins, *hops = (_FILTERS_A_FRAME * frame for frame in (first, start, stop))
        return filtered(filters, self._pulses, self._noise, *hops, begins=begins)
