from __future__ import annotations

import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cosyvoice_wyoming.phonemes.packed import PackedTable

keys = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"))
values = st.one_of(
    st.text(st.characters(exclude_categories=["Cs"])), st.dictionaries(keys, st.floats(-9, 9))
)


@given(st.dictionaries(keys, values), st.lists(keys))
def test_it_answers_as_the_mapping_it_was_made_of(source, others):
    table = PackedTable(source)
    assert len(table) == len(source)
    assert list(table) == list(source)
    for key in [*source, *others]:
        assert table.get(key) == source.get(key)
        assert (key in table) == (key in source)
    for key in source:
        assert table[key] == source[key]
    assert table.get("\0", "none") == "none"


def test_values_are_strings_or_json():
    table = PackedTable({"read": {"DEFAULT": "ɹˈid", "VBD": "ɹˈɛd"}, "lamp": "lˈæmp"})
    assert table.get("read") == {"DEFAULT": "ɹˈid", "VBD": "ɹˈɛd"}
    assert table.get("lamp") == "lˈæmp"


@pytest.mark.parametrize("key", ["", "lam", "lamps", "\ud800", "lamp\0slamp"])
def test_a_key_that_is_not_there_has_no_value(key):
    table = PackedTable({"lamp": "lˈæmp"})
    assert table.get(key) is None
    with pytest.raises(KeyError):
        table[key]


def test_an_empty_table_has_nothing():
    assert PackedTable({}).get("lamp") is None


def test_packed_pypinyin_reads_as_the_library_does():
    script = """
import sys
if sys.argv[1] == "packed":
    from cosyvoice_wyoming.phonemes.pypinyin_packed import pack
    pack()
from pypinyin import Style, lazy_pinyin
words = "银行 重庆 长大 中国人民银行行长 朝阳区 便宜货 乐谱 快乐 a 㐀㐁 一五一十地数".split()
print([lazy_pinyin(word, style=Style.TONE3, errors="ignore") for word in words])
"""
    packed, plain = (
        subprocess.run(
            [sys.executable, "-c", script, kind], check=True, capture_output=True, text=True
        ).stdout
        for kind in ("packed", "plain")
    )
    assert packed == plain
    assert "hang2" in plain
