"""Japanese numbers and signs, in kanji numerals; their readings come with the pronunciation."""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar

from cosyvoice_wyoming.text.language import Language
from cosyvoice_wyoming.text.languages.latin import in_native_script
from cosyvoice_wyoming.text.languages.verbaliser import Verbaliser
from cosyvoice_wyoming.text.numbers import (
    Counted,
    Date,
    Digits,
    Dotted,
    Fraction,
    Money,
    Number,
    Ordinal,
    Percent,
    Power,
    Quantity,
    Range,
    Ratio,
    Sign,
    Time,
    Year,
)

_KANJI = "零一二三四五六七八九"
_POWERS = ("", "万", "億", "兆", "京")
_LONGEST = 4 * len(_POWERS)
_SPELLED = ("ゼロ", "イチ", "ニー", "サン", "ヨン", "ゴー", "ロク", "ナナ", "ハチ", "キュー")
_COUNTERS = (
    "年", "年度", "年間", "年目", "年分", "年生", "月", "月分", "か月", "ヶ月", "カ月", "ヵ月",
    "ケ月", "箇月", "か月間", "ヶ月間", "週間", "週目", "日", "日間", "日目", "日分", "日前",
    "日後", "時", "時間", "時間目", "時間半", "時半", "分", "分間", "秒", "秒間", "分前", "分後",
    "度", "度目", "個", "コ", "本", "匹", "枚", "回", "回目", "回分", "人", "人分", "人前",
    "人目", "名", "名様", "階", "階建て", "台", "台目", "杯", "杯目", "冊", "歳", "才", "番",
    "番目", "番線", "番地", "号", "号室", "号線", "号車", "件", "通", "軒", "戸", "泊", "倍",
    "点", "話", "羽", "着", "足", "つ", "円", "丁目", "頭", "曲", "曲目", "位", "割", "等",
    "セット", "箱", "袋", "缶", "皿", "膳", "輪", "巻", "章", "行", "列", "桁", "文字", "字",
    "ページ", "票", "社", "校", "か所", "カ所", "箇所", "ヶ所", "種類", "世帯", "段", "段階",
    "周", "往復", "連休", "連勝", "勝", "敗", "局", "色", "万", "億", "兆", "ドル", "ユーロ",
    "ウォン", "パーセント", "ポイント", "キロ", "メートル", "センチ", "ミリ", "グラム",
    "リットル", "ワット", "番組", "系統", "画素",
)  # fmt: skip
_REPEATED_COUNTERS = frozenset(("年", "月", "日", "時", "分", "階", "番", "歳", "人", "度"))
"""Counters said after both ends of a range: 八時から十時."""
_THINGS = (
    "", "ヒトツ", "フタツ", "ミッツ", "ヨッツ", "イツツ", "ムッツ", "ナナツ", "ヤッツ", "ココノツ",
)  # fmt: skip
_POLICE = 110
_NUMBER_SIGNS = {"": "", "-": "マイナス", "+": "プラス", "±": "プラスマイナス"}
_SIGNS = {
    "+": "プラス", "-": "マイナス", "×": "かける", "÷": "わる", "=": "イコール",
    "≠": "ノットイコール", "<": "小なり", ">": "大なり", "≤": "小なりイコール",
    "≥": "大なりイコール", "≈": "約", "±": "プラスマイナス", "^": "の", "/": "スラッシュ",
    "&": "アンド", "@": "アットマーク", "#": "シャープ", "%": "パーセント", "°": "度",
    "²": "の二乗", "³": "の三乗", "√": "ルート", "∞": "無限大", ".": "ドット",
    "_": "アンダーバー", "per": "毎",
}  # fmt: skip
_ARITHMETIC = {"-": "引く", "+": "足す", "/": "わる", "=": "は"}


