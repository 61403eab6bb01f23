"""The power fails while a model is written: the next start finds a whole one or makes it."""

from __future__ import annotations

import contextlib
import os
import tempfile
from pathlib import Path

import pytest

from cosyvoice_wyoming.bundles import open_bundle
from cosyvoice_wyoming.bundles.store import bundle_dir, ensure_recipe
from cosyvoice_wyoming.errors import ModelCorrupt, ModelMissing
from tests.bundles.test_store import CONTENT, build_toy, model, site, toy

__all__ = ["build_toy", "model", "site", "toy"]


class PowerCut(BaseException):
    """Nothing of the program runs any more."""


def leave(folder: tempfile.TemporaryDirectory[str], *_: object) -> None:
    """Clean up nothing, now or later."""
    folder._finalizer.detach()  # type: ignore[attr-defined]


@contextlib.contextmanager
def cut_at(call: int, monkeypatch: pytest.MonkeyPatch):
    """Fail at the nth sync or rename and leave everything as it lies then."""
    left = iter(range(call))

    def failing(real):
        def attempt(*args, **keywords):
            if next(left, None) is None:
                raise PowerCut
            return real(*args, **keywords)

        return attempt

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", failing(os.fsync))
        patch.setattr(Path, "rename", failing(Path.rename))
        patch.setattr(Path, "replace", failing(Path.replace))
        patch.setattr(tempfile.TemporaryDirectory, "__exit__", leave)
        yield


@pytest.mark.parametrize("call", range(8))
def test_the_next_start_is_whole(model, tmp_path, monkeypatch, call):
    with cut_at(call, monkeypatch), contextlib.suppress(PowerCut):
        ensure_recipe(model, tmp_path)
    folder = bundle_dir(tmp_path, "toy")
    with contextlib.suppress(ModelMissing, ModelCorrupt):
        open_bundle(folder)
        assert (folder / "graph.onnx").read_bytes() == CONTENT[::-1]
    ensure_recipe(model, tmp_path)
    assert open_bundle(folder).recipe == "1"
    assert (folder / "graph.onnx").read_bytes() == CONTENT[::-1]
    visible = [path.name for path in folder.parent.iterdir() if path.name[0] != "."]
    assert visible == ["toy"]
