"""The teacher's lessons as training crops; the folder may grow while training runs."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from cosyvoice_wyoming.engine.kokoro.excitation import prosody, pulses

FRAME = 600
"""Samples of an acoustic frame; pitch and energy have two values in it."""
MARGIN = 4
"""Acoustic frames at the edges of a crop that are context only: the loss does not see them."""
CROP = 64
VALIDATION_EVERY = 20
"""Every 20th utterance of a voice is held out to watch the training; it is never trained on."""

Floats = NDArray[np.float32]


@dataclass(frozen=True, slots=True, kw_only=True)
class Utterance:
    """One lesson, ready for the decoder; F acoustic frames."""

    voice: str
    acoustic: NDArray[np.float16]
    f0: Floats
    prosody: Floats
    style: Floats
    pulses: NDArray[np.float16]
    breath: NDArray[np.float16]
    audio: NDArray[np.int16]

    @property
    def frames(self) -> int:
        return self.acoustic.shape[1]

    @property
    def feed(self) -> dict[str, Floats]:
        """What an exported decoder reads of the whole lesson."""
        return {
            "acoustic": self.acoustic.astype(np.float32)[None],
            "prosody": self.prosody[None],
            "style": self.style[None],
        }

    @property
    def waveform(self) -> Floats:
        return self.audio.astype(np.float32) / 32767


@dataclass(frozen=True, slots=True, kw_only=True)
class Batch:
    """Crops of B utterances; `heard` [B, 600·CROP] is 1 where the loss listens, else 0."""

    acoustic: Floats
    prosody: Floats
    style: Floats
    pulses: Floats
    breath: Floats
    audio: Floats
    heard: Floats


def load(path: Path) -> Utterance:
    """Read one file that teach.py wrote."""
    with np.load(path) as lesson:
        f0 = lesson["f0"]
        train = pulses(f0)
        return Utterance(
            voice=str(lesson["voice"]),
            acoustic=lesson["acoustic"],
            f0=f0,
            prosody=prosody(f0, lesson["energy"]),
            style=lesson["style"],
            pulses=train.samples.astype(np.float16),
            breath=train.breath.astype(np.float16),
            audio=lesson["audio"],
        )


def is_held_out(path: Path) -> bool:
    """Whether training never hears the lesson in that file."""
    return int(path.stem) % VALIDATION_EVERY == 0


class Lessons:
    """All lessons under a folder, held in memory."""

    def __init__(self, folder: Path, seed: int) -> None:
        self._folder = folder
        self._draw = np.random.default_rng(seed)
        self._known: set[Path] = set()
        self._by_voice: dict[str, list[Utterance]] = {}
        self.validation: list[Utterance] = []
        self.refresh()

    def refresh(self) -> None:
        """Load what has come since."""
        for path in sorted(self._folder.glob("*/*.npz")):
            if path in self._known:
                continue
            self._known.add(path)
            utterance = load(path)
            if is_held_out(path):
                self.validation.append(utterance)
            else:
                self._by_voice.setdefault(utterance.voice, []).append(utterance)

    @property
    def minutes(self) -> float:
        """Audio to train on."""
        frames = sum(u.frames for lessons in self._by_voice.values() for u in lessons)
        return frames * FRAME / 24_000 / 60

    def batch(self, size: int) -> Batch:
        """Draw crops: voices evenly, utterances by length, places anywhere."""
        crops = [self._crop() for _ in range(size)]
        return Batch(
            **{
                name: np.stack([getattr(crop, name) for crop in crops])
                for name in Batch.__dataclass_fields__
            }
        )

    def _crop(self) -> Batch:
        voices = sorted(self._by_voice)
        lessons = self._by_voice[voices[self._draw.integers(len(voices))]]
        lengths = np.array([u.frames for u in lessons], np.float64)
        utterance = lessons[self._draw.choice(len(lessons), p=lengths / lengths.sum())]
        return crop(utterance, int(self._draw.integers(max(1, utterance.frames - CROP + 1))))


def crop(utterance: Utterance, start: int) -> Batch:
    """Cut CROP frames from `start` on (without a batch axis); a short utterance is padded.

    At a true end of the utterance the loss listens to the very edge, as the decoder must end there
    at run time too; elsewhere MARGIN frames are context.
    """
    stop = min(start + CROP, utterance.frames)
    heard = np.zeros(CROP * FRAME, np.float32)
    first = 0 if start == 0 else MARGIN
    last = stop - start if stop == utterance.frames else CROP - MARGIN
    heard[first * FRAME : last * FRAME] = 1
    return Batch(
        acoustic=_cut(utterance.acoustic, start, 1),
        prosody=_cut(utterance.prosody, start, 2),
        style=utterance.style,
        pulses=_cut(utterance.pulses, start, FRAME),
        breath=_cut(utterance.breath, start, FRAME),
        audio=_cut(utterance.audio, start, FRAME) / np.float32(32767),
        heard=heard,
    )


def _cut(values: NDArray[np.generic], start: int, per_frame: int) -> Floats:
    piece = values[..., start * per_frame : (start + CROP) * per_frame].astype(np.float32)
    missing = CROP * per_frame - piece.shape[-1]
    return np.pad(piece, [(0, 0)] * (piece.ndim - 1) + [(0, missing)])
