"""The build program with the sizes of the tiny model; with `STOP` it is killed half-way."""

from __future__ import annotations

import os
import signal
import sys

from cosyvoice_wyoming.engine.cosyvoice import build
from tests.support.tiny_cosyvoice import TINY


def die(*_: object) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


if __name__ == "__main__":
    arguments = sys.argv[1:]
    if arguments[0] == "STOP":
        arguments.pop(0)
        vars(build)["build_vocoder"] = die
    sys.exit(build.main(arguments, TINY))
