"""What the benchmark has spoken: a home's answers, and paragraphs as a language model writes them.

The answers are what Home Assistant says most; the paragraphs repeat until a text is long.
"""

from __future__ import annotations

from cosyvoice_wyoming.text.language import Language

ANSWERS: dict[Language, tuple[str, ...]] = {
    Language.ZH: (
        "客厅的灯已经打开了。",
        "现在室内温度是二十三度，湿度百分之四十五。",
        "好的，我会在明天早上七点叫醒你，祝你晚安。",
    ),
    Language.EN: (
        "I turned on the living room light.",
        "It is twenty three degrees inside, with a humidity of forty five percent.",
        "Okay, I will wake you at seven tomorrow morning. Good night.",
    ),
    Language.JA: (
        "リビングの照明をつけました。",
        "室内の温度は二十三度、湿度は四十五パーセントです。",
        "わかりました。明日の朝七時に起こします。おやすみなさい。",
    ),
    Language.KO: (
        "거실 조명을 켰습니다.",
        "지금 실내 온도는 이십삼 도이고 습도는 사십오 퍼센트입니다.",
        "알겠습니다. 내일 아침 일곱 시에 깨워 드릴게요. 안녕히 주무세요.",
    ),
    Language.YUE: (
        "客廳嘅燈已經開咗喇。",
        "而家屋企溫度係二十三度，濕度係百分之四十五。",
        "好呀，我聽朝七點鐘叫你起身，早唞。",
    ),
}

PARAGRAPHS: dict[Language, str] = {
    Language.ZH: (
        "今天白天多云转晴，最高气温二十六度，傍晚可能有小雨，出门的时候请带好雨伞。"
        "洗衣机已经洗完了，请把衣服拿出来晾干。如果需要的话，我可以把客厅的窗帘也关上。"
    ),
    Language.EN: (
        "It will be cloudy at first and sunny later, with a high of twenty six degrees. There may "
        "be some rain in the evening, so please take an umbrella. The washing machine has "
        "finished. If you like, I can close the curtains in the living room as well. "
    ),
    Language.JA: (
        "今日は曇りのち晴れ、最高気温は二十六度の予想です。夕方から雨が降るかもしれないので、"
        "傘を持って出かけてください。洗濯が終わりました。よろしければ、リビングのカーテンも閉めます。"
    ),
    Language.KO: (
        "오늘은 흐리다가 맑아지고 최고 기온은 이십육 도로 예상됩니다. 저녁에는 비가 올 수 있으니 "
        "우산을 챙기세요. 세탁기가 다 돌았습니다. 원하시면 거실 커튼도 닫아 드릴게요. "
    ),
    Language.YUE: (
        "今日日頭多雲，之後轉晴，最高氣溫二十六度，傍晚可能會落雨，出門口記得帶遮。"
        "洗衣機已經洗完喇，唔該攞啲衫出嚟晾乾。如果你想嘅話，我可以幫你閂埋客廳啲窗簾。"
    ),
}

LONG_TEXT_CHARS = 1_000
"""Longer than any answer that somebody listens to."""


def long_text(language: Language) -> str:
    """Return a text of LONG_TEXT_CHARS characters."""
    paragraph = PARAGRAPHS[language]
    return (paragraph * (LONG_TEXT_CHARS // len(paragraph) + 1))[:LONG_TEXT_CHARS]
