"""What is loaded when a model breaks."""

from __future__ import annotations

import pytest

from cosyvoice_wyoming import studio as studio_module
from cosyvoice_wyoming.engine.tone import ToneEngine
from cosyvoice_wyoming.errors import EngineFailed, SpeechError
from cosyvoice_wyoming.narration import Studio
from cosyvoice_wyoming.settings import Settings
from cosyvoice_wyoming.studio import Loading
from cosyvoice_wyoming.voices import VoiceCatalog


@pytest.fixture
def loaded(monkeypatch) -> list[str]:
    """The models that were loaded, each a tone engine in truth: real ones take seconds."""
    models: list[str] = []

    def load(settings: Settings, *, isolated: bool) -> Studio:
        assert isolated
        models.append(settings.model)
        return Studio(engine=ToneEngine(), catalog=VoiceCatalog(ToneEngine().voices))

    monkeypatch.setattr(studio_module, "load_studio", load)
    return models


def test_a_model_that_breaks_gives_way_to_the_embedded_one_and_that_to_the_supervisor(loaded):
    gave_up: list[SpeechError] = []
    loading = Loading(Settings(model="cosyvoice-300m-sft"), gave_up.append)
    loading()
    loading()
    assert loaded == ["cosyvoice-300m-sft", "lite"]
    assert not gave_up
    with pytest.raises(EngineFailed, match="lite broke again and again"):
        loading()
    assert len(gave_up) == 1


def test_a_change_of_mind_is_no_break(loaded):
    gave_up: list[SpeechError] = []
    loading = Loading(Settings(model="cosyvoice-300m-sft"), gave_up.append)
    loading()
    for small in (True, False):
        loading.small, loading.changing = small, True
        loading()
    assert loaded == ["cosyvoice-300m-sft", "lite", "cosyvoice-300m-sft"]
    assert not gave_up
