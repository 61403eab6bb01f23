"""Addresses, file names and entity ids as words."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from cosyvoice_wyoming.text.numbers import Sign

if TYPE_CHECKING:
    from cosyvoice_wyoming.text.languages import Verbaliser

_URL = re.compile(
    r"(?:[a-z][a-z0-9+]{1,9}://|www\.)(?:www\.)?"
    r"(?:[^\s/?#@，。！？；、（）《》“”\"'<>]{1,200}@)?([A-Za-z0-9.-]{1,200})(?::(\d{1,5}))?"
    r"(?:[/?#][\x21-\x7e]{0,2000})?(?<![.,;:!?)'\"])",
    re.IGNORECASE,
)
_MAIL = re.compile(r"[A-Za-z0-9._+-]{1,64}@[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63}){1,8}")
_DOTTED = re.compile(
    r"(?<![A-Za-z0-9.@_-])[A-Za-z_][A-Za-z0-9_-]{1,63}(?:\.[A-Za-z0-9_-]{2,63}){1,8}(?![A-Za-z0-9@])"
)
_ENTITY = re.compile(
    r"(?:alarm_control_panel|assist_satellite|automation|binary_sensor|button|calendar|camera"
    r"|climate|counter|cover|device_tracker|event|fan|group|humidifier|image|input_\w+|lawn_mower"
    r"|light|lock|media_player|notify|number|person|remote|scene|script|select|sensor|siren|sun"
    r"|switch|text|timer|todo|tts|update|vacuum|valve|water_heater|weather|zone)\.[a-z0-9_]+"
)
_ROMAN_NUMERAL = re.compile(
    r"(?:(?<=第)|(?<=제)|(?<=Chapter )|(?<=Part )|(?<=Volume )|(?<=Act )|(?<=Phase )|(?<=Type )"
    r"|(?<=War )|(?<=Section )|(?<=Season )|(?<=Episode )|(?<=Level )|(?<=파트 ))"
    r"(?=[IVXL])(XL|L?X{0,3})(IX|IV|V?I{0,3})(?![A-Za-z])"
)
_ROMAN = {"I": 1, "V": 5, "X": 10, "L": 50}


_SHARP = re.compile(r"(?<![A-Za-z])([CF])#")


def say_links(text: str, verbaliser: Verbaliser) -> str:
    """Return the text with addresses as words: of a web address the host is enough."""
    if "." in text or "@" in text:
        dot = f" {verbaliser.sign(Sign(sign='.'))} "
        text = _URL.sub(lambda match: _host(match, dot), text)
        text = _MAIL.sub(lambda match: match[0].replace(".", dot).replace("@", " at "), text)
        text = _DOTTED.sub(lambda match: _dotted(match[0], dot), text)
    return _ROMAN_NUMERAL.sub(_roman, _SHARP.sub(r"\1 sharp", text))


def _host(match: re.Match[str], dot: str) -> str:
    host = match[1].strip(".")
    if host.replace(".", "").isdigit():
        return f" {host} "
    return f" {host.replace('.', dot)} "


def _dotted(word: str, dot: str) -> str:
    if _ENTITY.fullmatch(word):
        return word.replace(".", " ")
    left, _, right = word.partition(".")
    if right[:1].isupper() and left[-1:].islower():
        return word.replace(".", ". ")  # two sentences without a space
    return word.replace(".", dot)


def _roman(match: re.Match[str]) -> str:
    values = [_ROMAN[letter] for letter in match[1] + match[2]]
    following = [*values[1:], 0]
    return str(
        sum(
            -value if value < after else value
            for value, after in zip(values, following, strict=True)
        )
    )
