"""The words that English numbers are made of."""

from __future__ import annotations

SMALL = (
    *("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"),
    *("eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen"),
    "nineteen",
)
TENS = ("", "ten", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
SCALES = (
    (10**18, "quintillion"),
    (10**15, "quadrillion"),
    (10**12, "trillion"),
    (10**9, "billion"),
    (10**6, "million"),
    (10**3, "thousand"),
)
IRREGULAR_ORDINALS = {
    "one": "first",
    "two": "second",
    "three": "third",
    "five": "fifth",
    "eight": "eighth",
    "nine": "ninth",
    "twelve": "twelfth",
}
FRACTIONS = {
    2: ("half", "halves"),
    4: ("quarter", "quarters"),
    100: ("hundredth", "hundredths"),
    1000: ("thousandth", "thousandths"),
}
MONTHS = (
    *("January", "February", "March", "April", "May", "June", "July", "August", "September"),
    *("October", "November", "December"),
)
COUNTERS = ("x", "s")
"""`3x` is "three times", `the 90s` "the nineties"."""
CODE_WORDS = (
    *("PIN", "pin code", "PIN code", "code", "Code", "passcode", "password", "ID", "zip", "ZIP"),
    *("serial", "extension", "order", "ticket", "case"),
)
ROOM_WORDS = (
    *("room", "Room", "channel", "Channel", "flight", "Flight", "bus", "Bus", "highway", "Highway"),
    *("suite", "Suite", "apartment", "Apartment", "unit", "Unit", "route", "Route"),
)
SCORE_WORDS = ("score", "Score", "beat ", "won ", "lost ", "defeated", "tied ", "leads ", "lead ")

SIGNS = {
    "+": "plus",
    "-": "minus",
    "×": "times",
    "÷": "divided by",
    "=": "equals",
    "≠": "is not equal to",
    "<": "less than",
    ">": "greater than",
    "≤": "at most",
    "≥": "at least",
    "≈": "about",
    "±": "plus or minus",
    "^": "to the power of",
    "&": "and",
    "@": "at",
    "/": "slash",
    "per": "per",
    "%": "percent",
    "‰": "per mille",
    "°": "degrees",
    "²": "squared",
    "³": "cubed",
    "√": "square root of",
    "∞": "infinity",
    ".": "dot",
    "#": "number",
    "№": "number",
}
