from __future__ import annotations

import pytest

from cosyvoice_wyoming.text.markup import strip_markup


@pytest.mark.parametrize(
    ("text", "clean"),
    [
        ("**好的**，~~不~~ __是__ `code`", "好的，不 是 code"),
        ("# 标题\n正文", "标题，正文"),
        ("> 引用\n> 两行", "引用，两行"),
        ("- 牛奶\n* 鸡蛋\n+ 面包\n• 糖", "牛奶，鸡蛋，面包，糖"),
        ("- [x] 完成\n- [ ] 没有", "完成，没有"),
        ("1. 一\n2) 二", "1， 一，2， 二"),
        ("| 房间 | 温度 |\n|---|:-:|\n| 客厅 | 25 |", "房间，温度。客厅，25"),
        ("一\n\n---\n\n二", "一。二"),
        ("好。\n下一句", "好。 下一句"),
        ("[链接](http://a.b/c_(d)) 完", "链接 完"),
        ("![图](a.png) [b][1] <https://a.b>", "图 b https://a.b"),
        ("如此[^1]，来源[2]。", "如此，来源。"),
        ("<b>粗</b><br/>换行 <!-- 注 --> 3 < 5", "粗，换行  3 < 5"),
        ("a &amp; b &lt;c&gt;", "a & b <c>"),
        ("[breath]你好<|endofprompt|>[laughter]", "你好"),
        ("[AA] 你好", "[AA] 你好"),
        ("\\*不是列表\\*", "不是列表"),
        ("3*4=12", "3×4=12"),
        ("*斜* 5 * 3", "斜 5 × 3"),
        ("function_call_output", "function_call_output"),
        ("好的👍🏽👨‍👩‍👧 已开灯😊", "好的      已开灯"),
        ("℃ ㎡ ½ m² ①", "°C m² 1/2 m² 1"),
        ("２１：３０ ＡＢ ｶﾞ", "21:30 AB ガ"),
        ("A→B <- C", "A，B <- C"),
        ("Ⅳ ㈱ ﬁ", "4 (株) fi"),
        ("\x00a\u200db\ud800", "ab"),
    ],
)
def test_markup_is_taken_away(text, clean):
    assert " ".join(strip_markup(text).split()) == " ".join(clean.split())
