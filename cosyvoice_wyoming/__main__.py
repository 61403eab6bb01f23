"""Entry point of `cosyvoice-wyoming` and of `python -m cosyvoice_wyoming`."""

from __future__ import annotations

import sys


def main() -> int:
    from cosyvoice_wyoming.cli import run

    return run(sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
