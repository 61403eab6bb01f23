"""Settings of the whole test suite."""

from __future__ import annotations

import os

from hypothesis import settings

# A machine that does other things as well is slow at times, and that is no failure.
settings.register_profile("default", deadline=None)
settings.register_profile("ci", deadline=None, derandomize=True)
settings.load_profile("ci" if os.environ.get("CI") else "default")
