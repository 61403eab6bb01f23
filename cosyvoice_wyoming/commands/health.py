"""`cosyvoice-wyoming health`: exit status 0 if a server answers, 1 if not."""

from __future__ import annotations

import argparse
import asyncio
import sys
from typing import TYPE_CHECKING

from cosyvoice_wyoming.commands.options import add_options, settings_of

if TYPE_CHECKING:
    from cosyvoice_wyoming.cli import Subparsers


def register(subparsers: Subparsers) -> None:
    parser = subparsers.add_parser("health", help="ask a running server whether it is well")
    add_options(parser, "uri")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    address = settings_of(args).uri
    from cosyvoice_wyoming.health import Unhealthy, ask

    try:
        health = asyncio.run(ask(address))
    except Unhealthy as error:
        print(error, file=sys.stderr)
        return 1
    print(
        f"{health.program} {health.version} answers at {address}: "
        f"{health.voices} voices, {health.seconds * 1000:.0f} ms"
    )
    return 0
