"""`cosyvoice-wyoming models`: which models there are, fetch one, check one."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from cosyvoice_wyoming.commands.options import add_options, log_quietly, settings_of
from cosyvoice_wyoming.commands.progress import ProgressLine
from cosyvoice_wyoming.commands.table import format_table

if TYPE_CHECKING:
    from cosyvoice_wyoming.cli import Subparsers


def register(subparsers: Subparsers) -> None:
    parser = subparsers.add_parser("models", help="list, fetch or verify the models")
    actions = parser.add_subparsers(metavar="ACTION", required=True)
    listing = actions.add_parser("list", help="show every model and how it stands here")
    listing.set_defaults(run=run, action=list_models)
    fetching = actions.add_parser("fetch", help="fetch a model, or what is broken of it")
    fetching.set_defaults(run=run, action=fetch_model)
    fetching.add_argument(
        "--from",
        dest="source",
        metavar="DIR",
        type=Path,
        help="take the files that lie in DIR instead of downloading them",
    )
    verifying = actions.add_parser("verify", help="read every byte of a model and compare")
    verifying.set_defaults(run=run, action=verify_model)
    for action in (fetching, verifying):
        action.add_argument("name", metavar="NAME", nargs="?", help="default: lite")
    for action in (listing, fetching, verifying):
        add_options(action, "data_dir", "log_level")


def run(args: argparse.Namespace) -> int:
    log_quietly(args)
    status: int = args.action(args)
    return status


def list_models(args: argparse.Namespace) -> int:
    from cosyvoice_wyoming.bundles import catalog

    rows = [
        (entry.name, entry.state, f"{entry.size / 1e6:.0f} MB", entry.licence, entry.description)
        for entry in catalog(settings_of(args).data_dir)
    ]
    print(format_table(("MODEL", "STATE", "SIZE", "LICENCE", "DESCRIPTION"), rows))
    return 0


def fetch_model(args: argparse.Namespace) -> int:
    from cosyvoice_wyoming.bundles import fetch

    settings = settings_of(args)
    with ProgressLine() as progress:
        folder = fetch(args.name or settings.model, settings.data_dir, progress, args.source)
    print(folder)
    return 0


def verify_model(args: argparse.Namespace) -> int:
    from cosyvoice_wyoming.bundles import verify

    settings = settings_of(args)
    name = args.name or settings.model
    wrong = verify(name, settings.data_dir)
    for line in wrong:
        print(line, file=sys.stderr)
    if not wrong:
        print(f"{name} is whole")
    return 1 if wrong else 0
