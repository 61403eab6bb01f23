"""The kinds of numbers and signs that text holds: what `scan` finds and a language says.

Digits stay strings, as written: a leading zero ("05 minutes"), a trailing one ("2.0") and the
length (a phone number) all change what is said.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from cosyvoice_wyoming.text.units import Currency, Unit


@dataclass(frozen=True, slots=True, kw_only=True)
class Number:
    """A cardinal or a decimal: `-1234.50` is sign "-", integer "1234", fraction "50".

    `sign` is "", "-", "+" or "±"; thousands separators are gone; `integer` has at least one
    digit and may have leading zeros.
    """

    integer: str
    fraction: str = ""
    sign: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fraction:
    """`3/4`, `½` or, with `whole`, `2½`. Numerator and denominator are plain digits."""

    numerator: str
    denominator: str
    whole: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Power:
    """`10^6` or `10⁻³`: the exponent may be negative. `m²` is a unit, `x²` a Sign."""

    base: Number
    exponent: Number


@dataclass(frozen=True, slots=True, kw_only=True)
class Date:
    """A date written in digits only, `2026-11-30`, `11/30`, `2026/11`; absent parts are 0.

    Written with words (`11月30日`, `6월`) its parts come as `Counted` instead.
    """

    year: int = 0
    month: int = 0
    day: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Time:
    """A time of day written with colons, `08:05` or `15:16:36`, `hour` 0 to 24.

    `minute` and `second` are two digits as written; `second` may be "", and the minute of `5 pm`
    is "00". `period` is "am", "pm" or "". Written with words (`3点05分`, `3시`) its parts come as
    `Counted` instead.
    """

    hour: int
    minute: str
    second: str = ""
    period: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Year:
    """Four digits that words nearby make a year: `November 30, 2026`, `11月 30號, 2026`."""

    digits: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Range:
    """`10-15`, `8:00–10:00`, `2024~2026`: two numbers, times, dates or years, said with "to"."""

    low: Number | Time | Date | Year
    high: Number | Time | Date | Year


Amount = Number | Range | Fraction
"""What a unit, a currency or a counter follows; a Range in it is always one of Numbers."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Percent:
    """`50%`, `10%~20%` (a Range), `3‰` (`sign` "‰")."""

    amount: Amount
    sign: str = "%"


@dataclass(frozen=True, slots=True, kw_only=True)
class Ratio:
    """`3:1` or `16:9:4`; with `score`, the result of a game."""

    parts: tuple[Number, ...]
    score: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Quantity:
    """A measure: `23.5 °C`, `18-22°C`, `35 µg/m³`. A unit alone (`km/h`) has no amount.

    A duration (`1h 30min`) is one Quantity after another.
    """

    amount: Amount | None
    unit: Unit


@dataclass(frozen=True, slots=True, kw_only=True)
class Money:
    """`$3.50`, `¥12`; `100元` is not one: a word after a number makes it `Counted`.

    `magnitude` is a word between the two, as in `$1.5 million` or `¥3万`, else "".
    """

    amount: Amount
    currency: Currency
    magnitude: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Counted:
    """A number and the language's own word after it: `3本`, `2个`, `3시`, `2026年`.

    `counter` is one of the verbaliser's `counters`. It is said by the verbaliser, together with
    the number, so that both can change (`1번째` → 첫 번째, `2个` → 两个).
    """

    amount: Amount
    counter: str


class DigitsKind(StrEnum):
    """Why digits are said one by one."""

    PHONE = "phone"
    CODE = "code"
    ROOM = "room"


@dataclass(frozen=True, slots=True, kw_only=True)
class Digits:
    """Digits said one by one, in the groups they were written in: `("010", "1234", "5678")`.

    A leading "+" of a phone number is dropped from the groups and kept in `plus`.
    """

    groups: tuple[str, ...]
    kind: DigitsKind
    plus: bool = False


class DottedKind(StrEnum):
    """What numbers joined by dots are."""

    VERSION = "version"
    ADDRESS = "address"


@dataclass(frozen=True, slots=True, kw_only=True)
class Dotted:
    """`2.0.1` of a version (a leading v is left in the text) or the four parts of an IP address."""

    parts: tuple[str, ...]
    kind: DottedKind


@dataclass(frozen=True, slots=True, kw_only=True)
class Ordinal:
    """An English ordinal, `3rd`, or a number sign, `No. 3` and `#3` (`numbered`)."""

    integer: str
    numbered: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Sign:
    """A sign that is said: one of `+ - × ÷ = ≠ < > ≤ ≥ ≈ ± ^ / & @ # № % ‰ ° ² ³ √ ∞ .` and `per`.

    `arithmetic` is true between or before numbers: `3-1` in `3-1=2` is "minus", and `*` arrives
    as `×`. `.` arrives only inside an address such as `a@b.com`. `per` is the stroke after a
    measure, as in `0.6元/度` and `$5/day`.
    """

    sign: str
    arithmetic: bool = False


Token = (
    Number
    | Fraction
    | Power
    | Date
    | Time
    | Year
    | Range
    | Percent
    | Ratio
    | Quantity
    | Money
    | Counted
    | Digits
    | Dotted
    | Ordinal
    | Sign
)
