"""Every option of the server as one value, put together from four places and checked once.

A later place wins: defaults, the environment (`COSYVOICE_WYOMING_SPEED=1.2`), the options that
Home Assistant's Supervisor writes for an app (`/data/options.json`), the command line.
"""

from __future__ import annotations

import ipaddress
import json
import os
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from cosyvoice_wyoming.address import Address, TcpAddress, parse_address
from cosyvoice_wyoming.errors import BadOption

ENVIRONMENT_PREFIX = "COSYVOICE_WYOMING_"
APP_OPTIONS = Path("/data/options.json")
APP_OPTIONS_VARIABLE = ENVIRONMENT_PREFIX + "OPTIONS_FILE"
"""Names another file instead: the Supervisor's is for root only, and the server does not run so."""

LOG_LEVELS = ("debug", "info", "warning", "error")
LANGUAGES = ("zh", "en", "ja", "ko", "yue")
SAMPLE_RATES = (0, 16000, 22050, 24000, 44100, 48000)
MIN_SPEED, MAX_SPEED = 0.5, 2.0

_VOICE_NAME = re.compile(r"(zh|en|ja|ko|yue)_(female|male)_\d{2}")
_MODEL_NAME = re.compile(r"[a-z0-9][a-z0-9._-]{0,63}")
_SWITCH = {"true": True, "yes": True, "on": True, "1": True}
_SWITCH |= {"false": False, "no": False, "off": False, "0": False}


def default_data_dir() -> Path:
    """Return the folder of bundles and state, after the XDG base directory specification."""
    if base := os.environ.get("XDG_DATA_HOME"):
        return Path(base) / "cosyvoice-wyoming"
    return Path("~/.local/share/cosyvoice-wyoming").expanduser()


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """What the server is asked to do.

    Silences are in milliseconds, limits in characters and connections. `threads` 0 lets the
    engine choose, `sample_rate` 0 is the model's own. A `voice_*` speaks its language where a
    client names no voice; empty is the model's first voice of that language. `http` is where the
    page and the HTTP interface are, None for nowhere; `http_token` is what clients must send, and
    `http_only_from` the one address that may connect, each empty for no such rule. `cache_mb` is
    the room for phrases that were spoken before, in MiB on the disk; 0 keeps none.
    """

    uri: Address = field(default_factory=TcpAddress)
    data_dir: Path = field(default_factory=default_data_dir)
    model: str = "lite"
    voice_zh: str = ""
    voice_en: str = ""
    voice_ja: str = ""
    voice_ko: str = ""
    voice_yue: str = ""
    speed: float = 1.0
    zeroconf: bool = True
    advertise_host: str = ""
    http: TcpAddress | None = None
    http_token: str = field(default="", repr=False)
    http_only_from: str = ""
    log_level: str = "info"
    threads: int = 0
    sample_rate: int = 0
    lead_silence_ms: int = 0
    trail_silence_ms: int = 100
    max_text_chars: int = 20_000
    max_connections: int = 64
    cache_mb: int = 64

    @property
    def default_voices(self) -> tuple[str, ...]:
        """The voices asked for as defaults, at most one for each language."""
        names = (self.voice_zh, self.voice_en, self.voice_ja, self.voice_ko, self.voice_yue)
        return tuple(name for name in names if name)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Given:
    """A value as somebody wrote it; `origin` is what they know the option by."""

    name: str
    value: object
    origin: str


def load(
    arguments: Mapping[str, object] | None = None,
    *,
    environ: Mapping[str, str] | None = None,
    app_options: Path | None = None,
) -> Settings:
    """Put the settings together; `arguments` are those given on the command line, by field name.

    Raises BadOption for the first value that is wrong.
    """
    checked: dict[str, Any] = {}
    variables = dict(os.environ if environ is None else environ)
    options_file = Path(variables.pop(APP_OPTIONS_VARIABLE, "") or APP_OPTIONS)
    sources = (
        _from_environment(variables),
        _from_app_options(app_options or options_file),
        _from_arguments(arguments or {}),
    )
    for source in sources:
        for given in source:
            checked |= _check(given)
    return Settings(**checked)


def _from_environment(environ: Mapping[str, str]) -> Iterator[_Given]:
    for variable in sorted(environ):
        if variable.startswith(ENVIRONMENT_PREFIX):
            name = variable.removeprefix(ENVIRONMENT_PREFIX).lower()
            if name not in _CHECKS:
                raise BadOption(f"{variable} is not an option: the options are {_all_variables()}")
            yield _Given(name=name, value=environ[variable], origin=variable)


def _from_app_options(path: Path) -> Iterator[_Given]:
    """Read what the Supervisor wrote; it keeps options of older versions, so unknown ones pass."""
    try:
        options = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return
    except (OSError, ValueError) as error:
        raise BadOption(f"{path} cannot be read: {error}") from None
    if not isinstance(options, dict):
        raise BadOption(f"{path} must hold a JSON object")
    for name, value in options.items():
        if name in _CHECKS:
            yield _Given(name=name, value=value, origin=f"'{name}' in {path}")


