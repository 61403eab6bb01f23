from __future__ import annotations

from random import Random

import pytest

from cosyvoice_wyoming.phonemes import phonemize
from cosyvoice_wyoming.text.language import Language
from cosyvoice_wyoming.text.spoken import Span, Spoken
from tests.tools import distil

corpus = distil("corpus")
LINES_DRAWN = 300


def seeded(seed):
    return Random(str(seed))  # noqa: S311 - sentences, not secrets


@pytest.fixture(scope="module")
def drawn():
    source = corpus.Corpus()
    return {
        home: [source.line(home, seeded(f"{home} {i}")) for i in range(LINES_DRAWN)]
        for home in Language
    }


def test_the_same_seed_draws_the_same_line():
    source, again = corpus.Corpus(), corpus.Corpus()
    for seed in range(20):
        assert source.line(Language.JA, seeded(seed)) == again.line(Language.JA, seeded(seed))


def test_no_unseen_sentence_is_drawn(drawn):
    unseen = {text for _, text in corpus.unseen()}
    assert not unseen & {line.text for lines in drawn.values() for line in lines}


def test_there_are_twenty_different_unseen_sentences_of_each_language():
    sentences = corpus.unseen()
    assert len(set(sentences)) == 100
    for language in Language:
        assert sum(spoken == language for spoken, _ in sentences) == 20


def test_every_voice_mostly_speaks_its_own_language_and_some_of_each_other(drawn):
    for home, lines in drawn.items():
        spoken = [line.language for line in lines]
        assert set(spoken) == set(Language)
        assert spoken.count(home) > 0.75 * len(spoken)


def test_speeds_cover_the_range(drawn):
    speeds = {line.speed for lines in drawn.values() for line in lines}
    assert corpus.SLOWEST <= min(speeds) < 0.75
    assert 1.35 < max(speeds) <= corpus.FASTEST


def test_no_slot_stays_unfilled(drawn):
    for lines in drawn.values():
        for line in lines:
            assert "{" not in line.text


@pytest.mark.parametrize("home", list(Language))
def test_every_line_can_be_pronounced(drawn, home):
    for line in drawn[home][:40]:
        span = Span(text=line.text, language=line.language)
        spoken = Spoken(text=line.text, language=line.language, spans=(span,))
        assert phonemize(spoken).symbols.strip()
