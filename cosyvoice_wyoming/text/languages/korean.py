"""Korean numbers and signs: native numerals before some counters, Sino-Korean ones elsewhere."""

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
    DigitsKind,
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

_SINO = ("영", "일", "이", "삼", "사", "오", "육", "칠", "팔", "구")
_POWERS = ("", "만", "억", "조", "경")
_LONGEST = 4 * len(_POWERS)
_NATIVE_ONES = ("", "한", "두", "세", "네", "다섯", "여섯", "일곱", "여덟", "아홉")
_NATIVE_TENS = ("", "열", "스물", "서른", "마흔", "쉰", "예순", "일흔", "여든", "아흔")
_NATIVE_COUNTERS = (
    "개", "명", "마리", "시간", "살", "잔", "병", "권", "장", "대", "번", "번째", "사람", "달",
    "그루", "송이", "켤레", "벌", "채", "척", "자루", "다발", "봉지", "상자", "박스", "통",
    "곡", "가지", "군데", "끼", "판", "줄", "조각", "건", "팀", "컵", "접시", "바퀴", "걸음",
    "배", "숟가락", "스푼", "방울", "가구", "쌍", "세트", "묶음", "갑", "모금", "개째", "차례",
    "편", "군", "곳", "칸", "겹", "돌",
)  # fmt: skip
_SINO_COUNTERS = (
    "년", "월", "일", "시", "분", "초", "도", "원", "층", "호", "호실", "호선", "번지", "동",
    "세", "회", "차", "위", "등", "점", "급", "단계", "학년", "학기", "개월", "주", "주일",
    "주년", "년간", "일간", "주간", "개월간", "분간", "초간", "일째", "년째", "주째", "인분",
    "인", "박", "페이지", "쪽", "퍼센트", "프로", "킬로", "미터", "센티", "센티미터",
    "밀리미터", "킬로미터", "그램", "킬로그램", "리터", "와트", "킬로와트", "볼트", "달러",
    "유로", "엔", "위안", "만", "억", "조", "천", "백", "평", "연승", "골", "개국", "개년",
    "행", "열", "월분", "년도", "년생", "킬로와트시", "헥토파스칼", "데시벨", "편", "화", "부",
)  # fmt: skip
_NATIVE_BELOW = {"번": 11, "건": 11, "배": 11, "편": 11}
"""Counters that Sino-Korean numerals take over before 100: 버스 이십 번."""
_CLOCK_HOURS = 12
_MONTHS = {6: "유", 10: "시"}  # 육월 and 십월 lose their last sound
_NUMBER_SIGNS = {"": "", "-": "마이너스 ", "+": "플러스 ", "±": "플러스 마이너스 "}
_SIGNS = {
    "+": "플러스", "-": "마이너스", "×": "곱하기", "÷": "나누기", "=": "이퀄", "≠": "같지 않음",
    "<": "작음", ">": "큼", "≤": "작거나 같음", "≥": "크거나 같음", "≈": "약",
    "±": "플러스 마이너스", "^": "의", "/": "슬래시", "&": "앤드", "@": "골뱅이", "#": "샵",
    "%": "퍼센트", "°": "도", "²": "제곱", "³": "세제곱", "√": "루트", "∞": "무한대", ".": "점",
    "_": "언더바", "per": "당",
}  # fmt: skip
_ARITHMETIC = {"-": "빼기", "+": "더하기", "/": "나누기"}
_PER_TIME = {"시": "시간", "초": "초", "분": "분"}


