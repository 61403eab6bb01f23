"""What a context network does to durations and pitch, on the sentences that nothing learnt from.

    python evaluate_context.py ../../data/models/lite/context.onnx

Each unseen sentence is read twice by every voice of its language at speed 1, with the teacher's
context and with the one to judge, and the same encoder after both. As a yardstick the table has
the teacher's own network with its activations in floats in place of 8 bits.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import onnx
from corpus import unseen
from teach import VOICES
from teach_context import ids_of

from cosyvoice_wyoming.bundles.dequantise import dequantise
from cosyvoice_wyoming.bundles.graph import Graph
from cosyvoice_wyoming.bundles.lite_files import ENCODER, PLBERT
from cosyvoice_wyoming.engine.kokoro.encoder import Encoder
from cosyvoice_wyoming.engine.kokoro.features import FRAME_SAMPLES, SAMPLE_RATE
from cosyvoice_wyoming.engine.kokoro.styles import Style, read_style

if TYPE_CHECKING:
    from numpy.typing import NDArray

_VOICED_HZ = 60.0
_CENTS = 1200


@dataclass(frozen=True, slots=True, kw_only=True)
class Prosody:
    """Of one reading: frames of each token [N] and the median pitch of its voiced frames [N]."""

    frames: NDArray[np.int64]
    cents: NDArray[np.float64]
    """NaN where a token has fewer than two voiced values."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """How one reading differs from the teacher's."""

    moved: float
    """Part of the tokens with another duration."""
    shift: float
    """Mean distance of a token's duration, in seconds."""
    length: float
    """Of the whole utterance, as a part of the teacher's."""
    cents: NDArray[np.float64]
    """Of each voiced token, without sign."""


def main() -> None:
    """Judge both networks, print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("onnx", type=Path)
    parser.add_argument("--bundle", type=Path, default=Path("../../data/models/lite-hq"))
    parser.add_argument("--json", type=Path, help="file for the figures of the table")
    arguments = parser.parse_args()
    bundle = arguments.bundle
    teacher = Encoder(bundle / PLBERT, bundle / ENCODER, threads=1)
    judged = {
        "student": Encoder(arguments.onnx, bundle / ENCODER, threads=1),
        "teacher in floats": in_floats(bundle),
    }
    styles = {voice: read_style(bundle / "voices", packs) for voice, packs in VOICES.items()}
    found: dict[tuple[str, str], list[Judgement]] = defaultdict(list)
    for language, text in unseen():
        ids = ids_of(text, language)
        for voice, style in styles.items():
            if voice.startswith(f"{language}_"):
                reference = read(teacher, ids, style)
                for who, encoder in judged.items():
                    found[str(language), who].append(judge(reference, read(encoder, ids, style)))
    rows = [figures(*key, judgements) for key, judgements in sorted(found.items())]
    print_table(rows)
    if arguments.json:
        arguments.json.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")


def in_floats(bundle: Path) -> Encoder:
    """Return the teacher's with the same weights, its context's activations not rounded."""
    graph = Graph(onnx.load(bundle / PLBERT))
    dequantise(graph)
    with tempfile.NamedTemporaryFile(suffix=".onnx") as file:
        onnx.save(graph.whole(), file.name)
        return Encoder(Path(file.name), bundle / ENCODER, threads=1)


def read(encoder: Encoder, ids: list[int], style: Style) -> Prosody:
    """Let a voice read the phonemes at speed 1."""
    features = encoder.encode(ids, style.row(len(ids)), 1.0)
    pieces = np.split(features.f0.reshape(-1), 2 * np.cumsum(features.durations)[:-1])
    return Prosody(frames=features.durations, cents=np.array([_cents(piece) for piece in pieces]))


def judge(reference: Prosody, reading: Prosody) -> Judgement:
    """Compare token by token: the same tokens, so nothing needs to be aligned."""
    distance = np.abs(reading.frames - reference.frames)
    cents = np.abs(reading.cents - reference.cents)
    return Judgement(
        moved=float((distance > 0).mean()),
        shift=float(distance.mean()) * FRAME_SAMPLES / SAMPLE_RATE,
        length=float(reading.frames.sum() / reference.frames.sum()) - 1,
        cents=cents[~np.isnan(cents)],
    )


def figures(language: str, who: str, judgements: list[Judgement]) -> dict[str, str | float]:
    """Return a row of the table."""
    cents = np.concatenate([judgement.cents for judgement in judgements])
    lengths = np.array([judgement.length for judgement in judgements])
    return {
        "language": language,
        "who": who,
        "readings": len(judgements),
        "moved_percent": 100 * float(np.mean([judgement.moved for judgement in judgements])),
        "shift_ms": 1000 * float(np.mean([judgement.shift for judgement in judgements])),
        "length_percent": 100 * float(lengths.mean()),
        "length_spread_percent": 100 * float(np.abs(lengths).mean()),
        "cents_median": float(np.median(cents)),
        "cents_p90": float(np.percentile(cents, 90)),
    }


def print_table(rows: list[dict[str, str | float]]) -> None:
    print("| language | context | durations moved | by, mean | length | distance | pitch | p90 |")
    print("|---|---|---|---|---|---|---|---|")
    for row in rows:
        print(
            f"| {row['language']} | {row['who']} | {row['moved_percent']:.1f} % "
            f"| {row['shift_ms']:.2f} ms | {row['length_percent']:+.2f} % "
            f"| {row['length_spread_percent']:.2f} % | {row['cents_median']:.0f} cents "
            f"| {row['cents_p90']:.0f} cents |"
        )


def _cents(pitch: NDArray[np.float32]) -> float:
    voiced = pitch[pitch > _VOICED_HZ]
    return float(_CENTS * np.log2(np.median(voiced))) if len(voiced) > 1 else float("nan")


if __name__ == "__main__":
    main()
