"""The engine: a sentence to tokens, tokens to sound."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cosyvoice_wyoming.engine import Unhurried, Waveform
from cosyvoice_wyoming.engine.cosyvoice.ahead import TokensAhead
from cosyvoice_wyoming.engine.cosyvoice.draws import Draws, SeededDraws
from cosyvoice_wyoming.engine.cosyvoice.generation import Limits, generate
from cosyvoice_wyoming.engine.cosyvoice.presets import Preset
from cosyvoice_wyoming.engine.cosyvoice.speech_lm import SpeechLm, TextEncoder
from cosyvoice_wyoming.engine.cosyvoice.streaming import Decoder, decode, open_stream
from cosyvoice_wyoming.engine.cosyvoice.tokenizer import Tokenizer
from cosyvoice_wyoming.errors import EngineFailed
from cosyvoice_wyoming.text.spoken import Spoken
from cosyvoice_wyoming.voices import Voice

Array = NDArray[np.float32]

_SLOWEST, _FASTEST = 0.5, 2.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Identity:
    """A speaker: the row that the language model reads, [1, lm_dim], and the flow's [1, mel]."""

    row: Array
    mel: Array


@dataclass(frozen=True, slots=True, kw_only=True)
class Model:
    """All parts of a loaded model. `prompt_rows` are the rows around speaker and text."""

    tokenizer: Tokenizer
    text_encoder: TextEncoder
    speech_lm: SpeechLm
    decoder: Decoder
    prompt_rows: Array
    preset: Preset
    max_positions: int

    def prompt(self, ids: NDArray[np.int64], speaker: Identity) -> Array:
        """Return the rows [3 + len(ids), lm_dim] that speech tokens follow."""
        text = self.text_encoder.encode(ids)
        return np.concatenate([self.prompt_rows[:1], speaker.row, text, self.prompt_rows[1:]])

    def tokens(self, ids: NDArray[np.int64], speaker: Identity, draws: Draws) -> Iterator[int]:
        """Yield the speech tokens of a sentence. Raises EngineFailed if it is too long."""
        prompt = self.prompt(ids, speaker)
        room = self.max_positions - len(prompt)
        limits = Limits.of_text(len(ids))
        if limits.minimum > room:
            raise EngineFailed(
                "A sentence is too long for the speech model; end sentences with a full stop."
            )
        limits = Limits(minimum=limits.minimum, maximum=min(limits.maximum, room))
        yield from generate(self.speech_lm, prompt, limits, draws)


class CosyVoiceEngine:
    """CosyVoice-300M-SFT. The speakers' identities are by the names of their voices."""

    overlaps = False

    def __init__(
        self,
        model: Model,
        voices: tuple[Voice, ...],
        identities: dict[str, Identity],
        sample_rate: int,
    ) -> None:
        self.sample_rate = sample_rate
        self.voices = voices
        self._model: Model | None = model
        self._identities = identities

    def speaker(self, voice: Voice, *, speed: float, seed: int = 0) -> CosyVoiceSpeaker:
        if self._model is None:
            raise EngineFailed("The engine is closed.")
        return CosyVoiceSpeaker(self._model, self._identities[voice.name], speed, seed)

    def close(self) -> None:
        self._model = None


class CosyVoiceSpeaker(Unhurried):
    """One voice through one request; each segment draws from a seed of its own."""

    def __init__(self, model: Model, identity: Identity, speed: float, seed: int) -> None:
        self._model = model
        self._identity = identity
        self._speed = speed
        self._seed = seed
        self._segments = 0

    def speak(self, spoken: Spoken) -> Iterator[Waveform]:
        """Yield the segment's sound in pieces, and an empty piece after each step without any."""
        model = self._model
        ids = model.tokenizer.prompt(spoken.words, spoken.language)
        draws = SeededDraws(self._seed, self._segments)
        self._segments += 1
        if not len(ids):
            return
        speed = min(max(self._speed * spoken.rate, _SLOWEST), _FASTEST)
        stream = open_stream(model.decoder, model.preset, self._identity.mel, draws, speed)
        with TokensAhead(model.tokens(ids, self._identity, draws)) as tokens:
            yield from decode(stream, tokens, model.preset)
