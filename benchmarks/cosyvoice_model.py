"""What the CosyVoice benchmarks share: the synthetic model, and utterances of a given length."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from cosyvoice_wyoming.engine.cosyvoice import bundle, load_model  # noqa: E402  after the path
from cosyvoice_wyoming.engine.cosyvoice.config import FULL  # noqa: E402
from cosyvoice_wyoming.engine.cosyvoice.draws import SeededDraws  # noqa: E402
from cosyvoice_wyoming.engine.cosyvoice.generation import Limits, generate  # noqa: E402
from cosyvoice_wyoming.engine.cosyvoice.graphs.language import (  # noqa: E402
    PositionSource,
    build_speech_lm,
)
from cosyvoice_wyoming.engine.cosyvoice.layout import LM_FILE, checkpoint_layout  # noqa: E402
from cosyvoice_wyoming.engine.cosyvoice.positions import sinusoids  # noqa: E402
from cosyvoice_wyoming.engine.cosyvoice.presets import PRESETS  # noqa: E402
from cosyvoice_wyoming.engine.cosyvoice.quantise import Precision  # noqa: E402
from cosyvoice_wyoming.engine.cosyvoice.sessions import Session  # noqa: E402
from cosyvoice_wyoming.engine.cosyvoice.speech_lm import SpeechLm  # noqa: E402
from cosyvoice_wyoming.engine.cosyvoice.synthesis import Identity, Model  # noqa: E402
from cosyvoice_wyoming.engine.cosyvoice.weights import CheckpointWeights  # noqa: E402
from tests.support.tiny_cosyvoice import build_bundle, write_source  # noqa: E402

if TYPE_CHECKING:
    from numpy.typing import NDArray

TEXT_IDS = np.arange(300, 320)
"""Twenty ids; what they mean does not matter to random weights."""

_BUNDLES = {"exact": "exact", "balanced": "balanced", "fast": "balanced"}
"""`fast` runs on the files of `balanced`."""


def prepare(data: Path) -> None:
    """Write the synthetic checkpoint and the bundles below `data`, where they are missing."""
    if not (data / "checkpoint" / "multilingual.tiktoken").exists():
        write_source(data / "checkpoint", FULL)
    for preset in sorted(set(_BUNDLES.values())):
        folder = data / f"bundle-{preset}"
        if not (folder / bundle.MODEL_FILE).exists():
            build_bundle(data / "checkpoint", folder, preset, FULL)
    official_graph(data)


def official_graph(data: Path) -> Path:
    """Return the language model that projects all positions in every step; build it if missing."""
    folder = data / "official"
    if not (folder / "done").exists():
        folder.mkdir(exist_ok=True)
        layout = checkpoint_layout(FULL)[LM_FILE]
        with CheckpointWeights(data / "checkpoint" / LM_FILE, layout) as weights:
            path = folder / bundle.SPEECH_LM
            build_speech_lm(path, weights, FULL, Precision.FP32, PositionSource.PROJECTED)
        (folder / "done").touch()
    return folder / bundle.SPEECH_LM


class _ProjectsEachStep:
    """Feeds the sinusoids of all 2T - 1 distances, which the graph projects in every layer."""

    def __init__(self, session: Session) -> None:
        self._session = session

    def run(self, feeds: Mapping[str, NDArray[Any]]) -> list[NDArray[np.float32]]:
        length = feeds["distances"].shape[1]
        distances = np.concatenate([np.arange(length + 1), -np.arange(1, length)])
        kept = {name: value for name, value in feeds.items() if not name.startswith("table")}
        return self._session.run({**kept, "sinusoids": sinusoids(distances, FULL.speech_lm.dim)})


def load(data: Path, name: str, threads: int) -> tuple[Model, Identity]:
    """Return the model of a preset, or of "official": `exact` with the original's projections."""
    preset = "exact" if name == "official" else name
    folder = data / f"bundle-{_BUNDLES[preset]}"
    model = load_model(folder, FULL, PRESETS[preset], threads)
    if name == "official":
        lm = SpeechLm(
            _ProjectsEachStep(Session(official_graph(data), threads=threads)),
            FULL,
            np.load(folder / bundle.POSITIONS, mmap_mode="r"),
            np.load(folder / bundle.SPEECH_EMBEDDING, mmap_mode="r"),
        )
        model = Model(
            tokenizer=model.tokenizer,
            text_encoder=model.text_encoder,
            speech_lm=lm,
            decoder=model.decoder,
            prompt_rows=model.prompt_rows,
            preset=model.preset,
            max_positions=model.max_positions,
        )
    rows, mels = np.load(folder / bundle.SPEAKER_ROWS), np.load(folder / bundle.SPEAKER_MELS)
    return model, Identity(row=rows[:1], mel=mels[:1])


def tokens_of_length(
    model: Model, speaker: Identity, count: int, draws: SeededDraws
) -> Iterator[int]:
    """Yield exactly `count` tokens: random weights would end a sentence anywhere."""
    limits = Limits(minimum=count, maximum=count, equal_run=0)
    yield from generate(model.speech_lm, model.prompt(TEXT_IDS, speaker), limits, draws)
