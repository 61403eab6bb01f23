"""The shapes that numbers take in text, as regular expressions over folded text."""

from __future__ import annotations

import re
from collections.abc import Iterable

from cosyvoice_wyoming.text.units import CURRENCIES, UNITS, Currency, Unit


def one_of(words: Iterable[str]) -> str:
    """Return a pattern for any of the words, the longest first; it never matches for none."""
    return "|".join(map(re.escape, sorted(words, key=len, reverse=True))) or r"(?!)"


def one_of_whole(words: Iterable[str]) -> str:
    """Return a pattern like `one_of`; Latin words do not match inside longer ones."""
    return "|".join(
        re.escape(word) + (r"(?![A-Za-z0-9])" if word[-1].isascii() else "")
        for word in sorted(words, key=len, reverse=True)
    )


UNIT_OF: dict[str, Unit] = {symbol: unit for unit in UNITS for symbol in unit.symbols}
CURRENCY_OF: dict[str, Currency] = {sign: row for row in CURRENCIES for sign in row.symbols}

NUMBER = r"(?:\d{1,3}(?:,\d{3}){1,5}(?!,?\d)|\d{1,17}(?!\d))(?:\.\d+)?(?!\.\d)"
"""Up to 17 digits; longer ones are no numbers but codes."""
SIGNED = rf"[-+±]?{NUMBER}"
DASH = r"(?:\s*[~～〜–—]+\s*|\s-\s|-)"
_WORD_END = r"(?![A-Za-z])"
SPECIAL_UNIT = one_of(
    symbol for symbol in UNIT_OF if "/" in symbol or not (symbol.isascii() or symbol[0] in "°º˚′″")
)
"""Units that nothing else looks like, so that they are known without a number."""
UNIT = rf"(?:{one_of(UNIT_OF)}){_WORD_END}(?!\d)"
CURRENCY = one_of(CURRENCY_OF)
MAGNITUDE = (
    r"(?:\s?(?:thousand|million|billion|trillion|万亿|[万萬亿億千百만억조])|[MKk](?![A-Za-z]))"
)
CLOCK = r"(?P<{0}h>\d{{1,2}}):(?P<{0}m>[0-5]\d)(?::(?P<{0}s>[0-5]\d))?(?![\d:])"
PERIOD = r"(?:\s?(?P<{0}p>[AaPp])(?:\.\s?[Mm]\.|[Mm](?![A-Za-z])))"

