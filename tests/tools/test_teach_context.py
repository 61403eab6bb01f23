"""What the context network is taught with."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from cosyvoice_wyoming.engine.kokoro.encoder import LONGEST_SYMBOLS
from cosyvoice_wyoming.text.language import Language
from tests.tools import distil

teach = distil("teach_context")

SENTENCES = {
    Language.ZH: "今天天气很好。",
    Language.EN: "The door is open.",
    Language.JA: "ドアが開いています。",
    Language.KO: "문이 열려 있습니다.",
    Language.YUE: "今日天氣好好。",
}


class Network:
    """Writes each token's id into all of its context."""

    def run(self, _names, *, tokens):
        tokens = tokens.astype(np.float32)
        return [np.repeat(tokens[:, :, None], 512, axis=2)]


@pytest.fixture
def texts(tmp_path):
    for language, sentence in SENTENCES.items():
        (tmp_path / f"{language}.txt").write_text(sentence + "\n", encoding="utf-8")
    return teach.Texts(tmp_path)


@pytest.fixture
def few(monkeypatch):
    monkeypatch.setattr(teach, "UTTERANCES", 25)


@pytest.mark.usefixtures("few")
def test_a_file_of_a_number_is_the_same_in_every_run(texts):
    assert teach.read(texts, 3) == teach.read(texts, 3) != teach.read(texts, 4)


@pytest.mark.usefixtures("few")
def test_every_tenth_file_has_a_fifth_of_the_utterances_and_they_are_long(texts):
    utterances = teach.read(texts, teach.LONG_EVERY - 1)
    assert len(utterances) == 5
    assert all(180 <= len(utterance) <= LONGEST_SYMBOLS for utterance in utterances)


@pytest.mark.usefixtures("few")
def test_what_is_kept_is_what_was_read(texts, tmp_path):
    utterances = teach.read(texts, 0)
    path = tmp_path / "000.npz"
    count = teach.keep(path, utterances, Network())
    with np.load(path) as kept:
        begins, tokens = kept["begins"], kept["tokens"]
        rows = [tokens[a:b] for a, b in itertools.pairwise(begins)]
        assert np.array_equal(kept["context"][:, 0], tokens)
    assert count == len(tokens)
    assert [row[1:-1].tolist() for row in rows] == utterances
    assert all(row[0] == row[-1] == 0 for row in rows)
    assert not list(tmp_path.glob("*.partial"))


def test_text_without_words_has_no_phonemes():
    assert teach.ids_of("...", Language.EN) == []
