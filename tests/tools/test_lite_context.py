"""The context network in models/lite-context is what its card says, and near the teacher's."""

from __future__ import annotations

import hashlib
import tomllib
from pathlib import Path

import numpy as np
import pytest

from cosyvoice_wyoming.engine.kokoro.encoder import Encoder
from cosyvoice_wyoming.engine.kokoro.session import Session
from cosyvoice_wyoming.engine.kokoro.styles import read_style
from cosyvoice_wyoming.text.language import Language
from tests.support.models import lite_hq
from tests.tools import distil

teach_context = distil("teach_context")
evaluate = distil("evaluate_context")
corpus = distil("corpus")

MODELS = Path(__file__).parents[2] / "models"
FOLDER = MODELS / "lite-context"
MOST_BYTES = 20_000_000
"""Of everything that was distilled."""

MOST_SHIFT = 0.0025
"""Seconds that a token's duration is off, on average; 0.0016 were measured."""
MOST_LENGTH = 0.012
"""Of an utterance, either way, on average; 0.0076 were measured."""
MOST_CENTS = 25.0
"""Median distance of the pitch; 17 were measured."""

VOICES = {
    Language.ZH: "zh_female_01",
    Language.EN: "en_female_01",
    Language.JA: "ja_female_01",
    Language.KO: "ko_female_01",
    Language.YUE: "yue_female_01",
}


@pytest.fixture(scope="module")
def described():
    return tomllib.loads((FOLDER / "context.toml").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def network(described):
    return Session(FOLDER / described["file"], threads=1)


def test_the_file_is_the_one_described(described):
    content = (FOLDER / described["file"]).read_bytes()
    assert len(content) == described["size"]
    assert hashlib.sha256(content).hexdigest() == described["sha256"]


def test_all_that_was_distilled_is_at_most_20_mb():
    assert sum(path.stat().st_size for path in MODELS.glob("lite-*/*.onnx")) <= MOST_BYTES


@pytest.mark.parametrize("count", [3, 512])
def test_a_token_gets_512_values(network, count):
    context = teach_context.context_of(network, np.full(count, 43))
    assert context.shape == (count, 512)
    assert np.isfinite(context).all()


@pytest.mark.model
def test_the_table_of_the_card_holds(described):
    """Durations and pitch of the first five unseen sentences of each language."""
    teacher, student = (
        Encoder(context, lite_hq() / "encoder.onnx", threads=1)
        for context in (lite_hq() / "plbert.onnx", FOLDER / described["file"])
    )
    judgements = []
    for language, voice in VOICES.items():
        style = read_style(lite_hq() / "voices", evaluate.VOICES[voice])
        for text in [text for of, text in corpus.unseen() if of == language][:5]:
            ids = teach_context.ids_of(text, language)
            readings = (evaluate.read(encoder, ids, style) for encoder in (teacher, student))
            judgements.append(evaluate.judge(*readings))
    assert np.mean([judgement.shift for judgement in judgements]) < MOST_SHIFT
    assert np.abs([judgement.length for judgement in judgements]).mean() < MOST_LENGTH
    assert np.median(np.concatenate([judgement.cents for judgement in judgements])) < MOST_CENTS