ADDRESS = re.compile(r"\d{1,3}(?:\.\d{1,3}){3}(?![\d.]*\d)")
VERSION = re.compile(r"\d+(?:\.\d+){2,}")
SHORT_VERSION = re.compile(r"\d+\.\d+(?!\.?\d)")
DATE = re.compile(
    r"(?P<y>\d{4})(?P<sep>[-/.])(?P<m>\d{1,2})(?P=sep)(?P<d>\d{1,2})(?!\d)"
    r"(?:[T ]\s?(?P<th>\d{1,2}):(?P<tm>[0-5]\d)(?::(?P<ts>[0-5]\d)(?:\.\d+)?)?"
    r"(?:Z|[+-]\d\d:?\d\d)?(?![\d:]))?"
)
MONTH = re.compile(r"(?P<y>\d{4})[-/](?P<m>\d{1,2})(?![\d/.-])")
DAY_FIRST_DATE = re.compile(r"(?P<a>\d{1,2})(?P<sep>[/.])(?P<b>\d{1,2})(?P=sep)(?P<y>\d{4})(?!\d)")
PHONE = re.compile(r"\+?\d{1,5}[)）]?(?:(?:[- ]|(?<=[)）]))[(（]?\d{2,8}[)）]?){1,5}(?!\d)")
PLAIN = re.compile(r"\d+(?![.,:]?\d)")
TIME = re.compile(
    CLOCK.format("a")
    + PERIOD.format("a")
    + "?"
    + rf"(?:{DASH}"
    + CLOCK.format("b")
    + PERIOD.format("b")
    + "?)?(?P<word>分(?![钟鐘間])|분)?"
)
DAYS = re.compile(rf"(?P<a>\d{{1,2}})(?:{DASH}(?P<b>\d{{1,2}}))?(?![.:]?\d|[A-Za-z])")
HOUR = re.compile(
    rf"(?P<ah>\d{{1,2}}){PERIOD.format('a')}(?:{DASH}(?P<bh>\d{{1,2}}){PERIOD.format('b')})?"
)
RATIO = re.compile(rf"{NUMBER}(?:\s?:\s?{NUMBER})+")
SCORE = re.compile(r"(?P<a>\d{1,3})\s?[-:–]\s?(?P<b>\d{1,3})(?![\d:.-]|\s?[%‰°℃℉])")
PERCENT = re.compile(rf"(?P<a>{SIGNED})(?:\s?[%‰]?{DASH}(?P<b>-?{NUMBER}))?\s?(?P<sign>[%‰])")
QUANTITY = re.compile(
    rf"(?P<a>{SIGNED})(?:(?P<mid>\s?(?:{UNIT}))?{DASH}(?P<b>-?{NUMBER}))?(?P<gap>\s?)(?P<unit>{UNIT})"
)
BARE_UNIT = re.compile(UNIT)
MONEY = re.compile(
    rf"(?P<sign>-?)(?P<cur>{CURRENCY})\s?(?P<a>-?{NUMBER})(?:{DASH}(?:{CURRENCY})?(?P<b>{NUMBER}))?"
    rf"(?P<mag>{MAGNITUDE})?"
)
MONEY_AFTER = re.compile(
    rf"(?P<a>{SIGNED})(?:{DASH}(?P<b>{NUMBER}))?(?P<mag>{MAGNITUDE})?\s?(?P<cur>{CURRENCY}){_WORD_END}"
)
FRACTION = re.compile(r"(?:(?P<whole>\d{1,4}) )?(?P<n>\d{1,5})/(?P<d>\d{1,5})(?![\d/]|\.\d)")
ORDINAL = re.compile(r"(?P<n>\d+|\d{1,3}(?:,\d{3})+)(?:st|nd|rd|th)(?![A-Za-z])", re.IGNORECASE)
NUMBERED = re.compile(r"(?:#|№|[Nn][Oo]\.)\s?(?P<n>\d+)")
HAN_ORDINAL = re.compile(rf"第\s?(?P<n>\d{{1,17}})(?:{DASH}(?P<b>\d{{1,17}}))?(?![.\d])")
FEET_AND_INCHES = re.compile(r"(?P<a>\d{1,2})['′](?P<b>\d{1,2})(?:\"|″|''|′′)")
INCHES = re.compile(r"(?P<a>\d{1,3}(?:\.\d)?)\"(?!\w)")
YEARS = re.compile(rf"(?P<a>(?:19|20)\d\d){DASH}(?P<b>(?:19|20)\d\d)(?!\d)")
RANGE = re.compile(rf"(?P<a>{SIGNED}){DASH}(?P<b>-?{NUMBER})(?!-\d)")
ATTACHED = re.compile(r"\d{3,}(?![\d.,])")
DURATION = re.compile(
    r"(?P<h>\d{1,3})\s?h(?:rs?)?\s?(?P<m>\d{1,2})\s?m(?:in)?(?:\s?(?P<s>\d{1,2})\s?s(?:ec)?)?(?![A-Za-z])"
)
POWER = re.compile(rf"(?P<a>{NUMBER})\^(?P<b>-?{NUMBER})")
PER_UNIT = re.compile(rf"/\s?(?P<unit>{UNIT})")
POINT = re.compile(r"\.(?P<f>\d+)")
SIGNED_NUMBER = re.compile(SIGNED)
DIGITS = re.compile(r"\d+")
ROOM_AFTER = re.compile(r"\s?(?:号房|號房|号室|號室|号室|室|房(?![间間])|路(?![由口])|호실)")
"""What follows the number of a room or of a bus and makes it digits."""

START = re.compile(
    rf"\d|(?<![A-Za-z])(?:{SPECIAL_UNIT}){_WORD_END}|[-+±]\s?(?=\d)|-?(?:{CURRENCY})(?=\s?-?\d)|(?:#|№|\b[Nn][Oo]\.)(?=\s?\d)|第(?=\s?\d)"
    r"|(?<![\w.])\.(?=\d)|[-–—+±×÷=≠<>≤≥≈√∞^&@#№%‰°²³/~～〜_$¥€£₩₽₹฿₫₺₿]"
)
"""Where something that is said as a number or sign may begin."""

_MONTH_NAME = (
    r"\b(?:Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?"
    r"|Sept?(?:ember)?|Oct(?:ober)?|Nov(?:ember)?|Dec(?:ember)?)\.?"
)
MONTH_BEFORE = re.compile(rf"{_MONTH_NAME} $")
DATE_BEFORE = re.compile(r"(?:^|\W)(?:on|by|until|from|before|after|since) $", re.IGNORECASE)
YEAR_BEFORE = re.compile(
    r"(?:\b(?:[Ii]n|[Ss]ince|[Bb]y|[Ff]rom|[Uu]ntil|[Oo]f|[Yy]ear)"
    rf"|{_MONTH_NAME}(?: [a-z-]+,)?|[日號号],)\s?$"
)
"""What stands before a year, numbers already in words."""

PHONE_BEFORE = re.compile(
    r"(?:电话|電話|手机|手機|致电|致電|拨打|撥打|打给|号码|號碼|热线|熱線|전화|연락처|번호"
    r"|[Pp]hone(?: number)?|[Cc]all|[Dd]ial|[Tt]el|[Ff]ax|[Hh]otline)"
    r"(?:号码|號碼|番号|번호)?(?:\s?(?:是|係|为|為|は|is|at|는|은))?\.?\s?:?\s?$"
)
