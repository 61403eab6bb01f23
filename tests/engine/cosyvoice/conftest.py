from __future__ import annotations

import pytest

from tests.support.tiny_cosyvoice import build_bundle, write_source


def pytest_collection_modifyitems(config, items):
    """Leave the full-size model out unless it is asked for: `-m heavy`, or `--full-size`."""
    if "heavy" in config.option.markexpr or config.option.full_size:
        return
    left_out = [item for item in items if item.get_closest_marker("heavy")]
    if left_out:
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if item not in left_out]


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
