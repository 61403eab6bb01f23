"""Judge an exported decoder on the unseen sentences: a table by voice, and pictures to look at.

    python evaluate.py work/decoder.onnx work/unseen --pictures work/pictures

Never choose weights by mel RMSE alone: a decoder that buzzes can have the lowest.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from lessons import Utterance, is_held_out, load
from metrics import BANDS_HZ, Floats, harmonic_depths, mel_rmse, pause_level, pitch_errors
from pictures import compare

from cosyvoice_wyoming.engine.kokoro.filters import filtered
from cosyvoice_wyoming.engine.kokoro.session import Session

if TYPE_CHECKING:
    from numpy.typing import NDArray

SEED = 0
_NEAR_CENTS = 100
_GROSS_CENTS = 300


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """One utterance; pairs are teacher, student."""

    mel: float
    depths: tuple[NDArray[np.float64], NDArray[np.float64]]
    cents: tuple[NDArray[np.float64], NDArray[np.float64]]
    pauses: tuple[float, float]


class Student:
    """An exported decoder on one thread."""

    def __init__(self, path: Path) -> None:
        self._session = Session(path, threads=1)

    def speak(self, utterance: Utterance, seed: int = SEED) -> Floats:
        """Return the whole utterance with the noise of `seed`."""
        noise = np.random.default_rng(seed).standard_normal(
            utterance.pulses.shape, dtype=np.float32
        )
        noise *= utterance.breath
        (filters,) = self._session.run(("filters",), **utterance.feed)
        pulses = utterance.pulses.astype(np.float32)
        return filtered(filters[0], pulses, noise, 0, len(filters[0]))


def main() -> None:
    """Judge every utterance, print the table."""
    parser = argparse.ArgumentParser(description="Judge an exported decoder")
    parser.add_argument("onnx", type=Path)
    parser.add_argument("lessons", type=Path)
    parser.add_argument("--pictures", type=Path, help="folder for one picture a voice")
    parser.add_argument(
        "--held-out", action="store_true", help="of lessons, those never trained on"
    )
    parser.add_argument("--json", type=Path, help="file for the figures of the table")
    arguments = parser.parse_args()
    student = Student(arguments.onnx)
    voices: dict[str, list[Judgement]] = {}
    for path in sorted(arguments.lessons.glob("*/*.npz")):
        if arguments.held_out and not is_held_out(path):
            continue
        utterance = load(path)
        samples = student.speak(utterance)
        found = voices.setdefault(utterance.voice, [])
        if arguments.pictures and not found:
            arguments.pictures.mkdir(parents=True, exist_ok=True)
            compare(utterance.waveform, samples, arguments.pictures / f"{utterance.voice}.png")
        found.append(judge(utterance, samples))
    rows = {voice: summarise(found) for voice, found in voices.items()}
    print(table(rows))
    if arguments.json:
        arguments.json.write_text(json.dumps(rows, indent=1))


def judge(utterance: Utterance, samples: Floats) -> Judgement:
    """Compare the student's samples with the teacher's."""
    teacher, f0 = utterance.waveform, utterance.f0
    return Judgement(
        mel=mel_rmse(teacher, samples),
        depths=(harmonic_depths(teacher, f0), harmonic_depths(samples, f0)),
        cents=(pitch_errors(teacher, teacher, f0), pitch_errors(teacher, samples, f0)),
        pauses=pause_level(teacher, samples),
    )


def summarise(found: list[Judgement]) -> dict[str, float]:
    """Return the figures of one voice."""
    row: dict[str, float] = {"sentences": len(found), "mel_rmse": _mean(j.mel for j in found)}
    for side, who in enumerate(("teacher", "student")):
        depths = np.nanmean(np.concatenate([j.depths[side] for j in found]), axis=0)
        for (low, high), depth in zip(BANDS_HZ, depths, strict=True):
            row[f"depth_{low}_{high}_{who}"] = round(float(depth), 2)
        cents = np.concatenate([j.cents[side] for j in found])
        row[f"cents_{who}"] = round(float(np.median(cents)), 1)
        row[f"near_{who}"] = round(100 * float(np.mean(cents < _NEAR_CENTS)), 1)
        row[f"gross_{who}"] = round(100 * float(np.mean(cents > _GROSS_CENTS)), 1)
        row[f"pause_{who}"] = _mean(j.pauses[side] for j in found)
    return row


def table(rows: dict[str, dict[str, float]]) -> str:
    """Return the markdown table of the model card; pairs are teacher / student."""
    lines = [
        (
            "| voice | sentences | mel RMSE | depth 0.3-2 kHz | 2-4 kHz | 4-8 kHz | F0 cents "
            "| within 100 cents, % | pauses, dBFS |"
        ),
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for voice, row in sorted(rows.items()):
        pairs = [f"depth_{low}_{high}" for low, high in BANDS_HZ] + ["cents", "near", "pause"]
        cells = [f"{row[f'{name}_teacher']:.1f} / {row[f'{name}_student']:.1f}" for name in pairs]
        first = [voice, f"{row['sentences']:.0f}", f"{row['mel_rmse']:.2f}"]
        lines.append("| " + " | ".join(first + cells) + " |")
    mean = np.mean([row["mel_rmse"] for row in rows.values()])
    lines.append(f"| mean over voices | | {mean:.2f} | | | | | | |")
    return "\n".join(lines)


def _mean(values: Iterable[float]) -> float:
    return round(float(np.nanmean(list(values))), 2)


if __name__ == "__main__":
    main()
