from __future__ import annotations

import json

from cosyvoice_wyoming.cli import run


def explain(capsys, *args: str) -> str:
    assert run(["explain", *args]) == 0
    return str(capsys.readouterr().out)


def test_json_has_an_object_for_each_segment(capsys, tmp_path):
    text = "现在21.5 °C，湿度60%。\n\nThe **light** is on."
    rows = json.loads(explain(capsys, text, "--json", "--data-dir", str(tmp_path)))
    assert [{key: row[key] for key in ("language", "text", "spoken")} for row in rows] == [
        {
            "language": "zh",
            "text": "现在21.5 °C，湿度60%。",
            "spoken": "现在二十一点五摄氏度，湿度百分之六十。",
        },
        {"language": "en", "text": "The light is on.", "spoken": "The light is on."},
    ]
    assert all(row["phonemes"] for row in rows)


def test_voice_gives_the_language(capsys, tmp_path):
    args = ("東京 28°C", "--voice", "ja_female_01", "--json", "--data-dir", str(tmp_path))
    (row,) = json.loads(explain(capsys, *args))
    assert (row["language"], row["spoken"]) == ("ja", "東京二十八度")


def test_dictionary_of_the_data_folder_is_used(capsys, tmp_path):
    (tmp_path / "dictionary.txt").write_text("NAS → 网络硬盘\n", encoding="utf-8")
    assert "网络硬盘已关" in explain(capsys, "NAS已关", "--data-dir", str(tmp_path))


def test_nothing_to_say_is_an_empty_list(capsys, tmp_path):
    assert json.loads(explain(capsys, "😀", "--json", "--data-dir", str(tmp_path))) == []
