from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from cosyvoice_wyoming.engine.kokoro.pieces import pieces
from cosyvoice_wyoming.phonemes import Phonemes, TonedSyllable


@st.composite
def phonemes(draw):
    symbols = draw(st.text("aŋt .,!", max_size=120))
    starts = [i for i, symbol in enumerate(symbols) if symbol == "a"]
    return Phonemes(
        symbols=symbols,
        tones=tuple(TonedSyllable(start=i, end=i + 1, tone=i % 6 + 1) for i in starts),
    )


@given(phonemes(), st.integers(2, 40))
def test_no_piece_is_too_long_and_only_spaces_at_cuts_are_lost(whole, longest):
    parts = list(pieces(whole, longest))
    assert all(0 < len(part.symbols) <= longest for part in parts)
    joined = "".join(part.symbols for part in parts)
    assert joined.replace(" ", "") == whole.symbols.replace(" ", "")


@given(phonemes(), st.integers(2, 40))
def test_every_tone_stays_on_its_syllable(whole, longest):
    parts = list(pieces(whole, longest))
    tones = [tone for part in parts for tone in part.tones]
    assert [tone.tone for tone in tones] == [tone.tone for tone in whole.tones]
    for part in parts:
        assert all(part.symbols[tone.start : tone.end] == "a" for tone in part.tones)


def cut(symbols, longest):
    return [part.symbols for part in pieces(Phonemes(symbols=symbols), longest)]


def test_the_best_boundary_of_the_second_half_ends_a_piece():
    assert cut("aaaa, aaa. aa aaa", 14) == ["aaaa, aaa.", "aa aaa"]
    assert cut("aa. aaaaa, aa aaa", 14) == ["aa. aaaaa,", "aa aaa"]
    assert cut("aa, aaaa aaaa aaa", 14) == ["aa, aaaa aaaa ", "aaa"]


def test_a_piece_without_a_boundary_is_cut_at_the_limit():
    assert cut("a" * 25, 10) == ["a" * 10, "a" * 10, "a" * 5]


def test_what_fits_is_not_cut():
    assert cut("aa. aa", 6) == ["aa. aa"]
    assert cut("", 6) == []


def test_a_syllable_at_a_hard_cut_keeps_its_sound_without_its_tone():
    whole = Phonemes(symbols="aaaŋ", tones=(TonedSyllable(start=1, end=4, tone=1),))
    parts = list(pieces(whole, 3))
    assert [part.symbols for part in parts] == ["aaa", "ŋ"]
    assert all(part.tones == () for part in parts)
