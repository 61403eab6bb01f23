"""`cosyvoice-wyoming models`: which models there are, fetch one, check one, foretell its pace."""

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
    estimating = actions.add_parser(
        "estimate", help="measure this device and say how fast CosyVoice would speak on it"
    )
    estimating.set_defaults(run=run, action=estimate_models)
    add_options(estimating, "threads", "log_level")
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


def estimate_models(args: argparse.Namespace) -> int:
    from cosyvoice_wyoming.engine.choice import choose, read_device
    from cosyvoice_wyoming.engine.cosyvoice.estimate import MEMORY_MB, MODELS, estimate_all
    from cosyvoice_wyoming.engine.cosyvoice.quantise import Precision
    from cosyvoice_wyoming.engine.cosyvoice.selftest import measure

    threads = settings_of(args).threads
    print("Measuring this device for some seconds; it should have nothing else to do.")
    speeds = {kind: measure(kind, threads) for kind in (Precision.INT8, Precision.FP32)}
    rows = [
        (
            MODELS[guess.preset],
            f"{guess.rtf:.1f}",
            f"{guess.first_audio:.1f} s",
            f"{MEMORY_MB[guess.preset]} MB",
        )
        for guess in estimate_all(speeds)
    ]
    print(format_table(("MODEL", "REAL-TIME FACTOR", "FIRST SOUND", "MEMORY"), rows))
    print("A factor of 1 speaks as fast as it is heard; 2 takes twice as long.")
    choice = choose(read_device())
    print(f"--model auto takes {choice.model}: {choice.reason}.")
    return 0
