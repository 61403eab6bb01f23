"""Let the teacher read: text to features and audio, one file per utterance.

    python teach.py work/data --minutes 60         lines of the corpus, all voices in turn
    python teach.py work/unseen --unseen           the sentences that the decoder is judged on

Can be killed and started again at any moment: utterance `i` of a voice is the same line in every
run with the same seed, and what is there is not made again.
"""

from __future__ import annotations

import argparse
import time
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

import numpy as np
from corpus import Corpus, Line, unseen

from cosyvoice_wyoming.bundles.lite_files import ENCODER, PLBERT, TEACHER_FP32
from cosyvoice_wyoming.engine.kokoro.encoder import Encoder
from cosyvoice_wyoming.engine.kokoro.session import Session
from cosyvoice_wyoming.engine.kokoro.styles import read_style
from cosyvoice_wyoming.engine.kokoro.tones import draw_tones
from cosyvoice_wyoming.phonemes import phonemize, symbol_ids
from cosyvoice_wyoming.text.language import Language
from cosyvoice_wyoming.text.spoken import Span, Spoken

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

SEED = 1
SAMPLE_RATE = 24_000
LONGEST = 300
"""Phonemes of an utterance; longer lines are drawn again."""

VOICES: dict[str, tuple[str, ...]] = {
    "zh_female_01": ("zf_xiaobei",),
    "zh_female_02": ("zf_xiaoxiao",),
    "zh_male_01": ("zm_yunjian",),
    "zh_male_02": ("zm_yunxia",),
    "en_female_01": ("af_heart",),
    "en_male_01": ("am_michael",),
    "ja_female_01": ("jf_alpha",),
    "ja_male_01": ("jm_kumo",),
    "ko_female_01": ("hf_alpha",),
    "ko_male_01": ("jm_kumo", "hm_psi"),
    "yue_female_01": ("zf_xiaobei", "hf_alpha"),
    "yue_male_01": ("zm_yunjian", "hm_omega"),
}
"""Voice: the teacher's packs whose mean it is."""

