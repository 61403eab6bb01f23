"""Builds a bundle's files from the official checkpoint, tensor by tensor, without PyTorch.

As a program, `python -m cosyvoice_wyoming.engine.cosyvoice.build SOURCE TARGET PRESET`, it says
what it does on standard output and what is wrong on standard error.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from cosyvoice_wyoming.checkpoint import Checkpoint, TensorRecord
from cosyvoice_wyoming.engine.cosyvoice import bundle
from cosyvoice_wyoming.engine.cosyvoice.config import FULL, SPEAKERS, Config
from cosyvoice_wyoming.engine.cosyvoice.graphs.attention import position_matrix
from cosyvoice_wyoming.engine.cosyvoice.graphs.flow import build_estimator, build_flow_encoder
from cosyvoice_wyoming.engine.cosyvoice.graphs.language import build_speech_lm, build_text_encoder
from cosyvoice_wyoming.engine.cosyvoice.graphs.vocoder import build_pitch, build_vocoder
from cosyvoice_wyoming.engine.cosyvoice.layout import (
    FLOW_FILE,
    LM_FILE,
    SPEAKERS_FILE,
    VOCODER_FILE,
    checkpoint_layout,
)
from cosyvoice_wyoming.engine.cosyvoice.positions import sinusoids
from cosyvoice_wyoming.engine.cosyvoice.presets import PRESETS
from cosyvoice_wyoming.engine.cosyvoice.quantise import Precision
from cosyvoice_wyoming.engine.cosyvoice.vocabulary import (
    MODEL_FILE,
    RANKS_FILE,
    read_ranks,
    write_model,
)
from cosyvoice_wyoming.engine.cosyvoice.weights import CheckpointWeights, Weights
from cosyvoice_wyoming.errors import ModelCorrupt

if TYPE_CHECKING:
    from numpy.typing import NDArray

SOURCE_FILES = (LM_FILE, FLOW_FILE, VOCODER_FILE, SPEAKERS_FILE, RANKS_FILE)
"""What `build` reads: the official checkpoint, and the vocabulary of Whisper."""

MAX_POSITIONS = 2048
"""Text and speech tokens of one sentence together: 40 seconds of speech."""

Report = Callable[[str], None]


def build(
    source: Path,
    target: Path,
    preset: str,
    config: Config = FULL,
    report: Report = lambda _: None,
) -> None:
    """Write a bundle's files into the folder `target`, which exists.

    `source` holds SOURCE_FILES. `report` is told what is being done. The caller moves the folder
    into place once all of it is written. Raises ModelCorrupt, OSError.
    """
    _require(source)
    precision = PRESETS[preset].precision
    layout = checkpoint_layout(config)
    report("Reading the speakers")
    vectors = read_speakers(source / SPEAKERS_FILE, config.speaker_dim)
    with CheckpointWeights(source / LM_FILE, layout[LM_FILE]) as weights:
        report("Building the text encoder")
        build_text_encoder(target / bundle.TEXT_ENCODER, weights, config, precision)
        report("Building the language model")
        build_speech_lm(target / bundle.SPEECH_LM, weights, config, precision)
        _write_language_arrays(target, weights, config, precision)
        rows = project_speakers(vectors, weights)
    np.save(target / bundle.SPEAKER_ROWS, rows)
    with CheckpointWeights(source / FLOW_FILE, layout[FLOW_FILE]) as weights:
        report("Building the flow")
        build_flow_encoder(target / bundle.FLOW_ENCODER, weights, config, precision)
        build_estimator(target / bundle.ESTIMATOR, weights, config, precision)
        np.save(target / bundle.SPEAKER_MELS, project_speakers(vectors, weights))
    with CheckpointWeights(source / VOCODER_FILE, layout[VOCODER_FILE]) as weights:
        report("Building the vocoder")
        build_pitch(target / bundle.PITCH, weights, config)
        build_vocoder(target / bundle.VOCODER, weights, config, precision)
        merge = [weights.read(f"m_source.l_linear.{part}").ravel() for part in ("weight", "bias")]
        np.save(target / bundle.SOURCE, np.concatenate(merge))
    report("Building the tokenizer")
    write_model(read_ranks(source / RANKS_FILE), target / MODEL_FILE)
    bundle.write_description(target, preset, config)


def read_speakers(path: Path, dim: int) -> NDArray[np.float32]:
    """Return the x-vectors [speakers, dim] of spk2info.pt, in the order of SPEAKERS.

    Raises ModelCorrupt naming a speaker that is missing.
    """
    with Checkpoint(path) as checkpoint:
        rows = []
        for speaker in SPEAKERS:
            entry = checkpoint.tree.get(speaker) if isinstance(checkpoint.tree, dict) else None
            record = entry.get("embedding") if isinstance(entry, dict) else None
            if not isinstance(record, TensorRecord) or record.shape != (1, dim):
                raise ModelCorrupt(
                    f"{path.name} has no embedding of {dim} numbers for {speaker}: it is not the "
                    "file of CosyVoice-300M-SFT."
                )
            rows.append(checkpoint.read(record).astype(np.float32))
    return np.concatenate(rows)


def project_speakers(vectors: NDArray[np.float32], weights: Weights) -> NDArray[np.float32]:
    """Return affine(x / ||x||) of each x-vector."""
    unit = vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12)
    matrix = weights.read("spk_embed_affine_layer.weight")
    rows: NDArray[np.float32] = unit @ matrix.T + weights.read("spk_embed_affine_layer.bias")
    return rows


def _write_language_arrays(
    target: Path, weights: Weights, config: Config, precision: Precision
) -> None:
    half = precision is not Precision.FP32
    embedding = weights.read("text_embedding.weight")
    np.save(target / bundle.TEXT_EMBEDDING, embedding.astype(np.float16) if half else embedding)
    np.save(target / bundle.SPEECH_EMBEDDING, weights.read("speech_embedding.weight"))
    np.save(target / bundle.PROMPT_ROWS, weights.read("llm_embedding.weight"))
    write_positions(target / bundle.POSITIONS, weights, config)


def write_positions(path: Path, weights: Weights, config: Config) -> None:
    """Write the projections of every distance up to MAX_POSITIONS in every layer."""
    lm = config.speech_lm
    width = lm.heads * lm.head_dim
    table = np.lib.format.open_memmap(
        path, mode="w+", dtype=np.float32, shape=(MAX_POSITIONS, lm.layers * width)
    )
    waves = sinusoids(np.arange(MAX_POSITIONS), lm.dim)
    for layer in range(lm.layers):
        table[:, layer * width : (layer + 1) * width] = waves @ position_matrix(weights, lm, layer)
    table.flush()


def _require(source: Path) -> None:
    missing = [name for name in SOURCE_FILES if not (source / name).is_file()]
    if missing:
        raise ModelCorrupt(f"{source} lacks {', '.join(missing)}.")


def main(arguments: Sequence[str], config: Config = FULL) -> int:
    """Run `build` on SOURCE, TARGET and PRESET; return the exit status."""
    source, target, preset = arguments
    try:
        build(Path(source), Path(target), preset, config, report=_say)
    except (ModelCorrupt, OSError) as error:
        sys.stderr.write(f"{error}\n")
        return 1
    return 0


def _say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
