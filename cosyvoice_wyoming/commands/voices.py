"""`cosyvoice-wyoming voices`: the voices of a model, as a table."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from cosyvoice_wyoming.commands.options import add_options, settings_of
from cosyvoice_wyoming.commands.table import format_table

if TYPE_CHECKING:
    from cosyvoice_wyoming.cli import Subparsers


def register(subparsers: Subparsers) -> None:
    parser = subparsers.add_parser("voices", help="show the voices of a model")
    add_options(parser, "model")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    from cosyvoice_wyoming.bundles.sources import recipe
    from cosyvoice_wyoming.voices import STANDARD_VOICES

    names = {voice.name for voice in recipe(settings_of(args).model).voices}
    rows = [
        (
            voice.name,
            voice.language,
            voice.gender,
            voice.description,
            "experimental" if voice.experimental else "",
        )
        for voice in STANDARD_VOICES
        if voice.name in names
    ]
    print(format_table(("VOICE", "LANGUAGE", "GENDER", "DESCRIPTION", "REMARK"), rows))
    return 0
