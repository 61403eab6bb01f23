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
from teach_context import context_of, context_session, ids_of

from cosyvoice_wyoming.bundles.dequantise import dequantise
from cosyvoice_wyoming.bundles.graph import Graph
from cosyvoice_wyoming.engine.kokoro.encoder import PAD
from cosyvoice_wyoming.engine.kokoro.styles import read_style

if TYPE_CHECKING:
    import onnxruntime
    from numpy.typing import NDArray

_VOICED_HZ = 60.0
_FRAME_SECONDS = 0.025
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


class Encoder:
    """The encoder after either context network."""

    def __init__(self, bundle: Path) -> None:
        self._session = context_session(bundle / "encoder.onnx")
        self._styles = {
            voice: read_style(bundle / "voices", packs) for voice, packs in VOICES.items()
        }

    def read(self, tokens: NDArray[np.int64], context: NDArray[np.float32], voice: str) -> Prosody:
        f0, durations = self._session.run(
            ["f0", "durations"],
            {
                "tokens": tokens[None],
                "context": context[None],
                "style": self._styles[voice].row(len(tokens) - 2),
                "speed": np.ones(1, np.float32),
            },
        )
        frames = durations.reshape(-1).astype(np.int64)
        pieces = np.split(f0.reshape(-1), 2 * np.cumsum(frames)[:-1])
        return Prosody(frames=frames, cents=np.array([_cents(piece) for piece in pieces]))


def main() -> None:
    """Judge both networks, print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("onnx", type=Path)
    parser.add_argument("--bundle", type=Path, default=Path("../../data/models/lite-hq"))
    parser.add_argument("--json", type=Path, help="file for the figures of the table")
    arguments = parser.parse_args()
    teacher = context_session(arguments.bundle / "plbert.onnx")
    judged = {
        "student": context_session(arguments.onnx),
        "teacher in floats": in_floats(arguments.bundle / "plbert.onnx"),
    }
    encoder = Encoder(arguments.bundle)
    found: dict[tuple[str, str], list[Judgement]] = defaultdict(list)
    for language, text in unseen():
        tokens = np.array([PAD, *ids_of(text, language), PAD])
        contexts = {who: context_of(session, tokens) for who, session in judged.items()}
        expected = context_of(teacher, tokens)
        for voice in VOICES:
            if voice.startswith(f"{language}_"):
                reference = encoder.read(tokens, expected, voice)
                for who, context in contexts.items():
                    reading = encoder.read(tokens, context, voice)
                    found[str(language), who].append(judge(reference, reading))
    rows = [figures(*key, judgements) for key, judgements in sorted(found.items())]
    print_table(rows)
    if arguments.json:
        arguments.json.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")


def in_floats(path: Path) -> onnxruntime.InferenceSession:
    """Return the teacher's network with the same weights, its activations not rounded."""
    graph = Graph(onnx.load(path))
    dequantise(graph)
    with tempfile.NamedTemporaryFile(suffix=".onnx") as file:
        onnx.save(graph.whole(), file.name)
        return context_session(Path(file.name))


def judge(reference: Prosody, reading: Prosody) -> Judgement:
    """Compare token by token: the same tokens, so nothing needs to be aligned."""
    distance = np.abs(reading.frames - reference.frames)
    cents = np.abs(reading.cents - reference.cents)
    return Judgement(
        moved=float((distance > 0).mean()),
        shift=float(distance.mean()) * _FRAME_SECONDS,
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