class Korean(Verbaliser):
    """Numbers as a South Korean announcer says them."""

    language: ClassVar[Language] = Language.KO
    counters: ClassVar[tuple[str, ...]] = tuple(dict.fromkeys(_NATIVE_COUNTERS + _SINO_COUNTERS))
    code_words: ClassVar[tuple[str, ...]] = (
        "비밀번호", "인증번호", "인증 번호", "인증코드", "인증 코드", "확인 코드", "코드", "PIN",
        "암호", "전화번호", "전화 번호", "우편번호", "일련번호", "주문번호", "패스워드",
    )  # fmt: skip
    room_words: ClassVar[tuple[str, ...]] = ("객실", "룸", "항공편")
    score_words: ClassVar[tuple[str, ...]] = (
        "경기",
        "점수",
        "스코어",
        "승리",
        "패배",
        "이겼",
        "졌",
    )

    def number(self, number: Number) -> str:
        words = _NUMBER_SIGNS[number.sign] + sino(number.integer)
        return words + (f" 점 {_digit_by_digit(number.fraction)}" if number.fraction else "")

    def fraction(self, fraction: Fraction) -> str:
        whole = sino(fraction.whole) if fraction.whole else ""
        joint = ("과 " if _ends_in_coda(whole) else "와 ") if whole else ""
        return f"{whole}{joint}{sino(fraction.denominator)}분의 {sino(fraction.numerator)}"

    def percent(self, percent: Percent) -> str:
        return f"{self.amount(percent.amount)} {'퍼밀' if percent.sign == '‰' else '퍼센트'}"

    def ratio(self, ratio: Ratio) -> str:
        return " 대 ".join(map(self.number, ratio.parts))

    def range(self, pair: Range) -> str:
        return f"{self.say(pair.low)}에서 {self.say(pair.high)}"

    def date(self, date: Date) -> str:
        parts = []
        if date.year:
            parts.append(f"{sino(str(date.year))} 년")
        if date.month:
            parts.append(_month(date.month))
        if date.day:
            parts.append(f"{sino(str(date.day))} 일")
        return " ".join(parts)

    def time(self, time: Time) -> str:
        parts = [{"am": "오전", "pm": "오후"}.get(time.period, ""), _hour(time.hour)]
        if int(time.minute) or time.second:
            parts.append(f"{sino(time.minute)} 분")
        if time.second:
            parts.append(f"{sino(time.second)} 초")
        return " ".join(filter(None, parts))

    def year(self, year: Year) -> str:
        return f"{sino(year.digits)} 년"

    def quantity(self, quantity: Quantity) -> str:
        name, amount = quantity.unit.name(Language.KO), quantity.amount
        before, per, after = name.partition(" 매 ")
        if amount is None:
            return f"{_per(after, before)} {before}" if per else name
        if quantity.unit.temperature and isinstance(amount, Number) and amount.sign == "-":
            words = f"영하 {self.number(Number(integer=amount.integer, fraction=amount.fraction))}"
        else:
            words = self.amount(amount)
        if per:
            return f"{_per(after, before)} {words} {before}"
        scale, _, unit = name.rpartition(" ")
        if scale == "화씨":
            return f"{scale} {words} {unit}"
        return f"{words} {name}"

    def money(self, money: Money) -> str:
        unit, _ = money.currency.names(Language.KO)
        amount = money.amount
        if isinstance(amount, Number):
            amount = replace(amount, fraction=amount.fraction.rstrip("0"))
        return f"{self.amount(amount)}{money.magnitude} {unit}"

    def power(self, power: Power) -> str:
        return f"{self.number(power.base)}의 {self.number(power.exponent)} 제곱"

    def counted(self, counted: Counted) -> str:
        amount, counter = counted.amount, counted.counter
        if isinstance(amount, Range):
            return self._counted_range(amount, counter)
        if not isinstance(amount, Number) or amount.fraction or amount.sign:
            return f"{self.amount(amount)} {counter}"
        return _counted(int(amount.integer), counter)

    def digits(self, digits: Digits) -> str:
        zero = "영" if digits.kind is DigitsKind.CODE else "공"
        groups = (_digit_by_digit(group).replace("영", zero) for group in digits.groups)
        return ("플러스 " if digits.plus else "") + " ".join(groups)

    def dotted(self, dotted: Dotted) -> str:
        return " 점 ".join(map(sino, dotted.parts))

    def ordinal(self, ordinal: Ordinal) -> str:
        if ordinal.numbered:
            return f"{sino(ordinal.integer)} 번"
        return self.counted(Counted(amount=Number(integer=ordinal.integer), counter="번째"))

    def sign(self, sign: Sign) -> str:
        if sign.arithmetic and sign.sign in _ARITHMETIC:
            return _ARITHMETIC[sign.sign]
        return _SIGNS.get(sign.sign, "")

    def latin(self, word: str) -> str | None:
        return in_native_script(word, Language.KO)

    def _counted_range(self, pair: Range, counter: str) -> str:
        """Say `2~3개` as 두 개에서 세 개, `3~5일` as 삼에서 오 일."""
        low, high = pair.low, pair.high
        plain = isinstance(low, Number) and isinstance(high, Number)
        if not plain or counter not in (*_NATIVE_COUNTERS, "시", "월"):
            return f"{self.range(pair)} {counter}"
        return "에서 ".join(
            self.counted(Counted(amount=end, counter=counter))
            for end in (low, high)
            if isinstance(end, Number)
        )


