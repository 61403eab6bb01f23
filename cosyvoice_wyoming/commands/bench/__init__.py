"""`cosyvoice-wyoming bench`: measure a server of its own over the wire, and print a table."""

from __future__ import annotations

import argparse
import asyncio
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from cosyvoice_wyoming.commands.options import add_options, log_quietly, settings_of
from cosyvoice_wyoming.commands.progress import ProgressLine
from cosyvoice_wyoming.commands.table import format_table
from cosyvoice_wyoming.errors import BadOption

if TYPE_CHECKING:
    from cosyvoice_wyoming.cli import Subparsers
    from cosyvoice_wyoming.commands.bench.figures import Figures
    from cosyvoice_wyoming.settings import Settings


def register(subparsers: Subparsers) -> None:
    parser = subparsers.add_parser("bench", help="measure how quick this machine speaks")
    parser.add_argument("--json", metavar="FILE", help="write the figures there as well")
    parser.add_argument("--rounds", metavar="N", default="3", help="measurements each (default: 3)")
    add_options(parser, "data_dir", "model", "threads", "log_level")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    from cosyvoice_wyoming.commands.bench.figures import measure
    from cosyvoice_wyoming.studio import WITHOUT_BUNDLE

    log_quietly(args)
    settings = settings_of(args)
    if not args.rounds.isdecimal() or not 1 <= int(args.rounds) <= 100:  # noqa: PLR2004
        raise BadOption(f"--rounds must be a whole number from 1 to 100, not '{args.rounds}'")
    if args.json and not Path(args.json).absolute().parent.is_dir():
        raise BadOption(f"'{args.json}' cannot be written: there is no folder of that name")
    if settings.model != WITHOUT_BUNDLE:
        from cosyvoice_wyoming.bundles import ensure

        with ProgressLine() as progress:
            ensure(settings.model, settings.data_dir, progress)
    figures = asyncio.run(
        measure(_serve_options(settings), rounds=int(args.rounds), say=_say_on_stderr)
    )
    print(_table(figures))
    if args.json:
        _write_json(Path(args.json), figures)
    return 0


def _serve_options(settings: Settings) -> list[str]:
    return [
        *("--data-dir", str(settings.data_dir)),
        *("--model", settings.model),
        *("--threads", str(settings.threads)),
        *("--cache-mb", "0"),  # phrases that were spoken before would be measured as nothing
    ]


def _say_on_stderr(text: str) -> None:
    print(f"{text} ...", file=sys.stderr)


def _table(figures: Figures) -> str:
    header = ("", "first audio, answer", "paragraph", "1,000 characters", "RTF", "RSS")
    rows = [
        (
            row.language,
            f"{row.first_audio_answer:.2f} s",
            f"{row.first_audio_paragraph:.2f} s",
            f"{row.first_audio_long:.2f} s",
            f"{row.rtf:.2f}",
            f"{row.rss_mb:.0f} MB",
        )
        for row in figures.languages
    ]
    return f"""{format_table(header, rows)}

port open {figures.port_open:.2f} s after the start, \
first speech after {figures.first_speech:.1f} s
RSS after 50 mixed requests {figures.rss_after_half:.0f} MB, \
after 100 {figures.rss_after_all:.0f} MB
5 clients at once: {figures.at_once_errors} errors, \
slowest first audio {figures.at_once_first_audio:.2f} s
on {figures.machine}, load average before {figures.load:.2f}"""


def _write_json(path: Path, figures: Figures) -> None:
    import dataclasses
    import json

    fresh = path.with_name(f".{path.name}.part")
    try:
        fresh.write_text(json.dumps(dataclasses.asdict(figures), indent=2) + "\n", "utf-8")
        fresh.replace(path)
    except OSError as error:
        raise BadOption(f"'{path}' cannot be written: {error.strerror}") from None
