"""Every option of the server as one value, put together from four places and checked once.

A later place wins: defaults, the environment (`COSYVOICE_WYOMING_SPEED=1.2`), the options that
Home Assistant's Supervisor writes for an app (`/data/options.json`), the command line.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from cosyvoice_wyoming.address import Address, TcpAddress
from cosyvoice_wyoming.errors import BadOption
from cosyvoice_wyoming.options import CHECKS, Given

ENVIRONMENT_PREFIX = "COSYVOICE_WYOMING_"
APP_OPTIONS = Path("/data/options.json")
APP_OPTIONS_VARIABLE = ENVIRONMENT_PREFIX + "OPTIONS_FILE"
"""Names another file instead: the Supervisor's is for root only, and the server does not run so."""


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
    the room for phrases that were spoken before, in MiB on the disk; 0 keeps none. `pace` latency
    speaks as soon as there is a first clause, fluency waits for a sentence.
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
    pace: str = "latency"
    zeroconf: bool = True
    advertise_host: str = ""
    http: TcpAddress | None = None
    http_token: str = field(default="", repr=False)
    http_only_from: str = ""
    log_level: str = "info"
    log_format: str = "text"
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


def _from_environment(environ: Mapping[str, str]) -> Iterator[Given]:
    for variable in sorted(environ):
        if variable.startswith(ENVIRONMENT_PREFIX):
            name = variable.removeprefix(ENVIRONMENT_PREFIX).lower()
            if name not in CHECKS:
                raise BadOption(f"{variable} is not an option: the options are {_all_variables()}")
            yield Given(name=name, value=environ[variable], origin=variable)


def _from_app_options(path: Path) -> Iterator[Given]:
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
        if name in CHECKS:
            yield Given(name=name, value=value, origin=f"'{name}' in {path}")


def _from_arguments(arguments: Mapping[str, object]) -> Iterator[Given]:
    for name, value in arguments.items():
        yield Given(name=name, value=value, origin="--" + name.replace("_", "-"))


def _check(given: Given) -> dict[str, object]:
    """Return the fields that a value sets: none if it was left empty."""
    if given.value is None or given.value == "":
        return {}
    value = CHECKS[given.name](given)
    if given.name == "voice":
        return value  # type: ignore[no-any-return]
    return {given.name: value}


def _all_variables() -> str:
    return ", ".join(ENVIRONMENT_PREFIX + name.upper() for name in CHECKS)
