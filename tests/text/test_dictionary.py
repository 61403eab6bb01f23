from __future__ import annotations

import os

import pytest

from cosyvoice_wyoming.text import prepare
from cosyvoice_wyoming.text.dictionary import DictionaryFile, parse_dictionary
from cosyvoice_wyoming.text.language import Language
from cosyvoice_wyoming.text.spoken import Segment

TEXT = """\
# 我的词典
NAS → 网络硬盘
zh: 小爱 → 小艾
en, ko: router -> rooter
3D\t三维
Home Assistant => 家庭助手
zh: NAS → 拿斯
"""


@pytest.mark.parametrize(
    ("language", "text", "result"),
    [
        ("yue", "NAS 已關", "网络硬盘 已關"),
        ("zh", "nas 已关", "拿斯 已关"),
        ("yue", "NASA", "NASA"),
        ("zh", "小爱同学", "小艾同学"),
        ("ja", "小爱", "小爱"),
        ("en", "my Router", "my rooter"),
        ("zh", "router", "router"),
        ("zh", "3D打印，13D", "三维打印，13D"),
        ("zh", "用home assistant吧", "用家庭助手吧"),
    ],
)
def test_entry_replaces_what_is_written(language, text, result):
    assert parse_dictionary(TEXT).apply(text, Language(language)) == result


def test_longest_entry_wins_and_nothing_is_replaced_twice():
    dictionary = parse_dictionary("灯 → 等\n台灯 → 灯泡\n")
    assert dictionary.apply("台灯和灯", Language.ZH) == "灯泡和等"


@pytest.mark.parametrize("line", ["no arrow here", "→ 空", "空 →", "空 → ！", "zh: 空 →", "xx → "])
def test_bad_line_gives_one_warning_with_its_number(line, caplog):
    dictionary = parse_dictionary(f"# a\n灯 → 等\n{line}\n", "dictionary.txt")
    assert dictionary.apply("灯", Language.ZH) == "等"
    (record,) = caplog.records
    assert "dictionary.txt, line 3" in record.getMessage()


def test_prepared_segment_uses_the_dictionary():
    dictionary = parse_dictionary("PM2.5 → 细颗粒物\n")
    spoken = prepare(Segment(text="PM2.5是35"), Language.ZH, dictionary)
    assert spoken is not None
    assert spoken.words == "细颗粒物是三十五"


def test_file_is_read_again_when_it_changes(tmp_path, caplog):
    path = tmp_path / "dictionary.txt"
    file = DictionaryFile(path)
    assert file.current().entries == ()
    path.write_text("灯 → 等\nbad\n", encoding="utf-8")
    assert file.current().apply("灯", Language.ZH) == "等"
    assert file.current() is file.current()
    assert len(caplog.records) == 1
    path.write_text("灯 → 登\n", encoding="utf-8")
    os.utime(path, ns=(1, 1))
    assert file.current().apply("灯", Language.ZH) == "登"
    path.unlink()
    assert file.current().apply("灯", Language.ZH) == "灯"


def test_folder_in_place_of_the_file_is_a_warning(tmp_path, caplog):
    assert DictionaryFile(tmp_path).current().entries == ()
    assert "cannot be read" in caplog.text