_SHARE = {"en_female_01": 1.5, "en_male_01": 1.2, "ko_male_01": 1.3, "zh_female_01": 0.7}
"""Voices that are further from the teacher get more; the others count as 1."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Lesson:
    """What the teacher made of a line; F acoustic frames of 600 samples."""

    acoustic: NDArray[np.float32]
    f0: NDArray[np.float32]
    energy: NDArray[np.float32]
    style: NDArray[np.float32]
    audio: NDArray[np.float32]

    @property
    def seconds(self) -> float:
        return len(self.audio) / SAMPLE_RATE


class Teacher:
    """Encoder and decoder of the teacher, on one thread."""

    def __init__(self, bundle: Path) -> None:
        self._styles = {
            voice: read_style(bundle / "voices", packs) for voice, packs in VOICES.items()
        }
        self._encoder = Encoder(bundle / PLBERT, bundle / ENCODER, threads=1)
        self._decoder = Session(bundle / TEACHER_FP32, threads=1, keep_memory=True)

    def read(self, line: Line, voice: str) -> Lesson | None:
        """Return the lesson, or None where the line has no or too many phonemes."""
        span = Span(text=line.text, language=line.language)
        phonemes = phonemize(Spoken(text=line.text, language=line.language, spans=(span,)))
        if not 0 < len(phonemes.symbols) <= LONGEST:
            return None
        ids = [symbol_ids()[symbol] for symbol in phonemes.symbols]
        features = self._encoder.encode(ids, self._styles[voice].row(len(ids)), line.speed)
        f0 = features.f0
        if phonemes.tones:
            f0 = draw_tones(f0, features.durations, phonemes.symbols, phonemes.tones)
        (audio,) = self._decoder.run(
            ("audio",), asr=features.asr, f0=f0, energy=features.energy, style=features.style
        )
        return Lesson(
            acoustic=features.asr[0],
            f0=f0[0],
            energy=features.energy[0],
            style=features.style[0, :128],
            audio=audio.reshape(-1),
        )


def main() -> None:
    """Read lines until the minutes are full."""
    parser = argparse.ArgumentParser(description="Let the teacher read lines")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--bundle", type=Path, default=Path("../../data/models/lite-hq"))
    parser.add_argument("--minutes", type=float, default=60.0)
    parser.add_argument("--voices", nargs="+", choices=VOICES, default=list(VOICES))
    parser.add_argument("--seed", type=int, default=SEED, help="other lines than a run before")
    parser.add_argument("--unseen", action="store_true")
    arguments = parser.parse_args()
    teacher = Teacher(arguments.bundle)
    if arguments.unseen:
        read_unseen(teacher, arguments.folder)
    else:
        read_corpus(
            teacher,
            arguments.folder,
            arguments.voices,
            minutes=arguments.minutes,
            seed=arguments.seed,
        )


def read_unseen(teacher: Teacher, folder: Path) -> None:
    """Read the unseen sentences, languages in turn, the voices of a language in turn."""
    by_language = {language: [s for of, s in unseen() if of == language] for language in Language}
    for place in range(max(len(sentences) for sentences in by_language.values())):
        for language, sentences in by_language.items():
            voices = [voice for voice in VOICES if voice.startswith(f"{language}_")]
            voice = voices[place % len(voices)]
            path = folder / voice / f"{place:05d}.npz"
            if place >= len(sentences) or path.exists():
                continue
            line = Line(text=sentences[place], language=language)
            lesson = teacher.read(line, voice)
            if lesson is None:
                raise SystemExit(f"cannot read {line.text!r}")
            keep(path, lesson, line, voice)


def read_corpus(
    teacher: Teacher, folder: Path, voices: list[str], *, minutes: float, seed: int
) -> None:
    """Read lines for whichever of `voices` has the least, until there are `minutes` in all.

    Processes side by side take different voices.
    """
    corpus = Corpus()
    seconds = {voice: _seconds(folder / voice) for voice in voices}
    counts = {voice: len(list((folder / voice).glob("*.npz"))) for voice in voices}
    started = time.monotonic()
    while (total := sum(seconds.values())) < 60 * minutes:
        voice = min(voices, key=lambda name: seconds[name] / _SHARE.get(name, 1.0))
        index = counts[voice]
        line, lesson = _lesson(teacher, corpus, voice, index, seed)
        keep(folder / voice / f"{index:05d}.npz", lesson, line, voice)
        counts[voice] += 1
        seconds[voice] += lesson.seconds
        spent = time.monotonic() - started
        print(f"{total / 60:.2f} min after {spent:.0f} s: {voice} {line.text}", flush=True)


def _lesson(
    teacher: Teacher, corpus: Corpus, voice: str, index: int, seed: int
) -> tuple[Line, Lesson]:
    draw = Random(f"{seed} {voice} {index}")  # noqa: S311 - a corpus, not a key
    while True:
        line = corpus.line(Language(voice.split("_", maxsplit=1)[0]), draw)
        if lesson := teacher.read(line, voice):
            return line, lesson


def keep(path: Path, lesson: Lesson, line: Line, voice: str) -> None:
    """Write a lesson. fp16 features cost 0.00 dB."""
    path.parent.mkdir(parents=True, exist_ok=True)
    write(
        path,
        acoustic=lesson.acoustic.astype(np.float16),
        f0=lesson.f0,
        energy=lesson.energy,
        style=lesson.style,
        audio=np.clip(np.rint(lesson.audio * 32767), -32768, 32767).astype(np.int16),
        text=line.text,
        voice=voice,
        speed=line.speed,
        language=str(line.language),
    )


def write(path: Path, **values: ArrayLike) -> None:
    """Write arrays to a file; a kill leaves no half file under its name."""
    fresh = path.with_suffix(".partial")
    with fresh.open("wb") as file:
        np.savez(file, **values)  # type: ignore[arg-type]  # none is called allow_pickle
    fresh.replace(path)


def _seconds(folder: Path) -> float:
    total = 0.0
    for path in folder.glob("*.npz"):
        with np.load(path) as lesson:
            total += len(lesson["audio"]) / SAMPLE_RATE
    return total


if __name__ == "__main__":
    main()