def sino(digits: str) -> str:
    """Say a whole number in Sino-Korean, a space after 만, 억 and so on: 만 이천오백."""
    digits = digits.lstrip("0") or "0"
    if digits == "0":
        return "영"
    if len(digits) > _LONGEST:
        return _digit_by_digit(digits)
    top = (len(digits) - 1) // 4
    parts = []
    for power in range(top, -1, -1):
        group = int(digits[-4 * power - 4 : -4 * power or None])
        if group:
            one_is_silent = group == 1 and power == top == 1
            parts.append(("" if one_is_silent else _up_to_9999(group)) + _POWERS[power])
    return " ".join(parts)


def native(value: int) -> str:
    """Say 1 to 99 as before a counter: 한, 스무, 스물한."""
    tens, ones = divmod(value, 10)
    return "스무" if value == 20 else _NATIVE_TENS[tens] + _NATIVE_ONES[ones]  # noqa: PLR2004


def _up_to_9999(value: int) -> str:
    words = ""
    for unit, name in ((1000, "천"), (100, "백"), (10, "십"), (1, "")):
        digit, value = divmod(value, unit)
        if digit:
            words += ("" if digit == 1 and name else _SINO[digit]) + name
    return words


def _counted(value: int, counter: str) -> str:
    if counter == "월":
        return _month(value)
    if counter == "시":
        return _hour(value)
    if counter in ("만", "억", "조", "천", "백"):
        return ("" if value == 1 and counter != "억" else sino(str(value))) + counter
    if counter == "번째" and value == 1:
        return "첫 번째"
    return f"{_before(counter, value)} {counter}"


def _before(counter: str, value: int) -> str:
    """Choose the numeral that `counter` asks for; decades (20대, "twenties") are Sino-Korean."""
    is_native = counter in _NATIVE_COUNTERS and 0 < value < _NATIVE_BELOW.get(counter, 100)
    if is_native and not (counter == "대" and value % 10 == 0):
        return native(value)
    return sino(str(value))


def _digit_by_digit(digits: str) -> str:
    return "".join(_SINO[int(digit)] for digit in digits)


def _month(value: int) -> str:
    return _MONTHS.get(value, sino(str(value))) + "월"


def _hour(value: int) -> str:
    return f"{native(value) if 0 < value <= _CLOCK_HOURS else sino(str(value))} 시"


def _per(whole: str, part: str) -> str:
    """Say "per": 시속 for a speed in an hour, 초속 in a second, otherwise 세제곱미터당."""
    if whole in ("시", "초") and part in ("미터", "킬로미터", "마일"):
        return whole + "속"
    return _PER_TIME.get(whole, whole) + "당"


def _ends_in_coda(word: str) -> bool:
    return bool(word) and (ord(word[-1]) - ord("가")) % 28 != 0
