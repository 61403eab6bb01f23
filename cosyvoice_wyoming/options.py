"""What each option may be: from what somebody wrote to the value of a setting."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cosyvoice_wyoming.address import Address, TcpAddress, parse_address
from cosyvoice_wyoming.errors import BadOption

LOG_LEVELS = ("debug", "info", "warning", "error")
LOG_FORMATS = ("text", "json")
PACES = ("latency", "fluency")
LANGUAGES = ("zh", "en", "ja", "ko", "yue")
SAMPLE_RATES = (0, 16000, 22050, 24000, 44100, 48000)
MIN_SPEED, MAX_SPEED = 0.5, 2.0

_VOICE_NAME = re.compile(r"(zh|en|ja|ko|yue)_(female|male)_\d{2}")
_MODEL_NAME = re.compile(r"[a-z0-9][a-z0-9._-]{0,63}")
_SWITCH = {"true": True, "yes": True, "on": True, "1": True}
_SWITCH |= {"false": False, "no": False, "off": False, "0": False}


@dataclass(frozen=True, slots=True, kw_only=True)
class Given:
    """A value as somebody wrote it; `origin` is what they know the option by."""

    name: str
    value: object
    origin: str


def _wrong(given: Given, wanted: str) -> BadOption:
    return BadOption(f"{given.origin} must be {wanted}, not '{given.value}'")


def _uri(given: Given) -> Address:
    return parse_address(str(given.value))


def _folder(given: Given) -> Path:
    return Path(str(given.value)).expanduser().absolute()


def _model(given: Given) -> str:
    if not _MODEL_NAME.fullmatch(str(given.value)):
        raise _wrong(given, "the name of a model, such as lite")
    return str(given.value)


def _voice_of(language: str) -> Callable[[Given], str]:
    def check(given: Given) -> str:
        found = _VOICE_NAME.fullmatch(str(given.value))
        if found is None or found[1] != language:
            raise _wrong(given, f"the name of a voice, such as {language}_female_01")
        return str(given.value)

    return check


def _voices(given: Given) -> dict[str, str]:
    """Sort default voices by the language in their names: several are a list or have commas."""
    names = given.value.split(",") if isinstance(given.value, str) else given.value
    if not isinstance(names, (list, tuple)):
        raise _wrong(given, "the name of a voice, such as zh_female_01")
    defaults = {}
    for name in names:
        found = _VOICE_NAME.fullmatch(str(name).strip())
        if found is None:
            raise _wrong(given, "the name of a voice, such as zh_female_01")
        defaults[f"voice_{found[1]}"] = found[0]
    return defaults


def _number(low: float, high: float) -> Callable[[Given], float]:
    def check(given: Given) -> float:
        try:
            number = float(str(given.value))
        except ValueError:
            number = float("nan")
        if not low <= number <= high:
            raise _wrong(given, f"a number from {low:g} to {high:g}")
        return number

    return check


def _whole(low: int, high: int) -> Callable[[Given], int]:
    def check(given: Given) -> int:
        text = str(given.value).strip()
        if not re.fullmatch(r"[0-9]{1,9}", text) or not low <= int(text) <= high:
            raise _wrong(given, f"a whole number from {low} to {high}")
        return int(text)

    return check


def _switch(given: Given) -> bool:
    switch = _SWITCH.get(str(given.value).lower())
    if switch is None:
        raise _wrong(given, "true or false")
    return switch


def _host(given: Given) -> str:
    host = str(given.value).strip()
    if not host or len(host) > 253 or any(c.isspace() or c in "/[]@" for c in host):  # noqa: PLR2004
        raise _wrong(given, "an address or a host name, such as 192.168.1.20")
    return host


def _http(given: Given) -> TcpAddress:
    """Read PORT or HOST:PORT; a port alone is open on every address."""
    host, _, port = str(given.value).rpartition(":")
    address = parse_address(f"tcp://{host}:{port}") if port.isdecimal() else None
    if not isinstance(address, TcpAddress):
        raise _wrong(given, "PORT or HOST:PORT")
    return address


def _token(given: Given) -> str:
    token = str(given.value)
    if not 16 <= len(token) <= 256 or not token.isascii() or not token.isprintable():  # noqa: PLR2004
        raise BadOption(f"{given.origin} must be 16 to 256 ASCII characters")
    return token


def _ip_address(given: Given) -> str:
    try:
        return str(ipaddress.ip_address(str(given.value)))
    except ValueError:
        raise _wrong(given, "an IPv4 or IPv6 address") from None


def _one_of(words: tuple[str, ...]) -> Callable[[Given], str]:
    def check(given: Given) -> str:
        word = str(given.value).lower()
        if word not in words:
            raise _wrong(given, f"one of {', '.join(words)}")
        return word

    return check


def _sample_rate(given: Given) -> int:
    rates = {str(rate): rate for rate in SAMPLE_RATES}
    if str(given.value) not in rates:
        raise _wrong(given, f"one of {', '.join(rates)} (0 is the model's own)")
    return rates[str(given.value)]


CHECKS: dict[str, Callable[[Given], Any]] = {
    "uri": _uri,
    "data_dir": _folder,
    "model": _model,
    "voice": _voices,
    **{f"voice_{language}": _voice_of(language) for language in LANGUAGES},
    "speed": _number(MIN_SPEED, MAX_SPEED),
    "pace": _one_of(PACES),
    "zeroconf": _switch,
    "advertise_host": _host,
    "http": _http,
    "http_token": _token,
    "http_only_from": _ip_address,
    "log_level": _one_of(LOG_LEVELS),
    "log_format": _one_of(LOG_FORMATS),
    "threads": _whole(0, 64),
    "sample_rate": _sample_rate,
    "lead_silence_ms": _whole(0, 1000),
    "trail_silence_ms": _whole(0, 1000),
    "max_text_chars": _whole(1, 1_000_000),
    "max_connections": _whole(1, 1000),
    "cache_mb": _whole(0, 4096),
}
"""Each option's check: from what somebody wrote to the value of its field."""
