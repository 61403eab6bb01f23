from __future__ import annotations

import pytest

from tests.support.tiny_cosyvoice import build_bundle, write_source


@pytest.fixture(scope="session")
def tiny_source(tmp_path_factory):
    return write_source(tmp_path_factory.mktemp("checkpoint"))


@pytest.fixture(scope="session")
def tiny_bundles(tiny_source, tmp_path_factory):
    """A tiny bundle of each preset, by name."""
    folder = tmp_path_factory.mktemp("bundles")
    return {
        preset: build_bundle(tiny_source, folder / preset, preset)
        for preset in ("exact", "balanced", "fast")
    }
