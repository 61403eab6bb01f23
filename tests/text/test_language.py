from __future__ import annotations

import pytest

from cosyvoice_wyoming.text.language import Language, detect, parse_tag


@pytest.mark.parametrize(
    ("tags", "language"),
    [
        ("zh cmn zh-Hans zh-Hant zh-CN zh-SG zh-MY zh-TW zh_tw cmn-Hans-CN zh-Hant-TW ZH", "zh"),
        ("zh-HK zh_HK zh-MO yue yue-HK yue_HK zh-Hant-HK zh-yue YUE", "yue"),
        ("ja ja-JP jp jpn JA ja_JA", "ja"),
        ("ko ko-KR kr kor", "ko"),
        ("en en-US en_GB EN eng", "en"),
    ],
)
def test_tag_means_language(tags, language):
    assert {parse_tag(tag) for tag in tags.split()} == {Language(language)}


@pytest.mark.parametrize("tag", ["", "de", "xx-HK", "-", "_", "z", "zhx", "klingon-en"])
def test_other_tags_mean_nothing(tag):
    assert parse_tag(tag) is None


@pytest.mark.parametrize(
    ("text", "hint", "language"),
    [
        ("现在8°C，有雨", None, "zh"),
        ("18.5 °C，多雲", "zh", "zh"),
        ("18.5 °C，多雲", "yue", "yue"),
        ("溫度設置為 22 度", None, "zh"),
        ("戶外溫度現在係20 度", "yue", "yue"),
        ("今晚屋企冇人", "zh", "yue"),
        ("而家幾點", None, "yue"),
        ("洗濯完了", "ja", "ja"),
        ("東京", "ja", "ja"),
        ("本日午後二時頃雨予報", "ja", "ja"),
        ("気温", None, "ja"),
        ("経済と労働", None, "ja"),
        ("気温", "zh", "ja"),
        ("缶ビールが3本", "zh", "ja"),
        ("何故......?", "ja", "ja"),
        ("好的，我知道。", "ja", "zh"),
        ("现在", "ja", "zh"),
        ("我想买ヤマシロヤ的玩具", "zh", "zh"),
        ("我想买ヤマシロヤ的玩具", None, "zh"),
        ("鲜の屋", "zh", "zh"),
        ("리빙룸 LED", None, "ko"),
        ("20 °C, 비", "zh", "ko"),
        ("大한민국", "ko", "ko"),
        ("YouTubeを再生", "zh", "ja"),
        ("打开living room的灯", "zh", "zh"),
        ("28°C", "ko", "ko"),
        ("28°C", "zh", "zh"),
        ("12:30", None, "en"),
        ("NAS", "zh", "zh"),
        ("Turn on the light", "zh", "en"),
        ("Shake It", "zh", "zh"),
        ("https://example.com/a", "zh", "zh"),
        ("Play 周杰伦 at 30%", "en", "en"),
        ("The light 客厅 is on", None, "en"),
        ("播放 Taylor Swift 的歌", None, "zh"),
        ("请打开 Wi-Fi，播放 Taylor Swift 的 Shake It Off，", None, "zh"),
        ("It says 你好 to everyone here.", None, "en"),
        ("现在21度", "en", "zh"),
        ("Hello", None, "en"),
        ("", "ja", "ja"),
        ("", None, "en"),
    ],
)
def test_language_of_a_segment(text, hint, language):
    assert detect(text, Language(hint) if hint else None) == language
