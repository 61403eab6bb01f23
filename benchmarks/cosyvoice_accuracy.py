"""What fewer bits and fewer steps change, stage by stage, against `exact` on synthetic weights.

    python benchmarks/cosyvoice_accuracy.py --data DIR [--json FILE]

Random weights have no redundancy, so these are worst cases: they order the choices, they do not
say how speech sounds. DIR is that of cosyvoice_speed.py. Figures do not depend on the load.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Generator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from cosyvoice_model import TEXT_IDS, load, prepare, tokens_of_length
from numpy.typing import NDArray

from cosyvoice_wyoming.engine.cosyvoice import bundle
from cosyvoice_wyoming.engine.cosyvoice.config import FULL
from cosyvoice_wyoming.engine.cosyvoice.draws import SeededDraws
from cosyvoice_wyoming.engine.cosyvoice.flow import Estimator, Flow, Schedule
from cosyvoice_wyoming.engine.cosyvoice.graphs.flow import build_estimator, build_flow_encoder
from cosyvoice_wyoming.engine.cosyvoice.graphs.language import build_speech_lm, build_text_encoder
from cosyvoice_wyoming.engine.cosyvoice.layout import FLOW_FILE, LM_FILE, checkpoint_layout
from cosyvoice_wyoming.engine.cosyvoice.pair import Pair
from cosyvoice_wyoming.engine.cosyvoice.presets import OFFICIAL_GUIDANCE, PRESETS
from cosyvoice_wyoming.engine.cosyvoice.quantise import Precision
from cosyvoice_wyoming.engine.cosyvoice.sampling import log_softmax
from cosyvoice_wyoming.engine.cosyvoice.sessions import Session
from cosyvoice_wyoming.engine.cosyvoice.speech_lm import SpeechLm, TextEncoder
from cosyvoice_wyoming.engine.cosyvoice.synthesis import Identity, Model
from cosyvoice_wyoming.engine.cosyvoice.weights import CheckpointWeights

Array = NDArray[np.float32]

TOKENS = 100
"""Two seconds of speech."""
G = OFFICIAL_GUIDANCE
SCHEDULES: Mapping[str, tuple[float, ...]] = {
    "10 steps, all guided (official)": (G,) * 10,
    "10 steps, last 7 guided": (0,) * 3 + (G,) * 7,
    "10 steps, first 7 guided": (G,) * 7 + (0,) * 3,
    "8 steps, all guided": (G,) * 8,
    "8 steps, last 6 guided": (0,) * 2 + (G,) * 6,
    "6 steps, all guided": (G,) * 6,
    "5 steps, all guided": (G,) * 5,
    "5 steps, last 4 guided (balanced)": (0,) + (G,) * 4,
    "5 steps, last 3 guided": (0,) * 2 + (G,) * 3,
    "4 steps, last 2 guided": (0, 0, G, G),
    "3 steps, all guided": (G,) * 3,
    "3 steps, last 2 guided (fast)": (0, G, G),
    "4 steps, last guided": (0, 0, 0, G),
    "4 steps, none guided": (0,) * 4,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    prepare(arguments.data)
    # In the language model, INT8 is INT8_BLOCKS.
    kinds = [kind for kind in Precision if kind is not Precision.INT8_BLOCKS]
    folders = {kind: graphs(arguments.data, kind) for kind in kinds}
    model, speaker = load(arguments.data, "exact", 1)
    tokens = list(tokens_of_length(model, speaker, TOKENS, SeededDraws(1)))
    figures = {
        "language model": language(model, speaker, tokens, folders),
        "flow and sound": bits(model, speaker, tokens, folders),
        "schedules": schedules(model, speaker, tokens),
    }
    for title, rows in figures.items():
        show(title, rows)
    if arguments.json:
        arguments.json.write_text(json.dumps(figures, indent=1) + "\n", "utf-8")


def graphs(data: Path, precision: Precision) -> Path:
    """Return a folder with the graphs in that precision; build them if they are missing."""
    known = {Precision.FP32: "bundle-exact", Precision.INT8: "bundle-balanced"}
    if precision in known:
        return data / known[precision]
    folder = data / f"graphs-{precision}"
    if not (folder / "done").exists():
        folder.mkdir(exist_ok=True)
        layout = checkpoint_layout(FULL)
        with CheckpointWeights(data / "checkpoint" / LM_FILE, layout[LM_FILE]) as weights:
            build_text_encoder(folder / bundle.TEXT_ENCODER, weights, FULL, precision)
            build_speech_lm(folder / bundle.SPEECH_LM, weights, FULL, precision)
        with CheckpointWeights(data / "checkpoint" / FLOW_FILE, layout[FLOW_FILE]) as weights:
            build_flow_encoder(folder / bundle.FLOW_ENCODER, weights, FULL, precision)
            build_estimator(folder / bundle.ESTIMATOR, weights, FULL, precision)
        (folder / "done").touch()
    return folder


def language(
    model: Model, speaker: Identity, tokens: list[int], folders: Mapping[Precision, Path]
) -> list[dict[str, Any]]:
    """Compare logits under teacher forcing: KL(exact, other) per token, and the same best token."""
    exact, rows = None, []
    for precision, folder in folders.items():
        encoder = TextEncoder(
            Session(folder / bundle.TEXT_ENCODER, threads=1), FULL, model.text_encoder.embedding
        )
        lm = SpeechLm(
            Session(folder / bundle.SPEECH_LM, threads=1),
            FULL,
            model.speech_lm.table,
            model.speech_lm.embedding,
        )
        text = encoder.encode(TEXT_IDS)
        prompt = [model.prompt_rows[:1], speaker.row, text, model.prompt_rows[1:]]
        past, logits = lm.start(np.concatenate(prompt))
        scores = [logits, *(lm.step(past, token) for token in tokens)]
        if exact is None:
            exact = scores
        rows.append({"weights": precision.value, **compare_scores(exact, scores)})
    return rows


def compare_scores(exact: list[Array], other: list[Array]) -> dict[str, float]:
    divergences, agreements = [], []
    for one, two in zip(exact, other, strict=True):
        p, q = log_softmax(one), log_softmax(two)
        divergences.append(float(np.sum(np.exp(p) * (p - q))))
        agreements.append(one.argmax() == two.argmax())
    return {
        "KL": float(np.mean(divergences)),
        "same best token, %": 100 * float(np.mean(agreements)),
        "logits, largest error": float(np.max(np.abs(np.array(exact) - np.array(other)))),
    }


def bits(
    model: Model, speaker: Identity, tokens: list[int], folders: Mapping[Precision, Path]
) -> list[dict[str, Any]]:
    """Compare mu, mel and samples for the same tokens, noise and schedule."""
    rows: list[dict[str, Any]] = []
    exact: tuple[Array, ...] | None = None
    for precision, folder in folders.items():
        flow = Flow(
            Session(folder / bundle.FLOW_ENCODER, threads=1),
            Estimator(Session(folder / bundle.ESTIMATOR, threads=1), Pair(1)),
            FULL,
        )
        stages = sound(flow, model, speaker, tokens, PRESETS["exact"].schedule)
        exact = exact or stages
        rows.append({"weights": precision.value, **compare_stages(exact, stages)})
    return rows


def schedules(model: Model, speaker: Identity, tokens: list[int]) -> list[dict[str, Any]]:
    """Compare schedules in fp32; `rows` is what the estimator is run over, the cost."""
    rows: list[dict[str, Any]] = []
    exact: tuple[Array, ...] | None = None
    for name, guidance in SCHEDULES.items():
        schedule = Schedule(guidance=guidance)
        stages = sound(model.decoder.flow, model, speaker, tokens, schedule)
        exact = exact or stages
        rows.append({"schedule": name, "rows": schedule.rows, **compare_stages(exact, stages)})
    return rows


def sound(
    flow: Flow, model: Model, speaker: Identity, tokens: list[int], schedule: Schedule
) -> tuple[Array, Array, Array]:
    """Return mu, mel and samples of the whole utterance."""
    draws = SeededDraws(2)
    mu = flow.encode(np.array(tokens))
    mel = finish(flow.solve(mu, speaker.mel, draws.normal(mu.shape), schedule))
    wave, _ = model.decoder.vocoder.whole(mel, draws)
    return mu, mel, wave


def finish(steps: Generator[None, None, Array]) -> Array:
    while True:
        try:
            next(steps)
        except StopIteration as end:
            result: Array = end.value
            return result


def compare_stages(exact: tuple[Array, ...], other: tuple[Array, ...]) -> dict[str, float]:
    """Return each stage's error, its rms in percent of the exact stage's, and the largest."""
    figures: dict[str, float] = {}
    for name, one, two in zip(("mu", "mel", "PCM"), exact, other, strict=True):
        difference = two - one
        figures[f"{name} rms, %"] = 100 * float(difference.std() / one.std())
        figures[f"{name} max"] = float(np.abs(difference).max())
    return figures


def show(title: str, rows: list[dict[str, Any]]) -> None:
    print(f"\n{title}\n")
    print("| " + " | ".join(rows[0]) + " |")
    print("|" + "---|" * len(rows[0]))
    for row in rows:
        cells = [f"{cell:.3g}" if isinstance(cell, float) else str(cell) for cell in row.values()]
        print("| " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()
