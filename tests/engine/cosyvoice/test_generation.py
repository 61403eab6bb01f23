"""The loop's limits, with a language model that says what a test tells it to."""

from __future__ import annotations

import numpy as np
import pytest

from cosyvoice_wyoming.engine.cosyvoice.draws import SeededDraws
from cosyvoice_wyoming.engine.cosyvoice.generation import Limits, generate
from cosyvoice_wyoming.engine.cosyvoice.sampling import Sampling
from cosyvoice_wyoming.engine.cosyvoice.speech_lm import BUCKET, SpeechLm
from cosyvoice_wyoming.errors import EngineFailed
from tests.support.tiny_cosyvoice import TINY

END = TINY.speech_vocab
LM = TINY.speech_lm
NO_REPEATS = Sampling(share=2.0)
"""Never strikes a token out."""


class Favours:
    """A graph whose logits favour `tokens`, one after the other, and then the last for ever."""

    def __init__(self, *tokens):
        self.tokens = tokens
        self.runs = 0

    def run(self, feeds):
        count = len(feeds["rows"])
        logits = np.zeros((1, END + 1), np.float32)
        logits[0, self.tokens[min(self.runs, len(self.tokens) - 1)]] = 50
        self.runs += 1
        new = np.zeros((LM.layers, LM.heads, count, LM.head_dim), np.float32)
        return [logits, new, new]


def run(graph, limits, *, positions=512, sampling=NO_REPEATS):
    table = np.zeros((positions, LM.layers * LM.heads * LM.head_dim), np.float32)
    embedding = np.zeros((END, LM.dim), np.float32)
    lm = SpeechLm(graph, TINY, table, embedding)
    prompt = np.zeros((5, LM.dim), np.float32)
    return list(generate(lm, prompt, limits, SeededDraws(0), sampling))


def test_the_end_ends_it():
    assert run(Favours(3, 4, END), Limits(minimum=0, maximum=50)) == [3, 4]


def test_the_end_is_unheard_below_the_minimum():
    tokens = run(Favours(END), Limits(minimum=6, maximum=50))
    assert len(tokens) == 6
    assert END not in tokens


def test_the_maximum_ends_it_without_another_step():
    graph = Favours(3, 4)
    assert len(run(graph, Limits(minimum=0, maximum=7))) == 7
    assert graph.runs == 7


def test_a_run_of_equal_tokens_ends_it():
    tokens = run(Favours(3, 5), Limits(minimum=0, maximum=400, equal_run=25))
    assert tokens == [3] + [5] * 25


def test_the_guard_against_equal_tokens_can_be_off():
    assert len(run(Favours(5), Limits(minimum=0, maximum=40, equal_run=0))) == 40


def test_repeated_tokens_are_replaced_by_others():
    tokens = run(Favours(5), Limits(minimum=50, maximum=60), sampling=Sampling())
    assert max(map(tokens.count, set(tokens))) < 25


def test_the_past_grows_beyond_a_bucket_and_ends_with_the_table():
    assert len(run(Favours(3, 4), Limits(minimum=0, maximum=BUCKET + 9, equal_run=0))) > BUCKET
    with pytest.raises(EngineFailed, match="too long"):
        run(Favours(3), Limits(minimum=0, maximum=200, equal_run=0), positions=BUCKET + 1)


def test_a_table_is_used_to_its_last_row():
    prompt, positions = 5, BUCKET + 11
    limits = Limits(minimum=0, maximum=positions - 1 - prompt + 1, equal_run=0)
    assert len(run(Favours(3), limits, positions=positions)) == limits.maximum


def test_the_official_limits_follow_from_the_text():
    assert Limits.of_text(8) == Limits(minimum=16, maximum=160)
