"""`cosyvoice-wyoming serve`: answer Home Assistant until told to stop."""

from __future__ import annotations

import argparse
import asyncio
from typing import TYPE_CHECKING

from cosyvoice_wyoming.commands.options import add_options, log_to_stderr, settings_of

if TYPE_CHECKING:
    from cosyvoice_wyoming.cli import Subparsers


def register(subparsers: Subparsers) -> None:
    parser = subparsers.add_parser("serve", help="answer Home Assistant until stopped")
    add_options(parser, "uri", "data_dir", "model", "voice", "speed")
    parser.add_argument(
        "--no-zeroconf",
        dest="zeroconf",
        action="store_const",
        const="false",
        default=argparse.SUPPRESS,
        help="do not announce the server in the network",
    )
    add_options(parser, "advertise_host", "log_level", "threads", "sample_rate", "lead_silence_ms")
    add_options(parser, "trail_silence_ms", "max_text_chars", "max_connections")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    settings = settings_of(args)
    log_to_stderr(settings.log_level)
    from cosyvoice_wyoming.server import serve

    asyncio.run(serve(settings))
    return 0
