"""The tokenizer against tiktoken, which the original uses."""

from __future__ import annotations

import lzma
import random
import unicodedata
from typing import Any

import pytest

from cosyvoice_wyoming.engine.cosyvoice.tokenizer import Tokenizer, split_words
from cosyvoice_wyoming.engine.cosyvoice.vocabulary import (
    LANGUAGE_TAGS,
    RANKS_FILE,
    read_ranks,
    write_model,
)
from cosyvoice_wyoming.errors import ModelCorrupt
from cosyvoice_wyoming.text.language import Language
from tests.support.tiny_cosyvoice import RANKS

PATTERN = r"""'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"""
RANDOM = random.Random(20)  # noqa: S311  texts for a test


@pytest.fixture(scope="module")
def ranks(tmp_path_factory):
    path = tmp_path_factory.mktemp("ranks") / RANKS_FILE
    path.write_bytes(lzma.decompress(RANKS.read_bytes()))
    return read_ranks(path)


@pytest.fixture(scope="module")
def tokenizer(ranks, tmp_path_factory):
    path = tmp_path_factory.mktemp("model") / "text.model"
    write_model(ranks, path)
    return Tokenizer(path)


@pytest.fixture(scope="module")
def tiktoken_encode(ranks):
    import tiktoken

    merges = {entry: rank for rank, entry in enumerate(ranks)}
    encoding = tiktoken.Encoding(
        "whisper", pat_str=PATTERN, mergeable_ranks=merges, special_tokens={}
    )
    return lambda text: encoding.encode(text, disallowed_special=())


ALPHABETS = {
    "Mandarin": [*map(chr, range(0x4E00, 0x9FA5)), *"，。！？、：；（）《》"],
    "Cantonese": [*"嘅係喺唔咗啲嘢冇佢哋咁噉嚟睇邊度乜嘢點解而家聽日食飯飲茶。，！？", *"OK la"],
    "Japanese": [*map(chr, range(0x3041, 0x30FF)), *"日本語漢字今日明日天気、。ー・「」"],
    "Korean": [*map(chr, range(0xAC00, 0xD7A4)), *" .,?!"],
    "English": [*"abcdefghijklmnopqrstuvwxyzABCDEFGHIJ    '''.,?!-", "'s", "'ll", "'re", "n't"],
    "numbers": [*"0123456789.,:%$€½²³ ٣४"],
    "spaces": [*" \t\n\r\v\f\x1c\x1f\x85\xa0\u2003\u2028\u3000\u200b", "a", "1", "."],
    "emoji": [*"😀👍❤🏽🇭🇰👨👩👧🎉☀", "\u200d", "\ufe0f", "\u20e3"],
    "marks": [*"áéñçäöüéñ", "\u0301", "\u0303", "\u3099"],
}
LANGUAGES = ["Mandarin", "Cantonese", "Japanese", "Korean", "English"]


def assigned():
    """Return a random character that Unicode 14 has."""
    while True:
        character = chr(RANDOM.randrange(0x110000))
        if unicodedata.category(character) not in ("Cn", "Cs"):
            return character


def of_one(alphabet):
    return "".join(RANDOM.choice(alphabet) for _ in range(RANDOM.randint(1, 24)))


def of_all(_):
    return "".join(RANDOM.choice(RANDOM.choice([*ALPHABETS.values()])) for _ in range(16))


KINDS: list[tuple[str, Any, Any, int]] = [
    (name, of_one, alphabet, 12_000) for name, alphabet in ALPHABETS.items()
]
KINDS += [
    ("everything mixed", of_all, None, 12_000),
    ("random Unicode", lambda _: "".join(assigned() for _ in range(12)), None, 8_000),
]


@pytest.mark.skipif(unicodedata.unidata_version != "14.0.0", reason="categories of Unicode 14")
@pytest.mark.parametrize(
    ("make", "alphabet", "count"), [kind[1:] for kind in KINDS], ids=[kind[0] for kind in KINDS]
)
def test_ids_are_those_of_tiktoken(tokenizer, tiktoken_encode, make, alphabet, count):
    assert sum(kind[3] for kind in KINDS) >= 100_000
    for _ in range(count):
        text = make(alphabet)
        assert tokenizer.encode(text) == tiktoken_encode(text), repr(text)


@pytest.mark.parametrize("language", LANGUAGES)
def test_ids_of_a_language_are_those_of_tiktoken_under_any_unicode(
    tokenizer, tiktoken_encode, language
):
    for _ in range(500):
        text = of_one(ALPHABETS[language])
        assert tokenizer.encode(text) == tiktoken_encode(text), repr(text)


def test_known_ids(tokenizer):
    assert tokenizer.encode("Hello world.") == [15947, 1002, 13]
    assert tokenizer.encode("你好，世界。") == [26410, 171, 120, 234, 24486, 1543]


def test_every_entry_of_the_vocabulary_is_reached_by_merges(tokenizer, ranks):
    for rank, entry in enumerate(ranks):
        text = entry.decode("utf-8", "replace")
        if entry and text.encode() == entry and split_words(text) == [text]:
            assert tokenizer.encode(text) == [rank]


@pytest.mark.parametrize(
    "token",
    ["<|zh|>", "<|yue|>", "<|endoftext|>", "<|startoftranscript|>", "<|0.00|>", "<|30.00|>"],
)
def test_a_control_token_in_a_text_is_dropped(tokenizer, token):
    assert tokenizer.encode(f"a{token}b") == tokenizer.encode("ab")
    assert tokenizer.encode(token) == []


def test_a_control_token_cannot_be_put_together_from_pieces(tokenizer):
    ids = tokenizer.encode("<|z<|zh|>h|>")
    assert max(ids) < 50257


def test_what_only_looks_like_a_control_token_is_text(tokenizer, tiktoken_encode):
    assert tokenizer.encode("<|endofprompt|>") == tiktoken_encode("<|endofprompt|>")


def test_a_lone_surrogate_becomes_the_replacement_character(tokenizer):
    assert tokenizer.encode("a\ud800b") == tokenizer.encode("a\ufffdb")
    assert tokenizer.encode("\ud83d\ude00") == tokenizer.encode("😀")


@pytest.mark.parametrize("language", Language)
def test_a_prompt_starts_with_its_language_and_ends_with_an_end_mark(tokenizer, language):
    ids = tokenizer.prompt("hi ", language).tolist()
    assert ids[0] == LANGUAGE_TAGS[language]
    assert ids[1:-1] == tokenizer.encode("hi")
    assert len(tokenizer.prompt("hi.", language)) == len(ids)


def test_nothing_to_say_has_no_prompt(tokenizer):
    assert tokenizer.prompt("  \n", Language.ZH).size == 0


@pytest.mark.parametrize("content", ["", "no ranks", "YQ== 1", "YQ== 0\nYg== 2", "\xff"])
def test_a_broken_list_of_ranks_is_refused(tmp_path, content):
    path = tmp_path / RANKS_FILE
    path.write_bytes(content.encode("latin-1"))
    with pytest.raises(ModelCorrupt):
        read_ranks(path)


def test_a_broken_model_is_refused(tmp_path):
    (tmp_path / "text.model").write_bytes(b"nothing")
    with pytest.raises(ModelCorrupt):
        Tokenizer(tmp_path / "text.model")
