"""Every voice of `lite` says every sentence of five languages, on the way that requests take."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from cosyvoice_wyoming.engine.kokoro import load
from cosyvoice_wyoming.narration import Manner, Narration, Studio
from cosyvoice_wyoming.phonemes import phonemize
from cosyvoice_wyoming.text import prepare
from cosyvoice_wyoming.voices import STANDARD_VOICES, VoiceCatalog, VoiceWish
from tests.support.models import lite

pytestmark = pytest.mark.model

LINES = (Path(__file__).parent / "corpus" / "sentences.tsv").read_text("utf-8").splitlines()
SENTENCES = [line.split("\t")[1] for line in LINES if not line.startswith("#")]
VOWELS = re.compile("[aeiouyøœɐɑɔəɚɛɜɤɨɪɯʊʌæIAOWYQᵊᵻꭥ]+")

JOIN_PEAK = 0.01
"""Of full scale, at the first and last sample of a segment: a step of -40 dB is no click."""


@pytest.fixture(scope="module")
def studio():
    engine = load(lite(), threads=2)
    yield Studio(engine=engine, catalog=VoiceCatalog(engine.voices))
    engine.close()


def segments_of(text, voice, studio):
    """Return each segment's samples in -1..1 and its syllables."""
    narration = Narration(VoiceWish(name=voice), Manner())
    script = Manner().script()
    for segment in script.feed(text) + script.finish():
        data = b"".join(pcm.data for pcm in narration.say(segment, studio))
        assert narration.voice
        spoken = prepare(segment, narration.voice.language)
        assert spoken
        symbols = phonemize(spoken).symbols
        yield np.frombuffer(data, "<i2") / 32768, len(VOWELS.findall(symbols))


@pytest.mark.parametrize("voice", [voice.name for voice in STANDARD_VOICES])
def test_a_voice_says_every_sentence(voice, studio):
    for text in SENTENCES:
        spoken = list(segments_of(text, voice, studio))
        for samples, _ in spoken:
            assert np.sqrt(np.mean(samples**2)) > 0.01, text
            assert max(abs(samples[0]), abs(samples[-1])) < JOIN_PEAK, text
            loud = np.abs(samples) > 0.999
            assert not (loud[:-2] & loud[1:-1] & loud[2:]).any(), text
        seconds = sum(len(samples) for samples, _ in spoken) / studio.engine.sample_rate
        syllables = sum(count for _, count in spoken)
        assert 2.5 < syllables / seconds < 9, (text, syllables, seconds)
