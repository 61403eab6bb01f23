from __future__ import annotations

import numpy as np
import pytest

from cosyvoice_wyoming.engine.cosyvoice import bundle
from cosyvoice_wyoming.engine.cosyvoice.sessions import Session
from cosyvoice_wyoming.errors import EngineFailed


def test_what_onnx_runtime_says_is_logged_and_the_user_gets_a_sentence(tiny_bundles, caplog):
    session = Session(tiny_bundles["fast"] / bundle.PITCH, threads=1)
    with pytest.raises(EngineFailed, match="the log says why"):
        session.run({"mel": np.zeros((1, 99, 4), np.float32)})
    assert "ONNX Runtime: " in caplog.text


def test_a_session_that_shrinks_says_the_same(tiny_bundles):
    path = tiny_bundles["fast"] / bundle.PITCH
    mel = np.ones((1, 8, 40), np.float32)
    keeps, shrinks = (Session(path, threads=1, shrinks=shrinks) for shrinks in (False, True))
    np.testing.assert_array_equal(keeps.run({"mel": mel})[0], shrinks.run({"mel": mel})[0])


@pytest.mark.parametrize(("vnni", "setting"), [(True, None), (False, "1")])
def test_signed_weights_become_unsigned_where_they_would_overflow(
    tiny_bundles, monkeypatch, vnni, setting
):
    monkeypatch.setattr("cosyvoice_wyoming.machine.has_vnni", lambda: vnni)
    given = {}

    def remember(self, key, value):
        given[key] = value

    monkeypatch.setattr("onnxruntime.SessionOptions.add_session_config_entry", remember)
    Session(tiny_bundles["fast"] / bundle.PITCH, threads=1)
    assert given.get("session.x64quantprecision") == setting
