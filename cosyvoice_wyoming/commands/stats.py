"""`cosyvoice-wyoming stats`: the figures of a running server."""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
from typing import TYPE_CHECKING, Any

from cosyvoice_wyoming.commands.options import add_options, settings_of
from cosyvoice_wyoming.commands.table import format_table

if TYPE_CHECKING:
    from cosyvoice_wyoming.address import Address
    from cosyvoice_wyoming.cli import Subparsers


def register(subparsers: Subparsers) -> None:
    parser = subparsers.add_parser("stats", help="ask a running server for its figures")
    add_options(parser, "uri")
    parser.add_argument("--json", action="store_true", help="print a JSON object")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    from cosyvoice_wyoming.health import Unhealthy

    try:
        stats = asyncio.run(_ask(settings_of(args).uri))
    except Unhealthy as error:
        print(error, file=sys.stderr)
        return 1
    if args.json:
        print(json.dumps(stats, indent=2))
    else:
        rows = [(name.replace("_", " "), _shown(name, value)) for name, value in stats.items()]
        print(format_table(("", ""), rows).lstrip("\n"))
    return 0


async def _ask(address: Address) -> dict[str, Any]:
    """Return the figures of the server at `address`. Raises Unhealthy."""
    from cosyvoice_wyoming import wire
    from cosyvoice_wyoming.health import TIMEOUT_S, Unhealthy, client_of
    from cosyvoice_wyoming.stats import EVENT

    client = client_of(address)
    try:
        async with asyncio.timeout(TIMEOUT_S), client:
            await client.write_event(wire.Event(type=EVENT))
            while event := await client.read_event():
                if event.type == EVENT:
                    return dict(event.data)
    except TimeoutError:
        raise Unhealthy(f"the server at {address} gives no figures") from None
    except (OSError, ValueError) as error:
        raise Unhealthy(f"no server answers at {address}: {error}") from None
    raise Unhealthy(f"the server at {address} gives no figures")


def _shown(name: str, value: object) -> str:
    if name.endswith(("_memory", "_bytes")) and isinstance(value, int):
        return f"{value / (1 << 20):.1f} MiB"
    return f"{value:.2f}" if isinstance(value, float) else str(value)
