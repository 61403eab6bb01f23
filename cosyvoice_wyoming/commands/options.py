"""The options that several commands share, and the settings they make."""

from __future__ import annotations

import argparse
from dataclasses import dataclass, replace
from typing import Any

from cosyvoice_wyoming.logs import log_to_stderr
from cosyvoice_wyoming.options import LOG_LEVELS
from cosyvoice_wyoming.settings import Settings, load


@dataclass(frozen=True, slots=True, kw_only=True)
class Option:
    """An option of the command line that is a field of the settings."""

    metavar: str
    help: str
    repeatable: bool = False


OPTIONS: dict[str, Option] = {
    "uri": Option(
        metavar="URI",
        help="tcp://HOST:PORT, unix:///PATH or stdio:// (default: port 10200 on every address)",
    ),
    "data_dir": Option(metavar="DIR", help="folder of the models and of what the server keeps"),
    "model": Option(
        metavar="NAME",
        help="the model that speaks (default: lite); auto: what this device is up to",
    ),
    "voice": Option(
        metavar="NAME",
        help="speaks its language where a client names no voice; may be given once a language",
        repeatable=True,
    ),
    "speed": Option(metavar="S", help="0.5 (slow) to 2.0 (fast), default 1.0"),
    "pace": Option(metavar="PACE", help="latency (speak early, default) or fluency (fewer pauses)"),
    "advertise_host": Option(metavar="ADDRESS", help="address or host name to announce"),
    "http": Option(
        metavar="[HOST:]PORT", help="serve the page and the HTTP interface there (default: off)"
    ),
    "http_token": Option(
        metavar="TOKEN",
        help="what HTTP clients must send; better kept in COSYVOICE_WYOMING_HTTP_TOKEN",
    ),
    "http_only_from": Option(metavar="ADDRESS", help="the one address that may use HTTP"),
    "log_level": Option(metavar="LEVEL", help=f"{', '.join(LOG_LEVELS)} (default: info)"),
    "log_format": Option(metavar="FORMAT", help="text, or json for programs (default: text)"),
    "threads": Option(metavar="N", help="threads of the engine (default: as it likes)"),
    "sample_rate": Option(metavar="HZ", help="sample rate of the audio (default: the model's)"),
    "lead_silence_ms": Option(metavar="MS", help="silence before the first word, 0 to 1000"),
    "trail_silence_ms": Option(metavar="MS", help="silence after the last word, 0 to 1000"),
    "max_text_chars": Option(metavar="N", help="longest text of a request (default: 20000)"),
    "cache_mb": Option(metavar="N", help="MiB of phrases kept on the disk, 0: none (default: 64)"),
    "max_connections": Option(metavar="N", help="clients at once (default: 64)"),
}

COMMON = ("data_dir", "model", "threads", "log_level")
"""The options of every command that loads a model."""


def add_options(parser: argparse.ArgumentParser, *names: str) -> None:
    """Give `parser` options; one that is not given on the command line leaves no trace."""
    for name in names:
        option = OPTIONS[name]
        parser.add_argument(
            "--" + name.replace("_", "-"),
            dest=name,
            metavar=option.metavar,
            help=option.help,
            default=argparse.SUPPRESS,
            action="append" if option.repeatable else "store",
        )


def settings_of(args: argparse.Namespace) -> Settings:
    """Return the settings, with what this command line adds to them. Raises BadOption.

    The model `auto` becomes the one that this device is up to.
    """
    given: dict[str, Any] = {
        name: value for name, value in vars(args).items() if name in OPTIONS or name == "zeroconf"
    }
    settings = load(given)
    if settings.model != "auto":
        return settings
    from cosyvoice_wyoming.engine.choice import resolve

    return replace(settings, model=resolve(settings.model))


def log_quietly(args: argparse.Namespace) -> None:
    """Log warnings only, unless the command line asks for more: the output is the result."""
    log_to_stderr(settings_of(args).log_level if "log_level" in vars(args) else "warning")
