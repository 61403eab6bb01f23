"""One utterance, top to bottom: phonemes, tokens, features, Cantonese tones, sound."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

import numpy as np

from cosyvoice_wyoming.engine import Unhurried
from cosyvoice_wyoming.engine.kokoro.decoder import Running
from cosyvoice_wyoming.engine.kokoro.encoder import LONGEST_SYMBOLS
from cosyvoice_wyoming.engine.kokoro.features import SAMPLE_RATE, Features
from cosyvoice_wyoming.engine.kokoro.pieces import pieces
from cosyvoice_wyoming.engine.kokoro.tones import draw_tones
from cosyvoice_wyoming.phonemes import Phonemes, phonemize, symbol_ids
from cosyvoice_wyoming.voices import STANDARD_VOICES, Voice

if TYPE_CHECKING:
    from cosyvoice_wyoming.engine import Waveform
    from cosyvoice_wyoming.engine.kokoro.decoder import Decoder
    from cosyvoice_wyoming.engine.kokoro.encoder import Encoder
    from cosyvoice_wyoming.engine.kokoro.styles import Style
    from cosyvoice_wyoming.text.spoken import Spoken

SLOWEST, FASTEST = 0.5, 2.0


class KokoroEngine:
    """The loaded model. `styles` holds the style of each voice by the voice's name."""

    sample_rate = SAMPLE_RATE
    overlaps = True
    """The encoder of one segment beside the decoder of another: each scales badly over threads."""

    def __init__(self, encoder: Encoder, decoder: Decoder, styles: Mapping[str, Style]) -> None:
        self.voices = tuple(voice for voice in STANDARD_VOICES if voice.name in styles)
        self._encoder = encoder
        self._decoder = decoder
        self._styles = styles

    def speaker(self, voice: Voice, *, speed: float, seed: int = 0) -> KokoroSpeaker:
        return KokoroSpeaker(self, self._styles[voice.name], speed=speed, seed=seed)

    def close(self) -> None:
        del self._encoder, self._decoder

    def utter(
        self, phonemes: Phonemes, style: Style, speed: float, running: Running
    ) -> Iterator[Waveform]:
        """Yield the sound of 1 to LONGEST_SYMBOLS symbols. Raises EngineFailed."""
        yield from self._decoder.decode(self._features(phonemes, style, speed), running)

    def _features(self, phonemes: Phonemes, style: Style, speed: float) -> Features:
        symbols = phonemes.symbols
        ids = symbol_ids()
        row = style.row(len(symbols))
        features = self._encoder.encode([ids[symbol] for symbol in symbols], row, speed)
        if not phonemes.tones:
            return features
        f0 = draw_tones(features.f0, features.durations, symbols, phonemes.tones)
        return dataclasses.replace(features, f0=f0)


class KokoroSpeaker(Unhurried):
    """One voice through one request; the same seed gives the same samples."""

    def __init__(self, engine: KokoroEngine, style: Style, *, speed: float, seed: int) -> None:
        self._engine = engine
        self._style = style
        self._speed = speed
        self._running = Running(noise=np.random.default_rng(seed))

    def speak(self, spoken: Spoken) -> Iterator[Waveform]:
        """Yield the waveform of a segment; see `engine.Speaker`."""
        speed = min(max(self._speed * spoken.rate, SLOWEST), FASTEST)
        for piece in pieces(phonemize(spoken), LONGEST_SYMBOLS):
            yield from self._engine.utter(piece, self._style, speed, self._running)