class Japanese(Verbaliser):
    """Numbers as a Japanese newspaper writes them out."""

    language: ClassVar[Language] = Language.JA
    counters: ClassVar[tuple[str, ...]] = _COUNTERS
    code_words: ClassVar[tuple[str, ...]] = (
        "暗証番号", "認証コード", "確認コード", "認証番号", "パスワード", "パスコード", "コード",
        "PIN", "電話番号", "電話", "郵便番号", "シリアル番号", "会員番号", "注文番号", "追跡番号",
        "ＰＩＮ",
    )  # fmt: skip
    room_words: ClassVar[tuple[str, ...]] = ("部屋番号", "部屋", "ルーム", "客室")
    score_words: ClassVar[tuple[str, ...]] = ("試合", "スコア", "勝", "負け", "引き分け", "得点")

    def number(self, number: Number) -> str:
        words = _NUMBER_SIGNS[number.sign] + cardinal(number.integer)
        if number.fraction:
            words += "点" + "".join(_KANJI[int(digit)] for digit in number.fraction)
            words = words.replace("点零", "点ゼロ")  # 零度 alone is freezing point, れいど
        return words

    def fraction(self, fraction: Fraction) -> str:
        whole = f"{cardinal(fraction.whole)}と" if fraction.whole else ""
        return f"{whole}{cardinal(fraction.denominator)}分の{cardinal(fraction.numerator)}"

    def percent(self, percent: Percent) -> str:
        return self.amount(percent.amount) + ("パーミル" if percent.sign == "‰" else "パーセント")

    def ratio(self, ratio: Ratio) -> str:
        return "対".join(map(self.number, ratio.parts))

    def range(self, pair: Range) -> str:
        return f"{self.say(pair.low)}から{self.say(pair.high)}"

    def date(self, date: Date) -> str:
        return "".join(
            cardinal(str(value)) + name
            for value, name in ((date.year, "年"), (date.month, "月"), (date.day, "日"))
            if value
        )

    def time(self, time: Time) -> str:
        words = {"am": "午前", "pm": "午後"}.get(time.period, "") + cardinal(str(time.hour)) + "時"
        if int(time.minute) or time.second:
            words += _minutes(time.minute)
        if time.second:
            words += cardinal(time.second) + "秒"
        return words

    def year(self, year: Year) -> str:
        return cardinal(year.digits) + "年"

    def quantity(self, quantity: Quantity) -> str:
        name = quantity.unit.name(Language.JA)
        if quantity.amount is None:
            return name
        if name == "分" and isinstance(quantity.amount, Number) and not quantity.amount.fraction:
            return _NUMBER_SIGNS[quantity.amount.sign] + _minutes(quantity.amount.integer)
        return self.amount(quantity.amount) + name

    def money(self, money: Money) -> str:
        unit, _ = money.currency.names(Language.JA)
        amount = money.amount
        if isinstance(amount, Number):
            amount = replace(amount, fraction=amount.fraction.rstrip("0"))
        return self.amount(amount) + money.magnitude + unit

    def power(self, power: Power) -> str:
        return f"{self.number(power.base)}の{self.number(power.exponent)}乗"

    def counted(self, counted: Counted) -> str:
        amount, counter = counted.amount, counted.counter
        if isinstance(amount, Range) and counter in _REPEATED_COUNTERS:
            return f"{self.say(amount.low)}{counter}から{self.say(amount.high)}{counter}"
        if not isinstance(amount, Number) or amount.fraction or amount.sign:
            return self.amount(amount) + counter
        return _counted(amount.integer, counter)

    def digits(self, digits: Digits) -> str:
        groups = ("".join(_SPELLED[int(digit)] for digit in group) for group in digits.groups)
        return ("プラス" if digits.plus else "") + "、".join(groups)

    def dotted(self, dotted: Dotted) -> str:
        return "点".join(map(cardinal, dotted.parts)).replace("零", "ゼロ")

    def ordinal(self, ordinal: Ordinal) -> str:
        number = cardinal(ordinal.integer)
        return f"ナンバー{number}" if ordinal.numbered else f"第{number}"

    def sign(self, sign: Sign) -> str:
        if sign.arithmetic and sign.sign in _ARITHMETIC:
            return _ARITHMETIC[sign.sign]
        return _SIGNS.get(sign.sign, "")

    def latin(self, word: str) -> str | None:
        return in_native_script(word, Language.JA)


def cardinal(digits: str) -> str:
    """Write a whole number in kanji; beyond 10^20 its digits one by one."""
    digits = digits.lstrip("0") or "0"
    if digits == "0":
        return "零"
    if len(digits) > _LONGEST:
        return "".join(_SPELLED[int(digit)] for digit in digits)
    words = ""
    for power in range((len(digits) - 1) // 4, -1, -1):
        group = int(digits[-4 * power - 4 : -4 * power or None])
        if group:
            words += _up_to_9999(group, one_thousand=power > 0) + _POWERS[power]
    return words


def _up_to_9999(value: int, *, one_thousand: bool) -> str:
    """Write one group of four digits; 1000 is 千 alone but 一千 before 万, 億 and so on."""
    words = ""
    for unit, name in ((1000, "千"), (100, "百"), (10, "十"), (1, "")):
        digit, value = divmod(value, unit)
        if digit == 1 and name and not (one_thousand and unit == 1000):  # noqa: PLR2004
            words += name
        elif digit:
            words += _KANJI[digit] + name
    return words


def _counted(digits: str, counter: str) -> str:
    value = int(digits)
    if counter.startswith("分"):
        return _minutes(digits) + counter[1:]
    if counter == "つ" and 0 < value < len(_THINGS):
        return _THINGS[value]
    if counter == "番" and value == _POLICE:
        return "ひゃくとおばん"
    if counter in ("万", "億", "兆") and value == 1000:  # noqa: PLR2004
        return "一千" + counter
    return cardinal(digits) + counter


def _minutes(digits: str) -> str:
    """Say minutes; 十分 alone would be read as じゅうぶん, "enough"."""
    return "じゅっぷん" if int(digits) == 10 else cardinal(digits) + "分"  # noqa: PLR2004
