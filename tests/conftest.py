"""Settings of the whole test suite."""

from __future__ import annotations

import os

import pytest
from hypothesis import settings

# A machine that does other things as well is slow at times, and that is no failure.
settings.register_profile("default", deadline=None)
settings.register_profile("ci", deadline=None, derandomize=True)
settings.load_profile("ci" if os.environ.get("CI") else "default")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--full-size",
        action="store_true",
        help="also test CosyVoice at its full size: 3 minutes, 3.5 GB of disk, 3 GB of memory",
    )
