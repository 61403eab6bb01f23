from __future__ import annotations

import pytest

from cosyvoice_wyoming.phonemes import symbol_ids
from cosyvoice_wyoming.phonemes.english import EnglishReader
from cosyvoice_wyoming.phonemes.tables import table
from tests.phonemes.corpus import pronunciations


@pytest.fixture(scope="module")
def reader():
    return EnglishReader()


@pytest.mark.parametrize(("written", "accepted"), pronunciations("en"))
def test_words_are_read_as_in_america(reader, written, accepted):
    assert reader.read(written).symbols in accepted


def test_the_table_is_written_in_the_vocabulary():
    for word, phonemes in table("english_words.tsv").items():
        assert set(phonemes) <= set(symbol_ids()), word
