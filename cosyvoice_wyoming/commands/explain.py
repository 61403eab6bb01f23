"""`cosyvoice-wyoming explain`: what the text front end makes of a text. For bug reports."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from cosyvoice_wyoming.commands.options import add_options, settings_of

if TYPE_CHECKING:
    from cosyvoice_wyoming.cli import Subparsers
    from cosyvoice_wyoming.text.language import Language
    from cosyvoice_wyoming.text.spoken import Spoken


def register(subparsers: Subparsers) -> None:
    parser = subparsers.add_parser(
        "explain", help="show the language, the words and the phonemes of a text"
    )
    parser.add_argument(
        "text", metavar="TEXT", help="a text or an SSML document; - reads standard input"
    )
    add_options(parser, "voice", "data_dir")
    parser.add_argument("--json", action="store_true", help="print a list of objects")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    from cosyvoice_wyoming.studio import DICTIONARY

    settings = settings_of(args)
    text = sys.stdin.read() if args.text == "-" else args.text
    voice = vars(args).get("voice", [""])[-1]
    rows = list(_explain(text, voice, settings.data_dir / DICTIONARY))
    if args.json:
        print(json.dumps(rows, ensure_ascii=False, indent=2))
        return 0
    for number, row in enumerate(rows, start=1):
        print(f"segment {number}")
        for key, value in row.items():
            print(f"  {key + ':':10} {value}")
    return 0


def _explain(text: str, voice: str, dictionary_file: Path) -> Iterator[dict[str, str]]:
    from cosyvoice_wyoming.phonemes import phonemize
    from cosyvoice_wyoming.text import Script, prepare
    from cosyvoice_wyoming.text.dictionary import DictionaryFile

    dictionary = DictionaryFile(dictionary_file).current()
    hint = _language_of(voice)
    script = Script(hint=hint)
    for segment in script.feed(text) + script.finish():
        spoken = prepare(segment, hint, dictionary)
        if spoken is None:
            continue
        yield {**_words(spoken), "phonemes": phonemize(spoken).symbols}
        hint = hint or spoken.language  # the first words choose the voice


def _language_of(voice: str) -> Language | None:
    """Return the language of the voice that was asked for, None if the text decides."""
    from cosyvoice_wyoming.voices import STANDARD_VOICES, VoiceCatalog, VoiceWish

    found = VoiceCatalog(STANDARD_VOICES).resolve(VoiceWish(name=voice))
    return found.language if found else None


def _words(spoken: Spoken) -> dict[str, str]:
    return {"language": spoken.language.value, "text": spoken.text, "spoken": spoken.words}