def _from_arguments(arguments: Mapping[str, object]) -> Iterator[_Given]:
    for name, value in arguments.items():
        yield _Given(name=name, value=value, origin="--" + name.replace("_", "-"))


def _check(given: _Given) -> dict[str, object]:
    """Return the fields that a value sets: none if it was left empty."""
    if given.value is None or given.value == "":
        return {}
    value = _CHECKS[given.name](given)
    if given.name == "voice":
        return value  # type: ignore[no-any-return]
    return {given.name: value}


def _wrong(given: _Given, wanted: str) -> BadOption:
    return BadOption(f"{given.origin} must be {wanted}, not '{given.value}'")


def _uri(given: _Given) -> Address:
    return parse_address(str(given.value))


def _folder(given: _Given) -> Path:
    return Path(str(given.value)).expanduser().absolute()


def _model(given: _Given) -> str:
    if not _MODEL_NAME.fullmatch(str(given.value)):
        raise _wrong(given, "the name of a model, such as lite")
    return str(given.value)


def _voice_of(language: str) -> Callable[[_Given], str]:
    def check(given: _Given) -> str:
        found = _VOICE_NAME.fullmatch(str(given.value))
        if found is None or found[1] != language:
            raise _wrong(given, f"the name of a voice, such as {language}_female_01")
        return str(given.value)

    return check


def _voices(given: _Given) -> dict[str, str]:
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


def _number(low: float, high: float) -> Callable[[_Given], float]:
    def check(given: _Given) -> float:
        try:
            number = float(str(given.value))
        except ValueError:
            number = float("nan")
        if not low <= number <= high:
            raise _wrong(given, f"a number from {low:g} to {high:g}")
        return number

    return check


def _whole(low: int, high: int) -> Callable[[_Given], int]:
    def check(given: _Given) -> int:
        text = str(given.value).strip()
        if not re.fullmatch(r"[0-9]{1,9}", text) or not low <= int(text) <= high:
            raise _wrong(given, f"a whole number from {low} to {high}")
        return int(text)

    return check


def _switch(given: _Given) -> bool:
    switch = _SWITCH.get(str(given.value).lower())
    if switch is None:
        raise _wrong(given, "true or false")
    return switch


def _host(given: _Given) -> str:
    host = str(given.value).strip()
    if not host or len(host) > 253 or any(c.isspace() or c in "/[]@" for c in host):  # noqa: PLR2004
        raise _wrong(given, "an address or a host name, such as 192.168.1.20")
    return host


def _http(given: _Given) -> TcpAddress:
    """Read PORT or HOST:PORT; a port alone is open on every address."""
    host, _, port = str(given.value).rpartition(":")
    address = parse_address(f"tcp://{host}:{port}") if port.isdecimal() else None
    if not isinstance(address, TcpAddress):
        raise _wrong(given, "PORT or HOST:PORT")
    return address


def _token(given: _Given) -> str:
    token = str(given.value)
    if not 16 <= len(token) <= 256 or not token.isascii() or not token.isprintable():  # noqa: PLR2004
        raise BadOption(f"{given.origin} must be 16 to 256 ASCII characters")
    return token


def _ip_address(given: _Given) -> str:
    try:
        return str(ipaddress.ip_address(str(given.value)))
    except ValueError:
        raise _wrong(given, "an IPv4 or IPv6 address") from None


def _log_level(given: _Given) -> str:
    level = str(given.value).lower()
    if level not in LOG_LEVELS:
        raise _wrong(given, f"one of {', '.join(LOG_LEVELS)}")
    return level


def _sample_rate(given: _Given) -> int:
    rates = {str(rate): rate for rate in SAMPLE_RATES}
    if str(given.value) not in rates:
        raise _wrong(given, f"one of {', '.join(rates)} (0 is the model's own)")
    return rates[str(given.value)]


_CHECKS: dict[str, Callable[[_Given], Any]] = {
    "uri": _uri,
    "data_dir": _folder,
    "model": _model,
    "voice": _voices,
    **{f"voice_{language}": _voice_of(language) for language in LANGUAGES},
    "speed": _number(MIN_SPEED, MAX_SPEED),
    "zeroconf": _switch,
    "advertise_host": _host,
    "http": _http,
    "http_token": _token,
    "http_only_from": _ip_address,
    "log_level": _log_level,
    "threads": _whole(0, 64),
    "sample_rate": _sample_rate,
    "lead_silence_ms": _whole(0, 1000),
    "trail_silence_ms": _whole(0, 1000),
    "max_text_chars": _whole(1, 1_000_000),
    "max_connections": _whole(1, 1000),
    "cache_mb": _whole(0, 4096),
}
"""Each option's check: from what somebody wrote to the value of its field."""


def _all_variables() -> str:
    return ", ".join(ENVIRONMENT_PREFIX + name.upper() for name in _CHECKS)
