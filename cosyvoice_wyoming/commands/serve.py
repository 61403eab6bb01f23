"""`cosyvoice-wyoming serve`: answer Home Assistant until told to stop."""

from __future__ import annotations

import argparse
import asyncio
from typing import TYPE_CHECKING

from cosyvoice_wyoming.commands.options import add_options, settings_of
from cosyvoice_wyoming.commands.progress import ProgressLine
from cosyvoice_wyoming.logs import log_to_stderr

if TYPE_CHECKING:
    from cosyvoice_wyoming.cli import Subparsers
    from cosyvoice_wyoming.settings import Settings


def register(subparsers: Subparsers) -> None:
    parser = subparsers.add_parser("serve", help="answer Home Assistant until stopped")
    add_options(parser, "uri", "data_dir", "model", "voice", "speed", "pace")
    parser.add_argument(
        "--no-zeroconf",
        dest="zeroconf",
        action="store_const",
        const="false",
        default=argparse.SUPPRESS,
        help="do not announce the server in the network",
    )
    parser.add_argument(
        "--fetch-first",
        action="store_true",
        help="put the model together, with progress shown, before the port opens",
    )
    add_options(
        parser, "advertise_host", "http", "http_token", "http_only_from", "log_level", "log_format"
    )
    add_options(parser, "threads", "sample_rate", "lead_silence_ms")
    add_options(parser, "trail_silence_ms", "max_text_chars", "max_connections", "cache_mb")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    settings = settings_of(args)
    log_to_stderr(settings.log_level, settings.log_format)
    if args.fetch_first:
        _fetch(settings)
    from cosyvoice_wyoming.server import serve

    following: Settings | None = settings
    while following is not None:
        following = asyncio.run(serve(following))
    return 0


def _fetch(settings: Settings) -> None:
    from cosyvoice_wyoming.bundles import ensure
    from cosyvoice_wyoming.studio import WITHOUT_BUNDLE

    if settings.model != WITHOUT_BUNDLE:
        with ProgressLine() as progress:
            ensure(settings.model, settings.data_dir, progress)
