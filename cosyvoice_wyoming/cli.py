"""The command line: finds the command, and turns what goes wrong into one sentence.

Only the command that runs imports what it needs, so that `--help` is quick on a small board.
"""

from __future__ import annotations

import argparse
import logging
import os
import sys
from collections.abc import Sequence
from types import ModuleType
from typing import Any, NoReturn, TypeAlias

from cosyvoice_wyoming import __version__
from cosyvoice_wyoming.commands import bench, explain, health, models, say, serve, stats, voices
from cosyvoice_wyoming.errors import BadOption, SpeechError

_LOGGER = logging.getLogger(__name__)

COMMANDS: tuple[ModuleType, ...] = (serve, say, voices, models, explain, health, stats, bench)
EXIT_FAILED, EXIT_WRONG_USE, EXIT_INTERRUPTED = 1, 2, 130


class _Parser(argparse.ArgumentParser):
    """An argument parser that states an error in one sentence, without the whole usage."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:  # noqa: ANN401 - argparse's own
        super().__init__(*args, **kwargs | {"allow_abbrev": False})

    def error(self, message: str) -> NoReturn:
        raise BadOption(f"{message} ({self.prog} --help shows what there is)")


Subparsers: TypeAlias = "argparse._SubParsersAction[_Parser]"  # noqa: SLF001 - it has no public name


def run(argv: Sequence[str]) -> int:
    """Run a command line, without the program's name; return the exit status."""
    try:
        args = parser().parse_args(argv)
        status: int = args.run(args)
        sys.stdout.flush()
    except SpeechError as error:
        return _say(f"cosyvoice-wyoming: {error}", EXIT_WRONG_USE)
    except KeyboardInterrupt:
        return EXIT_INTERRUPTED
    except BrokenPipeError:
        # Whoever read the output has left; the interpreter must not complain when it closes it.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return EXIT_FAILED
    except Exception as error:
        _LOGGER.debug("unexpected", exc_info=error)
        reason = f"{type(error).__name__}: {error}".strip(": ")
        return _say(f"cosyvoice-wyoming: unexpected failure, {reason}", EXIT_FAILED)
    return status


def parser() -> _Parser:
    parser = _Parser(
        prog="cosyvoice-wyoming",
        description="Text-to-speech for Home Assistant in five languages, on your own CPU.",
    )
    parser.add_argument("--version", action="version", version=f"%(prog)s {__version__}")
    subparsers = parser.add_subparsers(metavar="COMMAND", required=True)
    for command in COMMANDS:
        command.register(subparsers)
    return parser


def _say(sentence: str, status: int) -> int:
    sys.stderr.write(" ".join(sentence.split()) + "\n")
    return status
