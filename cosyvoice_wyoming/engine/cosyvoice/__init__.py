"""CosyVoice-300M-SFT: text to speech tokens, tokens to mel, mel to sound.

Files in the order that data flows: `tokenizer`, `speech_lm` with `generation` and `sampling`,
`flow`, `vocoder` with `source`, joined by `streaming` and run by `synthesis`. Bundles are built by
`build` from `checkpoint`s whose tensors `layout` lists and `weights` reads, with the `graphs`.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from cosyvoice_wyoming import machine
from cosyvoice_wyoming.engine.cosyvoice import bundle
from cosyvoice_wyoming.engine.cosyvoice.config import SPEAKERS, Config
from cosyvoice_wyoming.engine.cosyvoice.flow import Flow, open_estimator
from cosyvoice_wyoming.engine.cosyvoice.huge_pages import use_huge_pages
from cosyvoice_wyoming.engine.cosyvoice.large_blocks import keep_large_blocks_apart
from cosyvoice_wyoming.engine.cosyvoice.presets import PRESETS, Preset
from cosyvoice_wyoming.engine.cosyvoice.sessions import Session
from cosyvoice_wyoming.engine.cosyvoice.source import HarmonicSource
from cosyvoice_wyoming.engine.cosyvoice.speech_lm import SpeechLm, TextEncoder, lm_threads
from cosyvoice_wyoming.engine.cosyvoice.streaming import Decoder
from cosyvoice_wyoming.engine.cosyvoice.synthesis import CosyVoiceEngine, Identity, Model
from cosyvoice_wyoming.engine.cosyvoice.tokenizer import Tokenizer
from cosyvoice_wyoming.engine.cosyvoice.vocabulary import MODEL_FILE
from cosyvoice_wyoming.engine.cosyvoice.vocoder import Vocoder
from cosyvoice_wyoming.errors import ModelCorrupt
from cosyvoice_wyoming.text.language import Language
from cosyvoice_wyoming.voices import Gender, Voice

_DESCRIPTIONS = {
    Language.ZH: "Mandarin",
    Language.YUE: "Cantonese",
    Language.JA: "Japanese",
    Language.KO: "Korean",
    Language.EN: "English",
}


def load(folder: Path, *, threads: int = 0) -> CosyVoiceEngine:
    """Load the model from its bundle. Raises ModelMissing, ModelCorrupt."""
    from cosyvoice_wyoming.bundles import open_bundle

    open_bundle(folder)
    return load_files(folder, threads=threads)


def load_files(folder: Path, *, threads: int = 0) -> CosyVoiceEngine:
    """Load the model from files that are known to be whole. Raises ModelCorrupt."""
    preset, config = bundle.read_description(folder)
    try:
        model = load_model(folder, config, PRESETS[preset], threads)
        rows = np.load(folder / bundle.SPEAKER_ROWS)
        mels = np.load(folder / bundle.SPEAKER_MELS)
    except (OSError, ValueError) as error:
        raise ModelCorrupt(f"{folder} cannot be read; fetch the model again.") from error
    identities = {
        voice: Identity(row=rows[index : index + 1], mel=mels[index : index + 1])
        for index, voice in enumerate(SPEAKERS.values())
    }
    voices = tuple(_voice(name) for name in SPEAKERS.values())
    return CosyVoiceEngine(model, voices, identities, config.sample_rate)


def load_model(folder: Path, config: Config, preset: Preset, threads: int = 0) -> Model:
    """Return the parts of a model. Raises ModelCorrupt, OSError, ValueError."""
    keep_large_blocks_apart()

    def session(name: str) -> Session:
        return Session(folder / name, threads=threads)

    table = np.load(folder / bundle.POSITIONS, mmap_mode="r")
    embedding = np.load(folder / bundle.SPEECH_EMBEDDING, mmap_mode="r")
    *weights, bias = np.load(folder / bundle.SOURCE)
    source = HarmonicSource(
        weights=np.array(weights, np.float32),
        bias=bias,
        rate=config.sample_rate,
        hop=config.vocoder.hop,
    )
    estimator = open_estimator(folder / bundle.ESTIMATOR, threads)
    flow = Flow(session(bundle.FLOW_ENCODER), estimator, config)
    vocoder = Vocoder(
        pitch=session(bundle.PITCH),
        # Its runs are long, few and take up to 80 MB.
        wave=Session(folder / bundle.VOCODER, threads=threads, shrinks=True),
        source=source,
        config=config.vocoder,
    )
    language_model = Session(folder / bundle.SPEECH_LM, threads=lm_threads(threads))
    text_embedding = np.load(folder / bundle.TEXT_EMBEDDING, mmap_mode="r")
    model = Model(
        tokenizer=Tokenizer(folder / MODEL_FILE),
        text_encoder=TextEncoder(session(bundle.TEXT_ENCODER), config, text_embedding),
        speech_lm=SpeechLm(language_model, config, table, embedding),
        decoder=Decoder(flow=flow, vocoder=vocoder),
        prompt_rows=np.load(folder / bundle.PROMPT_ROWS),
        preset=preset,
        max_positions=len(table) - 1,
    )
    use_huge_pages()
    machine.trim_memory()
    return model


def _voice(name: str) -> Voice:
    language, gender, _ = name.split("_")
    return Voice(
        name=name,
        language=Language(language),
        gender=Gender(gender),
        description=f"{_DESCRIPTIONS[Language(language)]}, {gender}, CosyVoice-300M-SFT",
    )
